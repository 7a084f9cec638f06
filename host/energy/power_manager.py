"""Power management: reads the battery at the plan's rate, lets the policy decide, obeys plans, and lets the
camera look at the plan's interval.
"""

from __future__ import annotations

import asyncio
import os

from host.energy.battery_watch import BatteryWatch
from host.energy.power_actuator import PowerActuator
from host.event_queue import EventQueue, Performs
from host.observe.observer import Observer
from host.observe.purpose import MEMORY, working_for
from host.sensing.recent_views import RecentViews
from host.session import actions, events
from host.session.values import plan_rules
from hw.supply import BatteryReading
from models.process.bricks import Bricks
from models.process.residency import Residency
from power.policy.plan import Mode, PowerPlan

_KEPT_PLANS = 4


class PowerManager:
    """Performs the actions of power; `plan` and `reading` are for others to read."""

    def __init__(
        self,
        queue: EventQueue,
        bricks: Bricks,
        recent_views: RecentViews,
        power_actuator: PowerActuator,
        battery: BatteryWatch,
        observe: Observer,
        request: Mode | None,
    ) -> None:
        """Reads the battery and decides the first plan; blocks until the gauge has answered."""
        self._queue, self._bricks, self._recent_views = queue, bricks, recent_views
        self._power_actuator, self._battery, self._observe = power_actuator, battery, observe
        self.request = request
        """The mode that the wearer asked for; None: any."""
        self._plans: dict[int, PowerPlan] = {}
        self.reading = battery.read_now()
        """The last battery reading."""
        self.plan = power_actuator.decide(self.reading, request)
        """The plan in force."""
        self._remembering = power_actuator.remembering()
        self._presence = power_actuator.presence  # the first reading of the charger is a sign of somebody
        self._decided = 1
        self._plans[1] = self.plan
        # A battery that is empty at the start is handled at once, not after a question.
        self._next_poll_s = 0.0 if self.plan.mode is Mode.CUTOFF else self.plan.battery_poll_s
        self._recording = True
        self._watching: asyncio.Task[None] | None = None
        self._keep_bricks = False

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {
            actions.ReadBattery: self._read_battery,
            actions.RequestMode: self._request_mode,
            actions.ApplyPlan: self._apply_plan,
            actions.NotePresence: self._note_presence,
            actions.SetRecording: self._set_recording,
            actions.PrepareSleep: self._prepare_sleep,
            actions.Watch: self._watch,
            actions.ReadyCamera: self._ready_camera,
            actions.ReleaseBricks: self._release_bricks,
            actions.KeepBricks: self._stop_release,
        }

    def now(self) -> tuple[PowerPlan, BatteryReading]:
        """The plan in force and the last reading."""
        return self.plan, self.reading

    def empty_percent(self) -> float:
        """The charge at which the headband stops."""
        return self._power_actuator.empty_percent(self.reading)

    def soon(self) -> None:
        """Makes the next `poll` read the battery."""
        self._next_poll_s = 0.0

    async def poll(self, now_s: float) -> None:
        """Reads the battery at the plan's rate, or when somebody put the headband on or off or switched the
        memory; otherwise lets the policy decide on a reading that an alert caused. `now_s`: seconds of
        microphone time. Do not call it within a turn.
        """
        actuator = self._power_actuator
        changed = (actuator.presence, actuator.remembering()) != (self._presence, self._remembering)
        if now_s >= self._next_poll_s or changed:
            await self.refresh()
            self._next_poll_s = now_s + self.plan.battery_poll_s
        elif self._battery.news:
            self._decide(self._battery.latest)
            self._next_poll_s = min(self._next_poll_s, now_s + self.plan.battery_poll_s)

    async def refresh(self, number: int = 0) -> None:
        """Reads the battery and lets the policy decide; `number`: of the action."""
        self._decide(await self._battery.refresh(), number)

    def look_now(self) -> None:
        """Takes the next picture between questions at once, if the plan has any; restarts the interval."""
        self._stop_watching()
        may_look = self._recording and self.plan.mode is not Mode.CUTOFF
        if self.plan.frame_interval_s is not None and may_look:
            with working_for(MEMORY if self.plan.frames_for == MEMORY else ""):
                self._watching = asyncio.create_task(self._recent_views.watch(self.plan.frame_interval_s))

    async def close(self) -> None:
        """Stops the camera's looks and waits for the one in progress."""
        watching = self._watching
        self._stop_watching()
        if watching is not None:
            await asyncio.wait([watching])

    def _decide(self, reading: BatteryReading, number: int = 0) -> None:
        self._battery.news = False
        self.reading = reading
        plan = self._power_actuator.decide(reading, self.request)
        self._presence = self._power_actuator.presence
        self._remembering = self._power_actuator.remembering()
        if plan != self._plans[self._decided]:
            self._decided += 1
            self._plans[self._decided] = plan
            self._plans.pop(self._decided - _KEPT_PLANS, None)
        self._queue.post(events.PlanDecided(plan_rules(plan, self._decided), number))

    def _read_battery(self, action: actions.ReadBattery) -> None:
        self._queue.spawn(self.refresh(action.number))

    def _request_mode(self, action: actions.RequestMode) -> None:
        self.request = None if action.mode is None else Mode(action.mode)

    def _apply_plan(self, action: actions.ApplyPlan) -> None:
        self._queue.spawn(self._apply(action.number, self._plans[action.plan]))

    async def _apply(self, number: int, plan: PowerPlan) -> None:
        """Applies a plan: its knobs, the residency of the bricks, and the camera's interval."""
        self.plan = plan
        self._power_actuator.apply(plan)
        threads = {each.brick: each.threads for each in plan.placed}
        self._bricks.limit_threads(min(plan.online_cpus, os.cpu_count() or 1), threads)
        patience_s = {each.brick: each.patience_s for each in plan.placed if each.patience_s is not None}
        self._bricks.prefer({each.brick for each in plan.placed if each.place == "cores"}, patience_s)
        await self._apply_residency(plan)
        self._recent_views.kept.limit(plan.kept_encodings)
        self.look_now()
        why: dict[str, object] = {"mode": plan.mode.value, "reason": plan.reason, "why": plan.why}
        why |= {"frames_for": plan.frames_for, "ahead": plan.ahead.reason}
        why["placed"] = {each.brick: each.reason for each in plan.placed}
        self._observe("plan", why)
        self._queue.post(events.PlanApplied(number))

    async def _apply_residency(self, plan: PowerPlan) -> None:
        """The plan's; but while nothing is recorded no brick is loaded before it is needed."""
        idle = plan.residency == "resident" and not self._recording
        kind = "budgeted" if idle else plan.residency
        await self._bricks.apply(
            Residency(kind, plan.memory_ceiling_mib, plan.prefetch, plan.keep_fork_server)
        )

    def _note_presence(self, action: actions.NotePresence) -> None:
        self._power_actuator.note_activity()

    def _set_recording(self, action: actions.SetRecording) -> None:
        self._recording = action.on
        self._recent_views.forget()
        if action.on:  # the bricks were released when it went off
            self._keep_bricks = True
        if action.on or self.plan.residency == "resident":
            self._queue.spawn(self._apply_residency(self.plan))
        self.look_now()

    def _prepare_sleep(self, action: actions.PrepareSleep) -> None:
        async def prepare() -> None:
            percent = self._power_actuator.next_step_percent(self.reading)
            await self._battery.warn_below(percent)
            self._queue.post(events.ReadyToSleep(action.number))

        self._stop_watching()
        self._recent_views.slept()
        self._queue.spawn(prepare())

    def _watch(self, action: actions.Watch) -> None:
        self.look_now()

    def _ready_camera(self, action: actions.ReadyCamera) -> None:
        if self.plan.ahead.sensor == "sound" and self.plan.mode is not Mode.CUTOFF:
            self._queue.spawn(self._recent_views.ready())

    def _release_bricks(self, action: actions.ReleaseBricks) -> None:
        async def release() -> None:
            await self._bricks.release_all(lambda: self._keep_bricks)
            self._queue.post(events.BricksReleased(action.number))

        self._keep_bricks = False
        self._queue.spawn(release())

    def _stop_release(self, action: actions.KeepBricks) -> None:
        self._keep_bricks = True

    def _stop_watching(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
