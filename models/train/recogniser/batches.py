"""The tokens that transcripts use, and training batches drawn from the shards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from models.brick import UNKNOWN_WORD
from models.train.recogniser.model import IGNORED
from models.train.recogniser.shards import WINDOWS, Example, window_for
from models.train.sound.transcripts import vocabulary_words
from models.train.sound.whisper_assets import END, NO_TIMESTAMPS, START, encode

POSITIONS_PER_BATCH = 3072
"""Encoder positions in a batch: 12 clips of the longest window, more clips of a shorter one."""
WIDE_SHARE = 0.2
EASY_STEPS, EASY_POSITIONS = 500, 96
"""Unless training starts from given weights, the first EASY_STEPS have only questions of up to
EASY_POSITIONS: they cost less, and the encoder learns to locate words sooner.
"""
MIN_NOISE_FRAMES = 100
TWICE = ("memory", "number alarm", "number timer", "number timer_off", "number volume")
"""Families drawn twice as often as they are spoken: one word heard wrongly in them changes the answer."""


def used_tokens() -> list[int]:
    """Ids of the tokens that transcripts use: three special tokens, then text tokens in ascending order."""
    words = [*vocabulary_words(), UNKNOWN_WORD]
    return [END, START, NO_TIMESTAMPS, *sorted({token for word in words for token in encode(word)})]


class TokenRows:
    """Transcripts as rows of the reduced embedding."""

    def __init__(self, token_ids: Sequence[int]) -> None:
        self._row = {token: row for row, token in enumerate(token_ids)}
        self.end, self.start, self.no_timestamps = (self._row[t] for t in (END, START, NO_TIMESTAMPS))

    def rows(self, text: str) -> list[int]:
        """Raises KeyError for a token outside the grammar."""
        return [self._row[token] for token in encode(text)]


@dataclass(frozen=True)
class Batch:
    """Tensors for `MicroWhisper.losses`. sound: spectrograms, or what an encoder made of them."""

    sound: Tensor
    inputs: Tensor
    targets: Tensor
    ctc_rows: Tensor
    ctc_lengths: Tensor

    def to(self, device: str) -> Batch:
        """The same on another device."""
        return Batch(*(getattr(self, part.name).to(device) for part in fields(self)))


def padded_mels(examples: Sequence[Example], window: int) -> np.ndarray:
    """float32 [b, 80, 2 x window]; the frames after a clip hold its silence value."""
    out = np.empty((len(examples), 2 * window, 80), np.float32)
    for row, example in zip(out, examples, strict=True):
        frames = min(len(example.mel), 2 * window)
        row[:frames] = example.mel[:frames]
        row[frames:] = example.silence
    return np.ascontiguousarray(out.transpose(0, 2, 1))


def augment(mels: np.ndarray, noises: Sequence[Example], rng: np.random.Generator) -> None:
    """Augments spectrograms [b, 80, frames] in place: vocal-tract length (a shift of the bands by up to 3.5,
    about 15 % of a formant's frequency), frequency response, noise, masked bands, masked frames, and level.

    A value is (log10(power) + 4) / 4; noise is added in the power domain.
    """
    bands = np.arange(80, dtype=np.float32)
    frames = mels.shape[2]
    for mel in mels:
        if rng.random() < 0.5:
            at = np.clip(bands + rng.uniform(-3.5, 3.5), 0, 79)
            low = np.minimum(at.astype(np.int64), 78)
            mel[:] = mel[low] + (at - low)[:, None] * (mel[low + 1] - mel[low])
        if rng.random() < 0.3:
            mel += np.interp(bands, (0, 26, 53, 79), rng.uniform(-0.12, 0.12, 4))[:, None].astype(np.float32)
        if noises and rng.random() < 0.3:
            noise = noises[int(rng.integers(len(noises)))].mel
            start = int(rng.integers(len(noise)))
            wanted = np.arange(start, start + frames) % len(noise)
            added = noise[wanted].T.astype(np.float32)
            added += mel.max() - added.max() - rng.uniform(0.15, 0.8)
            np.copyto(mel, np.log10(10.0 ** (4.0 * mel) + 10.0 ** (4.0 * added)) / 4.0)
        if rng.random() < 0.3:
            first, level = int(rng.integers(0, 72)), mel.mean()
            mel[first : first + int(rng.integers(3, 13))] = level
        if rng.random() < 0.2:
            first, level = int(rng.integers(0, frames)), mel.mean()
            mel[:, first : first + int(rng.integers(2, 9))] = level
        mel += rng.uniform(-0.12, 0.12)
    np.maximum(mels, -1.5, out=mels)


def collate(mels: np.ndarray, texts: Sequence[str], tokens: TokenRows) -> Batch:
    """Teacher-forced rows: start, no-timestamps, text; the loss covers the text and the end token."""
    rows = [tokens.rows(text) for text in texts]
    length = max(map(len, rows)) + 2
    inputs = np.full((len(rows), length), tokens.end)
    targets = np.full((len(rows), length), IGNORED)
    ctc_rows = np.zeros((len(rows), max(1, length - 2)), np.int64)
    for i, row in enumerate(rows):
        inputs[i, : len(row) + 2] = [tokens.start, tokens.no_timestamps, *row]
        targets[i, 1 : len(row) + 2] = [*row, tokens.end]
        ctc_rows[i, : len(row)] = np.array(row, np.int64) + 1
    lengths = torch.tensor([len(row) for row in rows])
    rows_in, rows_out = torch.from_numpy(inputs), torch.from_numpy(targets)
    return Batch(torch.from_numpy(mels), rows_in, rows_out, torch.from_numpy(ctc_rows), lengths)


class Pool:
    """Examples grouped by window; the batch of a step depends on the seed and the step only.

    Most batches use the shortest window, in steps of 16 positions, that holds their clips, which saves a
    fifth of the computation; the others use the windows of the application.
    """

    def __init__(self, tokens: TokenRows, seed: int, positions: int = POSITIONS_PER_BATCH) -> None:
        self._tokens = tokens
        self._seed = seed
        self._positions = positions
        self._close: dict[int, list[Example]] = defaultdict(list)
        self._wide: dict[int, list[Example]] = defaultdict(list)
        self._easy: dict[int, list[Example]] = defaultdict(list)
        self._noises: list[Example] = []

    def add(self, examples: Sequence[Example]) -> None:
        """Add examples from which batches are drawn."""
        for number, example in enumerate(examples):
            if example.family == "no speech" and len(example.mel) >= MIN_NOISE_FRAMES:
                self._noises.append(example)
            positions = (len(example.mel) + 1) // 2
            if example.family == "no speech" and positions > 112 and number % 3:
                continue  # long clips without speech cost most and teach least
            close = max(48, -(-positions // 16) * 16)
            for _ in range(2 if example.family in TWICE else 1):
                self._close[close].append(example)
                if example.text and close <= EASY_POSITIONS:
                    self._easy[close].append(example)
                self._wide[window_for(len(example.mel))].append(example)

    def batch(self, step: int, easy: bool = False) -> Batch:
        """The batch of a step. A window's probability is proportional to the total length of its clips.
        easy: short questions without augmentation.
        """
        rng = np.random.default_rng((self._seed, step))
        groups = self._easy if easy else self._wide if rng.random() < WIDE_SHARE else self._close
        windows = [window for window in sorted(groups) if window <= WINDOWS[-1]]
        share = np.array([len(groups[window]) * window for window in windows], np.float64)
        window = windows[int(rng.choice(len(windows), p=share / share.sum()))]
        candidates = groups[window]
        chosen = [candidates[i] for i in rng.integers(0, len(candidates), self._positions // window)]
        mels = padded_mels(chosen, window)
        if not easy:
            augment(mels, self._noises, rng)
        return collate(mels, [example.text for example in chosen], self._tokens)


class BatchesOf(Dataset[Batch]):
    """The batches of a pool from step `first` on, for processes that make them ahead.

    encoder: one that is not trained; the batches then have what it makes of the sound.
    """

    def __init__(
        self, pool: Pool, first: int, steps: int, easy_until: int, encoder: nn.Module | None = None
    ) -> None:
        self._pool, self._first, self._steps, self._easy_until = pool, first, steps, easy_until
        self._encoder = encoder

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, index: int) -> Batch:
        step = self._first + index
        batch = self._pool.batch(step, easy=step < self._easy_until)
        if self._encoder is None:
            return batch
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            encoded = self._encoder(batch.sound)
        return replace(batch, sound=encoded.float())
