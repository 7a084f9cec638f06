"""Power management between questions: reads the battery at the plan's rate, applies new plans, and lets the
camera look at the plan's interval.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

from host.energy.battery_watch import BatteryWatch
from host.energy.power_actuator import PowerActuator
from host.session.parts import Parts
from hw.supply import BatteryReading, PmuEvent
from models.process.residency import Residency
from power.policy.plan import Mode, PowerPlan


class PowerLoop:
    """Reads the battery and applies the policy's plan. Do not call `poll`, `update` and `apply`
    within a turn.
    """

    def __init__(
        self,
        parts: Parts,
        power_actuator: PowerActuator,
        battery: BatteryWatch,
        plan_applied: Callable[[PowerPlan], None],
        battery_empty: Callable[[PowerPlan], Awaitable[None]],
    ) -> None:
        """`plan_applied` is called after each new plan, `battery_empty` when the plan is to switch off."""
        self.parts = parts
        self.power_actuator = power_actuator
        self.battery = battery
        self._plan_applied = plan_applied
        self._battery_empty = battery_empty
        # A battery that is empty at the start is handled at once, not after a question.
        self._next_poll_s = 0.0 if parts.plan.mode is Mode.CUTOFF else parts.plan.battery_poll_s
        self._new_reading = False
        self._watching: asyncio.Task[None] | None = None
        battery.on_reading = self._on_reading
        battery.on_event.append(self._on_pmu_event)
        parts.recent_views.on_look = self._on_look

    def soon(self) -> None:
        """Makes the next `poll` read the battery."""
        self._next_poll_s = 0.0

    async def poll(self, now_s: float) -> None:
        """Reads the battery at the plan's rate, otherwise applies a reading that an alert caused. `now_s`:
        seconds of microphone time.
        """
        if now_s >= self._next_poll_s:
            await self.update()
            self._next_poll_s = now_s + self.parts.plan.battery_poll_s
        elif self._new_reading:
            await self._decide(self.battery.latest)
            self._next_poll_s = min(self._next_poll_s, now_s + self.parts.plan.battery_poll_s)

    async def update(self) -> None:
        """Reads the battery and applies the plan that the policy decides."""
        await self._decide(await self.battery.refresh())

    async def apply(self, plan: PowerPlan) -> None:
        """Applies a plan: its knobs, the residency of the bricks, and the camera's interval."""
        parts = self.parts
        parts.plan = plan
        self.power_actuator.apply(plan)
        parts.bricks.threads = min(plan.online_cpus, os.cpu_count() or 1)
        await parts.bricks.apply(
            Residency(plan.residency, plan.memory_ceiling_mib, plan.prefetch, plan.keep_fork_server)
        )
        self.watch()
        self._plan_applied(plan)

    def watch(self) -> None:
        """Starts the camera's looks between questions, if the plan has an interval; restarts the interval."""
        self.stop_watching()
        plan = self.parts.plan
        may_look = self.parts.machine.recording and plan.mode is not Mode.CUTOFF
        if plan.frame_interval_s is not None and may_look:
            self._watching = asyncio.create_task(self.parts.recent_views.watch(plan.frame_interval_s))

    def stop_watching(self) -> None:
        """Stops the camera's looks between questions."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def rest(self) -> None:
        """Prepares for sleep: stops the camera, and sets the charge at which the gauge wakes the computer."""
        await self.battery.warn_below(
            self.power_actuator.next_step_percent(self.parts.battery_reading.percent or 0)
        )
        self.stop_watching()

    async def close(self) -> None:
        """Stops the camera's looks and waits for the one in progress."""
        watching = self._watching
        self.stop_watching()
        if watching is not None:
            await asyncio.wait([watching])

    async def _decide(self, reading: BatteryReading) -> None:
        self._new_reading = False
        self.parts.battery_reading = reading
        plan = self.power_actuator.decide(reading, self.parts.device.request)
        if plan != self.parts.plan:
            await self.apply(plan)
        if plan.mode is Mode.CUTOFF:
            await self._battery_empty(plan)

    def _on_reading(self) -> None:
        self._new_reading = True

    def _on_pmu_event(self, event: PmuEvent) -> None:
        if event.kind == "button":
            self.power_actuator.note_activity()

    def _on_look(self, start_s: float, end_s: float, changed: bool) -> None:
        self.parts.observe("frame", {"start_s": start_s, "end_s": end_s})
        before = self.power_actuator.presence
        self.power_actuator.note_view(changed)
        if self.power_actuator.presence is not before:
            self.soon()
