"""Totals of a simulation: energy by stage and by cause, questions, modes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from power.account.energy_model import MW_S_PER_MWH
from power.twin.board_power import Pulse

WAITING = "waiting"
"""Cause of energy that no event causes."""


class Segment(NamedTuple):
    """An interval of constant mean power."""

    start_s: float
    seconds: float
    power_mw: float
    """Mean, the pulse included."""
    stage: str
    cause: str
    pulse: Pulse | None = None


class Asked(NamedTuple):
    """One question and its result."""

    at_s: float
    route: str
    mode: str
    alpha: float
    latency_s: float
    mwh: float
    """From the wake word to the end of the answer."""
    given: bool = True
    """It got its whole answer; see `power.twin.turn.turns.TurnTaken.given`."""


class Sample(NamedTuple):
    """The state of the headband at one moment."""

    at_s: float
    percent: float
    voltage_mv: float
    mode: str
    alpha: float
    cell_c: float
    soc_c: float
    asleep: bool
    charging: bool


@dataclass
class CauseTotal:
    """Totals of one kind of event."""

    count: int = 0
    seconds: float = 0.0
    mwh: float = 0.0


@dataclass
class RunTotals:
    """Totals of one run. Energies in mWh at the battery's terminals, drawn from the pack unless said
    otherwise.
    """

    seconds: float = 0.0
    on_battery_s: float = 0.0
    by_stage: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    by_cause: dict[str, CauseTotal] = field(default_factory=lambda: defaultdict(CauseTotal))
    outside_mwh: float = 0.0
    """Used while outside power was connected."""
    mode_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    asleep_s: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    fresh_packs: int = 0
    """Times an empty pack was exchanged for a full one, so that every question is answered."""
    emptied_s: float | None = None
    """When the headband stopped with an empty pack, in a run that ends so."""

    @property
    def battery_mwh(self) -> float:
        """From the pack."""
        return sum(self.by_stage.values())

    def add(self, segment: Segment, *, charging: bool, mode: str, asleep: bool) -> None:
        """Count one interval."""
        mwh = segment.power_mw * segment.seconds / MW_S_PER_MWH
        self.seconds += segment.seconds
        self.mode_s[mode] += segment.seconds
        if asleep:
            self.asleep_s += segment.seconds
        if charging:
            self.outside_mwh += mwh
            return
        self.on_battery_s += segment.seconds
        camera_mwh = segment.pulse.mean_mw * segment.seconds / MW_S_PER_MWH if segment.pulse else 0.0
        if camera_mwh:
            self.by_stage["camera"] += camera_mwh
        self.by_stage[segment.stage] += mwh - camera_mwh
        total = self.by_cause[segment.cause]
        total.seconds += segment.seconds
        total.mwh += mwh
