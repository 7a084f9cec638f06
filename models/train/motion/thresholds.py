"""Chooses on validation clips how the network's probabilities are calibrated, and when it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.caution import Caution
from models.train.world.clips.values import LABELS, ClipQuestion

WRONG_MOST: Mapping[Caution, float] = {"low": 0.16, "normal": 0.08, "high": 0.04}
"""By caution: of the answers of a family that are given at most this share may be wrong on validation clips,
which are as hard as a stranger's: many have designs that neither the eye nor the brick was trained on.
"""
WORTH = 0.005
"""Of the answers, so many more have to be right at a greater depth: the first pictures of every question,
whatever it is about, pass the encoder to the depth that is chosen.
"""
_TEMPERATURES = tuple(step / 10 for step in range(5, 41))
_LEASTS = tuple(step / 50 for step in range(10, 50))


@dataclass(frozen=True, eq=False)
class Answered:
    """A question with the network's logits, -inf where its family has no such label. mix: what was unseen."""

    question: ClipQuestion
    logits: NDArray[np.float32]
    event: str
    turned: bool
    mix: str = "known"

    @property
    def label(self) -> str:
        """The likeliest label."""
        return LABELS[int(self.logits.argmax())]

    @property
    def right(self) -> bool:
        return self.label == self.question.answer

    def probability(self, temperature: float) -> float:
        """Of the likeliest label."""
        shifted = (self.logits - self.logits.max()) / temperature
        return float(1.0 / np.exp(shifted).sum())


@dataclass(frozen=True)
class Chosen:
    """temperature: divides the logits. least: by caution, the probability from which an answer of a family is
    given. depth: position of the depth that is usual.
    """

    temperature: float
    least: Mapping[Caution, Mapping[str, float]]
    depth: int
    sentence: str


def means(at_depths: Sequence[Sequence[Answered]]) -> list[Answered]:
    """The same questions with the mean of the logits that they have at several depths."""
    return [
        replace(each[-1], logits=np.mean([one.logits for one in each], axis=0))
        for each in zip(*at_depths, strict=True)
    ]


def choose(by_depth: Sequence[Sequence[Answered]]) -> Chosen:
    """From the answers to validation questions at every depth."""
    shares = [float(np.mean([each.right for each in found])) for found in by_depth]
    depth = next(number for number, share in enumerate(shares) if share >= max(shares) - WORTH)
    found = by_depth[depth]
    temperature = min(_TEMPERATURES, key=lambda each: _loss(found, each))
    families = sorted({each.question.family for each in found})
    sure = {
        family: [
            (each.probability(temperature), each.right) for each in found if each.question.family == family
        ]
        for family in families
    }
    least = {
        caution: {family: least_of(sure[family], most) for family in families}
        for caution, most in WRONG_MOST.items()
    }
    low, normal, high = (f"{WRONG_MOST[each]:.0%}" for each in ("low", "normal", "high"))
    sentence = (
        f"On {len(found)} questions about validation clips, three quarters of them with styles, hands or "
        f"looks that training never had: the least depth that is right in at most {WORTH:.1%} less than the "
        f"best, and so that at most {normal} of a family's answers are wrong, with low caution {low}, with "
        f"high {high}."
    )
    return Chosen(temperature, least, depth, sentence)


def _loss(found: Sequence[Answered], temperature: float) -> float:
    total = 0.0
    for each in found:
        scaled = each.logits / temperature
        top = float(scaled.max())
        total += (
            top
            + float(np.log(np.exp(scaled - top).sum()))
            - float(scaled[LABELS.index(each.question.answer)])
        )
    return total / len(found)


def least_of(sure: Sequence[tuple[float, bool]], most: float) -> float:
    """The lowest probability from which at most the share `most` of the answers is wrong; each with whether
    it is right.
    """
    for least in (0.0, *_LEASTS):
        given = [right for probability, right in sure if probability >= least]
        if not given or 1 - sum(given) / len(given) <= most:
            return least
    return _LEASTS[-1]
