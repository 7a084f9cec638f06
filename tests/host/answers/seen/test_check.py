"""How far a detection bears out an answer: from scenes drawn by its probabilities."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.answers.seen.check import Checked, Verdict, checked, decided
from host.answers.seen.scene import scenes
from models.detection import Candidate, Detection
from models.pack.brick_settings import CautionTable, DetectedTable, DetectionTable
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home.splits import KINDS


def candidate(x: float, y: float, name: str, colour: str, sure: float = 1.0, half: float = 0.08) -> Candidate:
    """One thing; what is left of the probability is for nothing."""
    return Candidate(x, y, half, half, ((name, sure), ("", 1.0 - sure)), ((colour, 1.0),))


def detection(*candidates: Candidate, clear: float = 1.0, error: float = 0.01) -> Detection:
    return Detection(candidates, SHAPES, KINDS, "sign", COLOURS, clear=clear, middle_error=error)


STAR, RING = candidate(0.2, 0.5, "star", "red"), candidate(0.5, 0.5, "ring", "blue")
CROSS = candidate(0.9, 0.5, "cross", "green")


def test_what_is_surely_so_is_so_in_all_scenes() -> None:
    found = checked("The star is red.", "what colour is the star", detection(STAR, RING))
    assert found is not None and (found.sentence, found.share, found.agrees) == ("The star is red.", 1.0, 1.0)


def test_what_is_surely_not_so_is_told_instead() -> None:
    found = checked("The star is blue.", "what colour is the star", detection(STAR, RING))
    assert found is not None and (found.sentence, found.agrees) == ("The star is red.", 0.0)


def test_what_may_not_be_there_is_in_as_many_scenes_as_it_is_probable() -> None:
    unsure = candidate(0.5, 0.2, "heart", "red", sure=0.5)
    found = checked("Yes, there is a heart.", "is there a heart", detection(unsure, STAR))
    assert found is not None and 0.2 < found.agrees < 0.8


def test_which_of_two_is_nearer_by_a_hair_is_unsure_and_by_far_is_sure() -> None:
    near = detection(
        candidate(0.21, 0.5, "star", "red"), RING, candidate(0.78, 0.5, "cross", "green"), error=0.03
    )
    said = "A green cross is nearest to the ring.", "what is nearest to the ring"
    by_a_hair, by_far = checked(*said, near), checked(*said, detection(STAR, RING, CROSS))
    assert by_a_hair is not None and 0.1 < by_a_hair.agrees < 0.9
    assert by_far is not None and by_far.agrees == 0.0 and by_far.share == 1.0


def test_of_a_dark_picture_nothing_is_sure() -> None:
    found = checked("The star is red.", "what colour is the star", detection(STAR, clear=0.1))
    assert found is not None and found.agrees == pytest.approx(0.1)


def test_of_other_answers_it_says_nothing() -> None:
    assert checked("The sign says stop.", "what does the sign say", detection(STAR)) is None


def test_two_cells_that_tell_of_one_thing_are_one() -> None:
    twice = detection(STAR, candidate(0.21, 0.52, "star", "red", sure=0.6))
    assert all(len(scene.shapes) == 1 for scene in scenes(twice, 12))


def lying(x: float, name: str, on: str = "table") -> Candidate:
    return Candidate(x, 0.5, 0.05, 0.05, ((name, 1.0),), (("red", 1.0),), ((on, 1.0),))


KEYS, CUP = lying(0.3, "keys"), lying(0.7, "cup")
PLAIN, LEFT, RIGHT = (f"Your keys are on the table{beside}." for beside in (
    "", ", left of the cup", ", right of the cup",
))  # fmt: skip
WHERE = "where are my keys"
GIVES = CautionTable(1.0, 1.0, 1.0)
TABLES = DetectionTable(
    DetectedTable(0.9, 1.0, 0.0, GIVES), DetectedTable(0.9, 1.0, 0.0, GIVES, beside_from=0.6)
)


def test_where_a_thing_is_is_so_whatever_is_beside_it() -> None:
    seen = detection(KEYS, CUP)
    there, elsewhere, plain = (checked(said, WHERE, seen) for said in (LEFT, RIGHT, PLAIN))
    assert there is not None and (there.agrees, there.plainly, there.shorter) == (1.0, 1.0, PLAIN)
    assert elsewhere is not None and (elsewhere.agrees, elsewhere.plainly) == (0.0, 1.0)
    assert plain is not None and (plain.agrees, plain.plainly, plain.shorter) == (1.0, 1.0, "")


def test_a_neighbour_that_is_not_borne_out_is_left_out() -> None:
    sure, seen = detection(KEYS, CUP), detection(replace(KEYS, lying=(("table", 0.7), ("shelf", 0.3))), CUP)
    assert decided(LEFT, 0.5, checked_of(LEFT, sure), TABLES) == Verdict(LEFT, 1.0)
    assert decided(RIGHT, 0.5, checked_of(RIGHT, sure), TABLES) == Verdict(PLAIN, 1.0)
    undecided = decided(RIGHT, 0.5, checked_of(RIGHT, seen), TABLES)
    assert undecided == Verdict(PLAIN, 0.5, final=False), "nothing says how sure the rest is"
    assert decided(PLAIN, 0.5, checked_of(PLAIN, seen), TABLES) is None


def checked_of(said: str, seen: Detection) -> Checked:
    found = checked(said, WHERE, seen)
    assert found is not None
    return found


SAID = (
    "I see a red star.",
    "There are two things.",
    "The sign is red.",
    "A red star is nearest to the ring.",
    "Yes, there is one star and two rings.",
    "Your keys are on the table.",
    "You are not holding anything.",
    "The star is bigger.",
    "Nothing is next to your cup.",
    "I see two of your things.",
    "Yes, it is red.",
)
SOMETHING = st.builds(
    candidate,
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from((*SHAPES, "sign", *KINDS)),
    st.sampled_from(COLOURS),
    st.floats(0, 1),
    st.floats(0.01, 0.5),
)


@given(st.lists(SOMETHING, max_size=12), st.sampled_from(SAID))
def test_whatever_is_found_the_shares_are_shares_and_the_same_again(
    found: list[Candidate], said: str
) -> None:
    told = checked(said, "is the star red or bigger than the ring", detection(*found))
    if told is not None:
        assert 0.0 <= told.agrees <= told.share <= 1.0 + 1e-9 or told.sentence != said
        assert told == checked(said, "is the star red or bigger than the ring", detection(*found))
