"""The keeper of power: lets the policy decide on the battery, turns the knobs, and puts them back."""

from __future__ import annotations

from pathlib import Path

from host.observe.journal import Journal
from host.states import StateMachine
from hw.device import Board
from hw.supply import BatteryReading
from power.knobs import Knobs
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy, PolicyState
from power.policy.presence import Presence, Signs
from power.policy.soc_temperature import soc_temperature_c

_KEPT = Path("/run/headband/knobs.json")


class PowerActuator:
    """The one place where battery becomes plan and plan becomes knobs."""

    def __init__(self, board: Board, config: PowerConfig, machine: StateMachine, journal: Journal) -> None:
        self._board = board
        self._policy = Policy(config)
        self._state = PolicyState()
        self._away_after_s = config.away_after_s
        self._charging: bool | None = None
        self._signs = Signs()
        kept = _KEPT if board.sysfs_root == Path("/sys") and board.clocks is not None else None
        self._knobs = Knobs(board.sysfs_root, kept, board.clocks)
        self._machine = machine
        self._journal = journal

    def decide(self, reading: BatteryReading, request: Mode | None) -> PowerPlan:
        """The plan that the reading calls for, given the mode the wearer asked for."""
        if reading.state == "good" and reading.charging is not self._charging:
            self._charging = reading.charging
            self.sign()
        plan, self._state = self._policy.decide(
            reading,
            self._board.clock.monotonic(),
            request,
            self._state,
            soc_temperature_c=soc_temperature_c(self._board.sysfs_root, self._board.thermal_zones),
            presence=self.presence,
        )
        return plan

    @property
    def presence(self) -> Presence:
        """Whether anybody wears the headband."""
        return self._signs.presence(self._board.clock.monotonic(), self._away_after_s)

    def sign(self) -> None:
        """Somebody spoke to the headband or touched it."""
        self._signs = self._signs.sign(self._board.clock.monotonic())

    def look(self, changed: bool) -> None:
        """The camera looked, at another view than the last time or not."""
        self._signs = self._signs.look(self._board.clock.monotonic(), changed=changed)

    def next_step_percent(self, percent: float) -> int:
        """The charge at which a sleeping computer has to be woken to change its plan."""
        return self._policy.next_step_percent(percent)

    def obey(self, plan: PowerPlan) -> None:
        """Takes the power region to the plan's mode and writes its knobs; a knob that is absent is a note."""
        self._machine.set_power(plan.mode, plan.reason)
        applied = self._knobs.apply(plan)
        if applied.written or applied.notes:
            written = {knob.path.name: knob.value for knob in applied.written}
            self._journal.write("knobs", written=written, notes=applied.notes)

    def restore(self) -> None:
        """Puts every knob back as it was found."""
        for problem in self._knobs.restore():
            self._journal.write("knobs", problem=problem)
