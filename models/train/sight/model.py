"""The whole network: the vision encoder, a text tower, and a Qwen2 decoder that reads the encoder's rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.train.sight.grounding import CLASSES
from models.train.sight.vit import TextTower, Vit, VitConfig

N_CHARACTERS = 37
N_CHANGES = 9
_SHAPES, _COLOURS, _SIZES, _OFFSETS, _STATES, _LYING, _GROUNDS = 22, 9, 3, 2, 7, 10, 10
CELL_PARTS = (_SHAPES, _COLOURS, _SIZES, _OFFSETS, _STATES, _LYING, _GROUNDS)
"""Widths of the cell head: shape or kind, colour, size, offset, state, what it lies on, surface there."""


@dataclass(frozen=True)
class VlmConfig:
    """Sizes. Rows are `width` floats wide everywhere. `vocab` and `text_vocab`: tokens of the decoder, words
    of the text tower.
    """

    vocab: int
    text_vocab: int
    text_words: int = 24
    width: int = 128
    layers: int = 4
    hidden: int = 256
    heads: int = 4
    kv_heads: int = 2
    rope_base: float = 10000.0
    rms_epsilon: float = 1e-6

    @property
    def head_width(self) -> int:
        """Floats per attention head."""
        return self.width // self.heads


class RmsNorm(nn.Module):
    """Root-mean-square norm with a learned gain."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x: Tensor) -> Tensor:
        """Any shape; normalises over the last axis."""
        return F.rms_norm(x, self.weight.shape, self.weight, self.epsilon)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position on [b, heads, n, d], the two halves of d paired (NeoX)."""
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class DecoderBlock(nn.Module):
    """One Qwen2 layer: grouped-query attention with q, k, v biases, then SwiGLU."""

    def __init__(self, config: VlmConfig) -> None:
        super().__init__()
        self.config = config
        w, kv = config.width, config.kv_heads * config.head_width
        self.norm1, self.norm2 = RmsNorm(w, config.rms_epsilon), RmsNorm(w, config.rms_epsilon)
        self.q, self.k, self.v = nn.Linear(w, w), nn.Linear(w, kv), nn.Linear(w, kv)
        self.out = nn.Linear(w, w, bias=False)
        self.gate, self.up = nn.Linear(w, config.hidden, bias=False), nn.Linear(w, config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, w, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor, skip: int = 0) -> Tensor:
        """[b, n, width] -> [b, n - skip, width]: the first `skip` rows only serve as keys and values."""
        c, (b, n, w) = self.config, x.shape
        h = self.norm1(x)
        k = rotate(self.k(h).view(b, n, c.kv_heads, -1).transpose(1, 2), cos, sin)
        v = self.v(h).view(b, n, c.kv_heads, -1).transpose(1, 2)
        x, h = x[:, skip:], h[:, skip:]
        q = rotate(
            self.q(h).view(b, n - skip, c.heads, -1).transpose(1, 2), cos[:, :, skip:], sin[:, :, skip:]
        )
        repeats = c.heads // c.kv_heads
        k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, :, skip:])
        x = x + self.out(attended.transpose(1, 2).reshape(b, n - skip, w))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Qwen2Decoder(nn.Module):
    """Qwen2 with tied embeddings."""

    def __init__(self, config: VlmConfig) -> None:
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab, config.width)
        nn.init.normal_(self.embed.weight, std=0.08)
        self.blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.layers))
        self.norm = RmsNorm(config.width, config.rms_epsilon)
        half = config.head_width // 2
        frequency = config.rope_base ** (-torch.arange(half, dtype=torch.float32) / half)
        self.register_buffer("frequency", frequency, persistent=False)

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Positions int64 [b, n] -> cos and sin, float32 [b, 1, n, head_width]."""
        turned = positions[:, None, :, None].float() * self.frequency
        turned = torch.cat((turned, turned), -1)
        return turned.cos(), turned.sin()

    def forward(self, rows: Tensor, positions: Tensor, mask: Tensor, n_image: int) -> tuple[Tensor, Tensor]:
        """Rows [b, n, w], mask bool [b, 1, n, n] -> text states [b, n - n_image, w], middle [b, n, w]."""
        cos, sin = self.angles(positions)
        x = middle = rows
        for index, block in enumerate(self.blocks):
            last = index == len(self.blocks) - 1
            x = block(x, cos, sin, mask, n_image if last else 0)
            if index == len(self.blocks) // 2 - 1:
                middle = x
        return self.norm(x), middle

    def logits(self, states: Tensor) -> Tensor:
        """[..., width] -> [..., vocab]."""
        return F.linear(states, self.embed.weight)


class Vlm(nn.Module):
    """ViT, text tower and decoder, and the heads of the auxiliary losses, which only training uses."""

    def __init__(self, config: VlmConfig) -> None:
        super().__init__()
        self.config = config
        eye = VitConfig(width=config.width)
        self.vit, self.decoder = Vit(eye), Qwen2Decoder(config)
        self.text = TextTower(config.text_vocab, config.text_words, eye)
        w = config.width
        self.cell_head = nn.Linear(w, sum(CELL_PARTS))
        self.letter_head = nn.Linear(w, 2 * N_CHARACTERS)
        self.picture_head = nn.Linear(w, 3)
        self.place_head = nn.Linear(w, 10)
        self.held_head = nn.Linear(w, 13)
        self.kind_head = nn.Linear(w, 3)
        self.count_head = nn.Linear(w, 7)
        self.word_head = nn.Linear(w, 141)
        self.grounding_head = nn.Linear(w, sum(CLASSES.values()))
        self.change_head = nn.Linear(w, N_CHANGES)
        self.before_head = nn.Linear(w, 8 + 8)
        self.scale = nn.Parameter(torch.tensor(2.6))
        """Logarithm of what the similarities of the contrastive loss are multiplied by."""

    def rows(self, image_rows: Tensor, tokens: Tensor) -> Tensor:
        """Image rows [b, r, width] and token ids [b, t] -> decoder input [b, r + t, width]."""
        return torch.cat((image_rows, self.decoder.embed(tokens)), 1)


def block_mask(slot: Tensor, sees: Tensor, n_image: int) -> Tensor:
    """The attention mask: causal; a text row attends to its own slot and, where it `sees`, to the image.

    `slot` int64 [b, t], `sees` bool [b, t]; returns bool [b, 1, n_image + t, n_image + t].
    """
    b, t = slot.shape
    mask = torch.zeros(b, n_image + t, n_image + t, dtype=torch.bool, device=slot.device)
    mask[:, :n_image, :n_image] = torch.ones(n_image, n_image, dtype=torch.bool).tril()
    mask[:, n_image:, :n_image] = sees[:, :, None]
    same = slot[:, :, None] == slot[:, None, :]
    mask[:, n_image:, n_image:] = same & torch.ones(t, t, dtype=torch.bool, device=slot.device).tril()
    return mask[:, None]
