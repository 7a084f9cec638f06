"""The watchdog client and the emulated microcontroller's guard, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from host.config import GuardConfig
from host.observe.journal import Journal
from host.session.events import SwitchOffAsked
from host.system.watchdog import WatchdogClient
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.clock import FakeClock
from tests.host.session.doubles import NotingQueue

DEADLINE_S = 30


async def at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    """A transfer on the bus without a thread, so that the clock of the test is the only one."""
    return work(*arguments)


class Desk:
    """The watchdog client and an emulated board whose time the test moves."""

    def __init__(self, config: GuardConfig | None = None) -> None:
        self.clock = FakeClock()
        self.board: EmulatedBoard = emulated_board(clock=self.clock, sound_card=False)
        self.journal = Journal(None, self.clock)
        self.queue = NotingQueue(self.clock)
        self.watch = WatchdogClient(
            self.queue,
            self.board.guard,
            self.clock,
            config or GuardConfig(deadline_s=DEADLINE_S),
            self.journal,
            call=at_once,
        )

    @property
    def stage(self) -> str:
        assert self.board.guard is not None
        return self.board.guard.stage()

    @property
    def farewells(self) -> list[str]:
        """What the session was asked to say before switching off, request by request."""
        return [event.farewell for event in self.queue.posted if isinstance(event, SwitchOffAsked)]

    async def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Returns when the work is done; time passes meanwhile."""
        task = asyncio.create_task(work)
        while not task.done():
            await self.clock.advance(0.05)
            self.board.pmu.catch_up()
        await task

    async def live(self, seconds: float, *, turning: bool = True) -> None:
        """Lets time pass; `turning`: the main loop makes progress."""
        for _ in range(round(seconds)):
            if turning:
                self.watch.made_progress()
            await self.clock.advance(1)
            self.board.pmu.catch_up()


def with_desk(scenario: Callable[[Desk], Awaitable[None]], config: GuardConfig | None = None) -> None:
    """Runs the scenario beside the client's heartbeat task."""

    async def whole() -> None:
        desk = Desk(config)
        await desk.watch.start()
        running = asyncio.create_task(desk.watch.run())
        await desk.live(1)
        await scenario(desk)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await desk.board.close()

    asyncio.run(whole())
