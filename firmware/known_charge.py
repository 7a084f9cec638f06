"""Sets a gauge's charge, for a bench that knows it: tests and the emulated board. No board gets this file."""

from .pmu.gauge import Gauge


def set_percent(gauge: Gauge, percent: float) -> None:
    """Set the charge; counting continues from there."""
    gauge.known = gauge._restored = True
    percent = min(100.0, max(0.0, percent))
    empty, full, _ = gauge._ends
    gauge.charge.declare(gauge.charge.fraction_at(empty + (full - empty) * percent / 100), 0.005)
    gauge.full = percent == 100
    gauge._cut_off.reset()
    gauge.shown.declare(percent)
