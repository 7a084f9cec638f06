"""Alarms of one sentence, of which one says the part of the day for all: "wake me at seven in the morning and
again at eight". Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from host.language.router import Decision

_HALF_DAY_MIN = 720
_NIGHT_HOURS = range(6, 12)
"""Hours before midnight where "at night" is said with them."""


def of_one_day(decisions: Sequence[Decision]) -> list[Decision]:
    """An alarm without a part of the day is the next such time after the alarm before it, or the last such
    time before the one after it unless that is for tomorrow; others stay as they are.
    """
    at = [index for index, each in enumerate(decisions) if each.intent == "alarm"]
    after = list(decisions)
    for one, two in pairwise(at):
        after[two] = _next(after[one], after[two])
    for one, two in reversed(list(pairwise(at))):
        after[one] = _last(after[one], after[two])
    return after


def _next(before: Decision, alarm: Decision) -> Decision:
    start_min, early_min = _minute_of_day(before), _either_minute(alarm)
    if start_min is None or early_min is None:
        return alarm
    for part, minute in (("am", early_min), ("pm", early_min + _HALF_DAY_MIN)):
        if minute > start_min:
            tomorrow = {"tomorrow": True} if before.slots.get("tomorrow") else {}
            return replace(alarm, slots=tomorrow | alarm.slots | {"part": part})
    return alarm if before.slots.get("tomorrow") else replace(alarm, slots=alarm.slots | {"part": "am"})


def _last(alarm: Decision, after: Decision) -> Decision:
    end_min, early_min = _minute_of_day(after), _either_minute(alarm)
    if end_min is None or early_min is None or after.slots.get("tomorrow"):
        return alarm
    late = early_min + _HALF_DAY_MIN < end_min or early_min >= end_min
    return replace(alarm, slots=alarm.slots | {"part": "pm" if late else "am"})


def _minute_of_day(alarm: Decision) -> int | None:
    """None where no part of the day is said."""
    hour, minute = _hour_and_minute(alarm)
    part = str(alarm.slots.get("part", ""))
    if not part:
        return None
    late = hour in _NIGHT_HOURS if part == "night" else part == "pm"
    return 60 * (hour % 12) + minute + _HALF_DAY_MIN * late


def _either_minute(alarm: Decision) -> int | None:
    """The earlier of the two minutes of the day that it may mean; None where it means one."""
    hour, minute = _hour_and_minute(alarm)
    free = not alarm.slots.get("part") and not alarm.slots.get("tomorrow") and 1 <= hour <= 12
    return 60 * (hour % 12) + minute if free else None


def _hour_and_minute(alarm: Decision) -> tuple[int, int]:
    hour, minute = int(alarm.slots["hour"]), int(alarm.slots.get("minute", 0))
    minute += int(alarm.slots.get("offset", 0))
    return ((hour - 1) % 24 or 12, minute + 60) if minute < 0 else (hour, minute)
