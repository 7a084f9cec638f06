"""Simulated time, which advances as soon as all tasks wait."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

from hw.emulated.simulated_time import SimulatedTimeLoop


def live(scenario: Callable[[SimulatedTimeLoop], Awaitable[None]]) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimulatedTimeLoop)
        await scenario(loop)

    with asyncio.Runner(loop_factory=SimulatedTimeLoop) as runner:
        runner.run(main())


def test_sleepers_wake_in_order_and_no_time_is_lost_between() -> None:
    woken: list[tuple[str, float]] = []

    async def scenario(loop: SimulatedTimeLoop) -> None:
        clock, began_s = loop.clock, loop.clock.monotonic()

        async def sleeper(name: str, step_s: float, times: int) -> None:
            for _ in range(times):
                await clock.sleep(step_s)
                woken.append((name, round(clock.monotonic() - began_s, 6)))

        await asyncio.gather(sleeper("hourly", 3600.0, 2), sleeper("half", 1800.0, 3))

    live(scenario)
    assert woken == [
        ("half", 1800.0), ("hourly", 3600.0), ("half", 3600.0), ("half", 5400.0), ("hourly", 7200.0),
    ]  # fmt: skip


def test_the_clock_stands_still_while_a_thread_works() -> None:
    async def scenario(loop: SimulatedTimeLoop) -> None:
        clock, go_on = loop.clock, threading.Event()
        sleeping = asyncio.create_task(clock.sleep(60.0))
        working = asyncio.create_task(asyncio.to_thread(go_on.wait))
        await asyncio.sleep(0.02)
        assert not sleeping.done()
        go_on.set()
        began_s = clock.monotonic()
        await working
        assert clock.monotonic() == began_s and loop.frozen_s > 0
        await sleeping
        assert clock.monotonic() - began_s == 60.0

    live(scenario)


def test_the_clock_stands_still_for_other_work_as_long_as_it_lasts() -> None:
    async def scenario(loop: SimulatedTimeLoop) -> None:
        working = [True]
        loop.busy_elsewhere = lambda: working[0]
        sleeping = asyncio.create_task(loop.clock.sleep(60.0))
        await asyncio.sleep(0.02)
        assert not sleeping.done()
        working[0] = False
        await sleeping

    live(scenario)


def test_wall_clock_and_monotonic_clock_go_together() -> None:
    async def scenario(loop: SimulatedTimeLoop) -> None:
        ahead_s = loop.clock.time() - loop.clock.monotonic()
        await loop.clock.sleep(86_400.0)
        assert abs(loop.clock.time() - loop.clock.monotonic() - ahead_s) < 1e-3

    live(scenario)
