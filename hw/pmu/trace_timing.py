"""What the PMU's power trace can tell of a short event, from how its sensor looks.

The sensor takes conversion after conversion of the current, without a pause, and a sample is the mean of some
of them; each stands for its own length as the rhythm of the samples tells it, within a hundredth. Then an
event's energy is in the samples around it wherever it lies among them. What is open is how the chip weighs
the moments of one conversion, which its data sheet does not say: if no less evenly than a triangle, what
is told of a step in it is off by no more than an eighth of the conversion, and an event has two steps.

Once a second the sensor looks away for about `VOLTAGE_MEASUREMENT_S` to measure the voltage: of an event that meets
this, as 3 in 1000 of 2 ms do, so much may be missing.
"""

from __future__ import annotations

from firmware.pmu.console_power_trace import CONVERSION_US, setting

EVENT_ERROR = 0.05
VOLTAGE_MEASUREMENT_S = 0.001
_LENGTH_ERROR = 0.01
_LONGEST_FACTOR = 1.1
_STEP_SHARE = 1 / 8


def result_s(period_ms: int) -> float:
    """Length of a sample where the chip's clock is typical; it may be a tenth off."""
    return setting(period_ms)[1] / 1e6


def shortest_event_s(period_ms: int) -> float:
    """Length from which on an event's energy is told within `EVENT_ERROR`, seconds."""
    conversion_s = CONVERSION_US[setting(period_ms)[0] >> 3 & 7] / 1e6
    return 2 * _STEP_SHARE * _LONGEST_FACTOR * conversion_s / (EVENT_ERROR - _LENGTH_ERROR)
