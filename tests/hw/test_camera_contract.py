"""The emulated camera and the V4L2 camera, over an emulated driver, keep one contract."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import numpy as np
import pytest

from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock
from hw.emulated.sensor import SensorTimes
from hw.linux.v4l2_camera import V4l2Camera
from hw.linux.wiring import CameraWiring
from tests.hw.camera_contract import CameraBench, check_camera_at_random, check_camera_on_bench
from tests.hw.linux.fake_v4l2 import FakeCamera, FakeKernel

T = TypeVar("T")
PATH = "/dev/video0"


class EmulatedBench:
    """`FileCamera` on a clock that advances while something is waited for."""

    hold_s = 1.0
    settling_frames = 4

    def __init__(self) -> None:
        self.clock = FakeClock()
        times = SensorTimes(0.2, 1 / 30, self.settling_frames, self.hold_s)
        self.camera = FileCamera(clock=self.clock, times=times)
        self.show(50)

    def streaming(self) -> bool:
        return self.camera.streaming

    def show(self, level: int) -> None:
        self.camera.show(np.full((4, 4, 3), level, np.uint8))

    def unplug(self, gone: bool) -> None:
        if gone:
            self.camera.unplug()
        else:
            self.camera.plug_in()

    async def pass_time(self, seconds: float) -> None:
        await self.clock.advance(seconds)

    async def done(self, work: Awaitable[T]) -> T:
        doing = asyncio.ensure_future(work)
        while not doing.done():
            await self.clock.advance(0.01)
        return await doing


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time a test lets leap."""

    leapt_s = 0.0

    def time(self) -> float:
        return super().time() + self.leapt_s


class V4l2Bench:
    """`V4l2Camera` over a driver whose first frames are dark, and become brighter frame by frame; on a
    `LeapingLoop`.
    """

    hold_s = 30.0
    settling_frames = 7
    """Three that are always passed over, and four that differ from the frame before."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, LeapingLoop)
        self.loop = loop
        self.level = 50
        self.fake = FakeCamera({"GREY": self._frame})
        self.kernel = FakeKernel({PATH: self.fake})
        wiring = CameraWiring(PATH, settling_frames=3, settling_most_frames=20, hold_s=self.hold_s)
        self.camera = V4l2Camera(wiring, timeout_s=5.0, kernel=self.kernel, monotonic=loop.time)

    def streaming(self) -> bool:
        return self.fake.streaming or self.fake.opened > 0

    def show(self, level: int) -> None:
        self.level = level

    def unplug(self, gone: bool) -> None:
        self.fake.unplug_after = 0 if gone else None
        if gone:
            self.fake.streaming = False

    async def pass_time(self, seconds: float) -> None:
        self.kernel.pass_time(missed=2)
        self.loop.leapt_s += seconds
        await asyncio.sleep(0)

    async def done(self, work: Awaitable[T]) -> T:
        return await work

    def _frame(self, width: int, height: int) -> tuple[bytes, int]:
        # A dim exposure for the frames that cannot differ yet, and then steps until it fits the scene.
        missing = max(0, self.settling_frames - max(2, self.fake.sequence))
        return bytes([self.level - 9 * missing]) * (width * height), width


BENCHES: list[Callable[[], CameraBench]] = [EmulatedBench, V4l2Bench]


@pytest.mark.parametrize("make", BENCHES)
def test_it_keeps_the_contract(make: Callable[[], CameraBench]) -> None:
    _run(make, check_camera_on_bench)


@pytest.mark.parametrize(("make", "steps"), [(EmulatedBench, 600), (V4l2Bench, 60)])
@pytest.mark.parametrize("seed", range(3))
def test_it_keeps_the_contract_in_any_order(make: Callable[[], CameraBench], steps: int, seed: int) -> None:
    _run(make, lambda bench: check_camera_at_random(bench, seed, steps))


def _run(make: Callable[[], CameraBench], check: Callable[[CameraBench], Awaitable[None]]) -> None:
    async def scene() -> None:
        bench = make()
        await check(bench)
        await bench.camera.close()
        assert not bench.streaming()

    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(scene())
