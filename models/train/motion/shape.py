"""Sizes of the motion brick's network, and where the cells of a unit lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Aggregation = Literal["order", "mean", "last", "ends"]
"""How units become one answer: in their order; as their average (N4 of NanoMind); from the last unit alone;
from the difference between the first and the last.
"""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network. tokens: a square number."""

    tokens: int = 64
    width: int = 128
    cells_width: int = 64
    looks: int = 4
    time_width: int = 96
    depths: tuple[int, ...] = (3, 6, 12)
    families: int = 10
    things: int = 12
    labels: int = 30


def cell_places(side: int) -> Tensor:
    """Where the cells of a square lie, [cells, 2], down and across, from -1 to 1."""
    axis = torch.linspace(-1.0, 1.0, side)
    return torch.stack(torch.meshgrid(axis, axis, indexing="ij"), 2).flatten(0, 1)


def in_places(side: int) -> float:
    """What parts of the picture's side are multiplied by to be in the numbers of `cell_places`."""
    return 2 * side / (side - 1)
