"""What power asks of the headband between questions: the battery is read at the plan's rate, the plan is
obeyed, and the camera looks at the plan's interval.
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
    """Reads, decides, obeys. Only `poll`, `update` and `obey` change anything, and never within a turn."""

    def __init__(
        self,
        parts: Parts,
        power_actuator: PowerActuator,
        battery: BatteryWatch,
        obeyed: Callable[[PowerPlan], None],
        empty: Callable[[PowerPlan], Awaitable[None]],
    ) -> None:
        """`obeyed` hears of every new plan, `empty` when the battery asks for the end."""
        self.parts = parts
        self.power_actuator = power_actuator
        self.battery = battery
        self._obeyed = obeyed
        self._empty = empty
        # A battery that is empty at the start is told of at once, and not after a question.
        self._next_poll_s = 0.0 if parts.plan.mode is Mode.CUTOFF else parts.plan.battery_poll_s
        self._news = False
        self._watching: asyncio.Task[None] | None = None
        battery.on_news = self._heard_news
        battery.on_event.append(self._touched)
        parts.recent_views.on_look = self._looked

    def soon(self) -> None:
        """The next moment of quiet reads the battery."""
        self._next_poll_s = 0.0

    async def poll(self, now_s: float) -> None:
        """At the plan's rate, in seconds of microphone time, reads the battery; between, obeys the reading
        that an alert brought.
        """
        if now_s >= self._next_poll_s:
            await self.update()
            self._next_poll_s = now_s + self.parts.plan.battery_poll_s
        elif self._news:
            await self._decide(self.battery.latest)
            self._next_poll_s = min(self._next_poll_s, now_s + self.parts.plan.battery_poll_s)

    async def update(self) -> None:
        """Reads the battery, lets the policy decide, and obeys."""
        await self._decide(await self.battery.refresh())

    async def obey(self, plan: PowerPlan) -> None:
        """Takes knobs, bricks and camera to the plan."""
        parts = self.parts
        parts.plan = plan
        self.power_actuator.obey(plan)
        parts.bricks.threads = min(plan.threads, os.cpu_count() or 1)
        await parts.bricks.apply(
            Residency(plan.residency, plan.memory_ceiling_mib, plan.prefetch, plan.keep_fork_server)
        )
        self.watch()
        self._obeyed(plan)

    def watch(self) -> None:
        """Looks between questions from now on, where the plan has any; the interval starts anew."""
        self.close_eyes()
        plan = self.parts.plan
        may_look = self.parts.machine.recording and plan.mode is not Mode.CUTOFF
        if plan.frame_interval_s is not None and may_look:
            self._watching = asyncio.create_task(self.parts.recent_views.watch(plan.frame_interval_s))

    def close_eyes(self) -> None:
        """Looks no more between questions."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def rest(self) -> None:
        """The computer is about to sleep: nobody looks, and the gauge wakes it where the next step begins."""
        await self.battery.warn_below(
            self.power_actuator.next_step_percent(self.parts.battery_reading.percent or 0)
        )
        self.close_eyes()

    async def close(self) -> None:
        """Ends what is under way."""
        watching = self._watching
        self.close_eyes()
        if watching is not None:
            await asyncio.wait([watching])

    async def _decide(self, reading: BatteryReading) -> None:
        self._news = False
        self.parts.battery_reading = reading
        plan = self.power_actuator.decide(reading, self.parts.device.request)
        if plan != self.parts.plan:
            await self.obey(plan)
        if plan.mode is Mode.CUTOFF:
            await self._empty(plan)

    def _heard_news(self) -> None:
        self._news = True

    def _touched(self, event: PmuEvent) -> None:
        if event.kind == "button":
            self.power_actuator.sign()

    def _looked(self, start_s: float, end_s: float, changed: bool) -> None:
        self.parts.observe("frame", {"start_s": start_s, "end_s": end_s})
        before = self.power_actuator.presence
        self.power_actuator.look(changed)
        if self.power_actuator.presence is not before:
            self.soon()
