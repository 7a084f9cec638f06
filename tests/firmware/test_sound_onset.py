"""The detector of speech onsets: on sound, and on the two loudness values of each block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import sound_onset as onset
from firmware.pmu.sound_loops import BLOCK
from hw.device import MICROPHONE_RATE_HZ
from tests.firmware.sounds import blocks, noise, voice


def first_wake(pcm: np.ndarray) -> int | None:
    """Sample at which the detector reports speech."""
    detector = onset.Onset()
    for index, block in enumerate(blocks(pcm)):
        if detector.feed(block):
            return (index + 1) * BLOCK
    return None


@pytest.mark.parametrize("rms", [15, 150, 1500])
def test_speech_over_noise_is_noticed_soon_and_the_noise_is_not(rms: int):
    quiet = noise(MICROPHONE_RATE_HZ * 6, rms)
    assert first_wake(quiet) is None
    spoken = quiet.copy()
    spoken[48_000:64_000] += voice(1.0, 3.2 * rms)
    at = first_wake(spoken)
    assert at is not None
    assert 48_000 < at < 48_000 + 12_000


def test_it_says_when_the_speech_began():
    pcm = noise(MICROPHONE_RATE_HZ * 5, 50)
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
    t = np.arange(MICROPHONE_RATE_HZ * 8) / MICROPHONE_RATE_HZ
    on = t > 3
    hum = sum(np.sin(2 * np.pi * 50 * k * t) / k for k in range(1, 13)) * 2000 * on
    assert first_wake(hum + noise(t.size, 20)) is None
    assert first_wake(noise(t.size, 2000) * on + noise(t.size, 20)) is None


def test_struck_dishes_are_no_speech():
    rng = np.random.default_rng(5)
    pcm = noise(MICROPHONE_RATE_HZ * 20, 20)
    for _ in range(30):
        at = int(rng.integers(0, pcm.size - 8000))
        t = np.arange(8000) / MICROPHONE_RATE_HZ
        ring = sum(np.sin(2 * np.pi * rng.uniform(800, 5000) * t) for _ in range(4))
        pcm[at : at + 8000] += ring * np.exp(-t / rng.uniform(0.01, 0.1)) * 3000
    assert first_wake(pcm) is None


# Loudness of voices and of hiss, block by block; these tests run on MicroPython too.

QUIET = (3_000, 1_500)
LOUD = (30_000, 1_600)


def heard(*parts) -> list[tuple[int, int]]:
    """(block, blocks since the onset) of every report; each part is some blocks of one sound."""
    detector = onset.Onset()
    found = []
    at = 0
    for sound, count in parts:
        for _ in range(count):
            at += 1
            since = detector.judge(sound[0], sound[1])
            if since:
                found.append((at, since))
    return found


def test_two_syllables_are_speech_as_soon_as_the_second_is_sure():
    [(at, since)] = heard((QUIET, 200), (LOUD, 5), (QUIET, 10), (LOUD, 12), (QUIET, 50))
    assert at == 220
    assert since == at - 200


def test_one_short_syllable_is_none_and_neither_are_two_far_apart():
    assert heard((QUIET, 200), (LOUD, 5), (QUIET, 200)) == []
    assert heard((QUIET, 200), (LOUD, 5), (QUIET, 80), (LOUD, 5), (QUIET, 100)) == []


def test_a_long_vowel_alone_is_speech_when_it_ends():
    [(at, since)] = heard((QUIET, 200), (LOUD, 20), (QUIET, 100))
    assert at == 222
    assert since == at - 200


def test_what_goes_on_is_none_even_after_a_click():
    assert heard((QUIET, 200), (LOUD, 2000)) == []
    assert heard((QUIET, 200), (LOUD, 2), (QUIET, 10), (LOUD, 500), (QUIET, 100)) == []


def test_a_voice_over_what_was_just_switched_on_is_noticed():
    hum, over_it = (9_000, 2_500), (27_000, 2_600)
    parts = ((QUIET, 200), (hum, 60), (over_it, 5), (hum, 8), (over_it, 8), (hum, 300))
    assert heard((QUIET, 200), (hum, 400)) == []
    [(at, _)] = heard(*parts)
    assert 260 < at < 290


def test_steps_are_none():
    step = (((20_000, 3_000), 1), ((22_000, 2_000), 1), ((22_500, 1_800), 1), ((9_000, 1_500), 1))
    assert heard((QUIET, 200), *([*step, (QUIET, 30)] * 40)[: 40 * 5]) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30_000_000), st.integers(0, 6_000_000)), max_size=200))
def test_whatever_is_measured_it_reports_an_onset_it_has_seen(measured):
    detector = onset.Onset()
    for index, (loudness, hiss) in enumerate(measured):
        assert 0 <= detector.judge(loudness, hiss) <= min(index, 255)
