"""Hours on the pack with every term: hours = V Ah eta / (P_idle + sum of rate_k E_k).

All terms come from one run from full to empty, so the formula agrees with the run. P_idle is the power
without events; E_k is the energy of one event of kind k above that, up to the next sleep of the computer.
"""

from __future__ import annotations

from dataclasses import dataclass

from power.policy.config import PowerConfig
from power.twin.cell import TwinCell
from power.twin.parameters import Parameters
from power.twin.totals import WAITING, RunTotals

NOMINAL_V = 3.7
USABLE_MW = 150.0
"""Load at which the share that can be used is computed: the normal day's mean power."""
USABLE_SOURCE = (
    "computed from the cell of power/twin/parameters.toml at 150 mW: charge down to the cut-off, voltage, "
    "resistance"
)
_STEP_S = 60.0


@dataclass(frozen=True)
class EventTerm:
    """One kind of event."""

    kind: str
    per_hour: float
    mwh: float
    """Above P_idle, each."""

    @property
    def mw(self) -> float:
        """Its share of the mean power."""
        return self.per_hour * self.mwh


@dataclass(frozen=True)
class Hours:
    """Every term of the formula, and its result."""

    volt: float
    ampere_hours: float
    eta_charge: float
    """Share of the nominal charge that is used before the headband stops."""
    eta_voltage: float
    """Mean open-circuit voltage relative to the nominal one."""
    eta_resistance: float
    """Share that is not lost as heat in the cell."""
    idle_mw: float
    events: tuple[EventTerm, ...]
    simulated_h: float
    """Length of the run itself."""

    @property
    def eta(self) -> float:
        """Share of V Ah that reaches the headband."""
        return self.eta_charge * self.eta_voltage * self.eta_resistance

    @property
    def delivered_mwh(self) -> float:
        """Energy the headband gets from a full pack."""
        return self.volt * self.ampere_hours * self.eta * 1000

    @property
    def mean_mw(self) -> float:
        """The denominator."""
        return self.idle_mw + sum(event.mw for event in self.events)

    @property
    def hours(self) -> float:
        """Hours by the formula."""
        return self.delivered_mwh / self.mean_mw


def usable(parameters: Parameters, config: PowerConfig | None = None) -> float:
    """Share of the nominal energy that reaches the headband, 0..1: the efficiency of twin and rig."""
    cutoff_percent = (config or PowerConfig()).cutoff_percent
    cell = TwinCell(parameters)
    while cell.percent > cutoff_percent:
        cell.discharge(_STEP_S, USABLE_MW)
    return cell.delivered_mwh / (NOMINAL_V * parameters["cell.capacity_mah"])


def hours(account: RunTotals, cell: TwinCell, parameters: Parameters) -> Hours:
    """The terms of a run from a full to an empty pack."""
    ampere_hours = parameters["cell.capacity_mah"] / 1000
    used_mah = cell.drawn_mah
    idle = account.by_cause[WAITING]
    idle_mw = idle.mwh * 3600 / idle.seconds if idle.seconds else 0.0
    lasted_h = account.on_battery_s / 3600
    terms = tuple(
        EventTerm(kind, total.count / lasted_h, (total.mwh - idle_mw * total.seconds / 3600) / total.count)
        for kind, total in sorted(account.by_cause.items())
        if kind != WAITING and total.count
    )
    return Hours(
        volt=NOMINAL_V,
        ampere_hours=ampere_hours,
        eta_charge=used_mah / (ampere_hours * 1000),
        eta_voltage=cell.chemical_mwh / (used_mah * NOMINAL_V),
        eta_resistance=cell.delivered_mwh / cell.chemical_mwh,
        idle_mw=idle_mw,
        events=terms,
        simulated_h=account.seconds / 3600,
    )
