"""How policies rank: by hours, wait and answers from full to empty, and by how long the end lasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from power.twin.totals import RunTotals

END_PERCENT = 20.0
"""Charge from which the end of the battery is looked at."""


def on_front(one: dict[str, Any], runs: Sequence[dict[str, Any]]) -> bool:
    """Is no other policy at least as good in hours, mean wait and share of whole answers from full to empty,
    and better in one? Hours and seconds count in tenths: nobody notices less.
    """

    def values(run: dict[str, Any]) -> tuple[float, ...]:
        charge = run["charge"]
        return _tenths(charge["hours"]), -_tenths(charge["wait_s"]), _share(charge)

    mine = values(one)
    return not any(
        all(theirs >= own for theirs, own in zip(values(run), mine, strict=True)) and values(run) != mine
        for run in runs
    )


def longest_end(ours: dict[str, Any], others: Sequence[dict[str, Any]]) -> bool:
    """Does our policy last longer from `END_PERCENT` on than every other, in tenths of an hour, and give as
    large a share of whole answers as any?
    """
    mine = ours["end"]
    return all(
        _share(mine) >= _share(run["end"]) and _tenths(mine["hours"]) > _tenths(run["end"]["hours"])
        for run in others
    )


def _tenths(value: float) -> float:
    return round(value, 1)


def _share(run: dict[str, Any]) -> float:
    """Whole answers of all questions."""
    return run["given"] / run["questions"] if run["questions"] else 1.0


def until_empty(account: RunTotals) -> dict[str, Any]:
    """How long a run lasted until the pack was empty, and what the wearer had of it."""
    waits = [asked.latency_s for asked in account.asked]
    return {
        "hours": account.seconds / 3600,
        "questions": len(waits),
        "given": sum(asked.given for asked in account.asked),
        "wait_s": sum(waits) / len(waits) if waits else 0.0,
    }
