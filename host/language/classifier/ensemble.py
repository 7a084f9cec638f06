"""How probable each kind of sentence is, by two classifiers that err differently: the product of what both
say, each to the power of its share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from host.language.classifier.model import Model, read_model
from host.language.classifier.network import Network, read_network
from host.language.classifier.words import marked

NETWORK_SHARE = 0.5
"""How much the network counts; the rest is the logistic regression's."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Both, with the same kinds in the same order."""

    model: Model
    network: Network

    def kind(self, text: str) -> tuple[str, float]:
        """The most probable kind of a sentence (lower case, without punctuation), and its probability."""
        return self._best(self.probabilities(text))

    def kind_but(self, other: str, text: str, least: float, before: Mapping[str, float]) -> tuple[str, float]:
        """The same; `other` only from that probability on, and then also rather than a likelier kind whose
        probability is below that of `before`, by kind; else as if there were no such kind.
        """
        likely = self.probabilities(text)
        at = self.model.kinds.index(other)
        if likely[at] < least:
            likely = likely / (1.0 - likely[at])
            likely[at] = 0.0
            return self._best(likely)
        kind, certainty = self._best(likely)
        return (other, float(likely[at])) if certainty < before.get(kind, 0.0) else (kind, certainty)

    def probability(self, kind: str, text: str) -> float:
        """That of one kind."""
        return float(self.probabilities(text)[self.model.kinds.index(kind)])

    def probabilities(self, text: str) -> NDArray[np.float64]:
        """The probability of each kind, float64 [classes]."""
        words = marked(text)
        both = (1 - NETWORK_SHARE, self.model), (NETWORK_SHARE, self.network)
        scores = sum(share * np.log(each.of_words(words)) for share, each in both)
        likely = np.exp(scores - np.max(scores))
        return np.asarray(likely / likely.sum(), np.float64)

    def _best(self, likely: NDArray[np.float64]) -> tuple[str, float]:
        best = int(np.argmax(likely))
        return self.model.kinds[best], float(likely[best])


@cache
def packed_ensemble() -> Ensemble:
    """What the headband uses, read once by a process."""
    return Ensemble(read_model(), read_network())
