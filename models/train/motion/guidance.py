"""What the training of the motion brick is told beside the answers: where things are, and how they move.

Two heads read the cells of every unit and are left out of the brick: which kind of thing a cell shows, and
how far that thing has moved in the room since the unit before, the motion of the head taken out. The answer's
attention learns to look at the thing that is asked about.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.motion.batches import Batch
from models.train.motion.shape import Shape

WEIGHTS = (0.4, 0.3, 0.15)
"""Of kinds, of motion and of attention, beside 1 for the answers."""
_NONE_WEIGHT = 0.35
_SCALE = 12.0
"""Of motions, parts of the picture's width."""


class Guides(nn.Module):
    """Both heads."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.kind = nn.Linear(shape.cells_width, shape.things + 1)
        self.moved = nn.Linear(shape.cells_width, 2)
        weights = torch.ones(shape.things + 1)
        weights[0] = _NONE_WEIGHT
        self.register_buffer("weights", weights)

    def loss(self, cells: Tensor, scores: Tensor, batch: Batch) -> Tensor:
        """cells: [clips, units, cells, w]; scores: [questions, units, looks, cells], before the softmax."""
        there = batch.present[..., None].expand(batch.kinds.shape)
        told, kinds = cells[there], batch.kinds[there]
        weights = self.weights
        assert isinstance(weights, Tensor)
        kind = functional.cross_entropy(self.kind(told), kinds, weights)
        thing = kinds > 0
        moved = batch.moved[there][thing] * _SCALE
        by = functional.smooth_l1_loss(self.moved(told[thing]), moved, reduction="none", beta=0.3).sum(1)
        weight = 1 + 6 * (moved.abs().amax(1) > 0.1).float()
        motion = (by * weight).sum() / weight.sum()
        looks = _attention(scores, batch)
        return WEIGHTS[0] * kind + WEIGHTS[1] * motion + WEIGHTS[2] * looks


def _attention(scores: Tensor, batch: Batch) -> Tensor:
    """How little the first look is at the thing asked about, and the second at the other one, in view."""
    kinds, total, count = batch.kinds[batch.of_clip], scores.new_zeros(()), 0
    for look in (0, 1):
        asked = batch.question[:, 1 + look]
        named = (kinds == asked[:, None, None]) & (asked > 0)[:, None, None]
        seen = named.any(2)
        if seen.any():
            weights = scores[:, :, look].softmax(2)
            at_it = (weights * named).sum(2)[seen]
            total, count = total - (at_it + 1e-4).log().sum(), count + len(at_it)
    return total / max(1, count)
