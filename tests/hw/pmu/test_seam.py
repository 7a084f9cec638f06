"""The seam between two recordings of one sound: its place, and the join."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.device import MICROPHONE_RATE_HZ, Pcm
from hw.pmu.seam import crossfade, find_alignment


def noise(seconds: float, rms: float, seed: int = 1) -> Pcm:
    count = int(seconds * MICROPHONE_RATE_HZ)
    return np.round(np.random.default_rng(seed).standard_normal(count) * rms).astype(np.int16)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 6000),
    st.integers(-700, 700),
    st.floats(0.2, 4.0),
    st.floats(0.0, 0.4),
    st.integers(0, 1000),
)
def test_the_place_is_found_to_the_sample(at: int, error: int, gain: float, hiss: float, seed: int):
    rng = np.random.default_rng(seed)
    room = np.convolve(rng.standard_normal(MICROPHONE_RATE_HZ), np.ones(6) / 6, "same") * 1500
    second = np.clip(
        room[at : at + 4096] * gain + rng.standard_normal(4096) * hiss * 600 * gain, -32768, 32767
    )
    place = find_alignment(room.astype(np.int16), second.astype(np.int16), at + error, 800)
    assert place is not None
    assert place.at == at
    assert place.gain == pytest.approx(gain, rel=0.25)


def test_unrelated_recordings_have_no_place():
    assert find_alignment(noise(1, 300), noise(0.25, 300, seed=2), 4000, 800) is None
    assert find_alignment(np.zeros(MICROPHONE_RATE_HZ, np.int16), np.zeros(4000, np.int16), 4000, 800) is None
    assert find_alignment(noise(0.1, 300), noise(0.25, 300), 0, 800) is None


@settings(max_examples=60)
@given(st.integers(-600, 3000), st.integers(0, 3000), st.integers(0, 1500))
def test_a_join_keeps_the_time(at: int, first_size: int, seam: int):
    first, second = np.full(first_size, 100, np.int16), np.full(2000, 100, np.int16)
    out = crossfade(first, second, at, seam)
    whole = at + second.size
    assert out.size == max(0, at + seam) + second.size - max(0, seam + min(0, at + seam))
    if at >= 0:
        assert out.size == whole
        assert np.all(out[: min(first_size, at + seam)] == 100)
        assert np.all(out[at + seam :] == 100)
        assert not np.any(out[first_size : at + seam])
