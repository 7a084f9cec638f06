"""Signals to a headband that starts, speaks, and releases what it holds."""

from __future__ import annotations

import asyncio
import signal

import pytest

from host.app.stop_signals import STOP_GRACE_S, StopSignals
from tests.host.ship.test_unit import UNIT, directives

PATIENCE_S = 30.0


class Scene:
    """A headband that starts, speaks and ends until it is told that it has, or is cancelled."""

    def __init__(self, grace_s: float | None = None) -> None:
        self.causes: list[str] = []
        """With which it was to end after what it says."""
        self.reached: list[str] = []
        """Stages that came to their end."""
        self._stages = {name: asyncio.Event() for name in ("started", "spoke", "released")}
        self._signals = StopSignals(self.causes.append, grace_s)

    def goes_on(self, *names: str) -> None:
        for name in names:
            self._stages[name].set()

    async def _reach(self, name: str) -> None:
        await self._stages[name].wait()
        self.reached.append(name)

    async def run(self) -> None:
        with self._signals:
            try:
                await self._reach("started")
                with self._signals.while_it_runs():
                    await self._reach("spoke")
            finally:
                await self._reach("released")


async def signalled(running: asyncio.Task[None], *numbers: signal.Signals) -> bool:
    """Whether the headband ends, or waits, after these signals."""
    await asyncio.sleep(0.01)
    for number in numbers:
        signal.raise_signal(number)
        await asyncio.sleep(0.05)
    return running.done()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_during_the_start_ends_it_and_what_is_held_is_released(
    number: signal.Signals,
) -> None:
    async def run() -> None:
        scene = Scene()
        running = asyncio.create_task(scene.run())
        assert not await signalled(running, number, number)
        scene.goes_on("released")
        await asyncio.wait_for(running, PATIENCE_S)
        assert (scene.reached, scene.causes) == (["released"], [])

    asyncio.run(run())


def test_the_first_signal_to_one_that_speaks_lets_it_finish_and_the_second_does_not() -> None:
    async def run(second: bool) -> list[str]:
        scene = Scene()
        scene.goes_on("started")
        running = asyncio.create_task(scene.run())
        assert not await signalled(running, signal.SIGTERM)
        assert scene.causes == ["SIGTERM was sent"]
        if second:
            assert not await signalled(running, signal.SIGINT)
        scene.goes_on("spoke", "released")
        await asyncio.wait_for(running, PATIENCE_S)
        return scene.reached

    assert asyncio.run(run(second=False)) == ["started", "spoke", "released"]
    assert asyncio.run(run(second=True)) == ["started", "released"]


def test_the_third_signal_skips_the_rest() -> None:
    async def run() -> None:
        scene = Scene()
        scene.goes_on("started", "spoke")
        running = asyncio.create_task(scene.run())
        assert not await signalled(running, signal.SIGINT, signal.SIGINT)
        assert await signalled(running, signal.SIGINT)
        await running
        assert scene.reached == ["started", "spoke"]
        assert not await signalled(asyncio.create_task(asyncio.sleep(0.5)), signal.SIGINT, signal.SIGTERM)

    asyncio.run(run())


def test_a_service_goes_on_with_what_it_says_for_some_seconds_only_and_is_not_hurried_after_it() -> None:
    async def run() -> None:
        scene = Scene(grace_s=1.0)
        scene.goes_on("started", "released")
        running = asyncio.create_task(scene.run())
        assert not await signalled(running, signal.SIGTERM)
        await asyncio.wait_for(running, PATIENCE_S)
        assert scene.reached == ["started", "released"]

        scene = Scene(grace_s=1.0)
        scene.goes_on("started")
        running = asyncio.create_task(scene.run())
        assert not await signalled(running, signal.SIGTERM)
        scene.goes_on("spoke")
        await asyncio.sleep(1.2)  # longer than the grace
        scene.goes_on("released")
        await asyncio.wait_for(running, PATIENCE_S)
        assert scene.reached == ["started", "spoke", "released"]

    asyncio.run(run())


def test_a_cancellation_that_no_signal_asked_for_is_none_of_its_own() -> None:
    async def run() -> None:
        scene = Scene()
        scene.goes_on("released")
        running = asyncio.create_task(scene.run())
        await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(run())


def test_systemd_leaves_more_time_than_the_grace() -> None:
    assert float(directives(UNIT)["TimeoutStopSec"][0]) >= 2 * STOP_GRACE_S
