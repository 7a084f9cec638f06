"""The sound gate: compression, ring of pages, window, detector, and the loops in both their forms."""

from __future__ import annotations

import ast
from array import array
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import adpcm, loops, onset
from firmware.pmu import registers as r
from firmware.pmu.microphone import Microphone
from firmware.pmu.pages import PagedTarget
from firmware.pmu.sound import ANSWER_MS, HOLD_OFF_MS, LEAD_BLOCKS, SoundGate

FIRMWARE = Path(loops.__file__).parent
BLOCK = adpcm.GROUP_SAMPLES
samples16 = st.integers(-32768, 32767)


def block_of(values) -> array:
    return array("h", [int(value) for value in values])


def noise(count: int, rms: float, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count) * rms


def voice(seconds: float, rms: float, syllables_hz: float = 4.0) -> np.ndarray:
    """A buzz of 120 Hz with the resonances of an open vowel, cut into syllables."""
    t = np.arange(int(seconds * 16_000)) / 16_000
    buzz = sum(np.sin(2 * np.pi * 120 * k * t) / (1 + ((120 * k - 650) / 250) ** 2) for k in range(1, 12))
    shape = np.clip(np.sin(2 * np.pi * syllables_hz * t), 0.0, None) ** 0.5
    out = buzz * shape
    return np.asarray(out / np.sqrt(np.mean(out**2)) * rms)


def blocks(pcm: np.ndarray) -> list[array]:
    clipped = np.clip(np.round(pcm), -32768, 32767)
    return [block_of(clipped[at : at + BLOCK]) for at in range(0, clipped.size - BLOCK + 1, BLOCK)]


def recorded(pcm: np.ndarray) -> tuple[adpcm.Recorder, np.ndarray]:
    """A recorder that heard it, and everything decoded group by group as it came."""
    recorder = adpcm.Recorder()
    decoded: list[int] = []
    for block in blocks(pcm):
        first = recorder.pages
        recorder.add(block)
        decoded.extend(adpcm.decode(pages(recorder, range(first, first + 8))))
    return recorder, np.array(decoded)


def pages(recorder: adpcm.Recorder, numbers) -> list[bytes]:
    found = []
    for number in numbers:
        at = recorder.at(number % adpcm.NUMBERS)
        assert at >= 0
        found.append(bytes(recorder.ring[at : at + 16]))
    return found


# The two forms of the loops.


