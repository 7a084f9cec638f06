"""Whether the pictures so far give the answer that all of them would give (E10, E11 of MMEdge).

A small network reads what the motion brick answers from the units so far, once the question's words are
known; it is trained on "the same answer as with every picture", on training clips only. From the threshold
on, which is chosen on validation clips, the camera stops and no further picture is encoded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models import small_network
from models.clip import ClipAnswer
from models.sensing.accuracy import family_features
from models.sensing.features import Floats
from models.small_network import Layer

ANSWER_FEATURES = 12
"""Inputs beside the probabilities of all labels, now and at the checkpoint before, and the family."""
NOTHING_YET = frozenset(("no", "still", "nothing", "unseen", "0"))
"""Labels that a later picture may prove wrong; what has happened stays true."""
CHECKPOINTS = (0.35, 0.5, 0.7, 0.85)
"""Shares of a clip's units after which the gate is asked; 0.5 and 0.7 are the published ones."""


@dataclass(frozen=True, eq=False)
class StopGate:
    """families, labels: names, in the order of the inputs. threshold: sensing stops from this on, 0 to 1."""

    families: tuple[str, ...]
    labels: tuple[str, ...]
    layers: tuple[Layer, ...]
    threshold: float

    def probability(self, features: Floats) -> float:
        """That more pictures leave the answer as it is. features: of `stop_features`."""
        return float(small_network.probability(small_network.run(self.layers, features[None]))[0, 0])


def gate_inputs(families: int, labels: int) -> int:
    """Values that the network reads."""
    return ANSWER_FEATURES + 2 * labels + families


def stop_features(
    family: str,
    families: Sequence[str],
    labels: Sequence[str],
    answer: ClipAnswer,
    before: ClipAnswer | None,
    *,
    units: int,
    expected: int,
) -> Floats:
    """What the gate reads at a checkpoint. answer: from `units` units; before: of the checkpoint before it,
    None at the first. expected: units when everything is looked at, `units` or more. Float32 [gate_inputs].
    """
    earlier: Mapping[str, float] = {} if before is None else before.distribution
    top = sorted(answer.distribution.values(), reverse=True) or [0.0]
    second = top[1] if len(top) > 1 else 0.0
    values = (
        answer.probability,
        answer.probability - second,
        entropy(answer.distribution),
        math.log2(1 + units) / 4,
        min(1.0, units / max(1, expected)),
        float(before is not None),
        float(before is not None and before.label == answer.label),
        earlier.get(answer.label, 0.0),
        _certainty(answer.probability),
        _certainty(earlier.get(answer.label, 0.0)),
        float(answer.label in NOTHING_YET),
        sum(chance for label, chance in answer.distribution.items() if label in NOTHING_YET),
    )
    chances = [each.get(label, 0.0) for each in (answer.distribution, earlier) for label in labels]
    return np.concatenate([np.array((*values, *chances), np.float32), family_features(family, families)])


def _certainty(probability: float) -> float:
    """How small the probability of anything else is, on a logarithmic scale, 0 to 2."""
    return min(2.0, -math.log(max(1e-6, 1 - probability)) / 6)


def entropy(distribution: Mapping[str, float]) -> float:
    """Of probabilities by label, in parts of the greatest that so many labels can have."""
    chances = [each for each in distribution.values() if each > 0]
    if len(distribution) < 2:
        return 0.0
    return -sum(each * math.log(each) for each in chances) / math.log(len(distribution))
