"""How probable each kind of sentence is: multinomial logistic regression over `features`, with weights that
`python -m models.train.intents` writes: a line of JSON, and the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.language.classifier.features import BUCKETS, features
from host.language.classifier.words import marked

WEIGHTS = Path(__file__).with_name("weights.bin")


@dataclass(frozen=True, eq=False)
class Model:
    """kinds: the name of each class. weights: int8 [buckets, classes]. scale, bias: float32 [classes]; a
    weight counts times its class's scale. made_from: checksum of the sentences that it was trained with.
    """

    kinds: tuple[str, ...]
    weights: NDArray[np.int8]
    scale: NDArray[np.float32]
    bias: NDArray[np.float32]
    made_from: int = 0

    def kind(self, text: str) -> tuple[str, float]:
        """The most probable kind of a sentence (lower case, without punctuation), and its probability."""
        likely = self.probabilities(text)
        best = int(np.argmax(likely))
        return self.kinds[best], float(likely[best])

    def probabilities(self, text: str) -> NDArray[np.float64]:
        """The probability of each kind, float64 [classes]."""
        return self.of_words(marked(text))

    def of_words(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The same of a sentence whose words are marked already."""
        buckets, weight = features(words)
        summed = self.weights[buckets].sum(axis=0, dtype=np.int32)
        scores = (self.scale * (weight * summed) + self.bias).astype(np.float64)
        likely = np.exp(scores - scores.max())
        return np.asarray(likely / likely.sum(), np.float64)

    def to_bytes(self) -> bytes:
        """The file's content."""
        head = json.dumps({"kinds": self.kinds, "buckets": BUCKETS, "made_from": self.made_from})
        numbers = (self.scale.tobytes(), self.bias.tobytes(), self.weights.tobytes())
        return head.encode() + b"\n" + b"".join(numbers)


def read_model(path: Path = WEIGHTS) -> Model:
    """The model of a file, which is mapped: a sentence has few of its weights."""
    with path.open("rb") as file:
        content = mmap(file.fileno(), 0, access=ACCESS_READ)
    end = content.find(b"\n")
    fields, numbers = json.loads(content[:end]), memoryview(content)[end + 1 :]
    kinds = tuple(fields["kinds"])
    n = len(kinds)
    per_class = np.frombuffer(numbers, np.float32, 2 * n).reshape(2, n)
    weights = np.frombuffer(numbers, np.int8, offset=per_class.nbytes).reshape(fields["buckets"], n)
    return Model(kinds, weights, per_class[0], per_class[1], fields["made_from"])
