"""Changes activations at random in training, as another style of drawing might, so that less depends on it.

The statistics of one clip's channels are mixed with those of another (MixStyle, Zhou et al., ICLR 2021), the
same for all units of a clip, so that what changes between units stays; noise is added; cells are lost.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from torch import Tensor

MIXED, NOISY, LOST = 0.5, 0.5, 0.3
"""Shares of the clips whose statistics are mixed, that get noise, and that lose cells."""
_NOISE, _CELLS_LOST = 0.2, 0.15
"""At most: standard deviation, in that of the channel, and share of cells."""


def disturbed(clips: Sequence[Tensor], rng: random.Random) -> list[Tensor]:
    """Clips, each [units, tokens, width], changed at random."""
    means = [each.mean((0, 1)) for each in clips]
    spreads = [each.std((0, 1)) + 1e-4 for each in clips]
    found = []
    for rows, mean, spread in zip(clips, means, spreads, strict=True):
        if rng.random() < MIXED:
            other, own = rng.randrange(len(clips)), max(0.5, rng.betavariate(0.4, 0.4))
            to = own * spread + (1 - own) * spreads[other]
            rows = (rows - mean) * (to / spread) + own * mean + (1 - own) * means[other]
        if rng.random() < NOISY:
            rows = rows + torch.randn_like(rows) * (spread * rng.uniform(0, _NOISE))
        if rng.random() < LOST:
            lost = torch.rand(rows.shape[:2]) < rng.uniform(0, _CELLS_LOST)
            rows = torch.where(lost[..., None], mean, rows)
        found.append(rows)
    return found
