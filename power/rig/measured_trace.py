"""A recording on the headband's clock: its energy and mean power between any two moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from power.account.energy_model import MW_S_PER_MWH
from power.meters.meter import MeterRecording


@dataclass(frozen=True)
class ClockMap:
    """From a recording's time to the headband's monotonic clock: `offset_s + time_s * (1 + drift)`."""

    offset_s: float
    drift: float = 0.0

    def headband_s(self, time_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Moments of the recording, in seconds of the headband's clock."""
        return self.offset_s + time_s * (1.0 + self.drift)


class MeasuredTrace:
    """Power over the headband's time. Linear between two samples, constant outside the recording."""

    def __init__(self, recording: MeterRecording, clock: ClockMap) -> None:
        self.recording = recording
        self.time_s = clock.headband_s(recording.time_s)
        self.power_mw = recording.power_mw
        steps = np.diff(self.time_s) * (self.power_mw[1:] + self.power_mw[:-1]) / 2
        self._area = np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def period_s(self) -> float:
        """Typical time between two samples."""
        return float(np.median(np.diff(self.time_s[:10_001]))) if len(self.time_s) > 1 else 0.0

    def energy_mwh(self, start_s: float, end_s: float) -> float:
        """Energy between two moments, in milliwatt-hours."""
        begin, end = self._until([start_s, end_s])
        return float(end - begin) / MW_S_PER_MWH

    def mean_mw(self, start_s: float, end_s: float) -> float:
        """Mean power between two different moments."""
        return self.energy_mwh(start_s, end_s) * MW_S_PER_MWH / (end_s - start_s)

    def means_mw(self, edges_s: ArrayLike) -> NDArray[np.float64]:
        """Mean power between each edge and the next; the edges rise."""
        edges = np.asarray(edges_s, np.float64)
        return np.diff(self._until(edges)) / np.diff(edges)

    def _until(self, moments_s: ArrayLike) -> NDArray[np.float64]:
        """Integral of power from the first sample to each moment, in mW·s."""
        moments = np.asarray(moments_s, np.float64)
        inside = np.clip(moments, self.time_s[0], self.time_s[-1])
        index = np.clip(np.searchsorted(self.time_s, inside, side="right") - 1, 0, len(self.time_s) - 2)
        elapsed = inside - self.time_s[index]
        width = self.time_s[index + 1] - self.time_s[index]
        slope = np.where(
            width > 0, (self.power_mw[index + 1] - self.power_mw[index]) / np.maximum(width, 1e-12), 0.0
        )
        area = self._area[index] + elapsed * (self.power_mw[index] + slope * elapsed / 2)
        beyond = np.where(moments < inside, self.power_mw[0], self.power_mw[-1]) * (moments - inside)
        return area + beyond
