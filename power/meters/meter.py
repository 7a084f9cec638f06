"""The interface of power meters, and their recordings."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from power.account.energy_model import MW_S_PER_MWH

MeterKind = Literal["measured", "modelled"]

PowerSource = Callable[[float, float], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Modelled power between two moments of the clock: when each level begins, in seconds since the first
moment, rising, and the level in mW, which holds until the next begins.
"""


class MeterError(Exception):
    """A meter cannot be used or failed; one sentence for the user."""


@dataclass(frozen=True)
class MeterRecording:
    """A meter's recording. Arrays have one row per sample, in order."""

    meter: str
    """"ppk2", "pmu", "csv", "twin", "joulescope" or "monsoon"."""
    kind: MeterKind
    sample_rate_hz: float
    """Nominal."""
    time_s: NDArray[np.float64]
    """Since the start of the recording."""
    power_mw: NDArray[np.float64]
    """Drawn from the supply: positive while the headband consumes."""
    voltage_mv: NDArray[np.float64]
    """Measured, or the constant supply voltage where the meter measures none."""
    voltage_measured: bool
    marker: NDArray[np.uint8] | None
    """Eight digital inputs as bits; None where the meter has none."""
    expected: int
    """Samples that the meter should have delivered."""
    lost: int
    """How many of them are missing."""
    start_monotonic_s: float
    """The host's monotonic clock when `time_s` was zero."""
    shortest_event_s: float = 0.0
    """The energy of a shorter event may be wrong by more than 5 percent; 0 where only the sample rate limits
    it.
    """
    unplaced_s: float = 0.0
    """Seconds of samples that are missing without a trace of where: `time_s` has no gap for them."""
    start_known: bool = True
    """False: `start_monotonic_s` says nothing, as of a file that does not state when it began."""

    def __post_init__(self) -> None:
        rows = len(self.time_s)
        if len(self.power_mw) != rows or len(self.voltage_mv) != rows:
            raise ValueError("A recording's arrays have one row per sample.")
        if self.marker is not None and len(self.marker) != rows:
            raise ValueError("A recording has one marker per sample.")
        if not 0 <= self.lost <= self.expected:
            raise ValueError("A recording cannot lose more samples than were expected.")

    @property
    def current_ma(self) -> NDArray[np.float64]:
        """Power over voltage; 0 where there is no voltage."""
        current = np.zeros(len(self.power_mw))
        np.divide(self.power_mw * 1000.0, self.voltage_mv, out=current, where=self.voltage_mv > 0)
        return current

    @property
    def duration_s(self) -> float:
        """From the first sample to the last."""
        return float(self.time_s[-1] - self.time_s[0]) if len(self.time_s) else 0.0

    @property
    def lost_share(self) -> float:
        """0..1 of the expected samples."""
        return self.lost / self.expected if self.expected else 0.0

    @property
    def energy_mwh(self) -> float:
        """The integral of power over time by the trapezoid rule; a gap is bridged by a straight line."""
        return float(np.trapezoid(self.power_mw, self.time_s)) / MW_S_PER_MWH


class Meter(Protocol):
    """One instrument. Every method raises `MeterError`."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> MeterKind: ...

    @property
    def sample_rate_hz(self) -> float:
        """Nominal."""

    async def start(self) -> None:
        """Begin a recording."""

    async def stop(self) -> MeterRecording:
        """End the recording begun by `start`."""

    async def close(self) -> None:
        """Release the instrument. May be called twice."""


NAMES = ("csv", "joulescope", "monsoon", "pmu", "ppk2", "twin")
KEEP_PMU_AWAKE = ("pmu",)
"""Those whose recording keeps the PMU awake: a sleeping headband draws more meanwhile than by itself."""


def open_meter(spec: str, *, twin: PowerSource | None = None) -> Meter:
    """The meter that `NAME` or `NAME:ARGUMENT` names: "ppk2:/dev/ttyACM0", "pmu:/dev/ttyACM1", "csv:FILE",
    "twin", "joulescope", "monsoon". `twin`: the source of the twin's meter.

    Raises `MeterError` for an unknown name and for a library that is not installed.
    """
    name, _, argument = spec.partition(":")
    if name not in NAMES:
        raise MeterError(f"There is no meter {name!r}; there are {', '.join(NAMES)}.")
    module = importlib.import_module(f"power.meters.{name}_meter")
    meter: Meter = module.from_source(twin) if name == "twin" else module.from_argument(argument)
    return meter
