"""A small Whisper in PyTorch whose state dict carries OpenAI's tensor names, and its training loss.

The decoder has logits only for the tokens in use. In the exported file every other token of the full
vocabulary has the logit 0; here one constant logit, log(number of unused tokens), represents all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.train.recogniser.grow import grown

NEAR_OFFSETS = ((-4.0, -1.5, 1.5, 4.0), (-8.0, -3.0, 3.0, 8.0), (-13.0, -6.0, 6.0, 13.0))
"""Initial attention offset of each encoder head by layer, in positions of 20 ms."""


IGNORED = -100
"""A target that the loss leaves out."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the model. Two decoder layers are not allowed: whisper.cpp would take such a model for a
    distilled one.
    """

    width: int = 160
    heads: int = 5
    encoder_layers: int = 6
    decoder_layers: int = 3
    audio_ctx: int = 256
    text_ctx: int = 96
    mels: int = 80


def fast_bfloat16(x: Tensor) -> bool:
    """Whether bfloat16 pays where a tensor lies: on a processor with matrix units for it."""
    return not x.is_cuda and torch.cpu._is_amx_tile_supported()


def _gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


class Attention(nn.Module):
    """Multi-head attention; the key projection has no bias, as in Whisper."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, source: Tensor, causal: bool = False) -> Tensor:
        """x [b, t, d] attends to source [b, s, d]."""

        def split(y: Tensor) -> Tensor:
            return y.unflatten(2, (self.heads, -1)).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(source)), split(self.value(source))
        if x.device.type == "cpu":
            # Attention with heads this narrow is slower in bfloat16, its gradient by five times.
            query, key, value = query.float(), key.float(), value.float()
        with torch.autocast(x.device.type, enabled=False):
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Pre-norm transformer block, with cross-attention in the decoder."""

    def __init__(self, width: int, heads: int, cross: bool) -> None:
        super().__init__()
        self.attn = Attention(width, heads)
        self.attn_ln = nn.LayerNorm(width)
        if cross:
            self.cross_attn = Attention(width, heads)
            self.cross_attn_ln = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))
        self.mlp_ln = nn.LayerNorm(width)

    def forward(self, x: Tensor, audio: Tensor | None = None) -> Tensor:
        """x [b, t, d]; audio [b, s, d] in the decoder, None in the encoder."""
        normed = self.attn_ln(x)
        x = x + self.attn(normed, normed, causal=audio is not None)
        if audio is not None:
            x = x + self.cross_attn(self.cross_attn_ln(x), audio)
        return x + self.mlp(self.mlp_ln(x))


class WhisperEncoder(nn.Module):
    """Log-mel frames [b, 80, 2n] -> [b, n, d] for any n up to the window."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(shape.mels, shape.width, 3, padding=1)
        self.conv2 = nn.Conv1d(shape.width, shape.width, 3, stride=2, padding=1)
        for convolution in (self.conv1, self.conv2):
            nn.init.kaiming_normal_(convolution.weight)
        self.register_buffer("positional_embedding", sinusoids(shape.audio_ctx, shape.width))
        self.blocks = nn.ModuleList(
            Block(shape.width, shape.heads, False) for _ in range(shape.encoder_layers)
        )
        self.ln_post = nn.LayerNorm(shape.width)
        for block, offsets in zip(self.blocks, NEAR_OFFSETS, strict=False):
            initialise_local_attention(block.attn, offsets)

    def forward(self, mel: Tensor) -> Tensor:
        """Encode a batch whose clips all use the same window."""
        x = _gelu(self.conv2(_gelu(self.conv1(mel)))).transpose(1, 2)
        x = x + self.positional_embedding[: x.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.ln_post(x)


class WhisperDecoder(nn.Module):
    """Token rows [b, t] and audio [b, s, d] -> logits [b, t, tokens in use] (tied with the embedding)."""

    def __init__(self, shape: Shape, tokens: int) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(tokens, shape.width)
        self.positional_embedding = nn.Parameter(torch.zeros(shape.text_ctx, shape.width))
        self.blocks = nn.ModuleList(
            Block(shape.width, shape.heads, True) for _ in range(shape.decoder_layers)
        )
        self.ln = nn.LayerNorm(shape.width)

    def forward(self, rows: Tensor, audio: Tensor, wanted: Tensor | None = None) -> Tensor:
        """Logits of the token after each position, or [n, tokens] after those of `wanted`, bool [b, t]."""
        x = self.token_embedding(rows) + self.positional_embedding[: rows.shape[1]]
        for block in self.blocks:
            x = block(x, audio)
        normed = self.ln(x)
        return (normed if wanted is None else normed[wanted]) @ self.token_embedding.weight.T


class MicroWhisper(nn.Module):
    """Encoder, decoder and a CTC head that only training uses."""

    def __init__(self, shape: Shape, token_ids: list[int], vocabulary_size: int) -> None:
        super().__init__()
        self.shape = shape
        self.token_ids = token_ids
        self.unused_logit = math.log(vocabulary_size - len(token_ids))
        self.encoder = WhisperEncoder(shape)
        self.decoder = WhisperDecoder(shape, len(token_ids))
        self.ctc = nn.Linear(shape.width, len(token_ids) + 1)
        nn.init.normal_(self.decoder.token_embedding.weight, std=0.05)
        nn.init.normal_(self.decoder.positional_embedding, std=0.02)

    def losses(
        self,
        sound: Tensor,
        inputs: Tensor,
        targets: Tensor,
        ctc_rows: Tensor,
        ctc_lengths: Tensor,
        ctc_alone: bool = False,
        encoded: bool = False,
        no_ctc: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Mean cross-entropy per token and mean CTC loss per target token.

        sound: spectrograms [b, 80, 2n]; inputs and targets int64 [b, t] (rows of the embedding, IGNORED
        in targets is left out); ctc_rows int64 [b, u], the transcripts' rows shifted by one (0 is the blank),
        ctc_lengths int64 [b]. ctc_alone: the CTC loss trains its own head only, not the encoder. encoded:
        `sound` is what the encoder made of it, [b, n, d]; then the encoder is not trained, and the CTC loss
        is 0. no_ctc: the CTC loss is 0.
        """
        with torch.autocast(sound.device.type, torch.bfloat16, enabled=fast_bfloat16(sound)):
            audio = sound if encoded else self.encoder(sound)
            logits = self.decoder(inputs, audio, targets != IGNORED).float()
        unused = logits.new_full((logits.shape[0], 1), self.unused_logit)
        ce = F.cross_entropy(torch.cat([logits, unused], 1), targets[targets != IGNORED])
        if encoded or no_ctc:
            return ce, ce.new_zeros(())
        aligned = audio.detach().float() if ctc_alone else audio.float()
        log_probabilities = F.log_softmax(self.ctc(aligned), 2).transpose(0, 1)
        lengths = torch.full((audio.shape[0],), audio.shape[1], dtype=torch.long, device=audio.device)
        ctc = F.ctc_loss(
            log_probabilities, ctc_rows, lengths, ctc_lengths, reduction="sum", zero_infinity=True
        )
        return ce, ctc / (ctc_lengths.sum() + audio.shape[0])

    @torch.no_grad()
    def take_weights(self, tensors: Mapping[str, np.ndarray]) -> None:
        """Start from the tensors of a file of the same shape, or with fewer encoder layers. Tokens that it
        does not use keep their random rows; the CTC head, which files do not have, stays as it is.
        """
        state = self.state_dict()
        for name, value in grown(tensors, self.shape.encoder_layers).items():
            given = torch.from_numpy(value)
            if name == "decoder.token_embedding.weight":
                given = given[self.token_ids]
                used = given.abs().sum(1, keepdim=True) > 0
                given = torch.where(used, given, state[name])
            state[name].copy_(given.reshape(state[name].shape))


@torch.no_grad()
def initialise_local_attention(attention: Attention, offsets: Sequence[float], gain: float = 1.3) -> None:
    """Initialise each head with attention that peaks at a fixed offset, by the sinusoidal positions.

    Query and key project onto the same sines and cosines, the query's rotated by the offset, so their product
    is a sum of cosines with its maximum at that offset. A small encoder otherwise needs most of its training
    to learn local attention.
    """
    width = attention.query.in_features
    pairs = width // attention.heads // 2
    rates = torch.exp(-math.log(10_000.0) / (width // 2 - 1) * torch.arange(pairs))
    for head, offset in enumerate(offsets[: attention.heads]):
        first = head * 2 * pairs
        for i in range(pairs):
            turn = float(rates[i]) * offset
            sine, cosine = first + i, first + pairs + i
            for row, at_sine, at_cosine in ((sine, math.cos(turn), math.sin(turn)),
                                            (cosine, -math.sin(turn), math.cos(turn))):  # fmt: skip
                attention.query.weight[row] *= 0.2
                attention.key.weight[row] *= 0.2
                attention.query.weight[row, i] += gain * at_sine
                attention.query.weight[row, width // 2 + i] += gain * at_cosine
                attention.key.weight[row, i if row == sine else width // 2 + i] += gain


def sinusoids(length: int, width: int) -> Tensor:
    """Whisper's fixed encoder positions, float32 [length, width]."""
    rates = torch.exp(-math.log(10_000.0) / (width // 2 - 1) * torch.arange(width // 2))
    angles = torch.arange(length)[:, None] * rates[None, :]
    return torch.cat([angles.sin(), angles.cos()], 1)
