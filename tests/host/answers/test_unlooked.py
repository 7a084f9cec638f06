"""What is said of views that nobody looked at again, and which words tell of one spot."""

from __future__ import annotations

import pytest

from host.answers.spots import same_spot, spot_said, usual_place
from host.answers.unlooked import not_known, perhaps, perhaps_looked_at, perhaps_same_before

NOW_S = 1_000_000.0


def test_every_answer_says_that_nobody_looked_again() -> None:
    said = perhaps("my keys", NOW_S - 70, NOW_S)
    assert said == (
        "I may have seen your keys one minute ago, but I have not looked at that picture again, "
        "so I am not sure."
    )
    said = perhaps("my keys", NOW_S - 70, NOW_S, "on the bed", before=True)
    assert said.startswith(
        "Before that, I may have seen your keys one minute ago, perhaps on the bed, but I "
    )
    same = perhaps_same_before("my keys", NOW_S - 70, NOW_S, first=True)
    assert same.startswith(
        "Before that, I may have seen your keys in the same place, the first time one minute"
    )
    assert same.endswith("so I am not sure.")


def test_what_was_looked_at_is_listed_by_time() -> None:
    said = perhaps_looked_at([(NOW_S - 70, ["keys", "cup", "bag"]), (NOW_S - 700, ["book"])], NOW_S)
    assert said == (
        "One minute ago: perhaps your keys, your cup and your bag. Eleven minutes ago: perhaps your book. "
        "I have not looked at those pictures again, so I am not sure."
    )
    assert "that picture" in perhaps_looked_at([(NOW_S, ["keys"])], NOW_S)


def test_of_what_it_does_not_know_it_says_so() -> None:
    assert not_known("the lamp", "today") == "I have not seen anything today that I know as the lamp."
    assert not_known("my lamp", "yesterday") == "I did not see anything yesterday that I know as your lamp."


@pytest.mark.parametrize(
    ("place", "lying", "said"),
    [
        ("kitchen", "table", "on the kitchen table"),
        ("", "table", "on the table"),
        ("desk", "table", "on the desk"),
        ("park", "floor", "on the ground in the park"),
        ("kitchen", "hand", "in your hand"),
        ("kitchen", "", ""),
    ],
)
def test_a_spot_in_words(place: str, lying: str, said: str) -> None:
    assert spot_said(place, lying) == said


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("on the floor", "on the kitchen floor", True),
        ("on the hall floor", "on the kitchen floor", False),
        ("on the ground", "on the ground in the park", True),
        ("on the ground in the street", "on the ground in the park", False),
        ("on the floor", "on the ground in the park", True),
        ("on the kitchen floor", "on the ground", False),
        ("on the table", "on the desk", True),
        ("on the desk chair", "on the chair", True),
        ("on the living room sofa, left of the cup", "on the sofa", True),
        ("on the bathroom shelf", "on the bathroom counter", False),
        ("in your hand", "in your hand", True),
        ("in your hand", "on the bed", False),
        ("on the windowsill", "on the windowsill", True),
        ("on the windowsill", "on the bed", False),
    ],
)
def test_words_of_one_spot(first: str, second: str, same: bool) -> None:
    one, other = f"Your keys are {first}.", f"Your keys were {second}."
    assert same_spot(one, other) is same and same_spot(other, one) is same


def test_a_place_has_one_usual_name() -> None:
    assert [usual_place(each) for each in ("hallway", "hall", "cellar")] == ["hall", "hall", "cellar"]
