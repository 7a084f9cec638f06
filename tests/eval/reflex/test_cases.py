"""The composition of the cases, and the judges of tempting questions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from tests.eval.reflex import drawn, polarity, stranger_cases
from tests.eval.reflex.cases import CAUSES, Case, composed, unanswerable_share
from tests.eval.reflex.polarity import NoSuchShape, SaysAbsent, SaysColour, SaysPresent, SaysShape, SaysWhere
from tests.eval.reflex.tempting_wordings import OTHERS, OWN
from tests.eval.stranger.refusals import RefusesThing
from tests.eval.stranger.sentences import Named
from tests.eval.stranger_home.facts import Facts, Item

WORLDS = {
    "shapes": drawn.shapes, "held home": drawn.held_home, "home": drawn.home,
    "stranger home": stranger_cases.home, "stranger shapes": stranger_cases.shapes,
}  # fmt: skip
_CUP = Item("cup", "table", colour="red")
_FACTS = Facts("kitchen", True, (_CUP,))


@pytest.mark.parametrize("world", WORLDS)
def test_a_good_quarter_is_unanswerable_for_several_causes(world: str) -> None:
    cases = composed(WORLDS[world](1), 100)
    assert len(cases) == 100
    assert unanswerable_share(cases) == pytest.approx(0.28)
    causes = Counter(case.cause for case in cases if not case.answerable)
    assert set(causes) <= set(CAUSES)
    assert len(causes) >= 3
    assert max(causes.values()) <= 18
    assert len({case.family for case in cases if case.answerable}) >= 5
    assert max(Counter(case.group for case in cases).values()) <= 3


def test_cases_and_pictures_are_the_same_for_a_seed() -> None:
    once, twice = ([*itertools.islice(drawn.held_home(4), 5)] for _ in range(2))
    assert [case.text for case in once] == [case.text for case in twice]
    assert np.array_equal(once[0].picture(), twice[0].picture())
    assert once[0].picture().dtype == np.uint8


def test_composed_keeps_the_shares_it_can() -> None:
    def case(cause: str, at: int) -> Case:
        return Case("", "f", "", bool, cause, "", lambda: np.zeros((1, 1, 3), np.uint8), at)

    only_answerable = composed((case("", at) for at in range(100)), 20, 0.5)
    assert len(only_answerable) <= 10
    assert not unanswerable_share(only_answerable)


@pytest.mark.parametrize(
    ("judge", "right", "wrong"),
    [
        (
            SaysPresent(_CUP, _FACTS),
            ("Yes, your cup is on the kitchen table.", "Your cup is on the table.", "Yes, I see your cup."),
            ("Yes.", "No.", "I do not see your cup here.", "Your cup is on the shelf.", "I see your keys."),
        ),
        (
            SaysAbsent(),
            ("I do not see your cup here.", "No, there is no cup here.", "Yes, there is no cup here."),
            ("No.", "Yes.", "Yes, your cup is on the table."),
        ),
        (
            SaysShape(Named("star", "red")),
            ("Yes, there is a red star.", "There is a red star.", "No, there is a star."),
            ("Yes.", "No, there is no red star.", "I cannot see a red star.", "Yes, there is a blue star."),
        ),
        (
            NoSuchShape(RefusesThing(Named("star", "red"), (Named("star", "blue"), Named("ring", "red")))),
            ("No, there is no red star.", "I see a blue star, no red one."),
            ("No.", "Yes, there is a red star."),
        ),
        (
            SaysColour("red", "red", "star"),
            ("Yes, it is red.", "No, it is red.", "The star is red."),
            ("Yes.", "No, it is not red.", "It is blue."),
        ),
        (
            SaysColour("red", "blue", "star"),
            ("Yes, it is red.", "No, it is not blue.", "The star is red."),
            ("No.", "It is blue.", "It is not red."),
        ),
        (
            SaysWhere(_CUP, "table"),
            ("Yes, your cup is on the table.", "Your cup is on the kitchen table."),
            ("Yes.", "No.", "No, your cup is on the shelf.", "Your cup is not on the table."),
        ),
        (
            SaysWhere(_CUP, "shelf"),
            ("No, your cup is on the table.", "No, your cup is not on the shelf."),
            ("No.", "Yes, your cup is on the shelf.", "No, your cup is on the bed.", "It is too dark."),
        ),
    ],
)
def test_judges_want_the_truth_and_no_bare_verdict(
    judge: Callable[[str], bool], right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    assert [text for text in right if not judge(text)] == []
    assert [text for text in wrong if judge(text)] == []


def test_tempting_families_are_balanced() -> None:
    families = polarity.families(40, 1)
    assert {name: len(cases) for name, cases in families.items()} == {
        "negation": 40, OWN: 40, OTHERS: 40, "yes-bias": 40, "control": 40,
    }  # fmt: skip
    for cases in families.values():
        assert {case.world for case in cases} >= {"home", "stranger home", "stranger shapes"}
        assert len({(case.world, case.group) for case in cases}) == len(cases), "two pictures of one number"
    for case in families["yes-bias"]:
        assert not case.judge("Yes."), case.text
    assert sum(case.judge("Yes.") for case in families["control"]) >= 35
    for case in (*families["negation"], *families[OWN], *families[OTHERS]):
        assert not case.judge("Yes.") and not case.judge("No."), case.text


def test_own_negations_are_in_no_training_question() -> None:
    trained = ("is there no ", "are there no ", "do you see no ", "do you not see ", "can you not see ")
    for case in polarity.families(60, 2)[OWN]:
        assert not case.text.startswith(trained) and not case.text.endswith(("not here", "picture")), (
            case.text
        )
