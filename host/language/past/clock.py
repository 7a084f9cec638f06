"""Hours and days as clock and calendar count them, also where a day has 23 or 25 hours. Pure."""

from __future__ import annotations

import time

PARTS = {"morning": (0.0, 12.0), "afternoon": (12.0, 18.0), "evening": (18.0, 24.0), "night": (18.0, 30.0)}
"""Hours of the day from and to which each lasts."""


def midnight_of(at_s: float) -> float:
    """When that day began, seconds since 1970."""
    return at_hour(at_s, 0.0)


def at_hour(day_s: float, hour: float) -> float:
    """When a clock shows the hour on the day of `day_s`; from 24 on it is the next day's."""
    day = time.localtime(day_s)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, round(hour * 60), 0, 0, 0, -1))


def day_before(day_s: float, days: int) -> float:
    """The midnight that began the day so many days before."""
    return at_hour(day_s, -24.0 * days)


def last_begun(midnight_s: float, hour: float, now_s: float) -> float:
    """The midnight of today, or of yesterday where that hour of today is still to come."""
    return midnight_s if at_hour(midnight_s, hour) <= now_s else day_before(midnight_s, 1)
