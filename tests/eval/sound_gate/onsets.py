"""Speech that begins in noise, for `tests.eval.sound_gate`: synthesised, and recordings in two halves."""

from __future__ import annotations

import random
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hw.device import MICROPHONE_RATE_HZ
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import VOICES
from models.train.sound.utterances import WAKE_WORDS
from models.train.world.grammar import sample_text
from tests.eval.sound_gate.household import sound

Pcm = NDArray[np.int16]
Speech = NDArray[np.float32]
RECORDED = Path(__file__).resolve().parents[4] / "shared" / "testdata" / "speech"
TUNED_ON = frozenset(
    "beckett endgame_dialogue jfk kokoro_af_heart kokoro_am_adam kokoro_am_santa kokoro_bm_george".split()
)
"""Recordings on which the detector's thresholds were chosen; the other files, with other speakers, are held
out."""
BEFORE_S = 4.0
SOON_S = 1.5
"""A wake within this time counts as a hit: with half a second before the onset and a second to resume, the
ring still has the whole onset.
"""
SNR_DB = 10.0
NOISES = ("white", "pink", "hum", "fan", "kettle", "clatter")


@dataclass(frozen=True)
class Line:
    """An utterance: float32 [n] at 16 kHz, and its name."""

    pcm: Speech
    name: str


@dataclass(frozen=True)
class Onset:
    """One line in noise; it begins `BEFORE_S` into `pcm`."""

    pcm: Pcm
    noise: str
    name: str


def is_hit(found: list[float]) -> bool:
    """Whether one of the wakes, in seconds, is a hit for the onset."""
    return any(BEFORE_S < at <= BEFORE_S + SOON_S for at in found)


def synthetic(split: str, seed: int, count: int) -> list[Line]:
    """Sentences in the voices of that split, most of them after a wake word."""
    rng, espeak = random.Random(seed), Espeak()
    made = []
    for _ in range(count):
        words = rng.choice(WAKE_WORDS)
        if rng.random() < 0.6:
            words += " " + sample_text(rng, "held")[0]
        voice = rng.choice(VOICES[split])
        pcm = espeak.say(words, voice, rng.randint(130, 210), rng.randint(25, 75), rng.randint(20, 80))
        made.append(Line(pcm, f"{voice}: {words}"))
    return made


def recorded(held_out: bool) -> list[Line]:
    """The sections of 1-4 s that follow a pause in that half of the recordings; none without recordings."""
    made = []
    for path in sorted(RECORDED.glob("*.wav")):
        if (path.stem in TUNED_ON) == held_out:
            continue
        with wave.open(str(path)) as file:
            pcm = np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32)
        pcm /= np.float32(32768)
        frames = pcm[: pcm.size // 160 * 160].reshape(-1, 160)
        level = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-10)
        loud = level > np.percentile(level, 95) - 25
        starts = [n for n in range(len(loud)) if loud[n] and not loud[max(0, n - 30) : n].any()]
        made += [
            Line(pcm[n * 160 : n * 160 + 4 * MICROPHONE_RATE_HZ], f"{path.stem} at {n / 100:.1f} s")
            for n in starts
            if pcm.size - n * 160 > MICROPHONE_RATE_HZ
        ]
    return made


def in_noise(line: Line, kind: str, rng: np.random.Generator, babble: list[Speech]) -> Onset:
    """The line `SNR_DB` above that noise, at -40 to -20 dBFS."""
    speech = line.pcm
    pcm = sound(
        kind, rng, int(BEFORE_S * MICROPHONE_RATE_HZ) + speech.size + MICROPHONE_RATE_HZ // 2, babble
    ) * 10 ** (-SNR_DB / 20)
    pcm[int(BEFORE_S * MICROPHONE_RATE_HZ) :][: speech.size] += speech / np.sqrt(np.mean(speech**2))
    pcm *= 32768 * 10 ** (rng.uniform(-40, -20) / 20)
    return Onset(np.clip(np.round(pcm), -32768, 32767).astype(np.int16), kind, line.name)


def in_turn(
    lines: list[Line], seed: int, babble: list[Speech], kinds: tuple[str, ...] = NOISES
) -> Iterator[Onset]:
    """Each utterance once, with the noises in turn."""
    rng = np.random.default_rng(seed)
    for index, line in enumerate(lines):
        yield in_noise(line, kinds[index % len(kinds)], rng, babble)
