"""A time is of the day and the part of a day that are named, and on the side of it that is named."""

from __future__ import annotations

import re
import time

import pytest

from host.language.past.questions import past_question
from host.language.past.times import TIME, times_of, without_time


def at(day: int, hour: int, minute: int = 0) -> float:
    return time.mktime((2026, 6, day, hour, minute, 0, 0, 0, -1))


NOW_S = at(10, 20)
"""A Wednesday evening."""


def meant(words: str, now_s: float = NOW_S) -> str:
    """From and to, with the day of the month."""
    shown = (
        "" if at_s is None else time.strftime("%d %H:%M", time.localtime(at_s))
        for at_s in times_of(f"my keys {words}", now_s)[:2]
    )
    return " to ".join(shown)


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("this morning at half past seven", "10 06:45 to 10 08:15"),
        ("in the morning at eight", "10 07:15 to 10 08:45"),
        ("around eight last night", "09 19:15 to 09 20:45"),
        ("last night at eleven", "09 22:15 to 09 23:45"),
        ("at two last night", "10 01:15 to 10 02:45"),
        ("at three in the night", "10 02:15 to 10 03:45"),
        ("at twelve last night", "09 23:15 to 10 00:45"),
        ("on monday night at two", "09 01:15 to 09 02:45"),
        ("yesterday morning before nine", "09 00:00 to 09 09:00"),
        ("yesterday evening before nine", "09 18:00 to 09 21:00"),
        ("yesterday morning after nine", "09 09:00 to 09 12:00"),
        ("yesterday afternoon since three", "09 15:00 to "),
        ("last night after dinner", "09 18:30 to 10 06:00"),
        ("last night in the small hours", "10 00:00 to 10 05:00"),
        ("at noon on monday", "08 11:15 to 08 12:45"),
        ("at midday yesterday", "09 11:15 to 09 12:45"),
        ("at midnight yesterday", "09 23:15 to 10 00:45"),
        ("the day before yesterday at nine", "08 20:15 to 08 21:45"),
        ("today before lunch", "10 00:00 to 10 12:30"),
        ("this evening at nine", "09 20:15 to 09 21:45"),
        ("this afternoon at nine", "10 08:15 to 10 09:45"),
    ],
)
def test_a_clock_shows_it_in_the_part_of_the_day_that_is_named(words: str, span: str) -> None:
    assert meant(words) == span


@pytest.mark.parametrize("now_s", [at(10, 9), at(10, 14), at(10, 20), at(10, 23)])
def test_last_night_is_the_same_at_every_hour_of_the_day(now_s: float) -> None:
    assert meant("at two last night", now_s) == "10 01:15 to 10 02:45"
    assert meant("last night at eleven", now_s) == "09 22:15 to 09 23:45"


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("last week", "01 00:00 to 08 00:00"),
        ("on tuesday last week", "02 00:00 to 03 00:00"),
        ("on monday of last week", "01 00:00 to 02 00:00"),
        ("earlier yesterday", "09 00:00 to 10 00:00"),
        ("earlier on monday", "08 00:00 to 09 00:00"),
        ("earlier this week", "04 00:00 to "),
        ("first thing yesterday", "09 05:00 to 09 09:00"),
        ("on monday at bedtime", "08 20:30 to 09 00:00"),
        ("on monday in the afternoon", "08 12:00 to 08 18:00"),
        ("on monday before noon", "08 00:00 to 08 12:00"),
        ("two days ago in the evening", "08 18:00 to 09 00:00"),
        ("two days ago at noon", "08 11:15 to 08 12:45"),
        ("three evenings ago", "07 18:00 to 08 00:00"),
        ("last weekend", "06 00:00 to 08 00:00"),
        ("late yesterday evening", "09 18:00 to 10 00:00"),
        ("yesterday or on monday", "09 00:00 to 10 00:00"),
        ("not yesterday but on monday", "08 00:00 to 09 00:00"),
    ],
)
def test_the_day_that_is_named_counts(words: str, span: str) -> None:
    assert meant(words) == span


def test_last_week_and_the_weekend_are_over_or_still_on() -> None:
    assert meant("last week", at(8, 10)) == "01 00:00 to 08 00:00"
    assert meant("this weekend", at(7, 10)) == "06 00:00 to "
    assert meant("last weekend", at(14, 10)) == "06 00:00 to 08 00:00"


