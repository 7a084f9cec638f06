"""Trains the voice: `python -m models.train.voice.train --out DIR`.

The first steps are a regression on the measured features of frames. In the later ones the loss also compares
both layers of the synthesised speech with espeak-ng's, by their spectra at three resolutions. Seeds are
fixed; training resumes from the checkpoint in DIR, which SIGTERM and Ctrl-C write too, as if it had not been
interrupted.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.train.stopping import Stopping, stopping
from models.train.voice.export import export
from models.train.voice.frames import HOP, NOISE_ORDER, SAMPLE_RATE_HZ, VOICED_ORDER
from models.train.voice.model import F0_MEAN_HZ, Acoustic, Predicted
from models.train.voice.pairs import N_SENTENCES, SEED, Corpus, build
from models.train.voice.synthesis import Synthesiser

CACHE = Path(".cache/train/voice")
_VALIDATION = 40
_BATCH_FRAMES = 3600
_LEARNING_RATE = 1.5e-3
_RESOLUTIONS = (512, 1024, 2048)
_PIECE_FRAMES = 192


@dataclass(frozen=True)
class Batch:
    """Sentences padded to equal length: symbols, durations, present [B, S]; target features and frame mask
    [B, N, ...].
    """

    symbols: Tensor
    durations: Tensor
    present: Tensor
    f0_hz: Tensor
    gates: Tensor
    voiced: Tensor
    noise: Tensor
    mask: Tensor
    voiced_pcm: Tensor
    noise_pcm: Tensor


def make_batch(corpus: Corpus, rows: list[int]) -> Batch:
    """The sentences `rows` of the corpus."""
    frame_at, symbol_at = corpus.frame_at, corpus.symbol_at
    n_frames = max(int(frame_at[r + 1] - frame_at[r]) for r in rows)
    n_frames += n_frames % 2
    n_symbols = max(int(symbol_at[r + 1] - symbol_at[r]) for r in rows)

    def padded(values: np.ndarray, at: np.ndarray, length: int, step: int = 1) -> Tensor:
        out = np.zeros(
            (len(rows), length * step, *values.shape[1:]),
            np.int64 if values.dtype == np.int64 else np.float32,
        )
        for i, r in enumerate(rows):
            part = values[at[r] * step : at[r + 1] * step]
            out[i, : len(part)] = part
        return torch.from_numpy(out)

    ones = np.ones(int(frame_at[-1]), np.float32)
    durations = padded(corpus.durations, symbol_at, n_symbols)
    present = padded(np.ones(int(symbol_at[-1]), np.int64), symbol_at, n_symbols) > 0
    frames = {
        name: padded(getattr(corpus, name), frame_at, n_frames)
        for name in ("f0_hz", "gates", "voiced", "noise")
    }
    pcm = {
        name: padded(getattr(corpus, name), frame_at, n_frames, HOP) / 32768
        for name in ("voiced_pcm", "noise_pcm")
    }
    symbols = padded(corpus.symbols, symbol_at, n_symbols)
    return Batch(symbols, durations, present, **frames, mask=padded(ones, frame_at, n_frames), **pcm)


def batches(corpus: Corpus, rng: np.random.Generator) -> list[list[int]]:
    """An epoch of batches in random order: sentences of similar length, about _BATCH_FRAMES frames each."""
    lengths = np.diff(corpus.frame_at)[_VALIDATION:]
    order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(lengths))) + _VALIDATION
    groups: list[list[int]] = [[]]
    for row in order:
        longest = int(corpus.frame_at[row + 1] - corpus.frame_at[row])
        if (len(groups[-1]) + 1) * longest > _BATCH_FRAMES and groups[-1]:
            groups.append([])
        groups[-1].append(int(row))
    rng.shuffle(groups)
    return groups


class FeatureLoss:
    """Distance of predicted from measured features; of envelopes in nepers, on a mel-like frequency scale."""

    def __init__(self) -> None:
        mel = np.linspace(0, 2595 * np.log10(1 + SAMPLE_RATE_HZ / 2 / 700), 64)
        omega = 2 * np.pi * 700 * (10 ** (mel / 2595) - 1) / SAMPLE_RATE_HZ
        cosines = np.cos(omega[None, :] * np.arange(VOICED_ORDER)[:, None])
        self._cosines = torch.tensor(cosines, dtype=torch.float32)

    def __call__(self, predicted: Predicted, frames: Tensor, batch: Batch) -> dict[str, Tensor]:
        """Terms of the loss; `frames` [B, S] are the predicted durations."""
        voiced_mask, noise_mask = batch.gates[:, :, 0] * batch.mask, batch.gates[:, :, 1] * batch.mask
        gate = torch.nn.functional.binary_cross_entropy_with_logits(
            predicted.gate_logits, batch.gates, reduction="none"
        )
        wanted, got = torch.log(batch.durations + 0.25), torch.log(frames.clamp(min=-0.2) + 0.25)
        present = batch.present.to(torch.float32)
        return {
            "voiced": _mean(((predicted.voiced - batch.voiced) @ self._cosines).abs().mean(2), voiced_mask),
            "noise": _mean(
                ((predicted.noise - batch.noise) @ self._cosines[:NOISE_ORDER]).abs().mean(2), noise_mask
            ),
            "f0": 10
            * _mean((torch.log(predicted.f0_hz) - torch.log(batch.f0_hz.clamp(min=1))).abs(), voiced_mask),
            "gate": _mean(gate.mean(2), batch.mask),
            "duration": 0.5 * _mean((wanted - got).abs() + 0.1 * (batch.durations - frames).abs(), present),
        }


def _mean(value: Tensor, mask: Tensor) -> Tensor:
    return (value * mask).sum() / mask.sum().clamp(min=1)


def spectral_loss(got: Tensor, wanted: Tensor) -> Tensor:
    """Multi-resolution log-magnitude and linear-magnitude distance of two signals [B, n]."""
    total = torch.zeros(())
    for size in _RESOLUTIONS:
        window = torch.hann_window(size)
        a, b = (torch.stft(x, size, size // 4, window=window, return_complex=True) for x in (got, wanted))
        a, b = (torch.sqrt(x.real**2 + x.imag**2 + 1e-7) / size**0.5 for x in (a, b))
        floor = 10 ** (-70 / 20)
        total = (
            total
            + (torch.log(a + floor) - torch.log(b + floor)).abs().mean()
            + (a - b).abs().sum() / b.sum().clamp(min=1)
        )
    return total / len(_RESOLUTIONS)


def sound_loss(
    synthesiser: Synthesiser, predicted: Predicted, batch: Batch, rng: np.random.Generator
) -> Tensor:
    """Spectral distance of both layers in a random section of the batch, with the measured f0, so that the
    harmonics coincide.
    """
    n = batch.mask.shape[1]
    start = int(rng.integers(0, max(1, n - _PIECE_FRAMES)))
    cut = slice(start, start + _PIECE_FRAMES)
    gates = torch.sigmoid(predicted.gate_logits[:, cut])
    f0_hz = batch.f0_hz[:, cut].clamp(min=60)
    tone, hiss = synthesiser.layers(f0_hz, gates, predicted.voiced[:, cut], predicted.noise[:, cut])
    samples = slice(start * HOP, start * HOP + tone.shape[1])
    return spectral_loss(tone, batch.voiced_pcm[:, samples]) + spectral_loss(
        hiss, batch.noise_pcm[:, samples]
    )


def _standardise(model: Acoustic, corpus: Corpus) -> None:
    """Sets the scale and offset of the decoder's output to standard deviation and mean of the corpus."""
    gates = np.array(corpus.gates)
    with torch.no_grad():
        for start, values, gate in (
            (3, corpus.voiced, gates[:, 0]),
            (3 + VOICED_ORDER, corpus.noise, gates[:, 1]),
        ):
            chosen = np.array(values)[gate > 0].astype(np.float32)
            end = start + chosen.shape[1]
            model.offset[start:end] = torch.from_numpy(chosen.mean(0))
            model.scale[start:end] = torch.from_numpy(chosen.std(0) + 1e-3)
        model.scale[0] = float(np.log(np.array(corpus.f0_hz) / F0_MEAN_HZ).std())
        model.scale[1:3] = 4.0


