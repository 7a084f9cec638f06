"""The training corpus of the voice: sentences, the durations of their phonemes, and the target frames, cached
as a folder of arrays.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from piper.phonemize_espeak import EspeakPhonemizer

from models.train.sound.espeak_events import EspeakEvents
from models.train.voice.frames import HOP, SAMPLE_RATE_HZ, Frames, measure
from models.train.voice.phoneme_alignment import AlignmentMismatch, align, phonemes
from models.train.voice.sentences import sample_sentence

VOICE = "en-us"
RATE_WPM = 165
SEED, N_SENTENCES = 7, 2600
SILENT_END_S = 0.15
"""Silence after each sentence: the duration of the closing symbol."""
_LAYERS = ("voiced_pcm", "noise_pcm")
_FEATURES = ("f0_hz", "gates", "voiced", "noise")


@dataclass(frozen=True)
class Corpus:
    """All sentences, concatenated. texts: the sentences; symbol_at, frame_at: int64 [n + 1], where each
    begins; symbols, durations: int64 [sum S]; the features: [sum N, ...]; *_pcm: int16 [sum N * HOP].
    """

    texts: tuple[str, ...]
    symbol_at: np.ndarray
    frame_at: np.ndarray
    symbols: np.ndarray
    durations: np.ndarray
    f0_hz: np.ndarray
    gates: np.ndarray
    voiced: np.ndarray
    noise: np.ndarray
    voiced_pcm: np.ndarray
    noise_pcm: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class _Sentence:
    text: str
    symbols: np.ndarray
    durations: np.ndarray
    frames: Frames
    voiced_pcm: np.ndarray
    noise_pcm: np.ndarray


def frame_durations(ends: np.ndarray) -> np.ndarray:
    """int64 [S]: durations in whole frames, from the ends of the symbols in samples; rounding errors do not
    accumulate.
    """
    return np.diff(np.round(ends / HOP).astype(np.int64), prepend=0)


def _sentences(seed: int, folder: Path) -> Iterator[_Sentence]:
    espeak = EspeakEvents(VOICE, RATE_WPM, folder)
    if espeak.sample_rate != SAMPLE_RATE_HZ:
        raise OSError(f"espeak-ng speaks at {espeak.sample_rate} Hz, not {SAMPLE_RATE_HZ}")
    phonemizer = EspeakPhonemizer()
    rng = random.Random(seed)
    seen: set[str] = set()
    while True:
        text = sample_sentence(rng)
        if text in seen:
            continue
        seen.add(text)
        try:
            sentence = phonemes(phonemizer, VOICE, text)
            full, voiced = espeak.say(text, "full"), espeak.say(text, "voiced")
            if len(full.pcm) != len(voiced.pcm):
                continue
            aligned = align(sentence, full.marks, len(full.pcm))
        except AlignmentMismatch:
            continue
        ends = aligned.ends.copy()
        ends[-1] += round(SILENT_END_S * SAMPLE_RATE_HZ)
        durations = frame_durations(ends)
        n_frames = int(durations.sum())
        whole, harmonic = (
            np.pad(p.astype(np.float32), (0, HOP * n_frames))[: HOP * n_frames]
            for p in (full.pcm, voiced.pcm)
        )
        hiss = whole - harmonic
        frames = measure(harmonic / 32768, hiss / 32768, n_frames)
        pcm = [np.clip(layer, -32767, 32767).astype(np.int16) for layer in (harmonic, hiss)]
        yield _Sentence(text, aligned.symbols, durations, frames, *pcm)


def build(folder: Path, n_sentences: int, seed: int) -> Corpus:
    """The corpus of `n_sentences`, generated on the first call and read from `folder` afterwards."""
    root = folder / f"corpus-{n_sentences}-{seed}"
    if not (root / "texts.json").exists():
        root.mkdir(parents=True, exist_ok=True)
        source = _sentences(seed, folder)
        _write(root, [next(source) for _ in range(n_sentences)])
    return _read(root)


def _write(root: Path, sentences: list[_Sentence]) -> None:
    def save(name: str, parts: list[np.ndarray]) -> None:
        np.save(root / f"{name}.npy", np.concatenate(parts))

    np.save(root / "symbol_at.npy", np.cumsum([0] + [len(s.symbols) for s in sentences]))
    np.save(root / "frame_at.npy", np.cumsum([0] + [int(s.durations.sum()) for s in sentences]))
    save("symbols", [s.symbols for s in sentences])
    save("durations", [s.durations for s in sentences])
    for name in _FEATURES:
        save(
            name,
            [
                getattr(s.frames, name).astype(np.float32 if name == "f0_hz" else np.float16)
                for s in sentences
            ],
        )
    for name in _LAYERS:
        save(name, [getattr(s, name) for s in sentences])
    (root / "texts.json").write_text(json.dumps([s.text for s in sentences]))


def _read(root: Path) -> Corpus:
    names = ("symbol_at", "frame_at", "symbols", "durations", *_FEATURES, *_LAYERS)
    arrays = {name: np.load(root / f"{name}.npy", mmap_mode="r") for name in names}
    return Corpus(tuple(json.loads((root / "texts.json").read_text())), **arrays)
