"""Speech that a recording holds after the question that was heard in it."""

from __future__ import annotations

import numpy as np
import pytest

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK
from host.hearing.rest_of_recording import rest_note, speech_after
from hw.device import MICROPHONE_RATE_HZ
from tests.host.hearing.test_endpointer import STEP_S, Speech


@pytest.mark.parametrize(
    ("rest", "began_s"),
    [("", None), ("." * 50, None), ("." * 10 + "ss" + "." * 9, None), ("." * 10 + "s" * 20, 10 * STEP_S)],
)
def test_only_as_much_speech_as_a_question_has_is_told(rest: str, began_s: float | None) -> None:
    heard = 20
    pcm = np.zeros((heard + len(rest)) * CHUNK + 100, np.int16)
    found = speech_after(pcm, heard * STEP_S, Speech(rest), ListenConfig())
    assert found == (None if began_s is None else pytest.approx(heard * STEP_S + began_s))


def test_a_recording_that_was_heard_to_its_end_has_no_rest() -> None:
    sound = np.zeros(MICROPHONE_RATE_HZ, np.int16)
    assert speech_after(sound, 6.0, Speech(""), ListenConfig()) is None


def test_the_note_says_why_the_rest_was_not_heard() -> None:
    assert rest_note(None, True, ListenConfig()) is None
    told = rest_note(8.25, True, ListenConfig())
    assert told == "the speech from 8.2 s on was not heard: a question has at most 8 s"
    assert str(rest_note(3.0, False, ListenConfig())).endswith("a pause ended the question")
