"""How late a computer that the wake word wakes hears it, on the emulated microcontroller and its bus."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hw.device import CHUNK_SAMPLES, MICROPHONE_RATE_HZ, HandOver
from models.listening.wake_word import WakeWord
from power.board_cost.board import load_boards
from power.board_cost.bricks import cost, load_bricks
from power.board_cost.validation import load_counted, load_published, validate
from tests.hw.pmu.i2c_timing import I2cTiming
from tests.hw.pmu.sleeping_headband import Headband, headband, pass_time


@dataclass(frozen=True)
class Late:
    """Seconds from the resume until the wake word is heard, `first` before a seam has shown the level of the
    microcontroller's microphone, and how that recording was handed over; `later` once one has.
    """

    first_s: float
    first: HandOver
    later_s: float
    later: HandOver
    later_sound_s: float
    """Until the first of the later recording is heard."""


@cache
def listening_s() -> float:
    """What wake word detector and voice activity take of one core for a second of sound, counted."""
    sources, rows = load_published()
    boards, bricks, kept = load_boards(), load_bricks(), load_counted()
    found = validate(rows, sources, boards, kept)
    always = (bricks[name] for name in ("wake_word", "voice_activity"))
    return sum(cost(each, kept, boards["rk3566"], found, cores=1).ms for each in always) / 1000


def how_late(
    question: NDArray[np.int16], resume_s: float, bus_hz: int = 400_000, timing: I2cTiming | None = None
) -> Late:
    """Two questions that begin with the wake word, int16 at 16 kHz, each to a sleeping computer that is awake
    `resume_s` after the wake line. Whatever it hears takes the time that `listening_s` has for it.
    """
    room = np.round(np.random.default_rng(1).standard_normal(16 * MICROPHONE_RATE_HZ) * 40).astype(np.int16)
    band = headband(room, resume_s=resume_s, delay_samples=137, gain=0.6, bus_hz=bus_hz, timing=timing)
    chunk_s = listening_s() * CHUNK_SAMPLES / MICROPHONE_RATE_HZ
    found: list[tuple[float, HandOver, float]] = []

    async def scene() -> None:
        for _ in range(2):
            late_s, sound_s = await _asked(band, question, chunk_s)
            over = band.microphone.last_hand_over
            assert over is not None
            found.append((late_s, over, sound_s))

    asyncio.run(scene())
    (first_s, first, _), later = found
    return Late(first_s, first, *later)


async def _asked(band: Headband, question: NDArray[np.int16], chunk_s: float) -> tuple[float, float]:
    """Seconds from the resume until the wake word is heard, and until anything is; returns when all was
    handed over.
    """
    clock, microphone = band.clock, band.microphone
    wake = WakeWord("okay_nabu")
    heard_s: list[float] = []
    began_s: list[float] = []

    async def listen() -> None:
        async for chunk in microphone:
            began_s.append(clock.monotonic())
            clock.jump(chunk_s)
            if wake.process(chunk):
                heard_s.append(clock.monotonic())

    await microphone.sleep()
    listening = asyncio.create_task(listen())
    await pass_time(clock, 2.5)  # the onset detector learns the room's noise
    spoken = band.room.say(question)
    while not band.wake.active:
        await pass_time(clock, 0.05)
    resumed_s = clock.monotonic()
    while microphone._over is None:
        await pass_time(clock, 0.005)
        resumed_s = clock.monotonic()
    while not (heard_s and microphone.last_hand_over and spoken.ended_s):
        await pass_time(clock, 0.05)
    listening.cancel()
    return heard_s[0] - resumed_s, began_s[0] - resumed_s
