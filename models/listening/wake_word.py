"""Wake word: pymicro-wakeword behind one method.

The library's own models (52-81 kB each) come inside its wheel; the name is a configuration value.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures, Model

from models.brick import MICROPHONE_RATE_HZ

DEFAULT_MODEL = "okay_nabu"
DEFAULT_REFRACTORY_S = 1.5


def wake_word_names() -> tuple[str, ...]:
    """The model names that `WakeWord` accepts."""
    return tuple(model.value for model in Model)


class WakeWord:
    """Detects one wake word in a stream of sound at `MICROPHONE_RATE_HZ`.

    One utterance raises the model's probability over several steps; within the refractory time it counts
    once.
    """

    def __init__(
        self,
        model_name: str = DEFAULT_MODEL,
        threshold: float | None = None,
        refractory_s: float = DEFAULT_REFRACTORY_S,
        steps: int | None = None,
    ) -> None:
        """threshold: mean probability over the window that counts as heard, 0 to 1 (None: the model's own).
        steps: length of that window, in the model's steps of 30 ms (None: the model's own, 5).

        Raises ValueError, in one sentence, for a name that the library has no model for.
        """
        if model_name not in wake_word_names():
            raise ValueError(
                f"There is no wake word '{model_name}'; choose one of {', '.join(wake_word_names())}."
            )
        self._features = MicroWakeWordFeatures()
        self._model = MicroWakeWord.from_builtin(Model(model_name))
        if threshold is not None:
            self._model.probability_cutoff = threshold
        if steps is not None:
            self._model.sliding_window_size = steps
            self._model._probabilities = deque(maxlen=steps)
        self.phrase: str = self._model.wake_word
        self.probability = 0.0
        """Highest mean over the window in the last chunk."""
        self._refractory_samples = round(refractory_s * MICROPHONE_RATE_HZ)
        self._quiet_samples = 0

    def process(self, pcm: NDArray[np.int16]) -> bool:
        """pcm: int16 [n], mono, 16 kHz, any n -> True in the chunk where the wake word ends."""
        self.probability = 0.0
        for features in self._features.process_streaming(pcm.tobytes()):
            probability = self._model.process_streaming_prob(features)
            self.probability = max(self.probability, probability or 0.0)
        heard = self.probability > self._model.probability_cutoff
        self._quiet_samples = max(0, self._quiet_samples - len(pcm))
        if not heard or self._quiet_samples:
            return False
        self._quiet_samples = self._refractory_samples
        return True

    def reset(self) -> None:
        """Forget everything heard so far; the next word can be heard at once."""
        self._features.reset()
        self._model.reset()
        self._quiet_samples = 0
