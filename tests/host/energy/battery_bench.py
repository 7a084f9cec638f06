"""A `BatteryWatch` on the emulated board, for its tests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from host.energy.battery_watch import BatteryWatch
from host.energy.power_actuator import PowerActuator
from host.observe.journal import Journal
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.clock import FakeClock
from hw.supply import PmuEvent
from power.policy.config import PowerConfig
from power.policy.plan import Mode


class Bench:
    """A `BatteryWatch` and a `PowerActuator` on the emulated board, with everything they reported."""

    def __init__(self, folder: Path, battery: float) -> None:
        self.clock = FakeClock()
        self.board: EmulatedBoard = emulated_board(
            clock=self.clock, battery_percent=battery, real_time=False, sound_card=False, sysfs_root=folder
        )
        self.journal = Journal(None, self.clock)
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.events: list[PmuEvent] = []
        self.watch = BatteryWatch(
            self.board, self.journal, lambda *told: self.told.append(told), self.events.append
        )
        self.watch.timeout_s = 5.0
        self.power_actuator = PowerActuator(self.board, PowerConfig(), self.journal)
        self.plan = self.power_actuator.decide(self.watch.read_now(), None)

    async def poll(self) -> Mode:
        """Reads the battery and decides a plan, as the power loop does."""
        self.plan = self.power_actuator.decide(await self.watch.refresh(), None)
        return self.plan.mode

    def said(self) -> list[str]:
        return [line["problem"] or "good" for line in self.journal.recent if line["event"] == "battery"]

    async def news(self) -> None:
        """Waits for a reading that nobody asked for."""
        for _ in range(5000):
            if self.watch.news:
                break
            await asyncio.sleep(0.001)
        assert self.watch.news
        self.watch.news = False

    async def settle(self) -> None:
        """Waits until all requested readings are complete."""
        for _ in range(400):
            await asyncio.sleep(0.001)
            if self.watch._requested == self.watch._completed:
                break
        await asyncio.sleep(0)


def on_bench(
    folder: Path, scene: Callable[[Bench], Awaitable[None]], battery: float = 80.0, running: bool = True
) -> None:
    async def whole() -> None:
        async with bench(folder, battery, running) as b:
            await scene(b)

    asyncio.run(whole())


@asynccontextmanager
async def bench(folder: Path, battery: float = 80.0, running: bool = True) -> AsyncIterator[Bench]:
    b = Bench(folder / "sys", battery)
    task = asyncio.create_task(b.watch.run()) if running else None
    await b.settle()
    try:
        yield b
    finally:
        b.board.bus.inject(None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        b.watch.close()
        await b.board.close()


async def least_cost_s(
    longest_s: Callable[[], Awaitable[float]],
    bus: EmulatedBus,
    fault: Fault,
    tries: int = 3,
    healthy_s: float | None = None,
) -> float:
    """The time by which a fault lengthens the longest stall of the event loop: the minimum of some attempts,
    because on a busy computer the loop stalls also without it. The fault remains. `healthy_s`: the longest
    stall without it, if that was measured before; it counts for the first attempt.
    """
    costs_s = []
    for _ in range(tries):
        if healthy_s is None:
            bus.inject(None)
            healthy_s = await longest_s()
        bus.inject(fault)
        costs_s.append(await longest_s() - healthy_s)
        if costs_s[-1] <= 0.05:
            break
        healthy_s = None
    return max(0.0, min(costs_s))


async def longest_stall_s(work: Callable[[], Awaitable[object]], seconds: float) -> float:
    """The longest stall of the event loop while `work` was repeated."""

    async def repeat() -> None:
        while True:
            await work()
            await asyncio.sleep(0.01)

    busy = asyncio.create_task(repeat())
    longest_s, end_s = 0.0, time.monotonic() + seconds
    while time.monotonic() < end_s:
        due_s = time.monotonic() + 0.002
        await asyncio.sleep(0.002)
        longest_s = max(longest_s, time.monotonic() - due_s)
    busy.cancel()
    await asyncio.gather(busy, return_exceptions=True)
    return longest_s
