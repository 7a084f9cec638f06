"""Pre-roll, endpointing and time-outs, with detectors that follow a script instead of sound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK, Endpointer, SpeechEvent
from hw.device import MICROPHONE_RATE_HZ

STEP_S = CHUNK / MICROPHONE_RATE_HZ
CONFIG = ListenConfig()
LOUD = 8_000
"""Samples of chunk n have the value LOUD + n: all chunks are equally loud, and audio can be identified."""


class Scored:
    """A wake-word and speech detector: character n of the script is its result for chunk n (w: wake word, s:
    speech, .: silence).
    """

    def __init__(self, score: str) -> None:
        self.score, self.wake_at, self.speech_at = score, 0, 0

    def reset(self) -> None: ...


class Wake(Scored):
    def process(self, pcm: np.ndarray) -> bool:
        self.wake_at += 1
        return self.score[self.wake_at - 1] == "w"


class Speech(Scored):
    def process(self, pcm: np.ndarray) -> float:
        self.speech_at += 1
        return 0.9 if self.score[self.speech_at - 1] in "sw" else 0.05


def cuts(score: str, config: ListenConfig = CONFIG, *, opened: bool = False) -> list[SpeechEvent]:
    """The endpointer's result for a script."""
    endpointer = Endpointer(Wake(score), Speech(score), config)
    if opened:
        endpointer.open()
    found = [endpointer.feed(np.full(CHUNK, LOUD + n, np.int16)) for n in range(len(score))]
    return [cut for cut in found if cut is not None]


def chunks(seconds: float) -> int:
    return round(seconds / STEP_S)


def test_the_first_syllable_right_after_the_wake_word_is_kept() -> None:
    score = "." * 20 + "ssssw" + "s" * 40 + "." * 30
    kinds = [cut.kind for cut in cuts(score)]
    assert kinds == ["woken", "speech", "pause", "utterance"]
    heard = cuts(score)[-1].heard
    assert heard is not None
    first_chunk = int(heard.pcm[0]) - LOUD
    assert first_chunk <= 25, "the chunk after the wake word is in the utterance"
    assert first_chunk >= 24 - chunks(CONFIG.pre_roll_s + CONFIG.onset_margin_s)


@pytest.mark.parametrize("before", [10, 31, 45, 80])
def test_all_that_was_heard_is_kept_where_it_is_less_than_is_to_be_kept(before: int) -> None:
    config = ListenConfig(pre_roll_s=2.0, onset_margin_s=2.0)
    heard = cuts("." * before + "w" + "s" * 40 + "." * 40, config)[-1].heard
    assert heard is not None
    kept = chunks(config.pre_roll_s)
    assert int(heard.pcm[0]) - LOUD <= max(0, before + 1 - kept + chunks(config.wake_tail_s) + 1)


def test_a_pause_after_the_wake_word_does_not_end_the_utterance() -> None:
    score = "." * 10 + "sssw" + "ss" + "." * 40 + "s" * 30 + "." * 30
    found = cuts(score)
    assert [cut.kind for cut in found] == ["woken", "speech", "pause", "utterance"]
    heard = found[-1].heard
    assert heard is not None and int(heard.pcm[0]) - LOUD >= 46 and int(heard.pcm[0]) - LOUD <= 56


def test_the_endpoint_comes_after_the_configured_silence() -> None:
    heard = cuts("." * 5 + "s" * 30 + "." * 40, opened=True)[-1].heard
    assert heard is not None
    silence_s = heard.endpoint_s - heard.speech_end_s
    assert CONFIG.end_silence_s <= silence_s <= CONFIG.end_silence_s + 2 * STEP_S


def test_a_short_pause_inside_a_question_does_not_cut_it() -> None:
    score = "s" * 20 + "." * chunks(CONFIG.end_silence_s - 0.1) + "s" * 20 + "." * 40
    found = [cut for cut in cuts(score, opened=True) if cut.kind == "utterance"]
    assert len(found) == 1 and found[0].heard is not None
    assert found[0].heard.speech_end_s > 50 * STEP_S


def test_what_a_pause_reports_is_what_the_utterance_holds() -> None:
    score = "s" * 20 + "." * 10 + "s" * 20 + "." * 40
    found = cuts(score, opened=True)
    assert [cut.kind for cut in found] == ["speech", "pause", "resumed", "pause", "utterance"]
    _, first, _, last, whole = (cut.heard for cut in found)
    assert first is not None and last is not None and whole is not None
    assert np.array_equal(last.pcm, whole.pcm) and last.speech_end_s == whole.speech_end_s
    assert len(first.pcm) < len(last.pcm)


