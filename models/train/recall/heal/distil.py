"""What an exit is taught: to place a view where full depth places it, and nearer than other views there."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F

SHARPNESS = 20.0
"""What similarities are multiplied by before they become chances."""
ROWS_SHARE = 1.0
"""Weight of the rows in the loss of full depth."""


def loss(places: Tensor, targets: Tensor) -> Tensor:
    """places, targets: [b, embedding] of length 1, the same views at the exit and at full depth.

    Distance of a view from its own target, and how far the exit's order of the batch's views, asked by each
    target, is from full depth's (Kullback-Leibler).
    """
    far = 1 - (places * targets).sum(-1).mean()
    wanted = (SHARPNESS * targets @ targets.T).log_softmax(-1)
    found = (SHARPNESS * targets @ places.T).log_softmax(-1)
    return far + F.kl_div(found, wanted, reduction="batchmean", log_target=True)


def rows_loss(rows: Tensor, targets: Tensor) -> Tensor:
    """How much the decoder's rows differ, of their own size."""
    return (rows - targets).square().mean() / targets.square().mean()
