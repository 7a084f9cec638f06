"""On the day of a clock change the hours are those that the clocks show."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from host.language.past.clock import at_hour, day_before, last_begun, midnight_of
from host.language.past.times import times_of


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(month: int, day: int, hour: int) -> float:
    return time.mktime((2026, month, day, hour, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(("month", "day", "hours"), [(3, 29, 23), (10, 25, 25), (6, 10, 24)])
def test_a_day_has_the_hours_that_it_has(month: int, day: int, hours: int) -> None:
    begun_s = midnight_of(at(month, day, 20))
    assert begun_s == at(month, day, 0)
    assert at_hour(begun_s, 9) == at(month, day, 9)
    assert at_hour(begun_s, 24) - begun_s == hours * 3600
    assert day_before(at_hour(begun_s, 24), 1) == begun_s == day_before(begun_s, 0)
    assert last_begun(begun_s, 9, at(month, day, 9)) == begun_s
    assert last_begun(begun_s, 10, at(month, day, 9)) == day_before(begun_s, 1)


@pytest.mark.parametrize(("month", "day"), [(3, 29), (10, 25)])
@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("this afternoon", "12:00", "18:00"),
        ("at nine this morning", "08:15", "09:45"),
        ("at noon", "11:15", "12:45"),
        ("at lunch", "11:30", "14:30"),
        ("after lunch", "12:30", ""),
        ("since noon", "12:00", ""),
        ("all evening", "18:00", ""),
        ("first thing", "05:00", "09:00"),
        ("last night", "18:00", "06:00"),
    ],
)
def test_times_are_those_of_the_clocks(month: int, day: int, words: str, first: str, last: str) -> None:
    shown = [
        "" if at_s is None else time.strftime("%H:%M", time.localtime(at_s))
        for at_s in times_of(words, at(month, day, 20))[:2]
    ]
    assert shown == [first, last]
