"""The voice: phoneme encoder, durations, frame decoder and synthesis, with inputs and outputs as Piper's
models.

Piper puts a padding id between all phonemes. The model reads every second id, which are the phonemes from ^
to $; the padding has a duration of zero frames. The decoder works on pairs of frames, at half the cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from models.train.voice.frames import NOISE_ORDER, VOICED_ORDER
from models.train.voice.synthesis import Synthesiser

N_SYMBOLS = 256
ENCODER = 128
DECODER = 192
F0_MEAN_HZ = 100.0
PEAK = 0.7
"""Peak amplitude of a sentence: 3 dB below full scale."""
_FADE_SAMPLES = 96
_PLACE = 4


@dataclass(frozen=True)
class Predicted:
    """The decoder's output for N frames. f0_hz: [B, N]; gate_logits: [B, N, 2]; voiced, noise: cepstra
    [B, N, order].
    """

    f0_hz: Tensor
    gate_logits: Tensor
    voiced: Tensor
    noise: Tensor


class ConvolutionBlock(nn.Module):
    """Residual block on [B, N, C]: layer norm, dilated convolution over time, ReLU, linear."""

    def __init__(self, channels: int, taps: int, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.window = nn.Conv1d(channels, channels, taps, padding=dilation * (taps // 2), dilation=dilation)
        self.out = nn.Linear(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.window(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.out(nn.functional.relu(inner))


class SelfAttention(nn.Module):
    """Residual self-attention over the symbols of a sentence, [B, S, C]. present [B, S]: False for
    padding.
    """

    def __init__(self, channels: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(channels)
        self.qkv = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        batch, length, channels = x.shape
        q, k, v = (
            part.reshape(batch, length, self.heads, channels // self.heads).transpose(1, 2)
            for part in self.qkv(self.norm(x)).chunk(3, 2)
        )
        score = q @ k.transpose(2, 3) * (channels // self.heads) ** -0.5
        score = score + (1 - present.to(x.dtype))[:, None, None, :] * -1e4
        mixed = (torch.softmax(score, 3) @ v).transpose(1, 2).reshape(batch, length, channels)
        return x + self.out(mixed)


class Acoustic(nn.Module):
    """The acoustic model: symbols to frames."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(N_SYMBOLS, ENCODER)
        self.place_in = nn.Linear(2 * _PLACE, ENCODER)
        self.near = nn.ModuleList(ConvolutionBlock(ENCODER, 5, dilation) for dilation in (1, 1))
        self.gather = nn.ModuleList((SelfAttention(ENCODER),))
        self.far = nn.ModuleList(ConvolutionBlock(ENCODER, 5, dilation) for dilation in (1, 3, 9))
        self.duration = nn.Sequential(
            ConvolutionBlock(ENCODER, 3, 1), nn.LayerNorm(ENCODER), nn.Linear(ENCODER, 1)
        )
        self.enter = nn.Linear(2 * (ENCODER + 3), DECODER)
        self.blocks = nn.ModuleList(ConvolutionBlock(DECODER, 3, dilation) for dilation in (1, 2, 4, 1, 2, 1))
        self.leave = nn.Linear(DECODER, 2 * (3 + VOICED_ORDER + NOISE_ORDER))
        self.register_buffer("offset", torch.zeros(3 + VOICED_ORDER + NOISE_ORDER))
        self.register_buffer("scale", torch.ones(3 + VOICED_ORDER + NOISE_ORDER))

    def encode(self, symbols: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
        """int64 `symbols` [B, S] -> encodings [B, S, ENCODER], and unrounded durations in frames [B, S]."""
        mask = present.to(torch.float32)
        count = mask.sum(1, keepdim=True)
        index = torch.cumsum(mask, 1) - 1
        x = self.embed(symbols) + self.place_in(
            torch.cat((_position_features(index), _position_features(count - 1 - index)), 2)
        )
        x = x * mask[:, :, None]
        for block in self.near:
            x = block(x) * mask[:, :, None]
        for attention in self.gather:
            x = attention(x, present)
        for block in self.far:
            x = block(x) * mask[:, :, None]
        frames = torch.exp(self.duration(x)[:, :, 0].clamp(-5, 5)) - 0.25
        return x, frames * mask

    def decode(self, encoded: Tensor, durations: Tensor, n_frames: Tensor | int) -> Predicted:
        """Encodings [B, S, C] and durations [B, S] in whole frames -> frames. n_frames: even, at least the
        longest row's.
        """
        ends = torch.cumsum(durations, 1)
        frame = torch.arange(n_frames, device=encoded.device)
        at = (frame[None, :, None] >= ends[:, None, :]).to(torch.int64).sum(2).clamp(max=encoded.shape[1] - 1)
        length = torch.gather(durations, 1, at).to(encoded.dtype)
        since = (frame[None, :] - torch.gather(ends - durations, 1, at)).to(encoded.dtype) + 0.5
        through = (since / length.clamp(min=1)).clamp(max=1)
        place = torch.stack((through, torch.log1p(since), torch.log1p((length - since).clamp(min=0))), 2)
        rows = torch.gather(encoded, 1, at[:, :, None].expand(-1, -1, encoded.shape[2]))
        x = torch.cat((rows, place), 2)
        x = self.enter(x.reshape(x.shape[0], -1, 2 * x.shape[2]))
        for block in self.blocks:
            x = block(x)
        y = self.leave(x).reshape(x.shape[0], -1, self.offset.shape[0]) * self.scale + self.offset
        f0_hz = F0_MEAN_HZ * torch.exp(y[:, :, 0].clamp(-0.7, 0.9))
        return Predicted(f0_hz, y[:, :, 1:3], y[:, :, 3 : 3 + VOICED_ORDER], y[:, :, 3 + VOICED_ORDER :])


def _position_features(position: Tensor) -> Tensor:
    """Features [B, S, _PLACE] of a position in symbols: tanh at different scales."""
    rates = torch.tensor([1 / 4, 1 / 12, 1 / 36, 1 / 108], device=position.device)
    return torch.tanh(position[:, :, None] * rates)


class PiperVoice(nn.Module):
    """The exported model: ids int64 [1, T], lengths int64 [1], scales float32 [3] -> audio [1, 1, 1, n],
    frames per id [1, T].

    scales: noise_scale, length_scale, noise_w. length_scale multiplies all durations; the voice is
    deterministic, so the other two have no effect.
    """

    def __init__(self, acoustic: Acoustic, synthesiser: Synthesiser) -> None:
        super().__init__()
        self.acoustic, self.synthesiser = acoustic, synthesiser
        fade = torch.sin(torch.linspace(0, 1, _FADE_SAMPLES) * torch.pi / 2) ** 2
        self.register_buffer("fade", fade, persistent=False)

    def forward(self, ids: Tensor, lengths: Tensor, scales: Tensor) -> tuple[Tensor, Tensor]:
        symbols = ids[:, ::2]
        index = torch.arange(symbols.shape[1], device=ids.device)[None, :]
        present = index * 2 < lengths[:, None]
        encoded, raw = self.acoustic.encode(symbols, present)
        ends = torch.round(torch.cumsum(raw.clamp(min=0), 1) * scales[1] + 0 * (scales[0] + scales[2]))
        odd = ends[:, -1:] - 2 * torch.floor(ends[:, -1:] / 2)
        ends = torch.cat((ends[:, :-1], ends[:, -1:] + odd), 1)
        durations = torch.cat((ends[:, :1], ends[:, 1:] - ends[:, :-1]), 1)
        n_frames = ends[0, -1].to(torch.int64)
        predicted = self.acoustic.decode(encoded, durations.to(torch.int64), n_frames)
        gates = torch.sigmoid(predicted.gate_logits)
        audio = self.synthesiser(predicted.f0_hz, gates, predicted.voiced, predicted.noise)
        body = torch.ones_like(audio[:, 2 * _FADE_SAMPLES :])
        envelope = torch.cat((self.fade[None], body, torch.flip(self.fade, (0,))[None]), 1)
        audio = audio * envelope
        audio = audio * (PEAK / audio.abs().max().clamp(min=1e-3))
        per_id = torch.stack((durations, torch.zeros_like(durations)), 2).reshape(1, -1)[:, : ids.shape[1]]
        return audio[:, None, None, :], per_id
