"""What the PMU recorded is given while it is read: the wake word anywhere in it, faults in the middle, a
listener that is busy, recording that is switched off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
import pytest

from firmware.pmu import registers as r
from hw.device import CHUNK_SAMPLES, MICROPHONE_RATE_HZ, RECORDING_IS_OFF, DeviceError, HandOver, Pcm
from hw.emulated.bus import Fault
from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from tests.hw.pmu.sleeping_headband import Headband, headband, pass_time, place_in, watched

GAIN = 0.5
PIECE = 4000
"""Samples of a piece whose place in the room is looked for, 0.25 s."""


def spoken(*words: str | float) -> Pcm:
    """Words, and pauses in seconds."""
    espeak = Espeak()
    parts = [
        espeak.say(each, "en-us") if isinstance(each, str) else np.zeros(round(each * MICROPHONE_RATE_HZ))
        for each in words
    ]
    return np.round(np.concatenate(parts) * 10_000).astype(np.int16)


@pytest.fixture(scope="module")
def question() -> Pcm:
    return spoken("okay nabu", 0.2, "what is in front of me")


def asleep_band(resume_s: float = 0.8, *, knows_level: bool = True) -> Headband:
    """A headband that has been woken before, so that it knows the level of its two microphones."""
    room = np.round(np.random.default_rng(1).standard_normal(16 * MICROPHONE_RATE_HZ) * 40).astype(np.int16)
    band = headband(room, resume_s=resume_s, gain=GAIN)
    if knows_level:
        band.microphone._level.learn(1 / GAIN)
    return band


class Listener:
    """Takes every chunk; `after` is awaited after each, with their number so far."""

    def __init__(self, band: Headband) -> None:
        self.band = band
        self.chunks: list[Pcm] = []
        self.early = 0
        """Chunks that were given before the hand-over had ended."""
        self.overs: list[HandOver] = []
        band.microphone.handed_over = self._over
        self.error: DeviceError | None = None

    def _over(self, over: HandOver) -> None:
        self.early = len(self.chunks)
        self.overs.append(over)

    async def listen(self, busy: Callable[[int], float] = lambda number: 0.0) -> None:
        try:
            async for chunk in self.band.microphone:
                assert chunk.shape == (CHUNK_SAMPLES,) and chunk.dtype == np.int16
                self.chunks.append(chunk)
                if busy_s := busy(len(self.chunks)):
                    await self.band.clock.sleep(busy_s)
        except DeviceError as error:
            self.error = error

    async def asked(
        self, said: Pcm, seconds: float = 4.0, busy: Callable[[int], float] = lambda number: 0.0
    ) -> None:
        """It falls asleep, is asked a while later, and listens for so long from then on."""
        await self.band.microphone.sleep()
        listening = asyncio.create_task(self.listen(busy))
        await pass_time(self.band.clock, 1.5)
        self.band.room.say(said)
        await pass_time(self.band.clock, seconds)
        listening.cancel()

    @property
    def heard(self) -> Pcm:
        """All of it."""
        return np.concatenate([np.zeros(0, np.int16), *self.chunks])


def places(room: list[Pcm], heard: Pcm) -> list[int]:
    """For each piece of what was heard, how far on in the room's sound it is than in what was heard."""
    whole = np.concatenate(room)
    return [place_in(whole, heard[at : at + PIECE]) - at for at in range(0, heard.size - PIECE, PIECE)]


@pytest.mark.parametrize(
    ("before", "resume_s"),
    [
        ((), 0.4),
        (("good morning", 0.1), 0.8),
        (("good morning to you all", 0.2), 1.2),
        (("good morning, I have a question for you", 0.3), 0.6),
        (("good morning, I have a question for you my friend", 0.7), 0.4),
    ],
)
def test_a_wake_word_anywhere_in_the_recording_is_heard(before: tuple[str | float, ...], resume_s: float):
    """In what is given while it is read, over the seam, and after it; nothing is lost or doubled."""
    band = asleep_band(resume_s)
    room, listener = watched(band), Listener(band)
    said = spoken(*before, "okay nabu", 0.2, "what is in front of me")
    asyncio.run(listener.asked(said, said.size / MICROPHONE_RATE_HZ + resume_s + 1.5))
    (over,) = listener.overs
    assert (over.joined_by, over.lost_samples, over.repeated, over.problem) == ("sound", 0, 0, None)
    assert listener.early * CHUNK_SAMPLES > 0.5 * MICROPHONE_RATE_HZ
    assert band.microphone.woken_by_sound
    wake, heard = WakeWord("okay_nabu"), listener.heard
    assert any(wake.process(chunk) for chunk in listener.chunks)
    found = places(room, heard)
    assert max(found) - min(found) <= 1


