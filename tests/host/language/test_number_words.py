"""Numbers in words: what is said is read back, wherever it stands."""

from __future__ import annotations

import re

import pytest

from host.language.number_words import NUMBER, in_words, value_of
from host.language.past.times import times_of


@pytest.mark.parametrize("number", range(100))
def test_a_number_in_words_is_read_back(number: int) -> None:
    said = in_words(number).replace("-", " ")
    assert value_of(said) == number
    assert re.findall(rf"\b{NUMBER}\b", f"volume {said} please") == [said]


def test_a_hundred() -> None:
    assert value_of("a hundred") == value_of("one hundred") == 100


@pytest.mark.parametrize(
    ("said", "minutes"), [("seventy two", 72), ("ninety", 90), ("fifty five", 55), ("a few", 3)]
)
def test_any_number_of_minutes_ago_is_a_time(said: str, minutes: int) -> None:
    since_s, until_s, words = times_of(f"where were my keys {said} minutes ago", 1_000_000.0)
    assert words == f"{said} minutes ago" and since_s is not None and until_s is not None
    assert (since_s + until_s) / 2 == pytest.approx(1_000_000.0 - 60 * minutes)
