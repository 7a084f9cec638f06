"""The sound gate: what the host writes and reads, when the wake line is pulled, and the I2S microphone."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from firmware.pmu import registers as r
from firmware.pmu import sound_adpcm as adpcm
from firmware.pmu import sound_onset as onset
from firmware.pmu.sound_gate import ANSWER_MS, HOLD_OFF_MS, LEAD_BLOCKS, SoundGate
from firmware.pmu.sound_microphone import Microphone
from firmware.pmu.sound_pages import PagedTarget
from hw.device import MICROPHONE_RATE_HZ
from tests.firmware.sounds import blocks, noise, voice

BLOCK = adpcm.GROUP_SAMPLES


class Guarded:
    """Stand-ins for the PMU's events and guard."""

    def __init__(self) -> None:
        self.events: list[tuple[int, int]] = []
        self.asks = 0

    def add(self, kind: int, detail: int) -> None:
        self.events.append((kind, detail))

    def ask(self, bits: int) -> None:
        self.asks |= bits

    def answered(self, bits: int) -> None:
        self.asks &= ~bits


class Bench:
    def __init__(self, pcm: np.ndarray) -> None:
        self.recorder = adpcm.Recorder()
        self.target = PagedTarget(self.recorder)
        self.pmu = Guarded()
        self.gate = SoundGate(self.pmu, self.pmu, self.recorder, self.target.show)
        self.target.on_write(r.SOUND_GATE, self.gate.control)
        self.left = blocks(pcm)
        self.now_ms = 0.0
        self.on = False
        self.given = 0

    def microphone(self, samples: array | None) -> bool:
        self.on = samples is not None
        if samples is None or not self.left or (self.given + 1) * onset.BLOCK_MS > self.now_ms:
            return False
        samples[:] = self.left.pop(0)
        self.given += 1
        return True

    def woken(self) -> bool:
        return self.gate.wake

    def write(self, value: int) -> None:
        at = r.SOUND_GATE * 4
        self.target.memory[at : at + 3] = bytes([value, 0, r.write_pec(at, value, 0)])
        self.target.accept_writes()

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 50)):
            self.now_ms += 20
            self.gate.step(int(self.now_ms), self.microphone)


def spoken_at(second: float, length: float = 8.0) -> np.ndarray:
    pcm = noise(int(MICROPHONE_RATE_HZ * length), 50)
    at = int(second * MICROPHONE_RATE_HZ)
    pcm[at : at + MICROPHONE_RATE_HZ] += voice(1.0, 800)
    return pcm


def test_the_gate_is_off_until_it_is_asked():
    bench = Bench(spoken_at(1))
    bench.run(3)
    assert (bench.on, bench.recorder.pages, bench.woken()) == (False, 0, False)


def test_speech_pulls_the_line_and_shows_the_page_where_it_begins():
    bench = Bench(spoken_at(3))
    bench.write(1)
    bench.run(2.9)
    assert bench.on
    assert not bench.woken()
    bench.run(1.0)
    assert bench.woken()
    assert bench.pmu.asks == r.ASK_SOUND
    [(kind, since)] = bench.pmu.events
    assert kind == r.EVENT_KIND_SOUND
    assert 10 < since < 60
    page = bench.target.value(r.PAGE)
    lead_s = 3.0 - page / 8 * BLOCK / MICROPHONE_RATE_HZ
    assert abs(lead_s - LEAD_BLOCKS * BLOCK / MICROPHONE_RATE_HZ) < 0.05
    assert bench.target.memory[r.PAGE_0 * 4] == page & 0xFF
    before = bench.recorder.pages
    bench.run(1.0)
    assert bench.recorder.pages - before == pytest.approx(547, abs=20)
    assert bench.gate.words() == {r.SOUND_PAGES: bench.recorder.pages}
    bench.write(2)
    bench.run(0.1)
    assert (bench.woken(), bench.pmu.asks, bench.on) == (False, 0, False)
    assert bench.recorder.at(bench.recorder.pages - 1) >= 0


