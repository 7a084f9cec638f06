"""The vision encoder: a stem, twelve blocks, an exit after each, and the decoder's rows after the last.

Terms: the *activation* of depth d is what d blocks have computed, [64, width]; depth 0 is after the stem. An
*exit* turns an activation into a *recall embedding*, 256 values of length 1, in the space of the text tower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

SIDE_PX = 192
GRID = 8
N_TOKENS = GRID * GRID


@dataclass(frozen=True)
class VitConfig:
    """Sizes. `queries`: learned queries with which an exit looks at the activation."""

    width: int = 128
    depth: int = 12
    hidden: int = 256
    heads: int = 4
    queries: int = 4
    embedding: int = 256


def grid_embedding(width: int) -> Tensor:
    """Initial position embeddings, float32 [1, 64, width]: the nearer two cells, the more similar."""
    at = (torch.arange(GRID) + 0.5) / GRID
    waves = torch.stack([torch.cos(math.pi * k * at) / (1 + k / 2) for k in range(1, 8)], 1)
    directions = torch.randn(2, 7, width, generator=torch.Generator().manual_seed(3))
    columns, rows = waves @ directions[0], waves @ directions[1]
    both = (rows[:, None] + columns[None, :]).reshape(1, N_TOKENS, width)
    return both * 0.6 / both.std()


class Stem(nn.Module):
    """Pixels float32 [b, 3, 192, 192] in 0-1 -> activation of depth 0: convolutions down to 8 x 8 cells."""

    def __init__(self, width: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for c_in, c_out, kernel, stride in ((3, 48, 6, 4), (48, 80, 3, 2), (80, 80, 3, 1)):
            convolution = nn.Conv2d(c_in, c_out, kernel, stride, 1, bias=False)
            layers += [convolution, nn.BatchNorm2d(c_out), nn.ReLU(inplace=True)]
        self.layers = nn.Sequential(*layers, nn.Conv2d(80, width, 3, 3, 0))
        self.place = nn.Parameter(torch.randn(1, N_TOKENS, width) * 0.3)

    def forward(self, pixels: Tensor) -> Tensor:
        """[b, 3, 192, 192] -> [b, 64, width]."""
        feed = (pixels * 4.0 - 2.0).contiguous(memory_format=torch.channels_last)
        cells: Tensor = self.layers(feed)
        return cells.flatten(2).transpose(1, 2) + self.place


class Block(nn.Module):
    """Pre-norm self-attention and SiLU MLP."""

    def __init__(self, width: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """[b, n, width] -> the same. mask: bool [b, 1, 1, n], True for the rows that are attended to."""
        b, n, w = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(attended.transpose(1, 2).reshape(b, n, w))
        return x + self.down(F.silu(self.up(self.norm2(x))))


class Exit(nn.Module):
    """Activation [b, n, width] -> recall embedding [b, embedding] of length 1, by attention pooling."""

    def __init__(self, width: int, queries: int, embedding: int) -> None:
        super().__init__()
        self.norm, self.key = nn.LayerNorm(width), nn.Linear(width, width)
        self.queries = nn.Parameter(torch.randn(queries, width) * width**-0.5)
        self.out = nn.Linear(queries * width, embedding)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """mask: bool [b, n], True for the rows that count."""
        normed = self.norm(x)
        scores = self.queries @ self.key(normed).transpose(1, 2)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None], -1e9)
        pooled = scores.softmax(-1) @ normed
        return F.normalize(self.out(pooled.flatten(1)), dim=-1)


class Vit(nn.Module):
    """Stem, blocks, exits, and the rows: the last activation, normalised, with learned position values."""

    def __init__(self, config: VitConfig) -> None:
        super().__init__()
        self.config = config
        self.stem = Stem(config.width)
        self.blocks = nn.ModuleList(
            Block(config.width, config.hidden, config.heads) for _ in range(config.depth)
        )
        for block in self.blocks:
            nn.init.normal_(block.out.weight, std=0.5 * config.width**-0.5 * (2 * config.depth) ** -0.5)
            nn.init.normal_(block.down.weight, std=0.5 * config.hidden**-0.5 * (2 * config.depth) ** -0.5)
        self.exits = nn.ModuleList(
            Exit(config.width, config.queries, config.embedding) for _ in range(config.depth)
        )
        self.norm = nn.LayerNorm(config.width)
        self.whereabouts = nn.Parameter(grid_embedding(config.width))

    def activations(self, pixels: Tensor) -> list[Tensor]:
        """The activations of every depth, 0 first."""
        found = [self.stem(pixels)]
        for block in self.blocks:
            found.append(block(found[-1]))
        return found

    def rows(self, activation: Tensor) -> Tensor:
        """The deepest activation -> decoder input rows [b, 64, width]."""
        return self.norm(activation) + self.whereabouts

    def forward(self, pixels: Tensor) -> Tensor:
        """[b, 3, 192, 192] -> decoder input rows [b, 64, width]."""
        return self.rows(self.activations(pixels)[-1])


class TextTower(nn.Module):
    """Word ids int64 [b, 24], 0 behind the last word -> recall embedding [b, embedding] of length 1."""

    def __init__(self, vocab: int, words: int, config: VitConfig, layers: int = 2) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, config.width)
        nn.init.normal_(self.embed.weight, std=0.5)
        self.place = nn.Parameter(torch.randn(1, words, config.width) * 0.1)
        self.blocks = nn.ModuleList(Block(config.width, config.hidden, config.heads) for _ in range(layers))
        self.exit = Exit(config.width, config.queries, config.embedding)

    def forward(self, tokens: Tensor) -> Tensor:
        """[b, words] -> [b, embedding]."""
        there = tokens > 0
        x = self.embed(tokens) + self.place[:, : tokens.shape[1]]
        for block in self.blocks:
            x = block(x, there[:, None, None])
        embedding: Tensor = self.exit(x, there)
        return embedding
