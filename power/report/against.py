"""The comparison of a run with an earlier one, for the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from power.report.tables import cell, number, sheet


def differing(result: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between the two runs besides the headband."""
    before, now = result["baseline"]["pack"], result["conditions"]["pack"]
    return [f"The pack was {before} in the baseline and is {now} in this run."] if before != now else []


def changed(entry: Mapping[str, Any]) -> str:
    """A figure's change in words."""
    return "from 0" if entry["change"] is None else f"{entry['change']:+.1%}"


def against(result: Mapping[str, Any]) -> str:
    """The section as HTML; empty where nothing is compared."""
    if "baseline" not in result:
        return ""
    rows = []
    for entry in result["baseline"]["figures"]:
        ci = "–" if entry["ci95"] is None else f"{number(entry['ci95'][0])} to {number(entry['ci95'][1])}"
        noticed = "–" if entry["noticed"] is None else f"{entry['noticed']:.1%}"
        verdict = entry["verdict"]
        if entry["repeats_needed"]:
            verdict += f": {entry['repeats_needed']} needed"
        rows.append(
            [
                cell(entry["label"]),
                cell(f"{number(entry['before'])} {entry['unit']}", "n"),
                cell(f"{number(entry['now'])} {entry['unit']}", "n"),
                cell(changed(entry), "n"),
                cell(ci, "n"),
                cell(noticed, "n"),
                cell(verdict, {"worse": "no", "better": "ok"}.get(entry["verdict"], "")),
            ]
        )
    return sheet(
        f"Against {result['baseline']['file']} of {result['baseline']['at']}",
        "Worse or better: told from chance, allowing for all figures together, and large enough to matter; "
        "of an unchanged headband at most one report in twenty has any. The interval is each figure's own, "
        "so that one in twenty leaves out zero by chance. Noticed: the change that these repeats tell in 95 "
        "of 100 cases; where that is more than 20 %, the verdict is too few repeats, and how many it takes. "
        + " ".join(differing(result)),
        ["figure", "*before", "*now", "*change", "*difference, 95 % CI", "*noticed from", "verdict"],
        rows,
    )
