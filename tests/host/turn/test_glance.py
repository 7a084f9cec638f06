"""One look of a sleeping headband: what it waits for, and what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from host.sensing.recent_views import RecentViews
from host.turn.glance import ASK_S, LONGEST_S, Glance
from host.turn.intake import Intake
from hw.device import Clock, DeviceError
from tests.host.simulated import loop_clock, simulate


class Parts:
    """Battery, camera and store, each of which takes so long."""

    def __init__(
        self, clock: Clock, camera_s: float = 0.4, store_s: float = 0.6, problem: str | None = None
    ) -> None:
        self.clock, self.camera_s, self.store_s, self.problem = clock, camera_s, store_s, problem
        self.done: list[str] = []
        self.glance_ = Glance(cast(RecentViews, self), cast(Intake, self), self.battery, clock)

    async def battery(self) -> None:
        """Reads it."""
        self.done.append("battery")

    async def glance(self) -> Any:
        """A picture that the gate keeps."""
        await self.clock.sleep(self.camera_s)
        if self.problem is not None:
            raise DeviceError(self.problem)
        self.done.append("picture")
        return SimpleNamespace(verdict=SimpleNamespace(reason="new"))

    async def stored(self) -> None:
        """Until the view is in the store."""
        await self.clock.sleep(self.store_s)
        self.done.append("stored")


def looking(parts: Callable[[Clock], Parts], called_at_s: float = 1e9) -> tuple[Any, float, list[str]]:
    """What the look found, its seconds, and what was done."""

    async def scene() -> tuple[Any, float, list[str]]:
        clock = loop_clock()
        made, began_s = parts(clock), clock.monotonic()
        found = await made.glance_.look(lambda: clock.monotonic() - began_s >= called_at_s)
        took_s = clock.monotonic() - began_s
        await asyncio.sleep(0)
        return found, took_s, made.done

    return simulate(scene())


def test_it_sleeps_on_only_when_the_view_is_stored_and_the_battery_known() -> None:
    found, took_s, done = looking(Parts)
    assert found == {"gate": "new"} and done == ["battery", "picture", "stored", "battery"]
    assert took_s == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("called_at_s", [0.1, 0.5, 0.9])
def test_what_calls_ends_it_at_once(called_at_s: float) -> None:
    found, took_s, _ = looking(Parts, called_at_s)
    assert found is None and took_s <= called_at_s + ASK_S + 0.01


def test_an_eye_that_hangs_keeps_the_computer_awake() -> None:
    found, took_s, done = looking(lambda clock: Parts(clock, store_s=1e6))
    assert found is None and took_s == pytest.approx(LONGEST_S, abs=ASK_S) and "stored" not in done


def test_a_camera_that_fails_is_told_and_the_sleep_goes_on() -> None:
    found, _, done = looking(lambda clock: Parts(clock, problem="The camera is gone."))
    assert found == {"problem": "The camera is gone."} and done == ["battery", "battery"]
