"""How exactly the PMU's power trace measures the energy of a short event, from the sensor's timing.

The sensor converts the current without pauses, and a sample is the mean of several conversions. The length of
a sample is known from the sample interval within 1 %, so the samples around an event contain its energy at
any phase. The data sheet does not state the weighting within one conversion; if it is at least as even as a
triangle, a step within a conversion causes an error of at most 1/8 of the conversion, and an event has two
steps.

Once a second the sensor measures the voltage for about `VOLTAGE_MEASUREMENT_S` instead of the current; of an
event at that time (3 in 1000 for events of 2 ms) that much may be missing.
"""

from __future__ import annotations

from firmware.pmu.console_power_trace import CONVERSION_US, MAX_PERIOD_MS, MIN_PERIOD_MS, setting

PERIODS_MS = range(MIN_PERIOD_MS, MAX_PERIOD_MS + 1)
"""Sample intervals that a trace may have, milliseconds."""
EVENT_ERROR = 0.05
VOLTAGE_MEASUREMENT_S = 0.001
_LENGTH_ERROR = 0.01
_LONGEST_FACTOR = 1.1
_STEP_SHARE = 1 / 8


def result_s(period_ms: int) -> float:
    """Nominal length of a sample, seconds; the chip's clock may be 10 % off."""
    return setting(period_ms)[1] / 1e6


def shortest_event_s(period_ms: int) -> float:
    """Shortest event whose energy is measured within `EVENT_ERROR`, seconds."""
    conversion_s = CONVERSION_US[setting(period_ms)[0] >> 3 & 7] / 1e6
    return 2 * _STEP_SHARE * _LONGEST_FACTOR * conversion_s / (EVENT_ERROR - _LENGTH_ERROR)
