"""Tables of the report: cells, numbers, verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_MARKS = {"pass": "ok", "too short": "soft", "meter too coarse": "soft", "kept awake": "soft"}
"""Verdict -> its class in the style, where it is none of a fault."""


def number(value: float | None) -> str:
    """Four significant digits, without an exponent."""
    if value is None:
        return "–"
    if abs(value) < 0.00005:
        return "0"
    digits = 4 - len(str(int(abs(value)))) if abs(value) >= 1 else 4
    return f"{value:.{max(0, digits)}f}"


def plain(value: float) -> str:
    """A declared number, in its shortest form."""
    return f"{value:.6g}"


def amount(value: float, unit: str) -> str:
    """A found value with its unit; shares as percent."""
    if unit == "share":
        return f"{value:.1%}"
    return f"{round(value, 3):.3g} {unit}" if unit else plain(value)


def figure_cells(entry: Mapping[str, Any]) -> list[str]:
    """Label, value, interval, repeats and kind of a figure."""
    return [
        cell(entry["label"]),
        cell(number(entry["value"]), "n"),
        cell(interval(entry), "n"),
        cell(str(len(entry["per_repeat"])), "n"),
        cell(f"{entry['kind']}, {entry['meter']}"),
    ]


def interval(entry: Mapping[str, Any]) -> str:
    """Its 95 % interval, a dash without one."""
    return "–" if entry["ci95"] is None else f"{number(entry['ci95'][0])} to {number(entry['ci95'][1])}"


def budget_cells(entry: Mapping[str, Any] | None) -> list[str]:
    """Budget, tolerance and verdict; the sources are tooltips."""
    if entry is None:
        return [cell("–", "n"), cell("–", "n"), cell("no budget", "soft")]
    mark = _MARKS.get(entry["verdict"], "no")
    return [
        f'<td class="n" title="{escape(entry["source"])}">{plain(entry["budget_mw"])}</td>',
        f'<td class="n" title="{escape(entry["why_tolerance"])}">{entry["allowed_mw"]:.0f}</td>',
        cell(entry["verdict"], mark),
    ]


def cell(text: str, kind: str = "") -> str:
    """One cell; `kind` is a class of the style sheet."""
    return f'<td class="{kind}">{escape(text)}</td>' if kind else f"<td>{escape(text)}</td>"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Heads that begin with * are of columns of numbers."""
    row = "".join(
        f'<th class="n">{escape(h[1:])}</th>' if h[:1] == "*" else f"<th>{escape(h)}</th>" for h in heads
    )
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f'<div class="scroll"><table><thead><tr>{row}</tr></thead><tbody>{body}</tbody></table></div>'


def sheet(title: str, about: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table under its title and what it tells."""
    return (
        f'<section class="sheet"><h2>{escape(title)}</h2><p class="soft">{escape(about)}</p>'
        f"{table(heads, rows)}</section>"
    )
