"""What counts as an earlier view, and what is only the same one again."""

import asyncio

import numpy as np

from host.eyes import Eyes
from hw.clock import SystemClock
from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock

RNG = np.random.default_rng(2)


def scene(x: int) -> np.ndarray:
    """Grey with grain, and a small red square whose left edge is at column x."""
    picture = RNG.normal(120, 6, (128, 128, 3))
    picture[60:72, x : x + 12] = (200, 30, 30)
    return picture.clip(0, 255).astype(np.uint8)


def test_a_small_thing_that_moved_makes_an_earlier_view_and_grain_does_not() -> None:
    async def scenario() -> None:
        camera = FileCamera([scene(20), scene(20), scene(60), scene(60)])
        eyes = Eyes(camera, SystemClock())
        first = await eyes.look()
        assert eyes.before(first) is None
        again = await eyes.look()
        assert eyes.before(again) is first
        moved = await eyes.look()
        assert eyes.before(moved) is again
        later = await eyes.look()
        assert eyes.before(later) is again
        assert eyes.before(moved) is again, "a later look at the same does not hide what came before"
        eyes.forget()
        assert eyes.before(moved) is None

    asyncio.run(scenario())


def test_watching_outlives_a_camera_that_fails_for_a_while() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        camera = FileCamera()
        eyes = Eyes(camera, clock)
        watching = asyncio.create_task(eyes.watch(0.5))
        await clock.advance(1.2)
        camera.show(scene(20))
        await clock.advance(1.0)
        camera.show(scene(60))
        assert eyes.before(await eyes.look()) is not None
        watching.cancel()

    asyncio.run(scenario())
