"""Tables of figures, printed as text or written as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev

from tests.eval.intervals import wilson

_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Two-sided 95 % quantiles of Student's distribution for 1 to 9 degrees of freedom."""


class Lacks(Exception):
    """What the pack or this computer lacks for a section, in one sentence."""


@dataclass(frozen=True)
class Table:
    """One section. notes: sentences below the rows."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = field(default_factory=tuple)

    def text(self) -> str:
        """Aligned columns."""
        lines = [self.title]
        widths = [max(len(row[at]) for row in (self.columns, *self.rows)) for at in range(len(self.columns))]
        for row in (self.columns, *self.rows) if self.rows else ():
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append("  " + "  ".join(cells).rstrip())
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def markdown(self) -> str:
        """A heading and a table as in docs/figures.md."""
        lines = [f"### {self.title}", ""]
        if self.rows:
            lines += [f"| {' | '.join(self.columns)} |", f"|{' --- |' * len(self.columns)}"]
            lines += [f"| {' | '.join(row)} |" for row in self.rows]
            lines.append("")
        return "\n".join([*lines, *(f"{note}\n" for note in self.notes)])


def share(verdicts: Sequence[bool]) -> str:
    """Percent of hits with Wilson's interval and the number of trials; "-" without any."""
    if not verdicts:
        return "-"
    low, high = wilson(sum(verdicts), len(verdicts))
    hits = 100 * sum(verdicts) / len(verdicts)
    return f"{hits:.1f} % [{100 * low:.1f}, {100 * high:.1f}] of {len(verdicts)}"


def over(values: Sequence[float], unit: str = " %", digits: int = 1, *, shares: bool = False) -> str:
    """Mean of some days' or runs' values with its 95 % interval by Student's distribution. shares: values
    are percent of something, so the interval ends at 0 and 100.
    """
    middle = mean(values)
    if len(values) < 2:
        return f"{middle:.{digits}f}{unit}"
    quantile = _STUDENT[min(len(values) - 2, len(_STUDENT) - 1)]
    half = quantile * stdev(values) / math.sqrt(len(values))
    low, high = middle - half, middle + half
    if shares:
        low, high = max(0.0, low), min(100.0, high)
    return f"{middle:.{digits}f}{unit} [{low:.{digits}f}, {high:.{digits}f}]"
