"""The twin's power over time: levels for a meter, a CSV file, and the energy of any interval."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from power.twin.totals import Segment

Floats = NDArray[np.float64]


class ModelledTrace:
    """Collects segments; hand its `add` to a `Twin` as `record`."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def add(self, segment: Segment) -> None:
        """Add the next interval; it begins at the end of the last one."""
        self.segments.append(segment)

    def rows(self) -> Iterator[tuple[float, float, str, str]]:
        """(start_s, power_mw, stage, cause) of every level; each pulse of the camera is a level."""
        for segment in self.segments:
            pulse = segment.pulse
            if pulse is None or pulse.on_s >= pulse.every_s or segment.seconds < pulse.every_s:
                yield segment.start_s, segment.power_mw, segment.stage, segment.cause
                continue
            # Whole periods, lengthened a little so that they fill the segment and keep its energy.
            base_mw = segment.power_mw - pulse.mean_mw
            count = int(segment.seconds / pulse.every_s)
            every_s = segment.seconds / count
            on_s = every_s * pulse.on_s / pulse.every_s
            for index in range(count):
                at_s = segment.start_s + index * every_s
                yield at_s, base_mw + pulse.extra_mw, "camera", segment.cause
                yield at_s + on_s, base_mw, segment.stage, segment.cause

    def levels(self) -> tuple[Floats, Floats]:
        """When each level begins, in seconds, and the level in mW, which holds until the next begins."""
        rows = list(self.rows())
        times = np.array([row[0] for row in rows], np.float64)
        return times, np.array([row[1] for row in rows], np.float64)

    @property
    def end_s(self) -> float:
        """Where the last level ends."""
        return self.segments[-1].start_s + self.segments[-1].seconds if self.segments else 0.0

    def energy_mwh(self, start_s: float, end_s: float) -> float:
        """The integral of the levels between two moments."""
        times, levels = self.levels()
        edges = np.append(times, self.end_s)
        inside = np.clip(edges, start_s, end_s)
        return float(np.sum(levels * np.diff(inside)) / 3600)

    def source(self, start_s: float, end_s: float) -> tuple[Floats, Floats]:
        """The levels between two moments, timed from the first: `power.meters.meter.PowerSource`."""
        times, levels = self.levels()
        first = max(0, int(np.searchsorted(times, start_s, side="right")) - 1)
        last = int(np.searchsorted(times, end_s, side="left"))
        return np.maximum(times[first:last] - start_s, 0.0), levels[first:last]

    def write(self, path: Path, voltage_mv: float = 3700.0) -> None:
        """As CSV that `power.meters` reads: two rows per level, at its beginning and at its end."""
        rows = list(self.rows())
        ends = [row[0] for row in rows[1:]] + [self.end_s]
        with path.open("w", newline="", encoding="utf-8") as file:
            file.write("# kind: modelled\n# voltage_measured: false\n")
            writer = csv.writer(file)
            writer.writerow(["time_s", "power_mw", "voltage_mv", "stage", "cause"])
            for (start_s, power_mw, stage, cause), end_s in zip(rows, ends, strict=True):
                if end_s - start_s < 2e-3:  # shorter than the file's resolution
                    continue
                for at_s in (start_s, end_s - 1e-3):
                    writer.writerow([f"{at_s:.3f}", f"{power_mw:.2f}", f"{voltage_mv:.0f}", stage, cause])
