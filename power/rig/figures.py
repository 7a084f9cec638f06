"""Figures of a report: a value with its confidence interval, kind (measured or modelled) and meter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from power.meters.meter import MeterKind
from power.rig import student

_TAILS = 0.045
"""For 95 % where repeats are skewed, as those of power are: a few are much higher, hardly any much lower."""


@dataclass(frozen=True)
class FigureSource:
    """Where the figures of a run come from."""

    kind: MeterKind
    meter: str


@dataclass(frozen=True)
class Figure:
    """One number of the report. `value` is the mean over the repeats."""

    id: str
    """For example "state.performance/standby.mw"."""
    label: str
    unit: str
    value: float
    kind: MeterKind
    meter: str
    n: int
    """Number of events, or of repeats where it is a mean over time."""
    per_repeat: tuple[float, ...]
    ci95: tuple[float, float] | None
    """Over the repeats, as samples of one are not independent; None for fewer than two. Without the meter's
    own error.
    """
    p50: float | None = None
    p95: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the JSON, rounded to what a meter can tell."""
        entry = asdict(self)
        for name in ("value", "p50", "p95"):
            entry[name] = None if entry[name] is None else rounded(entry[name])
        entry["per_repeat"] = [rounded(value) for value in self.per_repeat]
        entry["ci95"] = None if self.ci95 is None else [rounded(value) for value in self.ci95]
        return entry


def rounded(value: float) -> float:
    """To six significant digits."""
    return float(f"{value:.6g}")


def figure(
    source: FigureSource,
    name: str,
    label: str,
    unit: str,
    per_repeat: Sequence[Sequence[float]],
) -> Figure:
    """Of events grouped by repeat (a mean over time is one event). Repeats without an event are left out."""
    groups = [list(group) for group in per_repeat if len(group)]
    events = [value for group in groups for value in group]
    means = [float(np.mean(group)) for group in groups]
    several = len(events) > len(groups) or len(events) > 1
    return Figure(
        name,
        label,
        unit,
        float(np.mean(means)),
        source.kind,
        source.meter,
        len(events),
        tuple(means),
        interval(means),
        float(np.percentile(events, 50)) if several else None,
        float(np.percentile(events, 95)) if several else None,
    )


def interval(means: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean by Student's t: right for two to five repeats, of which a bootstrap knows too
    little. It knows neither the meter's own error nor what another day changes (`just eval rig` shows how
    often it holds what the meter shows, and the power itself).
    """
    if len(means) < 2:
        return None
    reach = student.limit(_TAILS, len(means) - 1) * float(np.std(means, ddof=1)) / len(means) ** 0.5
    middle = float(np.mean(means))
    return middle - reach, middle + reach


def collect(
    groups: Sequence[Mapping[str, Any]], value: Callable[[Any], float]
) -> dict[str, list[list[float]]]:
    """Per name, one list per repeat: `groups` are the repeats' mappings from name to one entry or a list."""
    names = list(dict.fromkeys(name for group in groups for name in group))
    return {
        name: [
            [value(entry) for entry in (group[name] if isinstance(group[name], list) else [group[name]])]
            if name in group
            else []
            for group in groups
        ]
        for name in names
    }
