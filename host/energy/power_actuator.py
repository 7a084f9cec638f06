"""Decides the power plan from the battery by the policy, applies its knobs, and restores them at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from host.observe.journal import Journal
from hw.board import Board
from hw.supply import BatteryReading
from power.knobs import Knobs
from power.placement.site import Site
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy
from power.policy.policy_state import PolicyState
from power.policy.presence import Presence, Signs
from power.policy.soc_temperature import soc_temperature_c

_ORIGINAL_VALUES = Path("/run/headband/knobs.json")


class PowerActuator:
    """The only object that asks the policy for a plan and writes the plan's knobs."""

    def __init__(self, board: Board, config: PowerConfig, journal: Journal, site: Site | None = None) -> None:
        """`site`: what is known of placements here."""
        self._board = board
        self._policy = Policy(config, site)
        self._state = PolicyState()
        self._away_after_s = config.away_after_s
        self._reading: BatteryReading | None = None
        self._charging: bool | None = None
        self._signs = Signs()
        original_values = (
            _ORIGINAL_VALUES if board.sysfs_root == Path("/sys") and board.clocks is not None else None
        )
        self._knobs = Knobs(board.sysfs_root, original_values, board.clocks)
        self._journal = journal
        self.remembering: Callable[[], bool] = lambda: False
        """Whether the wearer has the view remembered."""
        self._plan: PowerPlan | None = None
        self._loading = False

    def decide(self, reading: BatteryReading, request: Mode | None) -> PowerPlan:
        """The policy's plan for a battery reading. `request`: the mode that the wearer asked for, None for
        any. A reading that was given before, because a newer one is late, confirms nothing.
        """
        again, self._reading = reading is self._reading, reading
        if reading.state == "good" and reading.charging is not self._charging:
            self._charging = reading.charging
            self.note_activity()
        plan, self._state = self._policy.decide(
            reading,
            self._board.clock.monotonic(),
            request,
            self._state,
            again=again,
            soc_temperature_c=soc_temperature_c(self._board.sysfs_root, self._board.thermal_zones),
            presence=self.presence,
            remembering=self.remembering(),
        )
        return plan

    @property
    def presence(self) -> Presence:
        """Whether somebody wears the headband, by the last activity."""
        return self._signs.presence(self._board.clock.monotonic(), self._away_after_s)

    def note_activity(self) -> None:
        """Records activity: somebody spoke to the headband or touched it."""
        self._signs = self._signs.sign(self._board.clock.monotonic())

    def note_view(self, changed: bool) -> None:
        """Records a picture; `changed`: it differs from the one before."""
        self._signs = self._signs.look(self._board.clock.monotonic(), changed=changed)

    def next_step_percent(self, reading: BatteryReading) -> int:
        """The charge, in percent, at which the plan changes next and a sleeping computer has to be woken."""
        return self._policy.next_step_percent(reading)

    def empty_percent(self, reading: BatteryReading) -> float:
        """The charge at which the headband stops: 0 where only the microcontroller ends it."""
        return max(0.0, self._policy.empty_percent(reading.error_percent, reading.temperature_c))

    def apply(self, plan: PowerPlan) -> None:
        """Writes the plan's knobs; journals a missing knob as a note."""
        self._plan = plan
        applied = self._knobs.apply(plan, loading=self._loading)
        if applied.written or applied.notes:
            written = {knob.path.name: knob.value for knob in applied.written}
            self._journal.write("knobs", written=written, notes=applied.notes)

    def note_loading(self, loading: bool) -> None:
        """`loading`: models are loaded and none computes on the cores. The CPU's clock follows."""
        self._loading = loading
        if self._plan is not None and self._plan.load_cpu_max_khz != self._plan.cpu_max_khz:
            self._knobs.apply_cpu_clock(self._plan, loading=loading)

    def restore(self) -> None:
        """Writes the original value back to every knob; no load changes the clock after."""
        self._plan = None
        for problem in self._knobs.restore():
            self._journal.write("knobs", problem=problem)
