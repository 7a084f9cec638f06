"""Power of the twin's board, and duration of its work, under a plan."""

from __future__ import annotations

from dataclasses import dataclass

from power.account.sensor_time import streamed_s
from power.policy.plan import PowerPlan
from power.twin.parameters import Parameters
from power.twin.work import PackCosts, Work


@dataclass(frozen=True)
class Pulse:
    """Periodic additional power: `extra_mw` for `on_s` in every `every_s`."""

    every_s: float
    on_s: float
    extra_mw: float

    @property
    def mean_mw(self) -> float:
        """Averaged over its period."""
        return self.extra_mw * min(1.0, self.on_s / self.every_s)


@dataclass(frozen=True)
class TurnStep:
    """A part of a turn with constant power."""

    stage: str
    seconds: float
    power_mw: float
    """The camera's included."""
    part: str = ""
    """Which part of the stage's work it is, where a stage does several."""
    pulse: Pulse | None = None
    """Of the camera, where it takes pictures beside this."""


class TwinBoard:
    """RK3566, microcontroller, camera, microphone and speaker; power in mW at the battery."""

    def __init__(self, parameters: Parameters, pack: PackCosts) -> None:
        self.parameters = parameters
        self.pack = pack
        self._energy = parameters.energy
        self._full_hz = parameters["memory.full_hz"]
        self._range_mw = parameters["memory.clock_range_mw"]
        self._by_plan: dict[PowerPlan, dict[str, float]] = {}
        self._plan: PowerPlan | None = None
        self._mw: dict[str, float] = {}
        """By stage, of that plan."""
        self._pulses: dict[PowerPlan, Pulse | None] = {}
        self._filmed: PowerPlan | None = None
        self._pulse: Pulse | None = None
        """Between questions, of that plan."""
        quiet_mw, recording_mw = self._energy.pmu_asleep_mw, parameters["sleep.pmu_recording_mw"]
        pmu_mw = quiet_mw + parameters["sleep.sound_share"] * (recording_mw - quiet_mw)
        self.asleep_mw = self._energy.suspend_mw + pmu_mw
        """Computer suspended, microcontroller listening, in a room that is not always quiet."""
        self.base_mw = self._energy.floor_mw + self._energy.pmu_mw
        """Awake and idle, memory at its full clock."""

    def stage_mw(self, stage: str, plan: PowerPlan) -> float:
        """While the stage runs alone."""
        if plan is not self._plan:
            self._plan, self._mw = plan, self._by_plan.setdefault(plan, {})
        if stage not in self._mw:
            slower = 1 - self._memory_hz(plan) / self._full_hz
            self._mw[stage] = self._energy.stage_mw(stage, plan) - self._range_mw * slower
        return self._mw[stage]

    def together_mw(self, first: str, second: str, plan: PowerPlan) -> float:
        """While two stages run at once; the rest of the board counts once."""
        return self.stage_mw(first, plan) + self.stage_mw(second, plan) - self.stage_mw("idle", plan)

    def seconds(self, work: Work, plan: PowerPlan, stage: str = "") -> float:
        """Duration of work under the plan's clocks of memory and, for that stage alone, of the cores."""
        slower_memory = self._full_hz / self._memory_hz(plan)
        slower = self._energy.slower(plan, (stage,))
        return work.core_s * slower + work.memory_s * slower_memory + work.fixed_s

    def _memory_hz(self, plan: PowerPlan) -> float:
        """The memory's clock: no limit makes it faster than the board has it."""
        return min(plan.ddr_max_hz or self._full_hz, self._full_hz)

    def sensor_mw(self, plan: PowerPlan) -> float:
        """Of a camera that streams, beside what else the board does."""
        return self.stage_mw("capture", plan) - self.stage_mw("idle", plan)

    def camera(self, plan: PowerPlan) -> Pulse | None:
        """The camera between questions while the computer is awake; None where the plan has none."""
        if plan is not self._filmed:
            if plan not in self._pulses:
                self._pulses[plan] = self._camera(plan)
            self._filmed, self._pulse = plan, self._pulses[plan]
        return self._pulse

    def clip_camera(self, plan: PowerPlan) -> Pulse | None:
        """The camera while a question is spoken, for a clip; None where neither plan nor pack has one."""
        return self._taking(plan.clip_interval_s, plan) if self.pack.motion else None

    def _camera(self, plan: PowerPlan) -> Pulse | None:
        return self._taking(plan.frame_interval_s, plan)

    def _taking(self, interval_s: float | None, plan: PowerPlan) -> Pulse | None:
        """Pictures at an interval."""
        if interval_s is None:
            return None
        extra_mw = self.sensor_mw(plan)
        on_s = streamed_s(
            interval_s, self.parameters["camera.capture_s"], self.parameters["camera.streaming_s"]
        )
        return Pulse(interval_s, on_s, extra_mw)
