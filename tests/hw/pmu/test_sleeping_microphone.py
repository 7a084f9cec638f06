"""Speech to a sleeping headband is not lost: pages over the bus, the seam, and the wake word."""

from __future__ import annotations

import asyncio
import functools

import numpy as np
import pytest

from firmware.pmu import registers as r
from firmware.pmu.sound_pages import PagedTarget
from hw.device import MICROPHONE_RATE_HZ, DeviceError, Microphone, Pcm
from hw.emulated.board import emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.pmu.bus_rate import measure_bus_rate
from hw.pmu.page_reader import PageReader
from hw.pmu.register_bus import GaugeError
from hw.pmu.sleeping_microphone import PrerollMicrophone
from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from tests.hw.pmu.i2c_timing import FAST_MODE, STANDARD_MODE, I2cTiming
from tests.hw.pmu.sleeping_headband import Headband, headband, pass_time, place_in, sleep_and_hear, watched

SPOKEN_S = 3.0


def noise(seconds: float, rms: float, seed: int = 1) -> Pcm:
    count = int(seconds * MICROPHONE_RATE_HZ)
    return np.round(np.random.default_rng(seed).standard_normal(count) * rms).astype(np.int16)


@pytest.fixture(scope="module")
def question() -> Pcm:
    espeak = Espeak()
    words = [espeak.say("okay nabu", "en-us"), np.zeros(3000), espeak.say("what is in front of me", "en-us")]
    return np.round(np.concatenate(words) * 10_000).astype(np.int16)


def say_once(band: Headband, word: Pcm, said: list[bool]) -> None:
    if band.clock.monotonic() > 1007.0 and not said:
        said.append(True)
        band.room.say(word)


# Pages.


def recording(question: Pcm) -> Headband:
    """A headband to which something has just been said; the test is the only user of the bus."""
    band = headband(noise(12, 40))

    async def scene() -> None:
        await band.microphone.sleep()
        for _ in range(30):
            await band.clock.advance(0.1)
            band.pmu.catch_up()
        band.room.say(question)
        for _ in range(10):
            await band.clock.advance(0.1)
            band.pmu.catch_up()

    asyncio.run(scene())
    assert band.wake.active
    return band