@pytest.mark.parametrize(
    ("words", "span", "said"),
    [
        ("before today", " to 10 00:00", "before today"),
        ("before yesterday", " to 09 00:00", "before yesterday"),
        ("before last night", " to 09 18:00", "before last night"),
        ("until yesterday", " to 09 00:00", "before yesterday"),
        ("until noon", "10 00:00 to 10 12:00", "before noon"),
        ("since last night", "09 18:00 to ", "since last night"),
        ("since last week", "01 00:00 to ", "since last week"),
        ("since yesterday evening", "09 18:00 to ", "since yesterday evening"),
        ("since monday morning", "08 00:00 to ", "since monday morning"),
        ("ever since the morning", "10 00:00 to ", "ever since the morning"),
        ("after monday", "09 00:00 to ", "after monday"),
        ("after today", "10 00:00 to ", "after today"),
        ("before midnight", " to 10 00:00", "before midnight"),
    ],
)
def test_before_and_since_are_a_side_of_the_time_that_they_stand_before(
    words: str, span: str, said: str
) -> None:
    assert meant(words) == span and times_of(f"my keys {words}", NOW_S)[2] == said
    assert re.fullmatch(TIME, words) and without_time(f"my keys {words}") == "my keys"


@pytest.mark.parametrize(
    ("hour", "words", "span"),
    [
        (0, "this evening", "09 18:00 to 10 00:00"),
        (0, "tonight", "09 18:00 to 10 06:00"),
        (3, "at two tonight", "10 01:15 to 10 02:45"),
        (10, "this afternoon", "09 12:00 to 09 18:00"),
        (13, "this afternoon", "10 12:00 to 10 18:00"),
        (20, "tonight", "10 18:00 to 11 06:00"),
        (20, "earlier this evening", "10 18:00 to 11 00:00"),
    ],
)
def test_what_is_still_to_come_today_was_yesterday(hour: int, words: str, span: str) -> None:
    assert meant(words, at(10, hour, 30)) == span


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("at about nine", "10 08:15 to 10 09:45"),
        ("at five past nine", "10 08:20 to 10 09:50"),
        ("at twenty five to nine", "10 07:50 to 10 09:20"),
        ("at ten minutes past nine", "10 08:25 to 10 09:55"),
        ("at quarter past six", "10 17:30 to 10 19:00"),
        ("at seven twenty this morning", "10 06:35 to 10 08:05"),
        ("at seven oh five", "10 18:20 to 10 19:50"),
        ("at nine pm", "09 20:15 to 09 21:45"),
        ("an hour and twenty minutes ago", "10 18:00 to 10 19:20"),
        ("an hour and a half ago", "10 17:45 to 10 19:15"),
        ("three quarters of an hour ago", "10 18:52 to 10 19:37"),
        ("two or three hours ago", "10 15:30 to 10 19:00"),
        ("several hours ago", "10 14:00 to 10 18:00"),
        ("over an hour ago", " to 10 19:00"),
        ("less than an hour ago", "10 19:00 to "),
        ("in the last hour and a half", "10 18:30 to "),
        ("in the past week", "03 20:00 to "),
        ("over the last two weeks", "27 20:00 to "),
        ("a month ago", "26 20:00 to 26 20:00"),
        ("last evening", "09 18:00 to 10 00:00"),
        ("just", "10 19:55 to "),
    ],
)
def test_no_word_of_a_time_is_left_in_the_thing(words: str, span: str) -> None:
    assert meant(words) == span
    assert without_time(f"my keys {words}") == "my keys"
    asked = past_question(f"where did i put my keys {words}")
    assert asked is not None and asked.rest == f"my keys {words}"


def test_how_much_is_to_be_forgotten_is_no_time_of_weeks() -> None:
    assert not re.search(rf"\b{TIME}\b", "forget the last two weeks")
    assert re.findall(rf"\b{TIME}\b", "forget the last hour and a half") == ["last hour"]


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("today before noon", "10 00:00 to 10 12:00"),
        ("this morning before ten", "10 00:00 to 10 10:00"),
        ("today before seven", "10 00:00 to 10 07:00"),
        ("yesterday before noon", "09 00:00 to 09 12:00"),
        ("before nine", "09 00:00 to 09 21:00"),
    ],
)
def test_what_was_before_a_time_of_today_is_of_today_though_that_is_still_to_come(
    words: str, span: str
) -> None:
    assert meant(words, at(10, 8)) == span
