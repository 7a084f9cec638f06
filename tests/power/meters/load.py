"""A known load: steps of power over time, and the errors of a recording of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from power.meters.meter import MeterRecording

LONG_S = 0.5
"""A step of at least this length is an event, whatever its neighbours are."""


@dataclass(frozen=True)
class Load:
    """Levels of power in mW with their durations in seconds; the last one continues."""

    levels_mw: tuple[float, ...]
    seconds: tuple[float, ...]

    @cached_property
    def corners_s(self) -> NDArray[np.float64]:
        return np.concatenate(([0.0], np.cumsum(self.seconds)))

    @cached_property
    def duration_s(self) -> float:
        return float(sum(self.seconds))

    def power_mw(self, time_s: NDArray[np.float64]) -> NDArray[np.float64]:
        step = np.searchsorted(self.corners_s, time_s, side="right") - 1
        return np.array(self.levels_mw)[np.clip(step, 0, len(self.levels_mw) - 1)]

    def mean_between_mw(self, start_s: float, end_s: float) -> float:
        """Mean power between two moments. Before the load it is that of the first level, after it that of the
        last.
        """
        begin, end = np.interp([start_s, end_s], *self._energy)
        return float(end - begin) / (end_s - start_s)

    @cached_property
    def _energy(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Moments, and the energy until each."""
        corners = np.concatenate(([-1e3], self.corners_s[1:-1], [1e6]))
        return corners, np.concatenate(([0.0], np.cumsum(np.diff(corners) * self.levels_mw)))

    def in_whole_samples(self, rate_hz: float) -> Load:
        """The same load, with a last step that is longer by less than a sample."""
        first_s = sum(self.seconds[:-1])
        count = np.ceil(self.duration_s * rate_hz)
        return Load(self.levels_mw, (*self.seconds[:-1], float(count / rate_hz - first_s)))

    def mean_mw(self) -> float:
        return float(np.dot(self.levels_mw, self.seconds)) / self.duration_s


def energy_mws(recording: MeterRecording, begin_s: float, end_s: float) -> float:
    """Energy of an event, where each sample is the mean of its period."""
    period_s = 1 / recording.sample_rate_hz
    covered = np.clip(
        np.minimum(recording.time_s + period_s / 2, end_s)
        - np.maximum(recording.time_s - period_s / 2, begin_s),
        0,
        None,
    )
    return float(np.dot(recording.power_mw, covered))


def worst_event(recording: MeterRecording, load: Load, shift_s: float = 0.0) -> float:
    """The largest relative error of an event's energy. Events are steps above their neighbours; a short dip
    between two high steps is not one, as its own energy is less than what a sample at its edge holds.
    """
    errors = []
    for step, (level, seconds) in enumerate(zip(load.levels_mw, load.seconds, strict=True)):
        neighbours = load.levels_mw[max(0, step - 1) : step] + load.levels_mw[step + 1 : step + 2]
        if level >= max(neighbours, default=0.0) or seconds >= LONG_S:
            begin_s = float(load.corners_s[step]) + shift_s
            errors.append(abs(energy_mws(recording, begin_s, begin_s + seconds) / (level * seconds) - 1))
    return max(errors)


def loads(shortest_s: float, longest_s: float, events: int = 3) -> st.SearchStrategy[Load]:
    """Random loads like the headband's: events above an idle level, 20 mW to 3.5 W."""
    length = st.floats(np.log(shortest_s), np.log(longest_s)).map(lambda x: round(float(np.exp(x)), 5))
    event = st.tuples(length, length, st.floats(1.5, 40.0))

    def build(rest_mw: float, drawn: list[tuple[float, float, float]], last_s: float) -> Load:
        levels, seconds = [rest_mw], [drawn[0][0]]
        for _, event_s, factor in drawn:
            levels += [round(min(3_500.0, rest_mw * factor), 3), rest_mw]
            seconds += [event_s, last_s]
        return Load(tuple(levels), tuple(seconds))

    rest = st.floats(20, 800).map(lambda mw: round(mw, 3))
    return st.builds(build, rest, st.lists(event, min_size=1, max_size=events), length)