def test_a_host_that_does_not_come_is_called_again_by_the_next_speech():
    bench = Bench(np.concatenate([spoken_at(2, 11), spoken_at(2, 4)]))
    bench.write(1)
    bench.run(2.9)
    assert bench.woken()
    bench.run(ANSWER_MS / 1000)
    assert not bench.woken()
    assert bench.pmu.asks == 0
    bench.run(3)
    assert bench.woken()
    assert len(bench.pmu.events) == 2


def test_wakes_keep_a_distance():
    bench = Bench(np.concatenate([noise(32_000, 50)] + [spoken_at(0.2, 1.3)] * 8))
    bench.write(1)
    wakes = []
    for _ in range(600):
        bench.run(0.02)
        if bench.woken():
            wakes.append(bench.now_ms)
            bench.write(1)
    assert len(wakes) > 2
    assert min(np.diff(wakes)) >= HOLD_OFF_MS


def test_other_values_of_the_gate_are_refused():
    bench = Bench(noise(MICROPHONE_RATE_HZ, 50))
    bench.write(1)
    bench.write(7)
    assert bench.target.value(r.SOUND_GATE) == 1
    bench.run(0.5)
    assert bench.on
    bench.write(0)
    bench.run(0.1)
    assert not bench.on


class FakeI2s:
    def __init__(self) -> None:
        self.buffer: array | None = None
        self.closed = False

    def irq(self, handler) -> None:
        self.handler = handler

    def readinto(self, buffer) -> None:
        self.buffer = buffer

    def deinit(self) -> None:
        self.closed = True

    def deliver(self, first: int) -> None:
        assert self.buffer is not None
        for index in range(len(self.buffer)):
            self.buffer[index] = (first + index) << 12
        self.handler(self)


def test_the_microphone_hands_out_every_sample_once_and_never_waits():
    drivers: list[FakeI2s] = []

    def open_i2s() -> FakeI2s:
        drivers.append(FakeI2s())
        return drivers[-1]

    microphone = Microphone(open_i2s)
    assert not drivers
    samples = array("h", (0,) * BLOCK)
    assert not microphone.fill(samples)
    heard: list[int] = []
    for first in (0, 3 * BLOCK):
        drivers[0].deliver(first)
        for _ in range(3):
            assert microphone.fill(samples)
            heard.extend(samples)
        assert not microphone.fill(samples)
    assert heard == list(range(6 * BLOCK))
    assert not microphone.fill(None)
    assert drivers[0].closed
    microphone.fill(samples)
    assert len(drivers) == 2


class Silent(adpcm.Recorder):
    """Encodes nothing, which is slow here."""

    def add(self, samples: Any) -> None:
        self.pages += 8


def room(gate: SoundGate, heard: Callable[[int], bool], seconds: int) -> list[tuple[int, bool]]:
    """When the microphone went on and off, in a room with the same hum at all times."""
    course: list[tuple[int, bool]] = []
    for now_ms in range(0, seconds * 1000, 20):
        blocks = [1]

        def microphone(samples: Any, blocks: list[int] = blocks) -> bool:
            if samples is None:
                return False
            blocks[0] -= 1
            return blocks[0] >= 0

        gate.step(now_ms, microphone, True, heard(now_ms))
        if not course or course[-1][1] is gate.resting:
            course.append((now_ms, not gate.resting))
    return course


def test_a_detector_that_ends_every_rest_makes_the_rests_seldom() -> None:
    gate = SoundGate(Guarded(), Guarded(), Silent(), lambda page: None)
    gate.control(r.GATE_LISTEN)
    course = room(gate, lambda now_ms: now_ms % 100 == 0, 120)  # ten times a second
    assert len(course) < 16
    waits_ms = [off - on for (on, _), (off, _) in zip(course[::2], course[1::2], strict=False)]
    assert waits_ms[0] < 3_200 and max(waits_ms) > 40_000 and waits_ms == sorted(waits_ms)
