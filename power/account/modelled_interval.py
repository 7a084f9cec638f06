"""Modelled energy of an interval of time, divided among the stages that were active in it.

The interval is cut wherever a stage begins or ends. In each slice every stage draws its own power above the
floor of the awake board, and the floor is divided among the stages in proportion. So the parts add up to the
integral of the modelled power, and no moment is counted twice where stages overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from power.account.energy_model import MW_S_PER_MWH, EnergyModel
from power.policy.plan import PowerPlan

BACKGROUND = "listen"
"""The stage that is active whenever the board is awake."""
Active = tuple[str, str]  # (whose energy, the model's stage that it draws as)


@dataclass(frozen=True)
class Work:
    """A stage was active from `start_s` to `end_s`, seconds of any one clock."""

    stage: str
    """Whose energy it is."""
    start_s: float
    end_s: float
    draws: str = ""
    """The model's stage whose power it draws, where that has another name."""


@dataclass(frozen=True)
class Modelled:
    """Modelled energy of an interval on the board."""

    seconds: float
    """Its length on the board."""
    stages_mwh: Mapping[str, float]
    """Energy by stage, mWh; the sum is that of the interval."""


def awake(
    work: Iterable[Work],
    begin_s: float,
    end_s: float,
    plan: PowerPlan,
    model: EnergyModel,
    *,
    native: bool,
    unseen_s: Mapping[str, float] | None = None,
    besides_s: Mapping[Active, float] | None = None,
) -> Modelled:
    """Energy of the interval from `begin_s` to `end_s` while the board is awake; `work` outside it is
    ignored.

    `native`: the seconds are the board's own; otherwise computation takes longer on the board. `unseen_s`:
    seconds of stages that the clock does not include, because simulated time skips them. `besides_s`: seconds
    of stages, by whose energy it is and the stage that it draws as, whose place in the interval is unknown;
    the floor of that time is in the interval already. Raises `KeyError` for a stage that the model lacks.
    """
    power = _Power(plan, model, native)
    spent: dict[str, float] = defaultdict(float)
    seconds = 0.0
    for duration_s, active in _slices(work, begin_s, end_s):
        seconds += power.add(spent, active, duration_s)
    for stage, stage_s in (unseen_s or {}).items():
        seconds += power.add(spent, {(stage, stage)}, max(0.0, stage_s))
    for each, stage_s in (besides_s or {}).items():
        spent[each[0]] += power.above_floor({each})[each] * stage_s
    spent_mwh = {name: value / MW_S_PER_MWH for name, value in spent.items()}
    return Modelled(seconds, {name: value for name, value in spent_mwh.items() if value > 0})


def asleep(seconds: float, model: EnergyModel) -> Modelled:
    """Energy of that many seconds with the computer suspended and the microcontroller listening in a quiet
    room.
    """
    energy_mwh = (model.suspend_mw + model.pmu_asleep_mw) * seconds / MW_S_PER_MWH
    return Modelled(seconds, {"asleep": energy_mwh})


class _Power:
    """Power under one plan, mW."""

    def __init__(self, plan: PowerPlan, model: EnergyModel, native: bool) -> None:
        self._model = model
        self._floor_mw = model.floor_mw + model.pmu_mw
        self._cores = plan.online_cpus
        self._plan = plan
        self._native = native

    def above_floor(self, active: Iterable[Active]) -> dict[Active, float]:
        """Power of each above the floor while all are active: they share the cores when there are too few,
        and a part that several use counts once.
        """
        loads = {each: self._model.stages[each[1]] for each in active}
        core_mw = self._model.busy_core_mw(self._plan, (stage for _, stage in loads))
        cores = {
            each: float(self._cores) if load.cores is None else load.cores for each, load in loads.items()
        }
        busy = sum(cores.values())
        share = min(1.0, self._cores / busy) if busy else 1.0
        users: dict[str, int] = defaultdict(int)
        for load in loads.values():
            for part in load.parts:
                users[part] += 1
        return {
            each: (
                cores[each] * share * core_mw
                + sum(self._model.parts_mw[part] / users[part] for part in load.parts)
            )
            / self._model.conversion
            for each, load in loads.items()
        }

    def add(self, spent: dict[str, float], active: Set[Active], duration_s: float) -> float:
        """Add a slice's milliwatt-seconds to `spent`; returns its seconds on the board."""
        background = (BACKGROUND, BACKGROUND)
        lasting = {each: self._seconds(each[1], duration_s) for each in active | {background}}
        board_s = lasting[background] = max(lasting.values())
        added = {each: mw * lasting[each] for each, mw in self.above_floor(lasting).items()}
        whole = sum(added.values())
        for each, value in added.items():
            share = value / whole if whole else 1 / len(added)
            spent[each[0]] += value + self._floor_mw * board_s * share
        return board_s

    def _seconds(self, stage: str, duration_s: float) -> float:
        return duration_s if self._native else self._model.stage_seconds(stage, duration_s, self._plan)


def _slices(work: Iterable[Work], begin_s: float, end_s: float) -> Iterator[tuple[float, set[Active]]]:
    """(seconds, active stages) from one beginning or end of a stage to the next."""
    changes: list[tuple[float, int, Active]] = []
    for each in work:
        start_s, stop_s = max(each.start_s, begin_s), min(each.end_s, end_s)
        if start_s < stop_s:
            active = (each.stage, each.draws or each.stage)
            changes += [(start_s, 1, active), (stop_s, -1, active)]
    at_work: dict[Active, int] = defaultdict(int)
    now_s = begin_s
    for at_s, step, active in [*sorted(changes), (end_s, 0, ("", ""))]:
        if at_s > now_s:
            yield at_s - now_s, {name for name, count in at_work.items() if count}
            now_s = at_s
        if step:
            at_work[active] += step
