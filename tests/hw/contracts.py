"""What every implementation of a device must do, emulated or real; the tests of each implementation call
these.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import numpy as np

from hw.device import Camera, Gauge, Line, Microphone, Pcm, Speaker


@dataclass(frozen=True)
class Piece:
    """A sound to play."""

    pcm: Pcm
    sample_rate: int = 22_050


async def pieces(*each: Pcm, rate_hz: int = 22_050) -> AsyncIterator[Piece]:
    """The arrays as a stream of sounds."""
    for pcm in each:
        yield Piece(pcm, rate_hz)


async def check_microphone(microphone: Microphone) -> None:
    """A working microphone yields whole chunks; a closed one ends its stream."""
    assert microphone.sample_rate == 16_000
    count = 0
    async for chunk in microphone:
        assert chunk.dtype == np.int16
        assert chunk.shape == (512,)
        count += 1
        if count == 4:
            break
    await microphone.close()
    await microphone.close()
    assert [chunk async for chunk in microphone] == []


async def check_camera(camera: Camera) -> None:
    """A working camera gives RGB that belongs to the caller."""
    frame = await camera.capture()
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3
    frame[:] = 0
    await camera.close()
    await camera.close()


async def check_speaker(speaker: Speaker) -> None:
    """A working speaker tells when it began, says None for nothing, obeys `stop`, and keeps its volume in
    range.
    """
    speaker.set_volume(130)
    assert speaker.volume_percent == 100
    speaker.set_volume(5)
    assert await speaker.play(pieces()) is None
    assert await speaker.play(pieces(np.zeros(100, np.int16))) is not None
    began_s = time.monotonic()
    playing = asyncio.create_task(speaker.play(pieces(np.zeros(22_050 * 30, np.int16))))
    await asyncio.sleep(0.05)
    speaker.stop()
    speaker.stop()
    await asyncio.wait_for(playing, 5)
    assert time.monotonic() - began_s < 5
    await speaker.close()


def check_gauge(gauge: Gauge) -> None:
    """A working gauge gives believable values, and each reading's problem fits its state."""
    for _ in range(3):
        reading = gauge.read()
        assert reading.state == "good"
        assert reading.problem is None
        assert reading.percent is not None
        assert reading.percent in range(101)
        assert reading.voltage_mv in range(2000, 5001)
        assert reading.current_ma is not None
        assert reading.temperature_c is not None
        assert -40 <= reading.temperature_c <= 100


async def check_line(line: Line) -> None:
    """A quiet line waits."""
    waiting = asyncio.create_task(line.wait())
    await asyncio.sleep(0.02)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
