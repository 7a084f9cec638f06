"""Batches of encoded clips with some of their questions, and what of a question the network is given."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from models.sensing.registration import turns_of
from models.train.motion.features import Encoded
from models.train.world.clips.values import FAMILIES, LABELS, ClipQuestion
from models.train.world.home.splits import KINDS

BATCH = 24
"""Clips."""
QUESTIONS = 6
"""Of one clip in a batch."""


def numbers_of(question: ClipQuestion) -> tuple[int, int, int]:
    """Family, thing and other thing as the network takes them, from 1; 0 for none."""
    kinds = ("", *KINDS)
    family = 1 + tuple(FAMILIES).index(question.family)
    return family, kinds.index(question.thing), kinds.index(question.other)


_ALLOWED = torch.full((len(FAMILIES) + 1, len(LABELS)), float("-inf"))
for _number, _labels in enumerate(FAMILIES.values(), 1):
    _ALLOWED[_number, [LABELS.index(label) for label in _labels]] = 0.0


def allowed(question: Tensor) -> Tensor:
    """0 for the labels that a question's family may have, -inf for others, [b, labels]."""
    return _ALLOWED[question[:, 0]]


@dataclass(frozen=True, eq=False)
class Batch:
    """Clips with their questions. of_clip: which clip a question is about. kinds: int64 [clips, units,
    cells], the kind of thing in each cell, from 1; moved: [clips, units, cells, 2], as `shards.ClipFacts`.
    shifts: of each clip, [units, 2, 3]; turns: [clips, units, 2], by `models.sensing.registration`.
    """

    clips: list[Tensor]
    shifts: list[Tensor]
    turns: Tensor
    ages_s: Tensor
    present: Tensor
    question: Tensor
    of_clip: Tensor
    label: Tensor
    kinds: Tensor
    moved: Tensor


def batch_of(clips: Sequence[Encoded], depth: int, asked: Sequence[Sequence[ClipQuestion]]) -> Batch:
    """A batch at one depth, by its position in `DEPTHS`."""
    rows = [torch.from_numpy(each.activations[depth]).float() for each in clips]
    ages = [torch.from_numpy(each.times_s[-1] - each.times_s) for each in clips]
    pad = torch.nn.utils.rnn.pad_sequence
    present = pad([torch.ones(len(each), dtype=torch.bool) for each in ages], batch_first=True)
    flat = [(number, question) for number, each in enumerate(asked) for question in each]
    shifts = [torch.from_numpy(each.shifts) for each in clips]
    return Batch(
        rows,
        shifts,
        pad([torch.from_numpy(turns_of(each.shifts)) for each in clips], batch_first=True),
        pad(ages, batch_first=True),
        present,
        torch.tensor([numbers_of(question) for _, question in flat]),
        torch.tensor([number for number, _ in flat]),
        torch.tensor([LABELS.index(question.answer) for _, question in flat]),
        pad([torch.from_numpy(each.kinds.astype(np.int64)) for each in clips], batch_first=True),
        pad([torch.from_numpy(each.moved.astype(np.float32)) for each in clips], batch_first=True),
    )


Rarities = dict[tuple[str, str, bool], float]
"""By family, answer, and whether the head turns: how much rarer than the commonest."""


def some_of(clip: Encoded, rng: random.Random, weights: Rarities) -> list[ClipQuestion]:
    """A few questions of a clip, those with rare answers more often."""
    most = min(QUESTIONS, len(clip.questions))
    keyed = [
        (rng.random() ** (1.0 / weights[each.family, kind_or(each.answer), clip.turned]), number)
        for number, each in enumerate(clip.questions)
    ]
    return [clip.questions[number] for _, number in sorted(keyed, reverse=True)[:most]]


def kind_or(answer: str) -> str:
    """The answer, or "a thing" for any of them."""
    return "a thing" if answer in KINDS else answer


def weights_of(clips: Sequence[Encoded]) -> Rarities:
    """How much rarer than the commonest each answer of a family is, its square root."""
    counts: dict[tuple[str, str, bool], int] = {}
    for clip in clips:
        for each in clip.questions:
            key = each.family, kind_or(each.answer), clip.turned
            counts[key] = counts.get(key, 0) + 1
    most = max(counts.values())
    return {key: (most / count) ** 0.5 for key, count in counts.items()}


def in_batches(clips: Sequence[Encoded], rng: random.Random) -> Iterator[list[Encoded]]:
    """All clips in a random order, those of like length together."""
    order = sorted(clips, key=lambda clip: len(clip.times_s) + 3 * rng.random())
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    yield from groups
