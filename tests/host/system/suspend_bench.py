"""A session with nothing but its sleep, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from host.config import GuardConfig
from host.event_queue import EventQueue
from host.observe.journal import Journal
from host.session.actions import Watch
from host.session.events import Started
from host.session.values import Options, PlanRules, WearerSettings
from host.system.reminder import Reminder
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from hw.emulated.clock import FakeClock
from tests.host.session.doubles import EndsAtOnce
from tests.host.system.sleeping_devices import Alarm, Sleeper

NAPS = PlanRules(1, suspend_between_events=True)
"""A plan that lets the computer sleep."""
QUIET_S = 10.0


class Nap:
    """A session with nothing but its sleep: what else an action asks for is done at once."""

    def __init__(
        self,
        sleeper: Sleeper | None = None,
        *,
        plan: PlanRules = NAPS,
        after_s: float = QUIET_S,
        alarm: Alarm | None = None,
        due_s: float | None = None,
        longest_s: float | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.looks = 0
        self.cut_short = False
        self.meanwhile: Callable[[], None] = lambda: None
        """What happens during a look."""
        self.moved = False
        self.journal = Journal(None, self.clock, max_bytes=100_000)
        self.queue = EventQueue(self.clock, Journal(None, self.clock))
        guard = WatchdogClient(self.queue, None, self.clock, GuardConfig(), self.journal)
        wakes_s = None if due_s is None else self.clock.monotonic() + due_s
        self.resumed = 0

        async def resumed() -> None:
            self.resumed += 1

        self.suspender = Suspender(
            self.queue,
            sleeper,  # type: ignore[arg-type]
            guard,
            self.clock,
            self.journal,
            lambda event, fields: None,
            alarm,
            lambda: wakes_s,
            resumed,
            lambda: self.moved,
            lambda: longest_s,
            self._look,
        )
        self.reminder = Reminder(self.queue, self.clock)
        performers = (self.suspender, self.reminder)
        self.others = EndsAtOnce(self.queue, performers)
        self.queue.add([*performers, self.others])
        self._options = Options(sleep_after_s=after_s)
        self._plan = plan

    async def _look(self, called: Callable[[], bool]) -> dict[str, object] | None:
        self.looks += 1
        self.clock.jump(1.0)
        self.meanwhile()
        self.cut_short = called()
        return None if self.cut_short else {"gate": "new"}

    def start(self) -> None:
        self.queue.post(Started(self._options, WearerSettings(), self._plan))

    async def passes(self, seconds: float) -> bool:
        """Time passes, while the main loop comes by; returns whether the computer is about to sleep."""
        steps = min(200, round(seconds / 0.05))
        for _ in range(steps):
            self.clock.jump(seconds / steps)
            self.reminder.poll()
            for _ in range(5):
                await asyncio.sleep(0)
        return self.suspender.asleep

    def looks_again(self) -> bool:
        """Whether the camera was told to look again since the last call."""
        told = any(isinstance(action, Watch) for action in self.others.noted)
        self.others.noted.clear()
        return told


def napping(nap: Nap, scene: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        nap.start()
        await scene()
        await nap.queue.close()
        nap.queue.check()

    asyncio.run(whole())


def suspends(nap: Nap, *lengths_s: float) -> Callable[[], Awaitable[None]]:
    """A computer whose suspends last so long, the last of them for a second."""
    lengths = iter(lengths_s)

    async def suspend() -> None:
        nap.clock.jump(next(lengths, 1.0))

    return suspend
