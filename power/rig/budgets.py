"""Budgets: the power that each state and each brick may draw. A figure passes within `rtol * budget +
atol_mw` of its budget, above or below: a headband that does not do its work draws less. The form is
openpilot's (system/hardware/tici/tests/test_power_draw.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from hw.settings import Form, Range, SettingsError, read_settings
from power.rig.figures import Figure, rounded
from power.rig.hours import BudgetDay, Declared

DEFAULT_BUDGETS = Path(__file__).parents[1] / "budgets.toml"


class BudgetError(Exception):
    """The file of budgets cannot be used; one sentence."""


Power = Annotated[float, Range(0, 100_000, "mW")]
Share = Annotated[float, Range(0, 1)]
Source = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text that says where the number comes from")]


@dataclass(frozen=True)
class ToleranceTable:
    """Allowed deviation from a budget."""

    rtol: Share
    """Share of the budget, 0 to 1."""
    atol_mw: Power
    """Added to it, 0 to 100_000 mW."""


@dataclass(frozen=True)
class BudgetTable:
    """One budget; its own tolerances replace the general ones."""

    mw: Power
    """0 to 100_000 mW."""
    source: Source
    rtol: Share | None = None
    """0 to 1."""
    atol_mw: Power | None = None
    """0 to 100_000 mW."""


@dataclass(frozen=True)
class DeclaredTable:
    """A number that hours are computed with."""

    value: Annotated[float, Range(0, 1000)]
    """0 to 1000, in the unit of its name."""
    source: Source


@dataclass(frozen=True)
class PackTable:
    """`[pack]`."""

    voltage_v: DeclaredTable
    capacity_ah: DeclaredTable
    usable: DeclaredTable

    def __post_init__(self) -> None:
        if not 0 < self.usable.value <= 1:
            raise ValueError("usable must be a share above 0, 1 at most")
        if not (self.voltage_v.value and self.capacity_ah.value):
            raise ValueError("voltage_v and capacity_ah must be above 0")


@dataclass(frozen=True)
class BudgetsTable:
    """The whole file."""

    tolerance: ToleranceTable
    pack: PackTable
    per_hour: Mapping[str, DeclaredTable]
    state: Mapping[str, BudgetTable] = field(default_factory=dict)
    brick: Mapping[str, BudgetTable] = field(default_factory=dict)


@dataclass(frozen=True)
class PowerBudget:
    """Milliwatts of one state, or of one brick above standby."""

    name: str
    """ "state.MODE/STATE" or "brick.MODE/STAGE"."""
    mw: float
    rtol: float
    atol_mw: float
    source: str

    @property
    def allowed_mw(self) -> float:
        """Allowed deviation."""
        return self.rtol * self.mw + self.atol_mw


@dataclass(frozen=True)
class Budgets:
    """All budgets, and the day that hours are computed for."""

    budgets: Mapping[str, PowerBudget]
    day: BudgetDay
    rtol: float
    """Also by how much a figure may be worse than a saved baseline."""


def load_budgets(path: Path = DEFAULT_BUDGETS) -> Budgets:
    """Reads the file. Raises `BudgetError` when it cannot be read or a number lacks its source."""
    try:
        table: BudgetsTable = read_settings(BudgetsTable, path, "file of budgets")
    except SettingsError as error:
        raise BudgetError(str(error)) from None
    both = table.tolerance
    budgets = {}
    for group, entries in (("state", table.state), ("brick", table.brick)):
        for name, entry in entries.items():
            rtol = both.rtol if entry.rtol is None else entry.rtol
            atol_mw = both.atol_mw if entry.atol_mw is None else entry.atol_mw
            full = f"{group}.{name}"
            budgets[full] = PowerBudget(full, entry.mw, rtol, atol_mw, entry.source)
    per_hour = {name: _declared(entry) for name, entry in table.per_hour.items()}
    pack = table.pack
    day = BudgetDay(_declared(pack.voltage_v), _declared(pack.capacity_ah), _declared(pack.usable), per_hour)
    return Budgets(budgets, day, both.rtol)


Verdict = Literal["pass", "over", "under", "too short", "not measured"]


def judge(
    figures: Sequence[Figure], budgets: Budgets, required: Sequence[str], too_short: Collection[str] = ()
) -> list[dict[str, Any]]:
    """One entry for each budget that a figure or the scenario names. Figures named in `too_short` cover too
    little time to be judged.
    """
    found = {each.id.removesuffix(".mw"): each for each in figures if each.unit == "mW"}
    names = [name for name in budgets.budgets if name in found or name in required]
    if unknown := [name for name in required if name not in budgets.budgets]:
        raise BudgetError(f"The scenario names the unknown budget {unknown[0]}.")
    return [_judged(budgets.budgets[name], found.get(name), too_short) for name in names]


def kept(verdicts: Sequence[Mapping[str, Any]], required: Sequence[str]) -> bool:
    """Were all budgets kept? One that could not be judged fails where the scenario requires it."""
    fine = {True: ("pass",), False: ("pass", "too short")}
    return all(entry["verdict"] in fine[entry["id"] in required] for entry in verdicts)


def _judged(budget: PowerBudget, found: Figure | None, too_short: Collection[str]) -> dict[str, Any]:
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


def _declared(entry: DeclaredTable) -> Declared:
    return Declared(entry.value, entry.source)
