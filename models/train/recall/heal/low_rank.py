"""Low-rank changes of the linear layers of blocks (LoRA): attached, trained, and merged into the weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LowRank(nn.Module):
    """A linear layer and a change of so small a rank, [outputs, rank] @ [rank, inputs]; nothing at first."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, layer.in_features) * layer.in_features**-0.5)
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        """[..., inputs] -> [..., outputs]."""
        changed: Tensor = self.layer(x) + F.linear(F.linear(x, self.down), self.up)
        return changed

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """The layer with the change in its weight."""
        self.layer.weight += self.up @ self.down
        return self.layer


def attach(blocks: Iterable[nn.Module], rank: int) -> list[nn.Parameter]:
    """Gives every linear layer of the blocks a change of that rank; what is to be trained."""
    found: list[nn.Parameter] = []
    for block, name, layer in list(_children(blocks)):
        if isinstance(layer, nn.Linear):
            changed = LowRank(layer, rank)
            setattr(block, name, changed)
            found += [changed.down, changed.up]
    return found


def merge(blocks: Iterable[nn.Module]) -> None:
    """Makes the changes part of the weights."""
    for block, name, layer in list(_children(blocks)):
        if isinstance(layer, LowRank):
            setattr(block, name, layer.merged())


def _children(blocks: Iterable[nn.Module]) -> Iterator[tuple[nn.Module, str, nn.Module]]:
    for block in blocks:
        for name, layer in block.named_children():
            yield block, name, layer
