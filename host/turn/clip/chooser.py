"""Chooses how the clip of a question is looked at, and says when its pictures suffice.

What is chosen from is what the power plan permits; the time limit is the plan's latency target less what the
recogniser and the voice take. Without times that `headband tune` measured here nothing can be promised, and
every clip is looked at in the usual way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.clip import MOST_UNITS
from models.pack.catalogue import Pack
from models.pack.motion_files import CHOICE
from models.sensing.choice import Choice, choose
from models.sensing.choice_file import ChoiceError, ChoiceFile, read_choice
from models.sensing.configuration import AT_THE_END, Configuration, allowed, space
from models.sensing.features import Floats
from models.sensing.latency import StepCosts, at_the_end, predicted
from models.sensing.stop_gate import StopGate
from power.account.energy_model import load_energy_model
from power.placement.table import Table, Task
from power.policy.plan import Mode, PowerPlan

LONG_S = 5.0
"""Length of speech for which ways of looking are compared while its end is not known: long enough to tell one
whose pictures come faster than they are encoded from one that keeps up.
"""
_OTHERS: tuple[tuple[str, Task], ...] = (("stt", "question"), ("tts", "sentence"))
"""Work after the end of speech that is not the clip's."""
Observe = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True)
class Sent:
    """What the motion brick has of a clip when speech ends. pictures: of the clip; waiting: those of them
    that were not sent; depth: blocks that the others have passed.
    """

    pictures: int
    waiting: int
    depth: int


class ClipChooser:
    """For one pack on one computer."""

    def __init__(self, pack: Pack, table: Table | None, costs: StepCosts | None, observe: Observe) -> None:
        """table, costs: measured here or, for the table, modelled; None where nothing is known."""
        self._pack, self._table, self._costs, self._observe = pack, table, costs, observe
        self._file: ChoiceFile | None = None
        self._sought = False

    def usual(self, plan: PowerPlan, interval_s: float) -> Configuration:
        """How a clip is looked at where nothing else was chosen."""
        depth = int(self._pack.bricks["motion"].options["depth"])
        return Configuration(interval_s, depth, MOST_UNITS, 1 if plan.clip_on_arrival else AT_THE_END)

    @property
    def places_at(self) -> int | None:
        """The exit whose places the choice reads; None where nothing is chosen."""
        file = None if self._costs is None else self._read()
        return None if file is None else file.predictor.depths[0]

    @property
    def gate(self) -> StopGate | None:
        """Says when the pictures suffice; None where the pack has none."""
        file = self._read()
        return None if file is None else file.gate

    @property
    def why_not(self) -> str:
        """Why nothing is chosen; "" where something is."""
        if self._read() is None:
            return "the pack has no table of choices"
        return "" if self._costs is not None else "no times were measured here; headband tune measures them"

    def early(self, plan: PowerPlan, view: Floats | None) -> Choice | None:
        """For a question that is being spoken, by the features of its clip's first units; None where nothing
        is chosen.
        """
        file, costs = self._read(), self._scaled(plan)
        if file is None or costs is None or plan.clip_interval_s is None:
            return None
        ways = allowed(space(costs.depths), plan.clip_interval_s, on_arrival=plan.clip_on_arrival)
        loads = [predicted(each, costs, LONG_S) for each in ways]
        return choose(file.predictor, ways, loads, view=view, family=None, limit_s=self.limit_s(plan))

    def at_the_end(
        self, plan: PowerPlan, view: Floats | None, family: str, now: Configuration, sent: Sent
    ) -> Choice | None:
        """For a question whose words are known: how deep its pictures are looked at, and how many of them."""
        file, costs = self._read(), self._scaled(plan)
        if file is None or costs is None or not sent.pictures:
            return None
        ways = tuple(
            each
            for each in space(costs.depths)
            if (each.interval_s, each.length) == (now.interval_s, now.length)
        )
        loads = [
            at_the_end(each, costs, sent.waiting if each.depth == sent.depth else sent.pictures)
            for each in ways
        ]
        if not ways:
            return None
        return choose(file.predictor, ways, loads, view=view, family=family, limit_s=self.limit_s(plan))

    def limit_s(self, plan: PowerPlan) -> float:
        """From the end of speech to the motion brick's answer, so that the answer begins within the plan's
        latency target; 0 where the others take all of it.
        """
        return max(0.0, plan.latency_target_s - sum(self._takes_s(plan, *each) for each in _OTHERS))

    def _takes_s(self, plan: PowerPlan, brick: str, task: Task) -> float:
        mode = Mode.CASCADE.value if plan.mode is Mode.CUTOFF else plan.mode.value
        placed = next((each for each in plan.placed if each.brick == brick), None)
        if self._table is None or placed is None:
            return 0.0
        cost = self._table.find(brick, task, placed.place, mode, placed.threads)
        return 0.0 if cost is None else cost.seconds

    def _scaled(self, plan: PowerPlan) -> StepCosts | None:
        """The costs at the plan's clocks: measured at full clock, and modelled below it."""
        return None if self._costs is None else self._costs.scaled(load_energy_model().slower(plan))

    def _read(self) -> ChoiceFile | None:
        """The pack's file, read with its first use; None without one, and for one that can't be used, which
        is told once.
        """
        if not self._sought and (path := self._pack.bricks["motion"].options.get(CHOICE)):
            try:
                self._file = read_choice(Path(path), str(self._pack.bricks["vision"].options["encoder"]))
            except ChoiceError as error:
                self._observe("configuration", {"problem": str(error)})
        self._sought = True
        return self._file
