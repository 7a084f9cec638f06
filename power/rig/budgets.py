"""Budgets: the power that each state and each brick may draw. A figure passes within its budget's tolerance
and the meter's own error, above or below: a headband that does not do its work draws less. The form is
openpilot's (system/hardware/tici/tests/test_power_draw.py).

A rise of `NOTICED` does not pass, whatever the meter's error is within its bounds: where it could, the
verdict is "meter too coarse". Asleep, a headband is "kept awake" by a meter that keeps the PMU awake.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from hw.settings import Form, Range, SettingsError, read_settings
from power.account.routes import AnsweredRoute
from power.meters.meter import KEEP_PMU_AWAKE
from power.meters.meter import NAMES as METERS
from power.policy.plan import MODES
from power.rig.activity import ASLEEP
from power.rig.figures import Figure, rounded
from power.rig.hours import BudgetDay, Declared
from power.twin.hours import USABLE_SOURCE, usable
from power.twin.parameters import load_parameters

DEFAULT_BUDGETS = Path(__file__).parents[1] / "budgets.toml"


class BudgetError(Exception):
    """The file of budgets cannot be used; one sentence."""


Power = Annotated[float, Range(0, 100_000, "mW")]
Share = Annotated[float, Range(0, 1)]
MeterName = Literal["csv", "joulescope", "monsoon", "pmu", "ppk2", "twin"]
Source = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text that says where the number comes from")]
_MODE = f"({'|'.join(MODES)})"
StateName = Annotated[
    str,
    Form(
        rf"{_MODE}/(asleep|dozing|standby|listening|thinking|speaking|follow_up)",
        'a mode and a state, such as "performance/standby"',
    ),
]
StageName = Annotated[
    str,
    Form(
        rf"{_MODE}/(stt|vision|recall|text|reflex|motion|llm|tts|speak|load|capture)",
        'a mode and a stage, such as "cascade/load"',
    ),
]


NOTICED = 0.2
"""A rise by this share of a budget must not pass."""


@dataclass(frozen=True)
class ToleranceTable:
    """By how much headbands differ."""

    rtol: Annotated[float, Range(0, NOTICED)]
    """Share of the budget, 0 to 0.2."""
    source: Source


@dataclass(frozen=True)
class MeterTable:
    """The error of one meter."""

    rtol: Share
    """Share of what it shows, 0 to 1."""
    offset_ma: Annotated[float, Range(0, 1000, "mA")]
    """0 to 1000 mA."""
    source: Source


@dataclass(frozen=True)
class BudgetTable:
    """One budget."""

    mw: Power
    """0 to 100_000 mW."""
    tolerance: str
    """A name under `[tolerance]`."""
    source: Source


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
    usable: DeclaredTable | None = None
    """Of a measured pack; without it, that of the twin's cell."""

    def __post_init__(self) -> None:
        if self.usable is not None and not 0 < self.usable.value <= 1:
            raise ValueError("usable must be a share above 0, 1 at most")
        if not (self.voltage_v.value and self.capacity_ah.value):
            raise ValueError("voltage_v and capacity_ah must be above 0")


@dataclass(frozen=True)
class ComparisonTable:
    """`[comparison]`."""

    least_change: DeclaredTable
    between_runs: DeclaredTable


@dataclass(frozen=True)
class BudgetsTable:
    """The whole file."""

    tolerance: Mapping[str, ToleranceTable]
    meter: Mapping[MeterName, MeterTable]
    comparison: ComparisonTable
    pack: PackTable
    per_hour: Mapping[AnsweredRoute, DeclaredTable]
    state: Mapping[StateName, BudgetTable] = field(default_factory=dict)
    brick: Mapping[StageName, BudgetTable] = field(default_factory=dict)


@dataclass(frozen=True)
class MeterAccuracy:
    """By how much a meter may be wrong."""

    rtol: float
    """Share of what it shows."""
    offset_ma: float
    source: str

    def error_mw(self, mw: float, supply_mv: float) -> float:
        """Of a power that was measured by itself."""
        return self.rtol * mw + self.offset_ma * supply_mv / 1000

    def difference_error_mw(self, mw: float) -> float:
        """Of a difference of two measured powers: the offset is in both."""
        return self.rtol * mw


@dataclass(frozen=True)
class PowerBudget:
    """Milliwatts of one state, or of one brick above standby."""

    name: str
    """ "state.MODE/STATE" or "brick.MODE/STAGE"."""
    mw: float
    rtol: float
    """Tolerance, a share of `mw`."""
    why: str
    """Where the tolerance comes from."""
    source: str

    def allowed_mw(self, meter: MeterAccuracy, supply_mv: float) -> float:
        """Allowed deviation of what this meter shows."""
        return self.rtol * self.mw + self._error_mw(meter, self.mw, supply_mv)

    def could_hide(self, meter: MeterAccuracy, supply_mv: float) -> bool:
        """Could a rise by `NOTICED` pass, because the meter shows too little of it?"""
        risen_mw = (1 + NOTICED) * self.mw
        least_mw = risen_mw - self._error_mw(meter, risen_mw, supply_mv)
        return least_mw <= self.mw + self.allowed_mw(meter, supply_mv)

    def _error_mw(self, meter: MeterAccuracy, mw: float, supply_mv: float) -> float:
        if self.name.startswith("state."):
            return meter.error_mw(mw, supply_mv)
        return meter.difference_error_mw(mw)


