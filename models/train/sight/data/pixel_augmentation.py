"""Pictures whose outlines, lines and textures are changed where they are trained on, at random.

What a picture shows stays true: places move by a few pixels at most, and a flat colour stays as it is. On a
GPU it costs next to nothing, so every use of a picture can have a change of its own. Random convolutions are
those of Xu et al. 2021 ("Robust and Generalizable Visual Representation Learning via Random Convolutions"),
here with one kernel for the three colours and a sum of 1; the warp is the elastic deformation of Simard et
al. 2003.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

_WARP_SHARE, _WARP_PX, _WARP_CELLS = 0.6, 3.5, (4, 6, 9)
_LINES_SHARE, _LINES_MOST = 0.3, 0.7
_CONVOLVED_SHARE, _CONVOLVED_MOST, _KERNELS = 0.4, 0.5, (3, 5)
_TEXTURE_SHARE, _TEXTURE_MOST, _TEXTURE_CELLS = 0.4, 0.12, (6, 12, 24, 48)


def augmented(pixels: Tensor, generator: torch.Generator, frames: int = 1) -> Tensor:
    """Changed pictures, uint8 [n, side, side, 3] as given. frames: so many in a row are of one clip and
    change alike. generator: on the device of the pictures.
    """
    x = pixels.permute(0, 3, 1, 2).float() / 255
    draw = _Draw(len(pixels) // frames, frames, generator)
    x = _textured(_convolved(_lines(_warped(x, draw), draw), draw), draw)
    return (x.clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()


class _Draw:
    """Random numbers for clips, repeated for the frames of each."""

    def __init__(self, clips: int, frames: int, generator: torch.Generator) -> None:
        self.clips, self.frames, self.generator = clips, frames, generator

    def uniform(self, *shape: int) -> Tensor:
        """[pictures, *shape], 0 to 1."""
        device = self.generator.device
        found = torch.rand(self.clips, *shape, generator=self.generator, device=device)
        return found.repeat_interleave(self.frames, 0)

    def normal(self, *shape: int) -> Tensor:
        """[pictures, *shape], of variance 1."""
        device = self.generator.device
        found = torch.randn(self.clips, *shape, generator=self.generator, device=device)
        return found.repeat_interleave(self.frames, 0)

    def one_of(self, choices: tuple[int, ...]) -> int:
        """One of a few numbers, for all pictures of the batch."""
        device = self.generator.device
        return choices[int(torch.randint(len(choices), (1,), generator=self.generator, device=device))]

    def strength(self, share: float, most: float) -> Tensor:
        """[pictures, 1, 1, 1]: 0 to `most` for `share` of the clips, 0 for the others."""
        return (self.uniform(1, 1, 1) < share) * self.uniform(1, 1, 1) * most


def _warped(x: Tensor, draw: _Draw) -> Tensor:
    side, cells = x.shape[-1], draw.one_of(_WARP_CELLS)
    coarse = draw.normal(2, cells, cells)
    field = F.interpolate(coarse, (side, side), mode="bicubic", align_corners=False)
    field = field * draw.strength(_WARP_SHARE, _WARP_PX * 2 / side)
    at = torch.linspace(-1 + 1 / side, 1 - 1 / side, side, device=x.device)
    grid = torch.stack(torch.meshgrid(at, at, indexing="xy"), -1)
    return F.grid_sample(x, grid + field.permute(0, 2, 3, 1), padding_mode="border", align_corners=False)


def _lines(x: Tensor, draw: _Draw) -> Tensor:
    """Dark lines broader or thinner by up to a pixel on each side."""
    strength, darker = draw.strength(_LINES_SHARE, _LINES_MOST), draw.uniform(1, 1, 1) < 0.5
    sign = torch.where(darker, -1.0, 1.0)
    return x.lerp(sign * F.max_pool2d(sign * x, 3, 1, 1), strength)


def _convolved(x: Tensor, draw: _Draw) -> Tensor:
    n, channels, side, _ = x.shape
    size = draw.one_of(_KERNELS)
    kernel = draw.normal(1, size, size) / size
    kernel = kernel + (1 - kernel.sum((2, 3), keepdim=True)) / size**2
    whole = F.pad(x, [size // 2] * 4, mode="replicate").reshape(1, n * channels, side + size - 1, -1)
    found = F.conv2d(whole, kernel.repeat_interleave(channels, 0), groups=n * channels)
    return x.lerp(found.view_as(x), draw.strength(_CONVOLVED_SHARE, _CONVOLVED_MOST))


def _textured(x: Tensor, draw: _Draw) -> Tensor:
    cells = draw.one_of(_TEXTURE_CELLS)
    grain = F.interpolate(draw.normal(1, cells, cells), x.shape[-2:], mode="bicubic", align_corners=False)
    return x * (1 + draw.strength(_TEXTURE_SHARE, _TEXTURE_MOST) * grain)
