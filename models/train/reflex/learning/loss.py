"""What training lessens: wrong answers of every layer (V2), wrong verdicts and wrong causes (V1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from models.train.reflex.batches import NONE, Batch
from models.train.reflex.model import Front, Layer

VERDICT_WEIGHT = 0.5
CAUSE_WEIGHT = 0.5


def answer_loss(logits: Tensor, batch: Batch, groups: Sequence[int]) -> Tensor:
    """Cross-entropy of the form and of every blank that the form has, their sum, mean over questions."""
    total = logits.new_zeros(())
    for number, part in enumerate(logits.split(list(groups), -1)):
        scores = batch.soft.get(number - 1)
        target = batch.labels[:, number]
        if scores is not None:
            several = scores.sum(1) > 0
            shares = scores / scores.sum(1, keepdim=True).clamp(min=1e-6)
            total = total - (shares * part.log_softmax(-1)).sum()
            target = torch.where(several, torch.full_like(target, NONE), target)
        if (target != NONE).any():
            total = total + functional.cross_entropy(part, target, ignore_index=NONE, reduction="sum")
    return total / len(batch.labels)


def losses(front: Front, layers: Sequence[Layer], batch: Batch, groups: Sequence[int]) -> dict[str, Tensor]:
    """Of a batch.

    answers: of the layers k = 1, 2, ... with the weights k / sum(k), as MobiVQA has them. verdict, cause: of
    V1.
    """
    weights = range(1, len(layers) + 1)
    parts = [answer_loss(layer.answers, batch, groups) for layer in layers]
    answers = sum(weight * part for weight, part in zip(weights, parts, strict=True)) / sum(weights)
    right = (batch.cause == 0).float()
    return {
        "answers": torch.as_tensor(answers),
        "verdict": VERDICT_WEIGHT * functional.binary_cross_entropy_with_logits(front.answerable, right),
        "cause": CAUSE_WEIGHT * functional.cross_entropy(front.causes, batch.cause),
    }
