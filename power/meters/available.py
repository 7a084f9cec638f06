"""The meters, and what each lacks on this computer."""

from __future__ import annotations

from dataclasses import dataclass

from power.meters import joulescope_meter, monsoon_meter, ppk2_meter
from power.meters.meter import MeterKind


@dataclass(frozen=True)
class Availability:
    """One meter. `ok`: its software is installed; the instrument may still be unplugged."""

    name: str
    spec: str
    """The argument of `open_meter`."""
    what: str
    """What it measures and at which rate."""
    kind: MeterKind
    marker_inputs: int
    ok: bool
    missing: str
    """What has to be installed, a sentence; "" when nothing has."""


def available() -> tuple[Availability, ...]:
    """Every meter, installed or not."""
    return (
        _meter("pmu", "pmu[:PORT]", "the PMU's INA226: voltage and current, 250 times a second"),
        _meter("csv", "csv:FILE", "a file of time_s and power_mw, or current_ma and voltage_mv"),
        _meter("twin", "twin", "the modelled headband, 1,000 times a second", kind="modelled"),
        _meter(
            "ppk2", "ppk2[:PORT][,mv=3800]",
            "Nordic Power Profiler Kit II: current, 100,000 times a second; the voltage is the one set",
            8, ppk2_meter.missing(),
        ),
        _meter(
            "joulescope", "joulescope[:SERIAL]",
            "Joulescope JS110 or JS220: voltage and current, 1,000,000 times a second and more",
            2, joulescope_meter.missing(),
        ),
        _meter(
            "monsoon", "monsoon[:SERIAL][,mv=3800]",
            "Monsoon HVPM: voltage and current, 5,000 times a second",
            0, monsoon_meter.missing(),
        ),
    )  # fmt: skip


def _meter(
    name: str, spec: str, what: str, inputs: int = 0, missing: str | None = None, *,
    kind: MeterKind = "measured",
) -> Availability:  # fmt: skip
    return Availability(name, spec, what, kind, inputs, missing is None, missing or "")