@pytest.mark.parametrize(
    ("complete", "silence_s"),
    [
        (1.0, CONFIG.complete_silence_s),
        (0.5, (CONFIG.complete_silence_s + CONFIG.end_silence_s) / 2),
        (0.0, CONFIG.incomplete_silence_s),
        (None, CONFIG.end_silence_s),
    ],
)
def test_the_words_decide_how_long_a_silence_ends_the_utterance(
    complete: float | None, silence_s: float
) -> None:
    score = "s" * 20 + "." * 60
    endpointer = Endpointer(Wake(score), Speech(score), CONFIG)
    endpointer.open()
    endpointer.judged = True
    for n in range(len(score)):
        cut = endpointer.feed(np.full(CHUNK, LOUD + n, np.int16))
        if cut is not None and cut.kind == "pause":
            endpointer.judge(complete)
        if cut is not None and cut.kind == "utterance":
            assert cut.heard is not None
            assert silence_s <= cut.heard.endpoint_s - cut.heard.speech_end_s <= silence_s + 2 * STEP_S
            return
    raise AssertionError("the utterance never ended")


def test_a_judgement_is_good_for_its_own_pause_only() -> None:
    score = "s" * 20 + "." * 8 + "s" * 20 + "." * chunks(CONFIG.end_silence_s - 0.1) + "s" * 5 + "." * 40
    endpointer = Endpointer(Wake(score), Speech(score), CONFIG)
    endpointer.open()
    kinds, judged = [], False
    for n in range(len(score)):
        cut = endpointer.feed(np.full(CHUNK, LOUD + n, np.int16))
        if cut is not None:
            kinds.append(cut.kind)
            if cut.kind == "pause" and not judged:
                judged = True
                endpointer.judge(1.0)
    assert kinds == ["speech", "pause", "resumed", "pause", "resumed", "pause", "utterance"]


def test_units_come_at_their_cadence_while_speech_goes_on() -> None:
    score = "s" * 100 + "." * 40
    endpointer = Endpointer(Wake(score), Speech(score), CONFIG)
    endpointer.unit_s = 0.8
    endpointer.open()
    found = [endpointer.feed(np.full(CHUNK, LOUD + n, np.int16)) for n in range(len(score))]
    units = [cut.heard for cut in found if cut is not None and cut.kind == "unit"]
    assert len(units) == int(100 * STEP_S / 0.8)
    assert all(one is not None and len(one.pcm) for one in units)


def test_a_click_is_no_utterance_and_silence_times_out() -> None:
    found = cuts("." * 20 + "ss" + "." * 150, opened=True)
    assert [cut.kind for cut in found] == ["timeout"]


def test_endless_speech_is_cut_at_the_limit() -> None:
    found = cuts("s" * 400, opened=True)
    assert found[-1].kind == "utterance" and found[-1].heard is not None
    length_s = len(found[-1].heard.pcm) / MICROPHONE_RATE_HZ
    assert CONFIG.max_utterance_s - 0.1 <= length_s <= CONFIG.max_utterance_s + CONFIG.onset_margin_s + 0.1
    assert found[-1].heard.cut


def test_a_question_that_silence_ends_is_not_cut() -> None:
    heard = cuts("s" * 40 + "." * 60, opened=True)[-1].heard
    assert heard is not None and not heard.cut


def test_saying_the_wake_word_again_starts_over() -> None:
    found = cuts("...w" + "s" * 20 + "w" + "." * 10 + "s" * 20 + "." * 30)
    assert [cut.kind for cut in found] == ["woken", "speech", "woken", "speech", "pause", "utterance"]


@settings(max_examples=200)
@given(st.text("sw.", max_size=400))
def test_any_stream_gives_well_formed_cuts(score: str) -> None:
    open_now = False
    for cut in cuts(score):
        if cut.kind == "woken":
            open_now = True
        else:
            assert open_now
            open_now = cut.kind == "speech"
        if cut.heard is not None:
            assert 0 < len(cut.heard.pcm) <= (CONFIG.max_utterance_s + 1) * MICROPHONE_RATE_HZ
            assert (np.diff(cut.heard.pcm) >= 0).all(), "audio is contiguous and in order"
            assert cut.heard.speech_start_s < cut.heard.speech_end_s <= cut.heard.endpoint_s
