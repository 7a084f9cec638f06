"""The host's side of the microcontroller's watchdog ("guard"): sends heartbeats while the main loop makes
progress, and handles button presses and requests to switch off.

The microcontroller restarts a computer whose heartbeat stops (`firmware/pmu/guard_heartbeat.py`). The
heartbeat task sends only while the main loop makes progress: a separate task would go on beside a main loop
that hangs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from host.config import GuardConfig
from host.event_queue import EventQueue, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.session.values import Press
from host.system.power_off import request_power_off
from hw.device import Clock, DeviceError
from hw.supply import HostGuard, PmuEvent

BEATS_PER_DEADLINE = 3
LOOK_S, LOOKS = 0.1, 15
"""Pause between two looks whether the microcontroller took a request, and how many there are: it takes one
four times a second.
"""
UNCONFIRMED = "The microcontroller did not confirm that this computer may sleep."
MAINTENANCE = "The microcontroller is being flashed: this computer stays awake until that is over."
GOODBYE = "I am switching off now. Goodbye."
CUT_OFF = "the cell is at its cut-off voltage"
LOW_BATTERY = "The battery is nearly empty. I am switching off now."

_PRESSES: dict[int, Press] = {1: "listen", 2: "choice"}
"""Detail of a button event -> press."""
_LONG_PRESS = 3


class WatchdogClient:
    """Client of one board's guard. Call `start` first, run `run` as a task, and call `leave` last."""

    def __init__(
        self,
        queue: EventQueue,
        guard: HostGuard | None,
        clock: Clock,
        config: GuardConfig,
        journal: Journal,
        *,
        call: Callable[..., Awaitable[Any]] = asyncio.to_thread,
    ) -> None:
        """`guard` None: a board without one; requests to switch off are still handled. `call` runs a bus
        transfer without blocking the event loop.
        """
        self._queue = queue
        self._guard = guard
        self._clock = clock
        self._config = config
        self._journal = journal
        self._call = call
        self._progress_s = clock.monotonic()
        self._stalled = False
        self._problem: str | None = None
        self._suspended = False
        self._transfer_lock = asyncio.Lock()
        self._started = False
        self._armed = False
        self.farewell: str | None = None
        """What to say before switching off; None while nobody has asked for that."""
        self.cause = ""
        """Why the headband is to switch off."""
        self._cut_off = False
        """Whether the cell was at its cut-off voltage before the start."""
        self.on_progress: Callable[[], None] = lambda: None
        """Called whenever the main loop makes progress."""

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.SwitchOff: self._battery_empty}

    def _battery_empty(self, action: actions.SwitchOff) -> None:
        self.switch_off(LOW_BATTERY, action.cause)

    @property
    def period_s(self) -> float:
        """Seconds between two heartbeats."""
        return self._config.deadline_s / BEATS_PER_DEADLINE

    def made_progress(self) -> None:
        """Records progress of the main loop: sound arrived, a brick worked, a sentence began."""
        self._progress_s = self._clock.monotonic()
        self.on_progress()

    def handle_event(self, event: PmuEvent) -> None:
        """Handles an event of the microcontroller; call it in the event loop.

        Events that arrive before `start` are old and ignored: a button press on a computer that hung must not
        switch it off again after its restart.
        """
        if not self._started:
            return
        if event.kind == "button" and event.detail in _PRESSES:
            self._queue.post(events.Pressed(_PRESSES[event.detail]))
        elif event.kind == "button" and event.detail == _LONG_PRESS:
            self.switch_off(GOODBYE, "the button was pressed for long")
        elif event.kind == "cut-off":
            self.switch_off(LOW_BATTERY, CUT_OFF)
        elif event.kind == "restart":
            self._armed = False  # the restarted guard has lost the deadline

    def switch_off(self, farewell: str, cause: str) -> None:
        """Asks the headband to say `farewell`, save and switch off; after the first call it does nothing."""
        if self.farewell is None:
            self.farewell, self.cause = farewell, cause
            self._journal.write("switch off", cause=cause)
            self._queue.post(events.SwitchOffAsked(farewell, cause))

    async def start(self) -> None:
        """Journals the events from before the start, and arms the guard."""
        self.made_progress()
        if self._guard is not None:
            await self._safely(self._arm, self._guard)

    async def run(self) -> None:
        """Sends heartbeats for ever; returns at once without a guard or with the deadline 0."""
        guard = self._guard
        if guard is None or not self._config.deadline_s:
            return
        while True:
            await self._clock.sleep(self.period_s)
            if not self._suspended and self._makes_progress():
                await self._safely(self._beat if self._armed else self._arm, guard)

    async def suspended(self, suspend: Callable[[], Awaitable[None]]) -> None:
        """Runs `suspend`, which puts the computer to sleep; no heartbeat is due while it sleeps.

        Raises `DeviceError` without calling `suspend` when the guard does not acknowledge, or is in
        maintenance, which nothing here may end: once that is over it would restart a sleeping computer.
        """
        guard = self._guard
        announced = False
        self._suspended = True  # a heartbeat sent now would end the permitted silence
        try:
            if guard is not None:
                async with self._transfer_lock:
                    if await self._call(guard.stage) == "maintenance":
                        raise DeviceError(MAINTENANCE)
                    announced = True
                    await self._announce_sleep(guard)
            await suspend()
        finally:
            self._suspended = False
            self.made_progress()
            if guard is not None and announced:
                await self._safely(lambda each: self._call(each.awake), guard)

    async def _announce_sleep(self, guard: HostGuard) -> None:
        await self._call(guard.sleeping)
        for _ in range(LOOKS):
            if await self._call(guard.stage) == "asleep":
                return
            await self._clock.sleep(LOOK_S)
        raise DeviceError(UNCONFIRMED)

    async def leave(self, crashed: bool = False) -> None:
        """Call it last. After a farewell it asks for power off and allows the guard to cut the power, else it
        disarms the guard. After a crash the guard stays armed, so that it restarts a computer on which the
        program does not start again.
        """
        guard = self._guard
        if guard is None:
            return
        if self.farewell is not None:
            self._journal.write("saved")
            await self._call(self._journal.sync)
            request_power_off()
            await self._safely(lambda each: self._call(each.saved), guard)
        elif self._config.deadline_s and not crashed:
            await self._safely(lambda each: self._call(each.arm, 0), guard)

    async def _arm(self, guard: HostGuard) -> None:
        if not self._started:
            stage = await self._call(guard.stage)
            if stage not in ("off", "armed"):
                self._journal.write(
                    "guard", found=stage
                )  # the guard restarted the computer, or gave up restarting it
            for event in await self._call(guard.past_events):
                self._journal.write("pmu", kind=event.kind, detail=event.detail, before=True)
                self._cut_off = self._cut_off or event.kind == "cut-off"
            self._started = True
        if self._config.deadline_s:
            await self._call(guard.arm, self._config.deadline_s)
            self._armed = True
            await self._beat(guard)

    async def _beat(self, guard: HostGuard) -> None:
        if not await self._call(guard.beat):
            return
        if self._cut_off:
            self.switch_off(LOW_BATTERY, CUT_OFF)
        else:
            self.switch_off(GOODBYE, "the microcontroller asks for it")

    def _makes_progress(self) -> bool:
        stalled_s = self._clock.monotonic() - self._progress_s
        stalled = stalled_s > self._config.stall_s
        if stalled and not self._stalled:
            self._journal.write("guard", problem=f"The main loop stands still for {stalled_s:.0f} seconds.")
        self._stalled = stalled
        return not stalled

    async def _safely(self, work: Callable[[HostGuard], Awaitable[None]], guard: HostGuard) -> None:
        """Journals a fault of the bus once; the next heartbeat tries again."""
        try:
            async with self._transfer_lock:
                await work(guard)
            self._problem = None
        except DeviceError as error:
            if str(error) != self._problem:
                self._journal.write("guard", problem=str(error))
            self._problem = str(error)
