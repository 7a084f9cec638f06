"""Networks of several training seeds on the same cases: means over networks, intervals over pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.eval.reflex.collect import Outputs
from tests.eval.reflex.metrics import Interval, Places, ratio


@dataclass(frozen=True, eq=False)
class Run:
    """One network's outputs on validation and on the test."""

    validation: Outputs
    test: Outputs


def interval(runs: Sequence[Run], values: Sequence[NDArray], rows: Places | None = None) -> Interval:
    """Mean of a value of each test case. values: of each network, [n]. rows: of the cases that count; None
    for all.
    """
    return within(runs, values, [np.ones(len(each)) for each in values], rows)


def within(
    runs: Sequence[Run], values: Sequence[NDArray], of: Sequence[NDArray], rows: Places | None = None
) -> Interval:
    """The same of the cases for which `of` is true."""
    top, bottom = np.asarray(values, float), np.asarray(of, float)
    chosen = np.arange(top.shape[1]) if rows is None else np.asarray(rows)
    return ratio(runs[0].test.groups[chosen], (top * bottom)[:, chosen], bottom[:, chosen])


def one_by_one(values: Sequence[float], digits: int = 1, scale: float = 100.0) -> str:
    """The values of the networks one by one, for a note: "96.1, 95.8"."""
    return ", ".join(f"{scale * value:.{digits}f}" for value in values)