def test_it_is_heard_before_the_seam_once_a_seam_has_shown_the_level(question: Pcm):
    """The first hand-over gives nothing before its seam; then the level is known, and stays the room's."""
    band = asleep_band(1.0, knows_level=False)

    async def scene() -> tuple[Listener, Listener]:
        first = Listener(band)
        await first.asked(question)
        second = Listener(band)
        await second.asked(question)
        return first, second

    first, second = asyncio.run(scene())
    wake = WakeWord("okay_nabu")
    called = next(number for number, chunk in enumerate(second.chunks, 1) if wake.process(chunk))
    assert first.early == 0 and called <= second.early
    assert second.overs[0].joined_by == "sound"
    quiet = [float(np.std(heard.heard[2000:6000])) for heard in (first, second)]
    assert quiet == pytest.approx([40.0, 40.0], rel=0.25), "the room's noise, at the host's microphone"


def test_a_listener_that_is_busy_for_seconds_loses_nothing(question: Pcm):
    """The PMU's memory has room for 3.7 s, and is read meanwhile."""
    band = asleep_band(1.2)
    room, listener = watched(band), Listener(band)
    asyncio.run(listener.asked(question, 6.0, lambda number: 2.5 if number == 3 else 0.0))
    (over,) = listener.overs
    assert listener.early == 3 and (over.lost_samples, over.problem) == (0, None)
    found = places(room, listener.heard)
    assert max(found) - min(found) <= 1


@pytest.mark.parametrize("times", [2, None])
def test_a_bus_that_fails_in_the_middle_doubles_nothing(question: Pcm, times: int | None):
    """Two transfers are repeated; a bus that is gone for good costs what was not read, and says so."""
    band = asleep_band(1.0)
    room, listener = watched(band), Listener(band)

    def fails(number: int) -> float:
        if number == 20:
            band.bus.inject(Fault.NAK, times)
        return 0.0

    asyncio.run(listener.asked(question, 4.5, fails))
    band.bus.inject(None)
    (over,) = listener.overs
    assert listener.early >= 20
    found = places(room, listener.heard)
    if times:
        assert (over.repeated, over.lost_samples, over.problem) == (2, 0, None)
        assert max(found) - min(found) <= 1
        return
    assert over.problem is not None and "does not answer" in over.problem
    read, live = found[: 20 * CHUNK_SAMPLES // PIECE], found[-8:]
    assert max(read) - min(read) <= 1 and max(live) - min(live) <= 1
    assert live[0] - read[0] > -400, "at most what the clock is wrong by comes twice"


def test_switched_off_in_the_middle_nothing_more_is_given_and_nothing_is_kept(question: Pcm):
    band = asleep_band(1.0)
    listener = Listener(band)

    async def scene() -> None:
        await band.microphone.sleep()
        listening = asyncio.create_task(listener.listen())
        await pass_time(band.clock, 1.5)
        band.room.say(question)
        while len(listener.chunks) < 5:
            await pass_time(band.clock, 0.005)
        assert not listener.overs
        await band.microphone.record(False)
        given = len(listener.chunks)
        await pass_time(band.clock, 1.0, band.pmu.catch_up)
        assert len(listener.chunks) <= given + 1 and not listener.overs
        assert listener.error is not None and str(listener.error) == RECORDING_IS_OFF
        assert band.gauge.words((r.SOUND_GATE,))[r.SOUND_GATE] == r.GATE_OFF
        assert not any(band.pmu.firmware.sound.recorder.ring)
        await listening

    asyncio.run(scene())


def test_it_does_not_sleep_while_what_woke_it_is_given(question: Pcm):
    """The microcontroller would forget what was not read yet."""
    band = asleep_band(1.0)
    room, listener = watched(band), Listener(band)

    async def scene() -> None:
        await band.microphone.sleep()
        listening = asyncio.create_task(listener.listen())
        await pass_time(band.clock, 1.5)
        band.room.say(question)
        while len(listener.chunks) < 5:
            await pass_time(band.clock, 0.005)
        beside = asyncio.create_task(band.microphone.listen_beside())
        assert not await band.microphone.sleep() and not listener.overs
        await pass_time(band.clock, 2.0)
        await beside
        assert listener.overs[0].lost_samples == 0
        assert band.gauge.words((r.SOUND_GATE,))[r.SOUND_GATE] == r.GATE_LISTEN
        assert await band.microphone.sleep()
        listening.cancel()

    asyncio.run(scene())
    found = places(room, listener.heard)
    assert max(found) - min(found) <= 1
