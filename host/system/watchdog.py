"""The host's end of the guard: heartbeats while the main loop really turns, and what the wearer's button and
the microcontroller ask for.

The microcontroller restarts a computer whose heartbeat stops (`firmware/pmu/guard_heartbeat.py`). The
heartbeat is therefore sent by the event loop, and only while the main loop gets on: a task that runs beside a
main loop which hangs must not keep it alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from host.config import GuardConfig
from host.observe.journal import Journal
from hw.device import Clock, DeviceError
from hw.supply import HostGuard, PmuEvent

BEATS_PER_DEADLINE = 3
GOODBYE = "I am switching off now. Goodbye."
CUT_OFF = "the cell is at its cut-off voltage"
LOW_BATTERY = "The battery is nearly empty. I am switching off now."

WearerRequest = Literal["listen", "choice", "off"]
"""What the wearer wants by the button: a short press asks to be listened to, a double press to silence the
present answer or to hear the last one again. off: a long press, or the microcontroller for want of charge."""

_PRESSES: dict[int, WearerRequest] = {1: "listen", 2: "choice", 3: "off"}  # by the detail of a button event


class WatchdogClient:
    """One board's guard. `start` comes first, `run` is to be a task, `leave` is the last thing of all."""

    def __init__(
        self,
        guard: HostGuard | None,
        clock: Clock,
        config: GuardConfig,
        journal: Journal,
        *,
        call: Callable[..., Awaitable[Any]] = asyncio.to_thread,
    ) -> None:
        """`guard` None: a board without one, where only the journal hears of anything. `call` runs a transfer
        on the bus without blocking the loop.
        """
        self._guard = guard
        self._clock = clock
        self._config = config
        self._journal = journal
        self._call = call
        self._turned_s = clock.monotonic()
        self._stalled = False
        self._problem: str | None = None
        self._suspended = False
        self._one_transfer = asyncio.Lock()
        self._started = False
        self._armed = False
        self.farewell: str | None = None
        """What to say before switching off; None while nobody wants that."""
        self.cause = ""
        """Why it is to switch off."""
        self._cut_off = False
        """Before the start the cell was at its cut-off; where it still is, the end is asked for."""
        self.on_wish: Callable[[WearerRequest], None] = lambda wish: None
        """Called in the event loop as soon as a wish is known."""
        self.on_turn: Callable[[], None] = lambda: None
        """Called whenever the main loop got on."""

    @property
    def period_s(self) -> float:
        """Seconds between two heartbeats."""
        return self._config.deadline_s / BEATS_PER_DEADLINE

    def turned(self) -> None:
        """The main loop got on: sound came, a brick worked, a sentence was begun."""
        self._turned_s = self._clock.monotonic()
        self.on_turn()

    def hear(self, event: PmuEvent) -> None:
        """Take an event of the microcontroller; call it in the event loop.

        Before the start it is from an earlier time: a button that was pressed on a hung computer must not
        switch off the one that was restarted for it.
        """
        if not self._started:
            return
        if event.kind == "button" and event.detail in _PRESSES:
            wish = _PRESSES[event.detail]
            if wish == "off":
                self.switch_off(GOODBYE, "the button was pressed for long")
            else:
                self.on_wish(wish)
        elif event.kind == "cut-off":
            self.switch_off(LOW_BATTERY, CUT_OFF)
        elif event.kind == "restart":
            self._armed = False  # it forgot the deadline

    def switch_off(self, farewell: str, cause: str) -> None:
        """From now on the headband is to say farewell, save and switch off; the first cause counts."""
        if self.farewell is None:
            self.farewell, self.cause = farewell, cause
            self._journal.write("switch off", cause=cause)
            self.on_wish("off")

    async def start(self) -> None:
        """Take note of what happened before, and arm the guard."""
        self.turned()
        if self._guard is not None:
            await self._safely(self._begin, self._guard)

    async def run(self) -> None:
        """Send heartbeats. Never returns where there is a guard to arm."""
        guard = self._guard
        if guard is None or not self._config.deadline_s:
            return
        while True:
            await self._clock.sleep(self.period_s)
            if not self._suspended and self._gets_on():
                await self._safely(self._beat if self._armed else self._begin, guard)

    async def suspended(self, suspend: Callable[[], Awaitable[None]]) -> None:
        """Let `suspend` put the computer to sleep; while it sleeps no heartbeat is due."""
        guard = self._guard
        self._suspended = True  # a heartbeat on the way to sleep would end the leave to be silent
        if guard is not None:
            await self._safely(lambda each: self._call(each.sleeping), guard)
        try:
            await suspend()
        finally:
            self._suspended = False
            self.turned()
            if guard is not None:
                await self._safely(lambda each: self._call(each.awake), guard)

    async def leave(self, crashed: bool = False) -> None:
        """The end: after a farewell the power may go, otherwise the guard is switched off. A program that
        crashed leaves it armed, so that a computer on which nobody starts it again is restarted.
        """
        guard = self._guard
        if guard is None:
            return
        if self.farewell is not None:
            self._journal.write("saved")
            await self._call(self._journal.sync)
            await self._safely(lambda each: self._call(each.saved), guard)
        elif self._config.deadline_s and not crashed:
            await self._safely(lambda each: self._call(each.arm, 0), guard)

    async def _begin(self, guard: HostGuard) -> None:
        if not self._started:
            stage = await self._call(guard.stage)
            if stage not in ("off", "armed"):
                self._journal.write("guard", found=stage)  # it had to restart the computer, or gave up on it
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

    def _gets_on(self) -> bool:
        still_s = self._clock.monotonic() - self._turned_s
        stalled = still_s > self._config.stall_s
        if stalled and not self._stalled:
            self._journal.write("guard", problem=f"The main loop stands still for {still_s:.0f} seconds.")
        self._stalled = stalled
        return not stalled

    async def _safely(self, work: Callable[[HostGuard], Awaitable[None]], guard: HostGuard) -> None:
        """What the bus does not carry is said once; the next heartbeat tries again."""
        try:
            async with self._one_transfer:
                await work(guard)
            self._problem = None
        except DeviceError as error:
            if str(error) != self._problem:
                self._journal.write("guard", problem=str(error))
            self._problem = str(error)
