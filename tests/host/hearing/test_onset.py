"""Where speech began that a voice-activity model detected late."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK, Endpointer, RecordedQuestion
from host.hearing.onset import speech_began
from hw.device import MICROPHONE_RATE_HZ

_QUIET, _LOUD = 100, 1500


def sound(levels: str, seed: int = 0) -> NDArray[np.int16]:
    """Noise, int16 [n, 512]; a character for each block: "." background, "#" speech."""
    rng = np.random.default_rng(seed)
    scale = np.array([_LOUD if level == "#" else _QUIET for level in levels], float)
    return (rng.standard_normal((len(levels), CHUNK)) * scale[:, None]).astype(np.int16)


@pytest.mark.parametrize(
    ("levels", "detected", "began"),
    [
        ("." * 20 + "#" * 20, 30, 20),
        ("." * 20 + "###....####" + "#" * 10, 32, 20),
        ("." * 20 + "###......########" + "#" * 10, 36, 29),
        ("." * 20 + "#" * 20, 20, 20),
        ("." * 20 + "#" * 20, 22, 22),
        ("." * 20 + "#" * 20, 23, 20),
        ("." * 40, 20, 20),
        ("#" * 40, 20, 20),
        ("." * 20 + "#" * 70, 80, 32),
    ],
)
def test_speech_begins_where_the_sound_rises_above_the_background(
    levels: str, detected: int, began: int
) -> None:
    assert speech_began(sound(levels), detected) == began


@settings(max_examples=200)
@given(st.text(".#", min_size=1, max_size=120), st.integers(0, 119), st.integers(0, 9))
def test_it_is_never_later_than_it_was_detected_nor_much_earlier(levels: str, at: int, seed: int) -> None:
    detected = min(at, len(levels) - 1)
    assert max(0, detected - 48) <= speech_began(sound(levels, seed), detected) <= detected


class _Deaf:
    """Detects speech from a chunk on, and the wake word in another; counts the chunks."""

    def __init__(self, speech: range, wake: int = -1) -> None:
        self.speech, self.wake, self.at = speech, wake, 0

    def reset(self) -> None: ...


class _Speech(_Deaf):
    def process(self, pcm: np.ndarray) -> float:
        self.at += 1
        return 0.9 if self.at - 1 in self.speech else 0.0


class _Wake(_Deaf):
    def process(self, pcm: np.ndarray) -> bool:
        self.at += 1
        return self.at - 1 == self.wake


def heard(blocks: NDArray[np.int16], speech: range, wake: int = -1) -> RecordedQuestion:
    """The question that the endpointer hears in such sound."""
    endpointer = Endpointer(_Wake(speech, wake), _Speech(speech), ListenConfig())
    if wake < 0:
        endpointer.open()
    found = [endpointer.feed(block) for block in blocks]
    (question,) = (each.heard for each in found if each is not None and each.kind == "utterance")
    assert question is not None
    return question


def test_a_first_word_that_was_not_detected_is_in_the_question() -> None:
    blocks = sound("." * 20 + "#" * 40 + "." * 40)
    question = heard(blocks, range(45, 60))
    first = 20 * CHUNK - round(ListenConfig().onset_margin_s * MICROPHONE_RATE_HZ)
    assert np.array_equal(question.pcm[:CHUNK], blocks.reshape(-1)[first : first + CHUNK])
    assert question.speech_start_s == pytest.approx(20 * CHUNK / MICROPHONE_RATE_HZ)


def test_of_what_was_before_the_wake_word_no_more_is_in_the_question_than_before() -> None:
    blocks = sound("." * 5 + "#" * 60 + "." * 40)
    question = heard(blocks, range(45, 65), wake=30)
    assert question.speech_start_s >= 30 * CHUNK / MICROPHONE_RATE_HZ


def test_what_a_pause_reports_begins_where_the_utterance_does() -> None:
    blocks = sound("." * 20 + "#" * 40 + "." * 10 + "#" * 20 + "." * 40)
    speech = range(35, 60)
    endpointer = Endpointer(_Wake(speech), _Speech(speech), ListenConfig())
    endpointer.open()
    heard_so_far = [each.heard for block in blocks if (each := endpointer.feed(block)) and each.heard]
    assert len({each.speech_start_s for each in heard_so_far}) == 1 < len(heard_so_far)
