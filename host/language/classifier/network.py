"""How probable each kind of sentence is, by a small convolutional network over its words, whose weights
`python -m models.train.intents.network` writes. Unlike `model`, which adds up what it counts, it takes words
of like letters and like use for one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.language.classifier.convolution import Weights, read_weights

WEIGHTS = Path(__file__).with_name("network.bin")


@dataclass(frozen=True, eq=False)
class Network:
    """Two layers, "first" [3 * width, channels] and "second" [3 * channels, channels], and "out" [3 *
    channels + width, classes], which reads what is largest in each, and the mean of the second and of the
    words.
    """

    weights: Weights

    @property
    def kinds(self) -> tuple[str, ...]:
        """The name of each class."""
        return tuple(self.weights.head["kinds"])

    @property
    def made_from(self) -> int:
        """Checksum of the sentences that it was trained with."""
        return int(self.weights.head["made_from"])

    def of_words(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The probability of each kind of a sentence whose words are marked, float64 [classes]."""
        vectors = self.weights.vectors(("^", *words, "$"))
        first = self.weights.convolved("first", vectors)
        second = self.weights.convolved("second", first) + first
        summary = np.concatenate((first.max(0), second.max(0), second.mean(0), vectors.mean(0)))
        scores = self.weights.summed("out", summary).astype(np.float64)
        likely = np.exp(scores - scores.max())
        return np.asarray(likely / likely.sum(), np.float64)


def read_network(path: Path = WEIGHTS) -> Network:
    """The network of a file."""
    return Network(read_weights(path))
