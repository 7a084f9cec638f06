"""PocketSphinx as it comes: a recogniser with a public acoustic model of US English and its language model of
20,000 words, the simplest one that people's recordings can be given to here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.brick import MICROPHONE_RATE_HZ, Transcript
from models.train.sound.people.recordings import Unreadable


class PocketSphinx:
    """Raises `Unreadable` where it is not installed."""

    def __init__(self) -> None:
        try:
            from pocketsphinx import Decoder  # not with every Python
        except ImportError:
            raise Unreadable("PocketSphinx is not installed; requirements-dev.lock has it.") from None
        self._decoder = Decoder(samprate=MICROPHONE_RATE_HZ, loglevel="FATAL")

    def transcribe(self, pcm: NDArray[np.float32]) -> Transcript:
        """pcm: float32 [n], mono, at `MICROPHONE_RATE_HZ`, -1 to 1. It is never in doubt."""
        noise = np.random.default_rng(0).normal(
            0.0, 1e-3, len(pcm)
        )  # digital silence gives it nothing to go by
        samples = (np.clip(pcm + noise, -1.0, 1.0) * 32767).astype("<i2")
        self._decoder.start_utt()
        self._decoder.process_raw(samples.tobytes(), full_utt=True)
        self._decoder.end_utt()
        best = self._decoder.hyp()
        return Transcript(best.hypstr if best else "", 1.0)
