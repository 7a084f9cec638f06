"""Timers of a headband that is worn for hours in a moment: clocks that are set, restarts, presses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from host.session.parts import Parts
from host.wearer.timer_announcer import TimerAnnouncer

from host.answers.device import DeviceState
from host.answers.timers import Now
from host.config import AnswerConfig, Config, GuardConfig
from host.observe.journal import Journal
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from hw.device import Clock, SuspendableMicrophone
from tests.host.system.sleeping_devices import Alarm, Sleeper


class Crash(BaseException):
    """The power went, or the program was killed."""


@dataclass
class Clocks:
    """True time, and what the computer makes of it."""

    true_s: float = 0.0
    mono_ahead_s: float = 100.0
    wall_ahead_s: float = 1_767_261_600.0
    boots: int = 1

    def monotonic(self) -> float:
        return self.true_s + self.mono_ahead_s

    def time(self) -> float:
        return self.true_s + self.wall_ahead_s

    async def sleep(self, seconds: float) -> None:
        self.true_s += seconds

    def now(self) -> Now:
        return Now(self.monotonic(), self.time())

    def reboot(self, off_s: float, wall_jump_s: float = 0.0) -> None:
        """Off for so long; the monotonic clock begins anew."""
        self.true_s += off_s
        self.mono_ahead_s = 5.0 - self.true_s
        self.wall_ahead_s += wall_jump_s
        self.boots += 1


class Worn:
    """One headband's timers through every restart of its program. `said` and `begun` note (true seconds,
    sentence) and (true seconds, number) of every announcement.
    """

    def __init__(self, path: Path | None, volume_percent: int = 80) -> None:
        self.path = path
        self.config = Config(answer=AnswerConfig(volume_percent=volume_percent))
        self.clocks = Clocks()
        self.said: list[tuple[float, str]] = []
        self.begun: list[tuple[float, int]] = []
        self.journal = Journal(None, self.clocks)
        self.crashes = False
        """The next announcement ends in a crash."""
        self.press_while_speaking = False

    async def start(self) -> None:
        """The program starts."""
        self.parts = cast(
            Parts,
            SimpleNamespace(
                device=DeviceState(self.config.answer.volume_percent),
                config=self.config,
                clock=self.clocks,
                machine=SimpleNamespace(interaction="standby"),
                silence=lambda: None,
            ),
        )
        self.timer_announcer = TimerAnnouncer(
            self.parts, self.journal, self.path, lambda: f"boot {self.clocks.boots}", self._announce
        )
        await self.timer_announcer.start()

    async def _announce(self, sentence: str, tone: str = "") -> None:
        self.said.append((self.clocks.true_s, sentence))
        if tone:
            last: dict[str, Any] = next(line for line in reversed(self.journal.recent) if "announced" in line)
            self.begun += [(self.clocks.true_s, number) for number in last["announced"]]
            if self.press_while_speaking:
                assert self.timer_announcer.handle_press()
            if self.crashes:
                self.crashes = False
                raise Crash
        self.clocks.true_s += 2.0

    async def set(self, seconds: int) -> int:
        """One more timer; returns its number."""
        timers = self.parts.device.timers
        self.parts.device = replace(self.parts.device, timers=timers.with_timer(seconds, self.clocks.now()))
        await self.parts.save_settings()
        return timers.next_number

    async def sleep(self, seconds: float) -> bool:
        """After some quiet seconds the computer sleeps, until a sound `seconds` later or its alarm; tells
        whether it did.
        """
        sleeper, alarm, clock = Sleeper(), Alarm(), cast(Clock, self.clocks)
        guard = WatchdogClient(None, clock, GuardConfig(), self.journal)
        suspender = Suspender(
            cast(SuspendableMicrophone, sleeper),
            guard,
            clock,
            self.journal,
            10.0,
            alarm,
            lambda: self.timer_announcer.next_s,
        )
        await self.wait(10.1)
        if not await suspender.begin():
            return False

        async def suspend() -> None:
            self.clocks.true_s += min([seconds, *alarm.told])

        await sleeper.around_suspend(suspend)
        suspender.end()
        await self.wait(0)
        return True

    async def wait(self, seconds: float) -> None:
        """Time passes; the main loop comes by when something is due. A crash is survived by a restart."""
        until_s = self.clocks.true_s + seconds
        while True:
            try:
                await self.timer_announcer.serve()
            except Crash:
                await self.start()
                continue
            next_s = self.timer_announcer.next_s
            idle = self.parts.machine.interaction != "standby" or next_s is None
            due_s = until_s if idle or next_s is None else next_s - self.clocks.mono_ahead_s
            if due_s >= until_s or self.clocks.true_s >= until_s:
                break
            self.clocks.true_s = max(self.clocks.true_s + 1e-6, due_s)  # it goes on, however it is rounded
        self.clocks.true_s = max(self.clocks.true_s, until_s)
        if self.parts.machine.interaction == "standby":
            await self.timer_announcer.serve()

    @property
    def sentences(self) -> list[str]:
        return [sentence for _, sentence in self.said]
