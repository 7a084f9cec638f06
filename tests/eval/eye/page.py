"""Tables of figures, printed as text or written as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.eval.intervals import wilson


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
