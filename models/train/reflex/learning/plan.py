"""How long a training of the network for closed questions goes on, and what its steps do to rows, share of
rows and learning rate.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
from torch import Tensor

PRUNING_FROM, DECAY = 0.05, 0.45
"""Shares of the steps."""
KEPT = (0.1, 0.15, 0.2, 0.25)
"""Shares of the image rows that training keeps."""
_WARM_UP_STEPS = 100


@dataclass(frozen=True)
class Plan:
    """steps: all, where minutes is 0. pictures, questions: of a batch, questions of each picture. rate: the
    highest learning rate. noise: most that is added to a picture's rows, times the spread of each value.
    sizes: of the network, others than the usual ones. minutes: all, wall time. frozen: first layers that stay
    as they begin.
    """

    steps: int = 2400
    pictures: int = 16
    questions: int = 5
    rate: float = 2e-3
    noise: float = 0.3
    sizes: tuple[tuple[str, int], ...] = ()
    minutes: float = 0.0
    frozen: int = 0


def keep_of(step: int, done: float, seed: int) -> float:
    """The share of the image rows that a step keeps after layer 1. done: share of the training before it."""
    if done < PRUNING_FROM:
        return 1.0
    return random.Random(f"keep {seed} {step}").choice(KEPT)


def noisy(rows: Tensor, most: float, seed: int) -> Tensor:
    """Rows with noise, more or less of it by picture: an eye gives other rows of a thing that is drawn
    otherwise. rows: [P, n, R]. most: standard deviation of the noise, times that of each of the R values.
    """
    random = torch.Generator().manual_seed(seed)
    strength = most * torch.rand(len(rows), 1, 1, generator=random)
    noise = torch.randn(rows.shape, generator=random)
    return rows + rows.std((0, 1)) * (strength * noise).to(rows.device)


def rate_factor(step: int, done: float) -> float:
    """Warm-up, constant, and in the last `DECAY` a linear fall to 0.01. done: share of the training before
    it.
    """
    warm = min((step + 1) / _WARM_UP_STEPS, 1.0)
    return warm * min(1.0, max((1 - done) / DECAY, 0.01))
