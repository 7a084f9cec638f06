"""A gauge and a cell that follows its table, for the tests of the gauge."""

from __future__ import annotations

from firmware.pmu import gauge_cell as cell
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge

LCO = cell.curve(0)
ROOM_DK = r.ZERO_CELSIUS_DK + 220


def terminal_mv(percent: float, current_ma: int) -> int:
    return round(cell.open_circuit_mv_at(percent, LCO) + current_ma * cell.RESISTANCE_MOHM / 1000)


def resting(percent: float, powered: bool = False) -> Gauge:
    """A gauge after its first sample of a rested cell."""
    gauge = Gauge()
    gauge.sample(0, terminal_mv(percent, 0), 0, ROOM_DK, powered)
    return gauge


def charged_to_the_end(gauge: Gauge, now_ms: int, offset_ma: int = 0) -> int:
    """Constant voltage and falling current until the charge ends; returns the time."""
    for current_ma in (400, 200, 120, 90, 80, *[0] * 1200):
        now_ms += 1000
        gauge.sample(now_ms, 4195, current_ma + offset_ma, ROOM_DK, True)
    return now_ms
