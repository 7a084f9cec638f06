"""A modelled headband as a meter: its power, sampled as by an integrating instrument."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from power.meters.meter import MeterError, MeterKind, MeterRecording, PowerSource

SAMPLE_RATE_HZ = 1_000.0
VOLTAGE_MV = 3_700.0
"""Nominal for one lithium cell."""


class TwinMeter:
    """`power.meters.meter.Meter` over a model. Each sample is the mean power of its period, so steps
    lose no energy between two samples. `monotonic`: the model's clock.
    """

    name = "twin"
    kind: MeterKind = "modelled"

    def __init__(
        self,
        source: PowerSource,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sample_rate_hz: float = SAMPLE_RATE_HZ,
        voltage_mv: float = VOLTAGE_MV,
    ) -> None:
        self.sample_rate_hz = sample_rate_hz
        self._source = source
        self._monotonic = monotonic
        self._voltage_mv = voltage_mv
        self._start_s: float | None = None

    async def start(self) -> None:
        self._start_s = self._monotonic()

    async def stop(self) -> MeterRecording:
        """Raises `MeterError` when it was not started, or nothing was modelled."""
        if self._start_s is None:
            raise MeterError("The twin's meter was not started.")
        start_s, self._start_s = self._start_s, None
        end_s = self._monotonic()
        begins_s, levels_mw = self._source(start_s, end_s)
        count = int((end_s - start_s) * self.sample_rate_hz)
        if not count or not len(begins_s):
            raise MeterError("The twin modelled nothing while its meter ran.")
        edges_s = np.arange(count + 1) / self.sample_rate_hz
        corners_s = np.append(begins_s, max(end_s - start_s, float(begins_s[-1])))
        energy_mws = np.concatenate(([0.0], np.cumsum(levels_mw * np.diff(corners_s))))
        power_mw = np.diff(np.interp(edges_s, corners_s, energy_mws)) * self.sample_rate_hz
        return MeterRecording(
            self.name, self.kind, self.sample_rate_hz, (edges_s[1:] + edges_s[:-1]) / 2, power_mw,
            np.full(count, self._voltage_mv), False, None, count, 0, start_s,
        )  # fmt: skip

    async def close(self) -> None:
        self._start_s = None


def from_source(source: PowerSource | None) -> TwinMeter:
    """The meter over that model. Raises `MeterError` when there is none."""
    if source is None:
        raise MeterError(
            "The twin's meter needs a running model of the headband, which this command has not."
        )
    return TwinMeter(source)