@dataclass(frozen=True)
class ChangeLimits:
    """What counts as a change between two runs, as shares of a figure."""

    least_change: float
    """What is smaller does not count."""
    between_runs: float
    """Standard deviation of an unchanged headband from run to run, beyond what repeats show."""


@dataclass(frozen=True)
class Budgets:
    """All budgets, and the day that hours are computed for."""

    budgets: Mapping[str, PowerBudget]
    meters: Mapping[str, MeterAccuracy]
    """By the meter's name."""
    day: BudgetDay
    change: ChangeLimits


def load_budgets(path: Path = DEFAULT_BUDGETS) -> Budgets:
    """Reads the file. Raises `BudgetError` when it cannot be read or a number lacks its source."""
    try:
        table: BudgetsTable = read_settings(BudgetsTable, path, "file of budgets")
    except SettingsError as error:
        raise BudgetError(str(error)) from None
    budgets = {}
    for group, entries in (("state", table.state), ("brick", table.brick)):
        for name, entry in entries.items():
            full = f"{group}.{name}"
            if entry.tolerance not in table.tolerance:
                raise BudgetError(f"{full} names the unknown tolerance {entry.tolerance}.")
            tolerance = table.tolerance[entry.tolerance]
            budgets[full] = PowerBudget(full, entry.mw, tolerance.rtol, tolerance.source, entry.source)
    if missing := [name for name in METERS if name not in table.meter]:
        raise BudgetError(f"The file of budgets lacks the error of the meter {missing[0]}.")
    meters: dict[str, MeterAccuracy] = {
        name: MeterAccuracy(entry.rtol, entry.offset_ma, entry.source) for name, entry in table.meter.items()
    }
    per_hour = {str(name): _declared(entry) for name, entry in table.per_hour.items()}
    pack = table.pack
    share = _declared(pack.usable) if pack.usable else Declared(usable(load_parameters()), USABLE_SOURCE)
    day = BudgetDay(_declared(pack.voltage_v), _declared(pack.capacity_ah), share, per_hour)
    change = ChangeLimits(table.comparison.least_change.value, table.comparison.between_runs.value)
    return Budgets(budgets, meters, day, change)


Verdict = Literal["pass", "over", "under", "meter too coarse", "kept awake", "too short", "not measured"]
Outcome = Literal["passed", "failed", "not judged"]
"""Of a whole run."""


def require_known(required: Sequence[str], budgets: Budgets) -> None:
    """Raises `BudgetError` for a budget that a scenario requires and the file does not have."""
    if unknown := [name for name in required if name not in budgets.budgets]:
        raise BudgetError(f"The scenario names the unknown budget {unknown[0]}.")


def judge(
    figures: Sequence[Figure],
    budgets: Budgets,
    required: Sequence[str],
    too_short: Collection[str] = (),
    supply_mv: float = 0.0,
) -> list[dict[str, Any]]:
    """One entry for each budget that a figure or the scenario names. Figures named in `too_short` cover too
    little time to be judged. `supply_mv`: the supply's voltage, where a meter's offset counts.
    """
    found = {each.id.removesuffix(".mw"): each for each in figures if each.unit == "mW"}
    names = [name for name in budgets.budgets if name in found or name in required]
    require_known(required, budgets)
    meter = budgets.meters[figures[0].meter] if figures else budgets.meters["twin"]
    return [_judged(budgets.budgets[name], meter, supply_mv, found.get(name), too_short) for name in names]


def outcome(verdicts: Sequence[Mapping[str, Any]], required: Sequence[str]) -> Outcome:
    """failed: a figure is over or under its budget. not judged: none is, but one that the scenario requires
    lasted too short, was not there, was kept awake, or the meter's error could hide a rise.
    """
    if any(entry["verdict"] in ("over", "under") for entry in verdicts):
        return "failed"
    judged = all(entry["verdict"] == "pass" for entry in verdicts if entry["id"] in required)
    return "passed" if judged else "not judged"


def _judged(
    budget: PowerBudget,
    meter: MeterAccuracy,
    supply_mv: float,
    found: Figure | None,
    too_short: Collection[str],
) -> dict[str, Any]:
    allowed_mw = budget.allowed_mw(meter, supply_mv)
    verdict: Verdict = "not measured"
    if found is not None and found.meter in KEEP_PMU_AWAKE and budget.name.endswith(f"/{ASLEEP}"):
        verdict = "kept awake"
    elif found is not None and found.id in too_short:
        verdict = "too short"
    elif found is not None:
        excess = found.value - budget.mw
        if abs(excess) > allowed_mw:
            verdict = "over" if excess > 0 else "under"
        else:
            verdict = "meter too coarse" if budget.could_hide(meter, supply_mv) else "pass"
    return {
        "id": budget.name,
        "budget_mw": budget.mw,
        "tolerance_mw": rounded(budget.rtol * budget.mw),
        "allowed_mw": rounded(allowed_mw),
        "value_mw": None if found is None else rounded(found.value),
        "kind": None if found is None else found.kind,
        "meter": None if found is None else found.meter,
        "verdict": verdict,
        "source": budget.source,
        "why_tolerance": budget.why,
    }


def _declared(entry: DeclaredTable) -> Declared:
    return Declared(entry.value, entry.source)
