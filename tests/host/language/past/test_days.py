"""Times that a calendar or a clock tells, asked on a Wednesday evening."""

from __future__ import annotations

import re
import time

import pytest

from host.language.past.questions import past_question
from host.language.past.times import TIME, times_of

NOW_S = time.mktime((2026, 6, 10, 20, 0, 0, 0, 0, -1))


def shown(at_s: float | None) -> str:
    return "" if at_s is None else time.strftime("%a %H:%M", time.localtime(at_s))


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("on tuesday", "Tue 00:00", "Wed 00:00"),
        ("on wednesday", "Wed 00:00", "Thu 00:00"),
        ("last friday night", "Fri 18:00", "Sat 06:00"),
        ("over the weekend", "Sat 00:00", "Mon 00:00"),
        ("at lunch", "Wed 11:30", "Wed 14:30"),
        ("before dinner", "Wed 00:00", "Wed 18:30"),
        ("since breakfast", "Wed 07:00", ""),
        ("in the night", "Tue 18:00", "Wed 06:00"),
        ("at half past two", "Wed 13:45", "Wed 15:15"),
        ("around midnight", "Tue 23:15", "Wed 00:45"),
        ("at eleven", "Wed 10:15", "Wed 11:45"),
        ("at nine at night", "Tue 20:15", "Tue 21:45"),
        ("in the last half hour", "Wed 19:30", ""),
        ("in the past ten minutes", "Wed 19:50", ""),
        ("an hour back", "Wed 18:30", "Wed 19:30"),
        ("just now", "Wed 19:55", ""),
        ("since midnight", "Wed 00:00", ""),
        ("since monday", "Mon 00:00", ""),
        ("since seven", "Wed 19:00", ""),
        ("after four", "Wed 16:00", ""),
        ("before nine", "Wed 00:00", "Wed 09:00"),
        ("by two o'clock", "Wed 13:15", "Wed 14:45"),
        ("at half ten", "Wed 09:45", "Wed 11:15"),
        ("at seven this morning", "Wed 06:15", "Wed 07:45"),
        ("at nine last night", "Tue 20:15", "Tue 21:45"),
        ("about two hours ago", "Wed 17:00", "Wed 19:00"),
        ("at tea time", "Wed 15:30", "Wed 19:00"),
        ("in evening", "Wed 18:00", "Thu 00:00"),
        ("overnight", "Tue 18:00", "Wed 06:00"),
        ("the night before last", "Mon 18:00", "Tue 06:00"),
        ("two nights ago", "Mon 18:00", "Tue 06:00"),
        ("the day before yesterday", "Mon 00:00", "Tue 00:00"),
        ("the other day", "Wed 00:00", "Wed 00:00"),
        ("last month", "Fri 00:00", "Mon 00:00"),
        ("first thing this morning", "Wed 05:00", "Wed 09:00"),
        ("at bedtime", "Tue 20:30", "Wed 00:00"),
        ("all afternoon", "Wed 12:00", ""),
        ("a little while ago", "Wed 18:00", ""),
        ("earlier on", "Wed 00:00", ""),
    ],
)
def test_a_time_means_what_calendar_and_clock_say(words: str, since: str, until: str) -> None:
    since_s, until_s, _ = times_of(words, NOW_S)
    assert (shown(since_s), shown(until_s)) == (since, until)
    assert since_s is not None and since_s < NOW_S and re.fullmatch(TIME, words)
    asked = past_question(f"where did i put my keys {words}")
    assert asked is not None and asked.rest.startswith("my keys")
    assert words == "just now" or times_of(asked.rest, NOW_S)[:2] == (since_s, until_s)


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("yesterday at lunch", "Tue 11:30", "Tue 14:30"),
        ("at nine yesterday", "Tue 20:15", "Tue 21:45"),
        ("on monday after breakfast", "Mon 07:00", "Tue 00:00"),
        ("on sunday at half past two", "Sun 13:45", "Sun 15:15"),
        ("yesterday morning at nine", "Tue 08:15", "Tue 09:45"),
        ("on monday evening at eight", "Mon 19:15", "Mon 20:45"),
    ],
)
def test_a_time_of_day_is_of_the_day_that_is_named_beside_it(words: str, since: str, until: str) -> None:
    since_s, until_s, _ = times_of(words, NOW_S)
    assert (shown(since_s), shown(until_s)) == (since, until)


@pytest.mark.parametrize(
    "words",
    [
        "at tea break",
        "before two people came",
        "after three stops",
        "since one hour",
        "at the tea table",
        "at one point",
    ],
)
def test_what_only_begins_like_a_time_is_none(words: str) -> None:
    assert times_of(words, NOW_S) == (None, None, "")


def test_the_same_weekday_is_a_week_ago() -> None:
    since_s, until_s, _ = times_of("on wednesday", NOW_S)
    assert since_s is not None and until_s is not None
    assert until_s < NOW_S - 5 * 86_400


@pytest.mark.parametrize("hour", range(24))
def test_no_time_of_day_lies_ahead(hour: int) -> None:
    now_s = time.mktime((2026, 6, 10, hour, 30, 0, 0, 0, -1))
    for words in (
        "at lunch", "after dinner", "since breakfast", "at nine", "in the evening", "at noon",
        "since midnight", "first thing", "at bedtime", "all afternoon", "overnight", "since three",
    ):  # fmt: skip
        since_s = times_of(words, now_s)[0]
        assert since_s is not None and now_s - 2.2 * 86_400 < since_s <= now_s + 3_600, words
