"""Synthesis of speech from frames: a pulse train and fixed noise, each filtered by a minimum-phase envelope,
and summed. The module exports to ONNX without changes.

The filter of a frame acts on a Hann window of 256 samples of the excitation; windows overlap by half and sum
to one, which interpolates between filters. Fourier transforms are matrix products, because the exported graph
has to run on every ONNX Runtime.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from models.train.voice.frames import HOP, SAMPLE_RATE_HZ, VOICED_ORDER

FFT = 768
_NOISE_SAMPLES = 65536
_PULSE_HALF_WIDTH = 16.0
_LOUDEST_NEPER = 4.0


class Synthesiser(nn.Module):
    """Deterministic harmonic-plus-noise synthesis."""

    def __init__(self) -> None:
        super().__init__()
        self._constant("window", np.hanning(2 * HOP + 1)[:-1])
        time = np.arange(FFT)[:, None]
        bins = np.arange(FFT // 2 + 1)
        angle = 2 * np.pi * time * bins / FFT
        self._constant("to_real", np.cos(angle[: 2 * HOP]))
        self._constant("to_imaginary", -np.sin(angle[: 2 * HOP]))
        weight = np.where((bins == 0) | (bins == FFT // 2), 1.0, 2.0) / FFT
        self._constant("from_real", (np.cos(angle) * weight).T)
        self._constant("from_imaginary", (-np.sin(angle) * weight).T)
        self._constant("cosines", np.cos(angle[:VOICED_ORDER]))
        self._constant("sines", np.sin(angle[:VOICED_ORDER]))
        self._constant("hiss", np.random.default_rng(5).standard_normal(_NOISE_SAMPLES))
        self._constant("ramp", np.arange(HOP) / HOP)

    def _constant(self, name: str, value: np.ndarray) -> None:
        self.register_buffer(name, torch.tensor(value, dtype=torch.float32), persistent=False)

    def pulses(self, f0_hz: Tensor) -> Tensor:
        """Band-limited pulse train of unit power, [B, (N + 1) * HOP], for f0_hz [B, N]; it begins half a
        frame before the first frame.
        """
        first, last = f0_hz[:, :1], f0_hz[:, -1:]
        edges = torch.cat((first, f0_hz, last), 1)
        start, end = edges[:, :-1, None], edges[:, 1:, None]
        pitch = start + (end - start) * self.ramp
        within = torch.cumsum(pitch, 2) / SAMPLE_RATE_HZ
        total = within[:, :, -1]
        before = torch.cumsum(total, 1) - total
        phase = within + (before - torch.floor(before))[:, :, None]
        phase = phase - torch.floor(phase + 0.5)
        period = SAMPLE_RATE_HZ / pitch
        offset = phase * period
        taper = 0.5 + 0.5 * torch.cos(
            offset.abs().clamp(max=_PULSE_HALF_WIDTH) * (math.pi / _PULSE_HALF_WIDTH)
        )
        angle = offset * math.pi
        small = (angle.abs() < 1e-3).to(angle.dtype)
        sinc = small + (1 - small) * torch.sin(angle) / (angle + small)
        return (sinc * taper * torch.sqrt(period)).reshape(f0_hz.shape[0], -1)

    def noise_like(self, pulses: Tensor) -> Tensor:
        """Fixed white noise of unit power in the shape of `pulses`."""
        index = torch.arange(pulses.shape[1], device=pulses.device) % _NOISE_SAMPLES
        return self.hiss[index][None, :].expand_as(pulses)

    def spectra(self, excitation: Tensor) -> tuple[Tensor, Tensor]:
        """Spectra of the windows of `excitation` [B, (N + 1) * HOP]: real and imaginary part [B, N, bins]."""
        blocks = excitation.reshape(excitation.shape[0], -1, HOP)
        pieces = torch.cat((blocks[:, :-1], blocks[:, 1:]), 2) * self.window
        return pieces @ self.to_real, pieces @ self.to_imaginary

    def filtered(
        self, spectrum: tuple[Tensor, Tensor], cepstrum: Tensor, gain: Tensor
    ) -> tuple[Tensor, Tensor]:
        """`spectrum` times `gain` [B, N, 1] times the minimum-phase filter of `cepstrum` [B, N, order]."""
        order = cepstrum.shape[2]
        size = torch.exp((cepstrum @ self.cosines[:order]).clamp(max=_LOUDEST_NEPER)) * gain
        angle = cepstrum @ self.sines[:order]
        real, imaginary = size * torch.cos(angle), -size * torch.sin(angle)
        return spectrum[0] * real - spectrum[1] * imaginary, spectrum[0] * imaginary + spectrum[1] * real

    def to_time(self, spectrum: tuple[Tensor, Tensor]) -> Tensor:
        """Overlap-add of the inverse transforms: [B, N * HOP]."""
        pieces = spectrum[0] @ self.from_real + spectrum[1] @ self.from_imaginary
        parts = FFT // HOP
        rows = [
            nn.functional.pad(pieces[:, :, k * HOP : (k + 1) * HOP], (0, 0, k, parts - 1 - k))
            for k in range(parts)
        ]
        total = torch.stack(rows).sum(0).reshape(pieces.shape[0], -1)
        n_samples = pieces.shape[1] * HOP
        return total[:, HOP // 2 : HOP // 2 + n_samples]

    def layers(self, f0_hz: Tensor, gates: Tensor, voiced: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """The voiced layer and the noise layer, each [B, N * HOP]; `gates` [B, N, 2] in 0 to 1."""
        pulses = self.pulses(f0_hz)
        tone = self.filtered(self.spectra(pulses), voiced, gates[:, :, :1])
        hiss = self.filtered(self.spectra(self.noise_like(pulses)), noise, gates[:, :, 1:])
        return self.to_time(tone), self.to_time(hiss)

    def forward(self, f0_hz: Tensor, gates: Tensor, voiced: Tensor, noise: Tensor) -> Tensor:
        """The speech [B, N * HOP]; see `layers`."""
        pulses = self.pulses(f0_hz)
        tone = self.filtered(self.spectra(pulses), voiced, gates[:, :, :1])
        hiss = self.filtered(self.spectra(self.noise_like(pulses)), noise, gates[:, :, 1:])
        return self.to_time((tone[0] + hiss[0], tone[1] + hiss[1]))