def train(
    out: Path, feature_steps: int, sound_steps: int, n_sentences: int, report_every: int = 50
) -> Acoustic:
    """Trains for `feature_steps` on features, then for `sound_steps` on features and sound. The checkpoint is
    `out`/voice.pt. Raises SystemExit where a signal stops it before the end.
    """
    with stopping() as stop:
        corpus = stop.unless(lambda: build(CACHE, n_sentences, SEED))
        if corpus is None:
            raise stop.ended("Stopped before the first step; the same command begins again.")
        return _trained(out, corpus, (feature_steps, sound_steps), report_every, stop)


def _trained(
    out: Path, corpus: Corpus, steps: tuple[int, int], report_every: int, stop: Stopping
) -> Acoustic:
    """The training itself. steps: on features, on features and sound."""
    torch.manual_seed(SEED)
    model, synthesiser = Acoustic(), Synthesiser()
    _standardise(model, corpus)
    optimiser = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.01)
    loss_of, state_file = FeatureLoss(), out / "voice.pt"
    out.mkdir(parents=True, exist_ok=True)
    step, total = 0, sum(steps)
    rng = np.random.default_rng((SEED, step))
    queue: list[list[int]] = []
    if state_file.exists():
        state = torch.load(state_file, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        step = state["step"]
        rng = np.random.default_rng((SEED, step))
        if state.get("sentences") == len(corpus.frame_at):  # not in checkpoints of earlier versions
            rng.bit_generator.state, queue = state["random"], state["queue"]
    began = time.monotonic()
    sums: dict[str, float] = {}
    while step < total:
        queue = queue or batches(corpus, rng)
        batch = make_batch(corpus, queue.pop())
        for group in optimiser.param_groups:
            group["lr"] = _learning_rate(step, total)
        encoded, frames = model.encode(batch.symbols, batch.present)
        predicted = model.decode(encoded, batch.durations, batch.mask.shape[1])
        terms = loss_of(predicted, frames, batch)
        if step >= steps[0]:
            terms["sound"] = sound_loss(synthesiser, predicted, batch, rng)
        optimiser.zero_grad(set_to_none=True)
        sum(terms.values()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        for name, value in terms.items():
            sums[name] = sums.get(name, 0.0) + value.item() / report_every
        if step % report_every == 0 or step == total:
            pace = (time.monotonic() - began) / report_every
            print(step, " ".join(f"{k} {v:.4f}" for k, v in sums.items()), f"{pace:.2f} s/step", flush=True)
            began, sums = time.monotonic(), {}
        if stop or step % 200 == 0 or step == total:
            temporary = state_file.with_suffix(".tmp")
            torch.save(
                {
                    "model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step,
                    "random": rng.bit_generator.state, "queue": queue, "sentences": len(corpus.frame_at),
                },
                temporary,
            )  # fmt: skip
            os.replace(temporary, state_file)
        if stop and step < total:
            raise stop.ended(f"Stopped after step {step}; the same command goes on from there.")
    return model


def _learning_rate(step: int, total: int) -> float:
    warm = min(1.0, (step + 1) / 100)
    return _LEARNING_RATE * warm * (0.02 + 0.98 * (0.5 + 0.5 * float(np.cos(np.pi * min(1.0, step / total)))))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Train the voice and export it for Piper.")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the training state and the exported voice"
    )
    parser.add_argument("--steps", type=int, default=1800, help="steps on features")
    parser.add_argument("--sound-steps", type=int, default=500, help="steps on features and sound")
    parser.add_argument("--sentences", type=int, default=N_SENTENCES, help="sentences in the corpus")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = train(options.out, options.steps, options.sound_steps, options.sentences)
    export(model, options.out)


if __name__ == "__main__":
    main()
