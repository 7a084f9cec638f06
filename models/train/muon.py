"""The Muon optimiser: momentum with orthogonalised updates, batched over matrices of equal shape."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor


def orthogonal(update: Tensor, steps: int = 5) -> Tensor:
    """Newton-Schulz towards the nearest orthogonal matrix, [n, rows, columns] -> the same.

    Computed in bfloat16 where that is faster (a GPU, or a processor with matrix units for it): only the
    direction matters.
    """
    a, b, c = 3.4445, -4.7750, 2.0315
    tall = update.shape[1] > update.shape[2]
    x = update.transpose(1, 2) if tall else update
    x = x / (x.flatten(1).norm(dim=1)[:, None, None] + 1e-7)
    if x.is_cuda or torch.cpu._is_amx_tile_supported():
        x = x.bfloat16()
    for _ in range(steps):
        gram = torch.bmm(x, x.transpose(1, 2))
        gram = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
        x = torch.baddbmm(x, gram, x, beta=a)
    return (x.transpose(1, 2) if tall else x).to(update.dtype)


class Muon(torch.optim.Optimizer):
    """For hidden matrices and flattened convolutions. Updates are scaled so that learning rates are as for
    AdamW.
    """

    def __init__(
        self, matrices: Iterable[Tensor], lr: float, momentum: float = 0.95, weight_decay: float = 0.02
    ) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One update of every matrix that has a gradient."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = {}
            for matrix in group["params"]:
                if matrix.grad is not None:
                    by_shape.setdefault(matrix.shape, []).append(matrix)
            for shape, matrices in by_shape.items():
                gradients = torch.stack([matrix.grad.flatten(1) for matrix in matrices])  # type: ignore[misc]
                for index, matrix in enumerate(matrices):
                    state = self.state[matrix]
                    if "momentum" not in state:
                        state["momentum"] = torch.zeros_like(gradients[index])
                    state["momentum"].lerp_(gradients[index], 1 - group["momentum"])
                    gradients[index].lerp_(state["momentum"], group["momentum"])
                scale = 0.2 * max(gradients.shape[1:]) ** 0.5 * group["lr"]
                for matrix, update in zip(matrices, orthogonal(gradients), strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"]).add_(
                        update.view(shape), alpha=-scale
                    )
