"""Other hearings of one utterance: played a little slower and faster. Pure.

A small recogniser knows few voices; played at another pace, a voice sounds like one with a longer or shorter
vocal tract, and is often heard rightly then (Lee and Rose, "A frequency warping approach to speaker
normalization", 1998, who search for the warp with the likeliest transcript). So where a transcript is not
sure, the utterance is heard at a few paces, one after another until a transcript is sure, and the likeliest
counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import UNKNOWN_WORD, Transcript


@dataclass(frozen=True)
class Hearings:
    """How often a pack's recogniser hears one utterance. paces: of each further hearing, times the spoken
    one; sure_from: from this probability of a transcript without the mark for unknown words, no further one
    is needed.
    """

    paces: tuple[float, ...] = ()
    sure_from: float = 0.0

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Hearings:
        """As the settings of a recogniser's brick say."""
        return cls(tuple(options.get("paces", ())), float(options.get("sure_from", 0.0)))

    def wanted(self, said: Transcript) -> bool:
        """Whether an utterance with this transcript is worth another hearing; silence is not."""
        unsure = said.probability < self.sure_from or UNKNOWN_WORD in said.text.split()
        return bool(self.paces and said.text.strip()) and unsure


def played(pcm: NDArray[np.float32], pace: float) -> NDArray[np.float32]:
    """The sound at another pace, float32 [n / pace]; its pitch and resonances move with it."""
    at = np.arange(0, max(1, len(pcm) - 1), pace, dtype=np.float64)
    return np.interp(at, np.arange(len(pcm)), pcm).astype(np.float32)


def likeliest(heard: Iterable[Transcript]) -> Transcript:
    """The transcript with the highest probability, the first of several."""
    return max(heard, key=lambda said: said.probability)