def one_page_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The PMU as its firmware was before `PAGE_PAIR`."""
    show = PagedTarget.show
    monkeypatch.setattr(PagedTarget, "show", lambda self, number, pair=False: show(self, number))


def test_two_pages_cost_two_transfers_and_about_a_millisecond_on_the_wire(question: Pcm):
    band = recording(question)
    reader = PageReader(band.bus, lambda: band.bus.busy_s)
    first = band.gauge.words((r.PAGE,))[r.PAGE] & ~7
    pages = [page for n in range(0, 8, 2) for page in reader.pages(first + n) or ()]
    assert pages == [recorded_page(band, first + n) for n in range(8)]
    assert (reader.transfers, reader.repeated) == (8, 0)
    assert reader.wire_s / 4 < 0.00110


def test_older_firmware_is_noticed_by_its_first_answer(question: Pcm, monkeypatch: pytest.MonkeyPatch):
    one_page_at_a_time(monkeypatch)
    band = recording(question)
    reader = PageReader(band.bus, lambda: band.bus.busy_s)
    first = band.gauge.words((r.PAGE,))[r.PAGE] & ~7
    pages = [reader.pages(first + n) for n in range(8)]
    assert pages == [(recorded_page(band, first + n),) for n in range(8)]
    assert (reader.transfers, reader.repeated) == (16, 0)
    assert reader.wire_s / 8 < 0.00105


def recorded_page(band: Headband, number: int) -> bytes:
    recorder = band.pmu.firmware.sound.recorder
    at = recorder.at(number)
    return bytes(recorder.ring[at : at + 16])


@pytest.mark.parametrize(
    "fault", [Fault.BAD_PEC, Fault.NAK, Fault.ALL_ONES, Fault.STUCK_SDA, Fault.ALL_ZEROS]
)
@pytest.mark.parametrize("known", [False, True], ids=["first", "later"])
@pytest.mark.parametrize("offset", [0, 1])
def test_a_garbled_page_is_asked_for_again(question: Pcm, fault: Fault, known: bool, offset: int):
    band = recording(question)
    number = (band.gauge.words((r.PAGE,))[r.PAGE] & ~7) + offset
    whole = PageReader(band.bus).pages(number)
    assert whole is not None and len(whole) == 2 - offset
    reader = PageReader(band.bus)
    if known:
        reader.pages(number & ~1)
    band.bus.inject(fault, 2)
    assert reader.pages(number) == whole
    assert 0 < reader.repeated <= 4


def test_a_bus_that_does_not_work_is_given_up(question: Pcm):
    band = recording(question)
    reader = PageReader(band.bus)
    band.bus.inject(Fault.NAK)
    with pytest.raises(GaugeError, match="does not answer"):
        reader.pages(0)
    band.bus.inject(Fault.STALL)
    before = reader.transfers
    with pytest.raises(GaugeError, match="time out"):
        reader.pages(0)
    assert reader.transfers == before + 2, "each time-out blocks for 0.2 s"
    band.bus.inject(Fault.BAD_PEC)
    assert reader.pages(0) is None
    band.bus.inject(None)
    found = reader.pages(0)
    assert found is None or found[0][0] == 0


def test_the_rate_of_the_bus_is_measured(question: Pcm):
    for hz in (100_000, 400_000):
        band = headband(bus_hz=hz)
        rate = measure_bus_rate(band.bus, band.clock.monotonic)
        assert rate.hz == pytest.approx(hz, rel=0.01)
        assert rate.slow == (hz < 400_000)
        assert rate.overhead_s == pytest.approx(60e-6, rel=0.1)
        reader = PageReader(band.bus, band.clock.monotonic)
        reader.pages(0)
        assert rate.second_of_sound_s == pytest.approx(547 * reader.wire_s / reader.transfers, rel=0.3)
    with pytest.raises(GaugeError, match="cannot be measured"):
        measure_bus_rate(band.bus, lambda: 0.0)
    for timing, slow in ((STANDARD_MODE, True), (FAST_MODE, False)):  # by the specification's edges
        band = headband(timing=timing)
        rate = measure_bus_rate(band.bus, band.clock.monotonic)
        assert rate.hz == pytest.approx(100_000 if slow else 400_000, rel=0.01) and rate.slow is slow


# The whole hand-over.


@pytest.mark.parametrize(
    ("resume_s", "delay_samples", "gain", "bus_hz", "timing"),
    [
        (0.6, 0, 1.0, 400_000, None),
        (0.8, 137, 0.5, 400_000, FAST_MODE),
        (1.0, 401, 2.0, 400_000, None),
        (0.6, 137, 2.0, 100_000, None),
        (1.0, 0, 1.0, 100_000, STANDARD_MODE),
    ],
)
def test_the_wake_word_said_to_a_sleeping_headband_is_heard(
    question: Pcm, resume_s: float, delay_samples: int, gain: float, bus_hz: int, timing: I2cTiming | None
):
    """`timing`: the bus is as slow as its specification allows, on a busy computer."""
    band = headband(
        noise(16, 40), resume_s=resume_s, delay_samples=delay_samples, gain=gain, bus_hz=bus_hz, timing=timing
    )
    room = watched(band)
    slow = bus_hz < 400_000
    heard = asyncio.run(sleep_and_hear(band, 12.0 if slow else 8.0, after_s=SPOKEN_S, said=question))
    wake = WakeWord("okay_nabu")
    assert any(wake.process(heard[at : at + 512]) for at in range(0, heard.size, 512))
    over = band.microphone.last_hand_over
    assert over is not None
    assert (over.joined_by, over.lost_samples, over.repeated, over.problem) == ("sound", 0, 0, None)
    assert 1.2 < over.recorded_s < 2.4
    assert over.took_s < (6.5 if slow else 1.35 if timing is None else 1.5)
    assert over.bus_hz == pytest.approx(bus_hz, rel=0.15 if timing is None else 0.35)
    # Nothing is lost or doubled: what lies before the seam is where it belongs beside what lies after it.
    whole = np.concatenate(room)
    spoken = place_in(whole, question)
    begins = place_in(whole, heard[8000:MICROPHONE_RATE_HZ]) - 8000
    assert abs(begins - place_in(whole, heard[-24_000:-MICROPHONE_RATE_HZ]) + heard.size - 24_000) <= 1
    assert 0.3 < (spoken - begins) / MICROPHONE_RATE_HZ < 0.8


@pytest.mark.parametrize("bus_hz", [400_000, 100_000])
def test_a_word_that_ends_the_rest_of_the_pmus_microphone_loses_its_first_30_ms_at_most(
    question: Pcm, bus_hz: int
):
    band = headband(noise(20, 10), bus_hz=bus_hz, delay_samples=0, threshold=250)
    room = watched(band)
    heard = asyncio.run(sleep_and_hear(band, 16.0, after_s=6.0, said=question))
    assert band.recorder.rests >= 1
    wake = WakeWord("okay_nabu")
    assert any(wake.process(heard[at : at + 512]) for at in range(0, heard.size, 512))
    over = band.microphone.last_hand_over
    assert over is not None and (over.lost_samples, over.problem) == (0, None)
    whole = np.concatenate(room)
    spoken = place_in(whole, question)
    begins = place_in(whole, heard[4000:16_000]) - 4000
    aloud = spoken + int(np.argmax(np.abs(question) > 250))
    assert (begins - aloud) / MICROPHONE_RATE_HZ < 0.05, "0.15 s are allowed"


def test_in_silence_the_clock_joins_within_20_ms(question: Pcm):
    """The two microphones have nothing in common when the host's starts, so they cannot be aligned."""
    word = question[:MICROPHONE_RATE_HZ]
    errors = []
    for resume_s in (0.9, 0.93, 0.96, 0.99):
        band = headband(resume_s=resume_s, delay_samples=0, gain=1.0, hiss=20.0)
        room = watched(band)

        step = functools.partial(say_once, band, word, [])  # again, long after the seam
        heard = asyncio.run(sleep_and_hear(band, 9.0, after_s=SPOKEN_S, said=word, step=step))
        over = band.microphone.last_hand_over
        assert over is not None
        assert (over.joined_by, over.lost_samples) == ("clock", 0)
        whole = np.concatenate(room)
        first_said, second_said = (place_in(part, word) for part in (whole[:80_000], whole[80_000:]))
        cut = heard.size - 30_000
        first_heard, second_heard = (
            place_in(heard[:cut], word),
            place_in(heard[cut - MICROPHONE_RATE_HZ :], word),
        )
        errors.append(
            (second_heard + cut - MICROPHONE_RATE_HZ - first_heard) - (second_said + 80_000 - first_said)
        )
    assert max(abs(error) for error in errors) < 320


