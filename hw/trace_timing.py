"""What the PMU's power trace can tell of a short event, from the times at which its sensor looks.

A sample stands for its whole period T and is the mean of the moments at which the sensor looked at the
current: while it measured the voltage, or waited for the next measurement, nothing was seen. Where power
steps at a share x of the period, the sample holds a share f(x) of the step instead of 1 - x; the two differ
by no more than what is unseen, so the energy of an event between two steps is off by at most its height
times the longest time unseen u, and by less than `EVENT_ERROR` when it lasts u / EVENT_ERROR or longer. u
counts the wait for the next measurement of a chip that is a tenth faster than typical, and one look at the
voltage. A sample that comes late or is lost adds what it lacks.
"""

from __future__ import annotations

from firmware.pmu.power_trace import CONVERSION_US, setting

EVENT_ERROR = 0.05
_FASTEST = 0.9


def unseen_s(period_ms: int) -> float:
    """Longest time in one period during which the sensor does not look at the current, seconds."""
    word, _shunt_us, all_us = setting(period_ms)
    return (period_ms * 1000 - _FASTEST * (all_us - CONVERSION_US[word >> 6 & 7])) / 1e6


def shortest_event_s(period_ms: int) -> float:
    """Length from which on an event's energy is told within `EVENT_ERROR`, seconds."""
    return unseen_s(period_ms) / EVENT_ERROR