class Bare(ast.NodeTransformer):
    """Removes what only viper has: decorator, types, casts of buffers; and docstrings."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        for argument in node.args.args:
            argument.annotation = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in ("ptr8", "ptr16", "ptr32"):
            return node.args[0]
        raise AssertionError("a loop calls nothing")


def functions(name: str) -> dict[str, str]:
    tree = ast.parse((FIRMWARE / name).read_text())
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.dump(Bare().visit(node)) for node in found}


def test_the_machine_code_twins_are_the_same_statements():
    plain, viper = functions("loops.py"), functions("loops_viper.py")
    assert set(plain) == {"encode", "measure", "narrow", "turn"}
    assert plain == viper


def test_every_twin_is_compiled_and_has_at_most_four_arguments():
    tree = ast.parse((FIRMWARE / "loops_viper.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert [ast.unparse(one) for one in node.decorator_list] == ["micropython.viper"]
            assert len(node.args.args) <= 4
            assert all(argument.annotation is not None for argument in node.args.args)


def test_the_numbers_written_out_in_the_loops_are_the_right_ones():
    assert (loops.BLOCK, loops.WINDOW) == (234, 192)
    assert adpcm.GROUP_SAMPLES == adpcm.FIRST_SAMPLES + 7 * adpcm.PAGE_SAMPLES
    assert len(loops.STEPS) == 89


@settings(max_examples=30)
@given(st.lists(samples16, min_size=BLOCK, max_size=BLOCK))
def test_measuring_is_the_filter_that_it_says(values):
    work = array("i", (0,) * 6)
    loops.measure(block_of(values), work)
    x = np.array(values, np.int64).reshape(-1, 3)
    sums = np.concatenate([np.zeros(4, np.int64), x.sum(1)])
    band = sums[4:] + sums[3:-1] - sums[1:-3] - sums[:-4]
    assert work[0] == np.abs(band).sum() < 2**30 / 16
    assert work[1] == np.abs(x[:, 1] - x[:, 0]).sum()
    assert list(work[2:]) == list(sums[:-5:-1])


def test_narrowing_keeps_the_upper_bits_and_clips():
    wide = array("i", [0] * BLOCK)
    wide[0:5] = array("i", [4096 * 7, -4096 * 7, 2**31 - 1, -(2**31), -1])
    out = array("h", [0] * BLOCK)
    loops.narrow(wide, out, 12)
    assert list(out[:5]) == [7, -7, 32767, -32768, -1]


# Compression.


@settings(max_examples=60)
@given(st.lists(samples16, min_size=2 * BLOCK, max_size=2 * BLOCK))
def test_any_samples_survive_within_the_step_of_the_moment(values):
    """Where the step was large enough for the change, the error is at most that step."""
    pcm = np.array(values)
    recorder, decoded = recorded(pcm)
    assert decoded.shape == pcm.shape
    predictor, index = 0, 0
    for value, now in zip(pcm.tolist(), decoded.tolist(), strict=True):
        step = loops.STEPS[index]
        change = abs(value - predictor)
        if change <= step * 15 // 8:
            assert abs(value - now) <= step // 4 + 2
        grown = min(7, change * 4 // step)
        index = max(0, min(88, index + (-1 if grown < 4 else (grown - 3) * 2)))
        predictor = now
    assert list(recorder._state[:2]) == [predictor, index]


@pytest.mark.parametrize(("rms", "hz"), [(100, 440), (3000, 200), (9000, 1200)])
def test_a_tone_comes_back_with_little_noise(rms: int, hz: int):
    t = np.arange(BLOCK * 60) / 16_000
    pcm = np.sin(2 * np.pi * hz * t) * rms * 2**0.5
    _, decoded = recorded(pcm)
    error = decoded[2000:] - np.round(pcm)[2000:]
    assert 20 * np.log10(np.sqrt(np.mean(pcm**2)) / np.sqrt(np.mean(error**2))) > 20


def test_known_codes():
    """Worked by hand: silence, then a jump of 100 with the step at 7."""
    recorder = adpcm.Recorder()
    recorder.add(block_of([0, 0, 100, 100] + [0] * (BLOCK - 4)))
    first = bytes(recorder.ring[:6])
    # number 0, predictor 0, index 0; codes 0 0 | 7 (0 -> 11, index 8) 7 (11 -> 41)
    assert first == bytes([0, 0, 0, 0, 0x00, 0x77])
    assert list(adpcm.decode(pages(recorder, range(8)))[:4]) == [0, 0, 11, 41]


def test_pages_out_of_order_are_refused():
    recorder, _ = recorded(noise(BLOCK * 3, 500))
    eight = pages(recorder, range(8, 16))
    with pytest.raises(ValueError, match="opens no group"):
        adpcm.decode(eight[1:])
    with pytest.raises(ValueError, match="follows"):
        adpcm.decode([eight[0], eight[2]])


@settings(max_examples=60)
@given(st.integers(1, 600), st.integers(0, 65535 // 8), st.integers(0, 65535))
def test_the_ring_has_exactly_the_last_pages(groups: int, begun: int, asked: int):
    recorder = adpcm.Recorder()
    recorder.pages = begun * 8
    silence = block_of([0] * BLOCK)
    with mock.patch.object(adpcm, "encode", lambda samples, state, ring, at: _stamp(state, ring, at)):
        for _ in range(groups):
            recorder.add(silence)
    back = (recorder.pages - asked) % adpcm.NUMBERS
    there = 0 < back <= min(groups * 8, recorder.KEPT)
    at = recorder.at(asked)
    assert (at >= 0) == there
    if there:
        assert recorder.ring[at : at + 2] == asked.to_bytes(2, "little")
    assert recorder.KEPT * 234 / 8 / adpcm.RATE_HZ > 3.0


def _stamp(state, ring, at):
    for page in range(8):
        number = (state[2] + page) % adpcm.NUMBERS
        ring[at + 16 * page : at + 16 * page + 2] = number.to_bytes(2, "little")


# The window in the register memory.


def write_page(target: PagedTarget, number: int) -> list:
    at = r.PAGE * 4
    data = number.to_bytes(2, "little")
    target.memory[at : at + 3] = data + bytes([r.write_pec(at, *data)])
    return target.accept_writes()


def window(target: PagedTarget) -> bytes:
    page = b""
    for code in range(r.PAGE_0, r.PAGE_0 + 8):
        low, high, check, _ = target.memory[code * 4 : code * 4 + 4]
        assert check == r.read_pec(code * 4, low, high)
        page += bytes((low, high))
    return page


@settings(max_examples=40)
@given(st.permutations(range(40)))
def test_pages_can_be_read_in_any_order(order):
    recorder, _ = recorded(noise(BLOCK * 5, 2000))
    target = PagedTarget(recorder)
    before = target.value(r.SEQUENCE)
    read = {}
    for number in order:
        assert write_page(target, number) == [r.PAGE]
        assert target.value(r.PAGE) == number
        read[number] = window(target)
    assert [read[number] for number in range(40)] == pages(recorder, range(40))
    assert target.value(r.SEQUENCE) == before
    assert target.memory == target._private


def test_a_page_that_is_not_there_shows_another_number():
    recorder, _ = recorded(noise(BLOCK * 2, 500))
    target = PagedTarget(recorder)
    for number in (16, 65535, 2048 + 3):
        write_page(target, number)
        assert target.value(r.PAGE) == number
        assert window(target)[0] != number & 0xFF
    write_page(target, 15)
    assert window(target)[0] == 15


def test_the_window_is_read_only_and_a_wrong_checksum_turns_no_page():
    recorder, _ = recorded(noise(BLOCK * 2, 500))
    target = PagedTarget(recorder)
    write_page(target, 3)
    shown = window(target)
    target.memory[r.PAGE_0 * 4] ^= 0x55
    target.memory[(r.PAGE_0 + 5) * 4 + 1] ^= 0x55
    target.memory[r.PAGE * 4 : r.PAGE * 4 + 3] = b"\x07\x00\x00"
    assert target.accept_writes() == []
    assert (window(target), target.value(r.PAGE)) == (shown, 3)
    assert target.memory == target._private


def test_another_write_beside_that_of_the_page_is_taken_too():
    target = PagedTarget(adpcm.Recorder())
    target.memory[r.LIGHT * 4 : r.LIGHT * 4 + 3] = bytes([2, 0, r.write_pec(r.LIGHT * 4, 2, 0)])
    assert write_page(target, 9) == [r.PAGE, r.LIGHT]
    assert (target.value(r.PAGE), target.value(r.LIGHT)) == (9, 2)


# The detector.


def first_wake(pcm: np.ndarray) -> int | None:
    """Sample at which the detector reports speech."""
    detector = onset.Onset()
    for index, block in enumerate(blocks(pcm)):
        if detector.feed(block):
            return (index + 1) * BLOCK
    return None


@pytest.mark.parametrize("rms", [15, 150, 1500])
def test_speech_over_noise_is_noticed_soon_and_the_noise_is_not(rms: int):
    quiet = noise(16_000 * 6, rms)
    assert first_wake(quiet) is None
    spoken = quiet.copy()
    spoken[48_000:64_000] += voice(1.0, 3.2 * rms)
    at = first_wake(spoken)
    assert at is not None
    assert 48_000 < at < 48_000 + 12_000


def test_it_says_when_the_speech_began():
    pcm = noise(16_000 * 5, 50)
    pcm[48_000:64_000] += voice(1.0, 800)
    detector = onset.Onset()
    for index, block in enumerate(blocks(pcm)):
        since = detector.feed(block)
        if since:
            assert abs((index + 1 - since) * BLOCK - 48_000) <= 2 * BLOCK
            return
    raise AssertionError("nothing was noticed")


def test_silence_digital_zero_and_full_scale_do_no_harm():
    assert first_wake(np.zeros(32_000)) is None
    square = np.where(np.arange(32_000) // 20 % 2, 32767.0, -32768.0)
    assert first_wake(square) is None


def test_what_is_switched_on_and_stays_is_no_speech():
    t = np.arange(16_000 * 8) / 16_000
    on = t > 3
    hum = sum(np.sin(2 * np.pi * 50 * k * t) / k for k in range(1, 13)) * 2000 * on
    assert first_wake(hum + noise(t.size, 20)) is None
    assert first_wake(noise(t.size, 2000) * on + noise(t.size, 20)) is None


def test_struck_dishes_are_no_speech():
    rng = np.random.default_rng(5)
    pcm = noise(16_000 * 20, 20)
    for _ in range(30):
        at = int(rng.integers(0, pcm.size - 8000))
        t = np.arange(8000) / 16_000
        ring = sum(np.sin(2 * np.pi * rng.uniform(800, 5000) * t) for _ in range(4))
        pcm[at : at + 8000] += ring * np.exp(-t / rng.uniform(0.01, 0.1)) * 3000
    assert first_wake(pcm) is None


# The gate.


class Guarded:
    """Events and guard of the PMU, as the gate sees them."""

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
    pcm = noise(int(16_000 * length), 50)
    at = int(second * 16_000)
    pcm[at : at + 16_000] += voice(1.0, 800)
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
    lead_s = 3.0 - page / 8 * BLOCK / 16_000
    assert abs(lead_s - LEAD_BLOCKS * BLOCK / 16_000) < 0.05
    assert window(bench.target)[0] == page & 0xFF
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
    bench = Bench(noise(16_000, 50))
    bench.write(1)
    bench.write(7)
    assert bench.target.value(r.SOUND_GATE) == 1
    bench.run(0.5)
    assert bench.on
    bench.write(0)
    bench.run(0.1)
    assert not bench.on


# The I2S microphone.


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
    samples = block_of([0] * BLOCK)
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
