"""The network of the text reader: a picture -> which letter has its middle in which 2 x 2 px, how large."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.bricks.reader import LETTERS, USUAL_HEIGHT_PX
from models.train.reader.crops import IGNORED

CLASSES = 1 + len(LETTERS)
_NONE_AT_FIRST = 7.0
"""Logit: hardly any cell has a letter."""
_LETTER_WEIGHT, _HEIGHT_WEIGHT = 6.0, 0.5


def _layer(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Reader(nn.Module):
    """Pixels [n, 3, h, w], 0 to 1, h and w multiples of 8 -> numbers [n, 1 + letters + 1, h / 2, w / 2]: the
    logits of none and of each letter, and the logarithm of its height in parts of `USUAL_HEIGHT_PX`.

    Each picture is first brought to its own mean and spread. What is fine is joined by what is coarse, as in
    U-Net (Ronneberger et al., 2015); letters are told by their middles, as in CenterNet (Zhou et al., 2019).
    """

    def __init__(self, fine: int = 24, middle: int = 48, coarse: int = 64) -> None:
        super().__init__()
        self.fine = nn.Sequential(_layer(3, fine, 2), _layer(fine, fine), _layer(fine, fine))
        self.middle = nn.Sequential(_layer(fine, middle, 2), _layer(middle, middle), _layer(middle, middle))
        self.coarse = nn.Sequential(
            _layer(middle, coarse, 2), _layer(coarse, coarse), _layer(coarse, coarse), _layer(coarse, coarse)
        )
        self.to_middle, self.at_middle = nn.Conv2d(coarse, middle, 1), _layer(middle, middle)
        self.to_fine, self.at_fine = nn.Conv2d(middle, 40, 1), nn.Conv2d(fine, 40, 1)
        self.last = _layer(40, 40)
        self.out = nn.Conv2d(40, CLASSES + 1, 1)
        nn.init.zeros_(self.out.bias)  # type: ignore[arg-type]
        with torch.no_grad():
            self.out.bias[0] = _NONE_AT_FIRST  # type: ignore[index]

    def forward(self, pixels: Tensor) -> Tensor:
        centred = pixels - pixels.mean((1, 2, 3), keepdim=True)
        spread = (centred * centred).mean((1, 2, 3), keepdim=True).sqrt()
        fine = self.fine(centred / (spread + 0.02))
        middle = self.middle(fine)
        coarse = self.to_middle(self.coarse(middle))
        middle = self.at_middle(middle + functional.interpolate(coarse, scale_factor=2.0, mode="nearest"))
        back = functional.interpolate(self.to_fine(middle), scale_factor=2.0, mode="nearest")
        found: Tensor = self.out(self.last(self.at_fine(fine) + back))
        return found


def loss_of(model: Reader, pixels: Tensor, classes: Tensor, heights: Tensor) -> Tensor:
    """Cross-entropy of the classes, a cell with a letter weighing as much as several without, and the mean
    absolute error of the heights.
    """
    numbers = model(pixels).float()
    logits, told = numbers[:, :CLASSES], numbers[:, CLASSES]
    each = functional.cross_entropy(logits, classes, ignore_index=IGNORED, reduction="none")
    there = classes > 0
    count = there.sum().clamp(min=1)
    none = each[classes == 0].sum() / count  # nearly all cells have none
    total = none + _LETTER_WEIGHT * each[there].sum() / count
    if there.any():
        wanted = torch.log(heights[there] / USUAL_HEIGHT_PX)
        total = total + _HEIGHT_WEIGHT * (told[there] - wanted).abs().mean()
    return total
