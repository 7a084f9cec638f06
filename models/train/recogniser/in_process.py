"""Runs the speech-to-text brick in this process, for measurements: whisper.cpp as on the headband, but
without a child process.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import Context, Transcript, Utterance
from models.bricks.stt import SpeechToText
from models.listening.hearing_again import Hearings, likeliest, played


class InProcessRecogniser:
    """One loaded whisper.cpp model. options: `model` and the settings of `models.bricks.stt`.

    Raises BrickError for a file that whisper.cpp can't use.
    """

    def __init__(self, options: Mapping[str, Any], threads: int = 1) -> None:
        self._brick = SpeechToText(options, Context(threads=threads))
        self._hearings = Hearings.of(options)
        with _silenced_stderr():
            self._brick.load()

    def transcribe(self, pcm: NDArray[np.float32]) -> Transcript:
        """pcm: float32 [n], mono, at `MICROPHONE_RATE_HZ`, -1 to 1. Heard as often as a headband hears it."""
        found = [self._once(pcm)]
        for pace in self._hearings.paces:
            if self._hearings.wanted(likeliest(found)):
                found.append(self._once(played(pcm, pace)))
        return likeliest(found)

    def _once(self, pcm: NDArray[np.float32]) -> Transcript:
        (transcript,) = self._brick.execute(Utterance(pcm))
        return transcript

    def close(self) -> None:
        """Free the model."""
        self._brick.release()


@contextlib.contextmanager
def _silenced_stderr() -> Iterator[None]:
    """whisper.cpp logs every step of a load to standard error."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
