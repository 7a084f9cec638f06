"""Recorded sound: its compression, the ring of pages, and the window onto them in the register memory."""

from __future__ import annotations

from array import array
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from firmware.pmu import sound_adpcm as adpcm
from firmware.pmu import sound_loops as loops
from firmware.pmu.sound_pages import PagedTarget
from hw.device import MICROPHONE_RATE_HZ
from tests.firmware.sounds import blocks, noise

BLOCK = adpcm.GROUP_SAMPLES


def recorded(pcm: np.ndarray) -> tuple[adpcm.Recorder, np.ndarray]:
    """A recorder of that sound, and the sound as decoded group by group."""
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


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=4 * BLOCK, max_size=4 * BLOCK))
def test_any_samples_survive_within_the_step_of_the_moment(values):
    """Where the step was large enough for the change, the error is at most that step."""
    pcm = np.frombuffer(values, np.int16).astype(int)
    recorder, decoded = recorded(pcm)
    assert decoded.shape == pcm.shape
    predictor, index = 0, 0
    for value, now in zip(pcm.tolist(), decoded.tolist(), strict=True):
        step = loops.STEPS[index]
        change = abs(value - predictor)
        if change <= step * 15 // 8:
            assert abs(value - now) <= step // 4 + 2
        grown, left = 0, change
        for bit, part in ((4, step), (2, step >> 1), (1, step >> 2)):  # as the reference has it, in integers
            if left >= part:
                grown, left = grown | bit, left - part
        index = max(0, min(88, index + (-1 if grown < 4 else (grown - 3) * 2)))
        predictor = now
    assert list(recorder._state[:2]) == [predictor, index]


@pytest.mark.parametrize(("rms", "hz"), [(100, 440), (3000, 200), (9000, 1200)])
def test_a_tone_comes_back_with_little_noise(rms: int, hz: int):
    t = np.arange(BLOCK * 60) / MICROPHONE_RATE_HZ
    pcm = np.sin(2 * np.pi * hz * t) * rms * 2**0.5
    _, decoded = recorded(pcm)
    error = decoded[2000:] - np.round(pcm)[2000:]
    assert 20 * np.log10(np.sqrt(np.mean(pcm**2)) / np.sqrt(np.mean(error**2))) > 20


def test_known_codes():
    """Worked by hand: silence, then a jump of 100 with the step at 7."""
    recorder = adpcm.Recorder()
    recorder.add(array("h", [0, 0, 100, 100] + [0] * (BLOCK - 4)))
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


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 600), st.integers(0, 65535 // 8), st.integers(0, 65535))
def test_the_ring_has_exactly_the_last_pages(groups: int, begun: int, asked: int):
    recorder = adpcm.Recorder()
    recorder.pages = begun * 8
    silence = array("h", (0,) * BLOCK)
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


def write_page(target: PagedTarget, number: int, fourth: int = 0) -> list:
    at = r.PAGE * 4
    data = number.to_bytes(2, "little")
    target.memory[at : at + 4] = data + bytes([r.write_pec(at, *data), fourth])
    return target.accept_writes()


def window(target: PagedTarget) -> bytes:
    page = b""
    for code in range(r.PAGE_0, r.PAGE_0 + 8):
        low, high, check, _ = target.memory[code * 4 : code * 4 + 4]
        assert check == r.read_pec(code * 4, low, high)
        page += bytes((low, high))
    return page


@settings(max_examples=40, deadline=None)
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


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 39), st.booleans()), max_size=30), st.integers(0, 65535 // 8))
def test_two_pages_at_once_are_the_same_as_one_by_one(order, begun: int):
    recorder = adpcm.Recorder()
    recorder.pages = begun * 8
    for block in blocks(noise(BLOCK * 5, 2000)):
        recorder.add(block)
    target = PagedTarget(recorder)
    for asked, pair in order:
        number = (begun * 8 + asked) % adpcm.NUMBERS
        assert write_page(target, number, r.PAGE_PAIR if pair else 0) == [r.PAGE]
        assert target.value(r.PAGE) == number
        if not pair or number % 2:
            assert window(target) == pages(recorder, [number])[0]
            assert not any(target.memory[r.PAGE_0 * 4 + 3 : r.PAGE * 4 : 4])
        else:
            shown = target.memory[r.PAGE_0 * 4 : r.PAGE * 4]
            one, two = pages(recorder, [number, number + 1])
            assert shown[:31] == one + two[1:]
            told = (*number.to_bytes(2, "little"), *shown[1:31])
            assert shown[31] == r.pec((r.ADDRESS << 1, r.PAGE * 4, r.ADDRESS << 1 | 1, *told))
        assert target.memory == target._private


def test_a_pair_that_is_asked_for_within_another_write_is_shown_too():
    recorder, _ = recorded(noise(BLOCK * 2, 500))
    target = PagedTarget(recorder)
    target.on_write(r.LIGHT, lambda value: write_page(target, 6, r.PAGE_PAIR) and None)
    target.memory[r.LIGHT * 4 : r.LIGHT * 4 + 3] = bytes([2, 0, r.write_pec(r.LIGHT * 4, 2, 0)])
    assert target.accept_writes() == [r.LIGHT, r.PAGE]
    one, two = pages(recorder, [6, 7])
    assert target.memory[r.PAGE_0 * 4 : r.PAGE * 4 - 1] == one + two[1:]
    assert target.memory == target._private


def test_a_pair_that_is_not_there_shows_another_number_and_nothing_of_the_sound():
    recorder, _ = recorded(noise(BLOCK * 2, 500))
    target = PagedTarget(recorder)
    write_page(target, 14, r.PAGE_PAIR)
    recorder.clear()
    write_page(target, 14, r.PAGE_PAIR)
    shown = target.memory[r.PAGE_0 * 4 : r.PAGE * 4]
    assert shown[0] == ~14 & 0xFF
    # Besides the number and the checksums:
    assert not any(byte for at, byte in enumerate(shown) if at and at % 4 != 2)


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
    write_page(target, 4, r.PAGE_PAIR)
    pair = target.memory[r.PAGE_0 * 4 : r.PAGE * 4]
    target.memory[r.PAGE_0 * 4 + 9] ^= 0x55
    assert target.accept_writes() == []
    assert target.memory[r.PAGE_0 * 4 : r.PAGE * 4] == pair


def test_another_write_beside_that_of_the_page_is_taken_too():
    target = PagedTarget(adpcm.Recorder())
    target.memory[r.LIGHT * 4 : r.LIGHT * 4 + 3] = bytes([2, 0, r.write_pec(r.LIGHT * 4, 2, 0)])
    assert write_page(target, 9) == [r.PAGE, r.LIGHT]
    assert (target.value(r.PAGE), target.value(r.LIGHT)) == (9, 2)
