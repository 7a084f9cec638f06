"""The network of the object detector: rows of one picture -> what is in each cell, where, and how it looks.

An item is told by the cell that its middle lies in (as in CenterNet, Zhou et al., 2019, on the 8 x 8 cells of
the eye): its class, its middle within the cell and half its width and height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.detector.labels import QUALITIES, STANDING, SURFACES, WHAT
from models.train.motion.unit_part import Mixing
from models.train.sight.grounding import IGNORED
from models.train.world.grammar import COLOURS
from models.train.world.home.splits import PLACES

CELL_OUTPUTS: Mapping[str, int] = {
    "what": 1 + len(WHAT), "colour": 1 + len(COLOURS), "lying": 1 + len(SURFACES), "whole": 2,
    "ground": 1 + len(STANDING), "offset": 2, "half": 2,
}  # fmt: skip
"""Numbers of each cell by what they tell, in the order of the graph's output."""
PICTURE_OUTPUTS: Mapping[str, int] = {"place": 1 + len(PLACES), "quality": len(QUALITIES)}
_WEIGHTS: Mapping[str, float] = {
    "what": 4.0, "colour": 0.6, "lying": 0.4, "whole": 0.3, "ground": 0.3, "place": 0.2, "quality": 0.2,
    "offset": 1.0, "half": 6.0,
}  # fmt: skip
_SMOOTHING = 0.01
"""Of the classes of cells."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network. tokens: a square number."""

    tokens: int = 64
    width: int = 128
    hidden: int = 128
    blocks: int = 2


class Detector(nn.Module):
    """Rows [n, tokens, width] -> numbers of each cell, all of `CELL_OUTPUTS`, and of the picture."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.norm, self.project = nn.LayerNorm(shape.width), nn.Linear(shape.width, shape.hidden)
        self.place = nn.Parameter(torch.randn(shape.tokens, shape.hidden) * 0.02)
        side = round(shape.tokens**0.5)
        self.mixing = nn.ModuleList(Mixing(shape.hidden, side) for _ in range(shape.blocks))
        self.last = nn.LayerNorm(shape.hidden)
        self.cells = nn.Linear(shape.hidden, sum(CELL_OUTPUTS.values()))
        self.picture = nn.Linear(2 * shape.hidden, sum(PICTURE_OUTPUTS.values()))

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        cells = self.project(self.norm(rows)) + self.place
        for each in self.mixing:
            cells = each(cells)
        cells = self.last(cells)
        return self.cells(cells), self.picture(torch.cat((cells.mean(1), cells.amax(1)), 1))


def parts_of(numbers: Tensor, outputs: Mapping[str, int]) -> dict[str, Tensor]:
    """The last axis of a network's output by what it tells."""
    return dict(zip(outputs, numbers.split(list(outputs.values()), -1), strict=True))


def loss_of(model: Detector, rows: Tensor, labels: Mapping[str, Tensor]) -> Tensor:
    """Cross-entropies of classes, mean absolute errors of places. labels: of a batch, as `labels.of_view`."""
    numbers, whole = model(rows)
    cells, picture = parts_of(numbers, CELL_OUTPUTS), parts_of(whole, PICTURE_OUTPUTS)
    there = labels["what"] > 0
    total = _WEIGHTS["what"] * _entropy(cells["what"], labels["what"], smoothing=_SMOOTHING)
    for key in ("colour", "lying", "whole"):
        wanted = labels[key].masked_fill(~there, IGNORED) if key != "lying" else labels[key]
        wanted = wanted.masked_fill(wanted == 0, IGNORED) if key in ("colour", "lying") else wanted
        total = total + _WEIGHTS[key] * _entropy(cells[key], wanted)
    total = total + _WEIGHTS["ground"] * _entropy(cells["ground"], labels["ground"])
    for key in ("place", "quality"):
        total = total + _WEIGHTS[key] * _entropy(picture[key], labels[key])
    if there.any():
        for key in ("offset", "half"):
            error = (cells[key][there] - labels[key][there]).abs().mean()
            total = total + _WEIGHTS[key] * error
    return total


def _entropy(logits: Tensor, wanted: Tensor, smoothing: float = 0.0) -> Tensor:
    """Mean cross-entropy of what is known; 0 where nothing is."""
    if not (wanted != IGNORED).any():
        return logits.new_zeros(())
    flat = logits.reshape(-1, logits.shape[-1])
    return functional.cross_entropy(flat, wanted.reshape(-1), ignore_index=IGNORED, label_smoothing=smoothing)
