"""Turns a chip's values into a reading with its state."""

from __future__ import annotations

from hw.plausible import frozen_gauge_sentence, implausible
from hw.supply import BatteryReading, ReadingState


def absent_reading(problem: str, state: ReadingState = "absent") -> BatteryReading:
    """A reading without values."""
    return BatteryReading(None, None, None, None, False, state, problem)


def checked_reading(
    *,
    percent: float,
    voltage_mv: int,
    current_ma: int | None,
    temperature_c: float | None,
    charging: bool,
    alarms: tuple[str, ...] = (),
    unchanged_s: float = 0.0,
    stale_after_s: float,
    most_cells: int = 1,
    full_mah: int | None = None,
) -> BatteryReading:
    """A reading with state: implausible when a value is out of range, stale when no value changed for too
    long, else good.
    """
    state: ReadingState = "good"
    problem = implausible(percent, voltage_mv, current_ma, temperature_c, most_cells)
    if problem:
        state = "implausible"
    elif unchanged_s > stale_after_s:
        state, problem = "stale", frozen_gauge_sentence(unchanged_s)
    return BatteryReading(
        percent=round(percent),
        voltage_mv=voltage_mv,
        current_ma=current_ma,
        temperature_c=temperature_c,
        charging=charging,
        state=state,
        problem=problem,
        alarms=alarms,
        full_mah=full_mah,
    )
