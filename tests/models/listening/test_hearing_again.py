"""What was not heard surely is heard at other paces, and the likeliest transcript counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.brick import UNKNOWN_WORD, Transcript
from models.listening.hearing_again import Hearings, likeliest, played

RATE_HZ = 16_000
HEARINGS = Hearings((0.92, 1.08), 0.9)


def test_a_pace_changes_length_and_pitch_together() -> None:
    tone = np.sin(2 * np.pi * 200 * np.arange(RATE_HZ) / RATE_HZ).astype(np.float32)
    for pace in (0.8, 0.92, 1.0, 1.08, 1.25):
        other = played(tone, pace)
        assert other.dtype == np.float32 and len(other) == pytest.approx(len(tone) / pace, abs=2)
        spectrum = np.abs(np.fft.rfft(other * np.hanning(len(other))))
        assert spectrum.argmax() * RATE_HZ / len(other) == pytest.approx(200 * pace, abs=2)
    assert np.allclose(played(tone, 1.0), tone[:-1], atol=1e-6)


@given(st.integers(0, 5), st.floats(0.5, 2))
def test_next_to_no_sound_stays_next_to_no_sound(samples: int, pace: float) -> None:
    if samples:
        assert 1 <= len(played(np.ones(samples, np.float32), pace)) <= 2 * samples


def test_only_what_is_not_sure_is_heard_again() -> None:
    assert HEARINGS.wanted(Transcript("where are my keys", 0.89))
    assert HEARINGS.wanted(Transcript(f"where are my {UNKNOWN_WORD}", 0.99))
    assert not HEARINGS.wanted(Transcript("where are my keys", 0.9))
    assert not HEARINGS.wanted(Transcript("", 0.0)), "silence is not"
    assert not Hearings((), 0.9).wanted(Transcript("where are my keys", 0.1)), "the pack does not want it"
    assert (
        Hearings.of({"paces": [0.92, 1.08], "sure_from": 0.9}) == HEARINGS and Hearings.of({}) == Hearings()
    )


def test_the_likeliest_counts_and_the_first_of_two_alike() -> None:
    one, two, three = Transcript("one", 0.4), Transcript("two", 0.7), Transcript("three", 0.7)
    assert likeliest([one, two, three]) is two
    assert likeliest([one]) is one
