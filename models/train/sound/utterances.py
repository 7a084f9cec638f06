"""Synthesised clips with transcripts: questions, other speech, noise and silence.

A clip is at most 5.12 s, the window of the micro recogniser. It begins with 0-0.6 s and ends with 0.1-0.7 s
without speech. About 30 % of the questions follow the wake word, or its last 100-500 ms, in the same voice,
because a recording starts shortly before the wake word is detected; the transcript does not contain it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import (
    DRAWN_ACCENTS,
    DRAWN_SPEAKERS,
    PLAIN_VOICES,
    TRAIN_LANGUAGES,
    TRAIN_VARIANTS,
    VOICES,
)
from models.train.sound.noise import KINDS, add_noise, make_noise
from models.train.world.grammar import PREFIXES, is_held_out, sample_text
from models.train.world.out_of_grammar import TEST_SENTENCES, out_of_grammar_sentence

MAX_S = 5.12
SPLICED_SHARE = 0.4
WAKE_WORDS = ("okay nabu", "alexa", "hey jarvis", "hey mycroft")
_SEEDS = {"train": 1, "validation": 2, "test": 3}


def spliced(rng: random.Random) -> str:
    """The beginning of one training question and the end of another.

    Such sentences keep the decoder from memorising the questions: it has to recognise words in new orders.
    Held-out questions are excluded.
    """
    while True:
        first, second = (sample_text(rng, "train")[0].split() for _ in range(2))
        words = first[: rng.randint(0, len(first))] + second[rng.randrange(len(second)) :]
        if rng.random() < 0.25:
            words.insert(0, rng.choice(PREFIXES))
        if len(words) <= 12 and not is_held_out(" ".join(words)):
            return " ".join(words)


@dataclass(frozen=True)
class LabelledClip:
    """pcm: float32 [n] at 16 kHz in [-1, 1]; text: transcript; family: kind of question or of other sound;
    voice: of espeak-ng; snr_db: None without added noise.
    """

    pcm: np.ndarray
    text: str
    family: str
    voice: str
    snr_db: float | None


class ClipGenerator:
    """Generates clips of one split; the same split and index always give the same clips."""

    def __init__(self, split: str) -> None:
        self._split = split
        self._espeak = Espeak(more_speakers=split == "train")
        self._voices = VOICES[split]
        rng, noise_rng = random.Random(_SEEDS[split]), np.random.default_rng(_SEEDS[split])
        lines = [self._line(out_of_grammar_sentence(rng), rng.choice(self._voices), rng) for _ in range(40)]
        self._noises = {
            kind: [make_noise(kind, noise_rng, 10 * MICROPHONE_RATE_HZ, lines) for _ in range(8)]
            for kind in KINDS
        }

    def _line(self, text: str, voice: str, rng: random.Random) -> np.ndarray:
        """The text in that voice at a random rate and pitch; faster where it is too long for the window."""
        rate = rng.randint(130, 210)
        pitch, pitch_range = rng.randint(25, 75), rng.randint(20, 80)
        samples = self._espeak.say(text, voice, rate, pitch, pitch_range)
        while len(samples) > (MAX_S - 0.2) * MICROPHONE_RATE_HZ and rate < 260:
            rate += 30
            samples = self._espeak.say(text, voice, rate, pitch, pitch_range)
        return samples

    def clips(self, index: int, count: int) -> list[LabelledClip]:
        """Clips of batch `index`: 80 % questions, 12 % other speech, 8 % no speech."""
        seed = 1_000_003 * _SEEDS[self._split] + index
        rng, noise_rng = random.Random(seed), np.random.default_rng(seed)
        self._espeak.draw_speakers(index)
        made: list[LabelledClip] = []
        while len(made) < count:
            kind = rng.random()
            if kind < 0.08:
                made.append(self.nothing(rng, noise_rng))
                continue
            made.append(self.other(rng, noise_rng) if kind < 0.20 else self.question(rng, noise_rng))
        return made

    def question(self, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        """A question of the grammar: a held-out one, unless the split is "train"."""
        text, template = sample_text(rng, "train" if self._split == "train" else "held")
        if self._split == "train" and rng.random() < SPLICED_SHARE:
            text = spliced(rng)
        voice = self._voice(rng)
        speech = self._line(text, voice, rng)
        if rng.random() < 0.3:
            speech = self._after_wake_word(speech, voice, rng)
        return self._finish(speech, text, template.family, voice, rng, noise_rng)

    def other(self, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        """Speech outside the grammar, or only the wake word; the transcript is empty."""
        if rng.random() < 0.1:
            text = rng.choice(WAKE_WORDS)
        else:
            text = out_of_grammar_sentence(rng) if self._split != "test" else rng.choice(TEST_SENTENCES)
        voice = self._voice(rng)
        speech = self._line(text, voice, rng)
        return self._finish(speech, "", "other speech", voice, rng, noise_rng)

    def nothing(self, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        """Silence or background sound without speech."""
        n = int(rng.uniform(0.5, MAX_S) * MICROPHONE_RATE_HZ)
        pcm = (noise_rng.standard_normal(n) * 10.0 ** rng.uniform(-5.0, -3.5)).astype(np.float32)
        if rng.random() < 0.15:
            pcm[:] = 0.0
        elif rng.random() < 0.85:
            pcm += self._noise(rng, n) * 10.0 ** rng.uniform(-3.5, -0.8)
        return LabelledClip(np.clip(pcm, -1.0, 1.0), "", "no speech", "", None)

    def _voice(self, rng: random.Random) -> str:
        if self._split != "train":
            return rng.choice(self._voices)
        if rng.random() < 0.08:
            return rng.choice(PLAIN_VOICES)
        language = rng.choice(DRAWN_ACCENTS if rng.random() < 0.45 else TRAIN_LANGUAGES)
        variant = rng.choice(DRAWN_SPEAKERS if rng.random() < 0.6 else TRAIN_VARIANTS)
        return f"{language}+{variant}".rstrip("+")

    def _after_wake_word(self, speech: np.ndarray, voice: str, rng: random.Random) -> np.ndarray:
        wake = self._line(rng.choice(WAKE_WORDS), voice, rng)
        if rng.random() < 0.6:
            wake = wake[-int(rng.uniform(0.1, 0.5) * MICROPHONE_RATE_HZ) :]
        gap = np.zeros(int(rng.uniform(0.0, 0.3) * MICROPHONE_RATE_HZ), np.float32)
        joined = np.concatenate([wake, gap, speech])
        return joined if len(joined) <= (MAX_S - 0.15) * MICROPHONE_RATE_HZ else speech

    def _snr_db(self, rng: random.Random) -> float:
        """Uniform from 5 to 30 dB; in training from 1 to 30 dB, most often near 7."""
        return rng.triangular(1.0, 30.0, 7.0) if self._split == "train" else rng.uniform(5.0, 30.0)

    def _noise(self, rng: random.Random, n: int) -> np.ndarray:
        noise = rng.choice(self._noises[rng.choice(KINDS)])
        start = rng.randrange(len(noise) - n)
        return noise[start : start + n]

    def _finish(
        self,
        speech: np.ndarray,
        text: str,
        family: str,
        voice: str,
        rng: random.Random,
        noise_rng: np.random.Generator,
    ) -> LabelledClip:
        limit = int(MAX_S * MICROPHONE_RATE_HZ)
        speech = speech[: limit - int(0.1 * MICROPHONE_RATE_HZ)]
        room = limit - len(speech)
        after = min(room, int(rng.uniform(0.1, 0.7) * MICROPHONE_RATE_HZ))
        before = min(room - after, int(rng.uniform(0.0, 0.6) * MICROPHONE_RATE_HZ))
        pcm = np.concatenate([np.zeros(before, np.float32), speech, np.zeros(after, np.float32)])
        power = float(np.mean(speech**2)) + 1e-9
        snr_db = None if rng.random() < 0.1 else self._snr_db(rng)
        if snr_db is not None:
            pcm = add_noise(pcm, self._noise(rng, len(pcm)), snr_db, power)
        peak = 10.0 ** rng.uniform(-1.4, -0.02)
        pcm = pcm * (peak / (float(np.abs(pcm).max()) + 1e-9))
        pcm = pcm + noise_rng.standard_normal(len(pcm)).astype(np.float32) * 10.0 ** rng.uniform(-5.0, -4.0)
        return LabelledClip(pcm.astype(np.float32), text, family, voice, snr_db)
