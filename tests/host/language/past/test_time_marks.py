"""Times of a sentence, each put as one character and back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.language.past.time_marks import JUST_NOW, MARK, with_marks
from host.language.past.times import TIME

WORDS = st.sampled_from(
    "where did i put my keys last night an hour ago on monday evening at half past nine before lunch just "
    "now yesterday early late earlier today in the all day week recently a moment".split()
)


@given(st.lists(WORDS, max_size=20))
def test_what_is_marked_is_told_again(words: list[str]) -> None:
    said = " ".join(words)
    marked = with_marks(said)
    assert marked.told(marked.words) == said
    assert len(re.findall(MARK, marked.words)) == len(marked.times)


@pytest.mark.parametrize(
    "time", ["last night", "an hour ago", "on monday evening", "at half past nine", "before"]
)
def test_a_time_is_one_mark(time: str) -> None:
    assert re.fullmatch(TIME, time)
    marked = with_marks(f"did i see my keys {time} at all")
    assert marked.times == (time, "at all")
    assert re.fullmatch(rf"did i see my keys {MARK} {MARK}", marked.words)


@pytest.mark.parametrize(
    ("time", "just_now"), [("just now", True), ("a moment ago", True), ("an hour ago", False)]
)
def test_a_moment_ago_has_marks_of_its_own(time: str, just_now: bool) -> None:
    assert bool(re.search(JUST_NOW, with_marks(f"did my bag move {time}").words)) is just_now


def test_characters_that_stand_for_a_time_are_left_out_of_what_is_said() -> None:
    marked = with_marks("did i see \ue000my keys\ue801 last night")
    assert marked.told(marked.words) == "did i see my keys last night"
