"""Finds speech in the rest of a recording, after the question that was heard in it."""

from __future__ import annotations

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK, Pcm, SpeechDetector
from hw.device import MICROPHONE_RATE_HZ


def speech_after(pcm: Pcm, heard_s: float, speech: SpeechDetector, config: ListenConfig) -> float | None:
    """When speech begins in the rest of a recording, int16 [n] at 16 kHz, whose first `heard_s` seconds
    were heard: seconds from its start; None where the rest has less speech than a question.
    """
    speech.reset()
    began_s, speech_s = 0.0, 0.0
    for first in range(round(heard_s * MICROPHONE_RATE_HZ), len(pcm) - CHUNK + 1, CHUNK):
        if speech.process(pcm[first : first + CHUNK]) < config.speech_threshold:
            continue
        began_s = began_s or first / MICROPHONE_RATE_HZ
        speech_s += CHUNK / MICROPHONE_RATE_HZ
        if speech_s >= config.min_speech_s:
            return began_s
    return None


def rest_note(began_s: float | None, cut: bool, config: ListenConfig) -> str | None:
    """What a person is told of speech that begins at `began_s` and was not heard; None without any. `cut`:
    the question was ended for its length.
    """
    if began_s is None:
        return None
    why = f"a question has at most {config.max_utterance_s:g} s" if cut else "a pause ended the question"
    return f"the speech from {began_s:.1f} s on was not heard: {why}"
