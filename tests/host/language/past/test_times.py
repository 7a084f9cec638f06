"""Times in the past, as people say them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.language.past.times import TIME, times_of, without_time

NOW_S = time.mktime((2026, 11, 23, 15, 30, 0, 0, 0, -1))
HOUR_S, MIDNIGHT_S = 3600.0, NOW_S - 15.5 * 3600
SAID = (
    "this morning", "this afternoon", "this evening", "yesterday", "yesterday morning", "last night", "today",
    "an hour ago", "ten minutes ago", "half an hour ago", "twenty five minutes ago", "3 hours ago",
    "two days ago", "a couple of minutes ago", "an hour and a half ago", "a moment ago", "this week",
    "last week",
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "since_s", "until_s"),
    [
        ("an hour ago", NOW_S - 1.5 * HOUR_S, NOW_S - 0.5 * HOUR_S),
        ("ten minutes ago", NOW_S - 900, NOW_S - 300),
        ("half an hour ago", NOW_S - 2700, NOW_S - 900),
        ("one minute ago", NOW_S - 120, NOW_S),
        ("twenty five minutes ago", NOW_S - 2250, NOW_S - 750),
        ("two days ago", MIDNIGHT_S - 48 * HOUR_S, MIDNIGHT_S - 24 * HOUR_S),
        ("yesterday evening", MIDNIGHT_S - 6 * HOUR_S, MIDNIGHT_S),
        ("last night", MIDNIGHT_S - 6 * HOUR_S, MIDNIGHT_S + 6 * HOUR_S),
        ("today", MIDNIGHT_S, None),
        ("a moment ago", NOW_S - 300, None),
        ("before", None, None),
        ("", None, None),
    ],
)
def test_what_a_time_means(said: str, since_s: float | None, until_s: float | None) -> None:
    assert times_of(said, NOW_S)[:2] == (since_s, until_s)


@given(said=st.sampled_from(SAID), now_s=st.floats(1.7e9, 1.9e9))
def test_a_time_is_told_as_it_was_said_and_is_no_part_of_the_thing(said: str, now_s: float) -> None:
    since_s, until_s, told = times_of(f"my keys {said}", now_s)
    assert told in said and since_s is not None
    assert until_s is None or since_s < until_s
    assert re.fullmatch(TIME, said) and without_time(f"my keys {said}") == "my keys"


def test_a_day_with_another_number_of_hours_ends_at_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        now_s = time.mktime((2026, 10, 26, 9, 0, 0, 0, 0, -1))  # the clocks went back the day before
        since_s, until_s, _ = times_of("yesterday", now_s)
        assert since_s is not None and until_s is not None and until_s - since_s == 25 * HOUR_S
    finally:
        monkeypatch.undo()
        time.tzset()
