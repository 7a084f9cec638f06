"""The contract of a camera whose sensor starts, settles, streams on and stops: the same for every kind."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable
from typing import Protocol, TypeVar

import pytest

from hw.device import RECORDING_IS_OFF, Camera, DeviceError, Image

T = TypeVar("T")
_PATIENCE_S = 5.0
"""Real seconds in which a sensor has to be off."""


class CameraBench(Protocol):
    """A camera whose scene, plug and time a test controls."""

    @property
    def camera(self) -> Camera:
        """The camera."""

    hold_s: float
    """Interval between two wanted pictures up to which its sensor streams on between them; more than a test
    waits, unless it lets time pass.
    """
    settling_frames: int
    """Frames after a start that show something else than the scene."""

    def streaming(self) -> bool:
        """Whether the sensor is on."""

    def show(self, level: int) -> None:
        """From now on the scene is a wall of that brightness, 50 to 200."""

    def unplug(self, gone: bool) -> None:
        """Takes the camera away, or brings it back."""

    async def pass_time(self, seconds: float) -> None:
        """Lets time pass, in which the sensor delivers what it can."""

    async def done(self, work: Awaitable[T]) -> T:
        """The result, with as much time passing as it takes."""


async def check_camera_on_bench(bench: CameraBench) -> None:
    """Sensor off when nobody wants pictures, however that came about; no picture unsettled or old; its cost
    counted.
    """
    for case in (
        _one_picture, _two_at_once, _several_in_a_row, _rare_ones, _forgotten, _cancelled, _unplugged,
        _recording_off, _closed,
    ):  # fmt: skip
        await case(bench)
        bench.camera.stop()
        await _off(bench)


async def check_camera_at_random(bench: CameraBench, seed: int, steps: int) -> None:
    """Any order of calls keeps these: a picture shows the scene of now, whole and settled; the sensor is off
    after `stop`, while recording is off, and when nobody asked for longer than `hold_s`; its counters never
    go back, and its seconds stand still while it is off.
    """
    chance, camera = random.Random(seed), bench.camera
    on, there, wanted = True, True, False
    before = camera.use
    for _ in range(steps):
        step = chance.choice(
            ("look", "look", "look", "begin", "start", "rarely", "stop", "record", "plug", "wait")
        )
        level = chance.randrange(50, 200)
        if step == "look":
            bench.show(level)
            if on and there:
                assert _level(await bench.done(camera.capture())) == level
            else:
                with pytest.raises(DeviceError):
                    await bench.done(camera.capture())
        elif step == "begin":
            begun = asyncio.ensure_future(camera.capture())
            await asyncio.sleep(0)
            begun.cancel()
            await asyncio.wait([begun])
        elif step in ("start", "rarely"):
            camera.start((2.0 if step == "start" else 0.5) / bench.hold_s)
            wanted = step == "start"
        elif step == "stop":
            camera.stop()
            wanted = False
        elif step == "record":
            on = not on
            await camera.record(on)
        elif step == "plug":
            there = not there
            bench.unplug(not there)
        else:
            await bench.pass_time(1.1 * bench.hold_s)
        if step == "wait" or not (wanted and on and there):
            await _off(bench)
            still = camera.use
            assert camera.use == still
        use = camera.use
        assert use.starts >= before.starts
        assert use.frames >= before.frames
        assert use.streamed_s >= before.streamed_s
        before = use
    bench.unplug(False)
    await camera.record(True)
    camera.stop()
    await _off(bench)


async def _one_picture(bench: CameraBench) -> None:
    bench.show(90)
    before = bench.camera.use
    assert _level(await bench.done(bench.camera.capture())) == 90
    await _off(bench)
    use = bench.camera.use
    assert use.starts == before.starts + 1
    assert use.frames >= before.frames + bench.settling_frames + 1
    assert use.streamed_s > before.streamed_s
    await bench.pass_time(bench.hold_s)
    assert bench.camera.use == use


async def _two_at_once(bench: CameraBench) -> None:
    bench.show(80)
    before = bench.camera.use
    both = asyncio.gather(*(bench.camera.capture() for _ in range(2)))
    assert [_level(picture) for picture in await bench.done(both)] == [80, 80]
    await _off(bench)
    assert bench.camera.use.starts == before.starts + 1


async def _several_in_a_row(bench: CameraBench) -> None:
    camera = bench.camera
    with pytest.raises(ValueError, match="is none"):
        camera.start(0.0)
    camera.start(2.0 / bench.hold_s)
    assert not bench.streaming()
    bench.show(60)
    before = camera.use
    assert _level(await bench.done(camera.capture())) == 60
    await bench.pass_time(bench.hold_s / 2)
    assert bench.streaming()
    bench.show(150)
    settled = camera.use
    assert _level(await bench.done(camera.capture())) == 150, "a frame from before it was asked for"
    use = camera.use
    assert use.starts == before.starts + 1
    assert use.frames > settled.frames
    assert use.streamed_s - before.streamed_s >= bench.hold_s / 2
    camera.stop()
    camera.stop()
    await _off(bench)
    assert _level(await bench.done(camera.capture())) == 150
    assert camera.use.starts == use.starts + 1


async def _rare_ones(bench: CameraBench) -> None:
    """Too rare to stream on between them, from the beginning or from now on."""
    camera = bench.camera
    camera.start(0.5 / bench.hold_s)
    await bench.done(camera.capture())
    await _off(bench)
    camera.start(2.0 / bench.hold_s)
    await bench.done(camera.capture())
    assert bench.streaming()
    camera.start(0.5 / bench.hold_s)
    await _off(bench)


async def _forgotten(bench: CameraBench) -> None:
    """Whoever wanted several asks no more, and never said so."""
    bench.camera.start(2.0 / bench.hold_s)
    await bench.done(bench.camera.capture())
    await bench.pass_time(1.1 * bench.hold_s)
    await _off(bench)


async def _cancelled(bench: CameraBench) -> None:
    for wanted in (False, True):
        if wanted:
            bench.camera.start(2.0 / bench.hold_s)
        capturing = asyncio.ensure_future(bench.camera.capture())
        for _ in range(3):
            await asyncio.sleep(0)
        capturing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await capturing
        if not wanted:
            await _off(bench)
    await bench.pass_time(bench.hold_s / 4)
    bench.show(120)
    assert _level(await bench.done(bench.camera.capture())) == 120


async def _unplugged(bench: CameraBench) -> None:
    bench.camera.start(2.0 / bench.hold_s)
    await bench.done(bench.camera.capture())
    bench.unplug(True)
    with pytest.raises(DeviceError):
        await bench.done(bench.camera.capture())
    await _off(bench)
    bench.unplug(False)
    bench.show(70)
    assert _level(await bench.done(bench.camera.capture())) == 70


async def _recording_off(bench: CameraBench) -> None:
    camera = bench.camera
    camera.start(2.0 / bench.hold_s)
    await bench.done(camera.capture())
    await camera.record(False)
    assert not bench.streaming()
    off = camera.use
    with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
        await bench.done(camera.capture())
    camera.start(2.0 / bench.hold_s)
    await bench.pass_time(bench.hold_s)
    assert not bench.streaming()
    assert camera.use == off
    await camera.record(True)
    assert not bench.streaming()
    await bench.done(camera.capture())
    assert bench.streaming()


async def _closed(bench: CameraBench) -> None:
    """In the middle of a picture, too."""
    capturing = asyncio.ensure_future(bench.done(bench.camera.capture()))
    for _ in range(3):
        await asyncio.sleep(0)
    assert not capturing.done()
    await bench.camera.record(False)
    assert not bench.streaming()
    with pytest.raises(DeviceError):
        await capturing
    assert not bench.streaming()
    await bench.camera.record(True)


def _level(picture: Image) -> int:
    """The brightness of a wall."""
    assert picture.min() == picture.max(), "two frames in one"
    return int(picture[0, 0, 0])


async def _off(bench: CameraBench) -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while bench.streaming():
        assert time.monotonic() < end_s, "the sensor stayed on"
        await asyncio.sleep(0.001)