def test_a_faulty_bus_costs_the_recording_and_not_the_listening(question: Pcm):
    band = headband(noise(12, 40))

    def step() -> None:
        if band.wake.active:
            band.bus.inject(Fault.NAK)

    heard = asyncio.run(sleep_and_hear(band, 8.0, after_s=SPOKEN_S, said=question, step=step))
    over = band.microphone.last_hand_over
    assert over is not None
    assert over.problem is not None
    assert "does not answer" in over.problem
    assert over.joined_by == "nothing"
    assert 3.0 < heard.size / MICROPHONE_RATE_HZ < 5.0


def test_some_garbled_transfers_cost_nothing(question: Pcm):
    band = headband(noise(12, 40))

    def step() -> None:
        if 100 < band.bus.transfers < 1500:
            band.bus.inject(Fault.BAD_PEC, 2)

    heard = asyncio.run(sleep_and_hear(band, 8.0, after_s=SPOKEN_S, said=question, step=step))
    over = band.microphone.last_hand_over
    assert over is not None
    assert over.repeated > 0
    assert (over.joined_by, over.lost_samples, over.problem) == ("sound", 0, None)
    wake = WakeWord("okay_nabu")
    assert any(wake.process(heard[at : at + 512]) for at in range(0, heard.size, 512))


def test_another_cause_of_waking_hands_over_nothing():
    band = headband(noise(12, 40))

    async def scene() -> Pcm:
        await band.microphone.sleep()
        first = asyncio.create_task(anext(band.microphone))
        await pass_time(band.clock, 1.0)
        band.wake.set(True)  # the alert line, the button
        await pass_time(band.clock, 1.5)
        return await first

    assert asyncio.run(scene()).shape == (512,)
    assert band.microphone.last_hand_over is None
    assert band.gauge.words((r.SOUND_GATE,))[r.SOUND_GATE] == 2


def test_a_microphone_that_fails_after_the_sleep_says_so(question: Pcm):
    band = headband(noise(12, 40))

    async def scene() -> None:
        await band.microphone.sleep()
        chunks: list[Pcm] = []

        async def listen() -> None:
            async for chunk in band.microphone:
                chunks.append(chunk)

        listening = asyncio.create_task(listen())
        await pass_time(band.clock, SPOKEN_S)
        band.room.say(question)
        band.room.unplug()
        await pass_time(band.clock, 6.0)
        with pytest.raises(DeviceError, match="unplugged"):
            await listening

    asyncio.run(scene())


def test_a_pmu_that_does_not_answer_is_not_left_to_listen():
    band = headband()
    band.bus.inject(Fault.NAK)
    with pytest.raises(DeviceError):
        asyncio.run(band.microphone.sleep())


def test_the_board_has_such_a_microphone(question: Pcm):
    async def scene() -> None:
        clock = FakeClock()
        board = emulated_board(clock=clock, background=noise(12, 40))
        microphone: Microphone = board.preroll
        assert isinstance(microphone, PrerollMicrophone)
        await microphone.sleep()
        heard: list[Pcm] = []

        async def listen() -> None:
            async for chunk in microphone:
                heard.append(chunk)

        listening = asyncio.create_task(listen())
        await pass_time(clock, SPOKEN_S)
        board.microphone.say(question)
        await pass_time(clock, 4.0)
        listening.cancel()
        assert microphone.last_hand_over is not None
        assert microphone.last_hand_over.joined_by == "sound"
        assert sum(chunk.size for chunk in heard) > 3 * MICROPHONE_RATE_HZ
        await board.close()

    asyncio.run(scene())


def test_a_computer_that_does_not_sleep_hears_on(question: Pcm):
    async def scene() -> None:
        band = headband(noise(20, 30))

        async def refuse() -> None:
            raise DeviceError("The kernel cannot suspend this computer.")

        band.microphone._suspend = refuse
        heard = await sleep_and_hear(band, 1.0, after_s=0.5)
        assert band.microphone.suspend_refusal == "The kernel cannot suspend this computer."
        assert heard.size > 8000

    asyncio.run(scene())
