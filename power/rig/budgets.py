"""Budgets: what each state and each brick may draw. A figure passes when it lies within
`rtol * budget + atol_mw` of its budget, above or below: a device that does less than its work draws less.
The form is openpilot's (system/hardware/tici/tests/test_power_draw.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from power.rig.figures import Figure, rounded
from power.rig.hours import Day, Declared

DEFAULT_BUDGETS = Path(__file__).parents[1] / "budgets.toml"


class BudgetError(Exception):
    """The file of budgets cannot be used; one sentence."""


@dataclass(frozen=True)
class Budget:
    """Milliwatts of one state, or of one brick above standby."""

    name: str
    """ "state.MODE/STATE" or "brick.MODE/STAGE"."""
    mw: float
    rtol: float
    atol_mw: float
    source: str

    @property
    def allowed_mw(self) -> float:
        """How far from it still passes."""
        return self.rtol * self.mw + self.atol_mw


@dataclass(frozen=True)
class Budgets:
    """All of them, and the day that hours are computed for."""

    budgets: Mapping[str, Budget]
    day: Day
    rtol: float
    """Also by how much a figure may be worse than a saved baseline."""


def load_budgets(path: Path = DEFAULT_BUDGETS) -> Budgets:
    """Reads the file. Raises `BudgetError` when it cannot be read or a number lacks its source."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        rtol, atol_mw = float(table["tolerance"]["rtol"]), float(table["tolerance"]["atol_mw"])
        budgets = {}
        for group in ("state", "brick"):
            for name, entry in table.get(group, {}).items():
                full = f"{group}.{name}"
                budgets[full] = Budget(
                    full,
                    float(entry["mw"]),
                    float(entry.get("rtol", rtol)),
                    float(entry.get("atol_mw", atol_mw)),
                    str(entry["source"]),
                )
        pack = {name: _declared(table["pack"][name]) for name in ("voltage_v", "capacity_ah", "usable")}
        day = Day(**pack, per_hour={name: _declared(entry) for name, entry in table["per_hour"].items()})
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BudgetError(f"{path} is not a usable file of budgets ({error!r}).") from None
    return Budgets(budgets, day, rtol)


Verdict = Literal["pass", "over", "under", "too short", "not measured"]


def judge(
    figures: Sequence[Figure], budgets: Budgets, required: Sequence[str], too_short: Collection[str] = ()
) -> list[dict[str, Any]]:
    """One entry for each budget that a figure or the scenario names. Figures named in `too_short` are of too
    little time to be held against one.
    """
    found = {each.id.removesuffix(".mw"): each for each in figures if each.unit == "mW"}
    names = [name for name in budgets.budgets if name in found or name in required]
    if unknown := [name for name in required if name not in budgets.budgets]:
        raise BudgetError(f"The scenario names the unknown budget {unknown[0]}.")
    return [_judged(budgets.budgets[name], found.get(name), too_short) for name in names]


def kept(verdicts: Sequence[Mapping[str, Any]], required: Sequence[str]) -> bool:
    """Were all budgets kept? What could not be judged counts where the scenario requires it."""
    fine = {True: ("pass",), False: ("pass", "too short")}
    return all(entry["verdict"] in fine[entry["id"] in required] for entry in verdicts)


def _judged(budget: Budget, found: Figure | None, too_short: Collection[str]) -> dict[str, Any]:
    verdict: Verdict = "not measured"
    if found is not None and found.id in too_short:
        verdict = "too short"
    elif found is not None:
        excess = found.value - budget.mw
        verdict = "pass" if abs(excess) <= budget.allowed_mw else "over" if excess > 0 else "under"
    return {
        "id": budget.name,
        "budget_mw": budget.mw,
        "allowed_mw": rounded(budget.allowed_mw),
        "value_mw": None if found is None else rounded(found.value),
        "kind": None if found is None else found.kind,
        "meter": None if found is None else found.meter,
        "verdict": verdict,
        "source": budget.source,
    }


def _declared(entry: Mapping[str, Any]) -> Declared:
    if not entry["source"]:
        raise ValueError("a number lacks its source")
    return Declared(float(entry["value"]), str(entry["source"]))
