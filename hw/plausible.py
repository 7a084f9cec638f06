"""Plausibility of a battery reading: ranges of its values, and detection of values that do not change."""

from __future__ import annotations

from collections.abc import Callable, Hashable

PERCENT = (0.0, 100.0)
VOLTAGE_MV = (2000, 5000)
CURRENT_MA = (-10_000, 10_000)
TEMPERATURE_C = (-40.0, 100.0)


def implausible(
    percent: float,
    voltage_mv: float | None,
    current_ma: float | None,
    temperature_c: float | None,
    most_cells: int = 1,
) -> str | None:
    """One sentence about the first value out of range; None when all are in range. `most_cells`: largest
    number of cells in series.
    """
    if not PERCENT[0] <= percent <= PERCENT[1]:
        return f"The battery gauge claims a charge of {percent:.0f} percent."
    if voltage_mv is not None and not VOLTAGE_MV[0] <= voltage_mv <= VOLTAGE_MV[1] * most_cells:
        return f"The battery gauge claims {voltage_mv:.0f} mV."
    if current_ma is not None and not CURRENT_MA[0] <= current_ma <= CURRENT_MA[1]:
        return f"The battery gauge claims {current_ma:.0f} mA."
    if temperature_c is not None and not TEMPERATURE_C[0] <= temperature_c <= TEMPERATURE_C[1]:
        return f"The battery gauge claims {temperature_c:.0f} degrees Celsius."
    return None


class UnchangedTimer:
    """Measures how long a value has not changed although it should."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._last: Hashable = None
        self._moved_at_s = monotonic()

    def seconds(self, value: Hashable, *, must_move: bool = True) -> float:
        """Seconds since `value` changed, or since the last call with `must_move` False."""
        now_s = self._monotonic()
        if value != self._last or not must_move:
            self._last, self._moved_at_s = value, now_s
        return now_s - self._moved_at_s


def frozen_gauge_sentence(seconds: float) -> str:
    """Sentence about a gauge whose values did not change for that long."""
    return f"The battery gauge answers but has measured nothing for {seconds:.0f} seconds."
