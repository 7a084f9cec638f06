"""Voices made from recordings of people, by flite, RHVoice, SVOX Pico and Festival, where they are installed.

espeak-ng computes its voices from rules, and a recogniser that has heard nothing else understands nobody
else. One recorded speaker becomes many: by a rate of the recording other than its own, which moves pitch and
formants, and by another pitch.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import soxr

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.espeak import trim
from models.train.sound.recorded_voices.festival import Festival
from models.train.sound.recorded_voices.flite import Flite
from models.train.sound.recorded_voices.pico import Pico
from models.train.sound.recorded_voices.rhvoice import RhVoice

PREFIX = "recorded"
FLITE, RHVOICE, PICO, FESTIVAL = "flite", "rhvoice", "pico", "festival"
SPEAKERS = {
    "rms": FLITE, "kal16": FLITE, "slt": FLITE, "awb": FLITE,
    "bdl": RHVOICE, "clb": RHVOICE, "alan": RHVOICE, "ksp": RHVOICE, "lyubov": RHVOICE,
    "evgeniy-eng": RHVOICE, "lh0": PICO, "kh0": PICO, "ked": FESTIVAL,
    "dita": FESTIVAL, "krb": FESTIVAL, "machac": FESTIVAL, "ph": FESTIVAL, "lj": FESTIVAL, "mv": FESTIVAL,
    "lp": FESTIVAL, "pc": FESTIVAL,
}  # fmt: skip
"""Whose voice is whose program's."""
TRAIN_SPEAKERS = ("rms", "kal16", "bdl", "clb", "ked", "lh0", "kh0", "lh0", "kh0")
"""Of training, four men and three women; who stands here twice speaks twice as often."""
FOREIGN_SPEAKERS = ("dita", "krb", "machac", "ph", "lj", "mv", "lp", "pc")
"""Of training, with the sounds of Czech, Finnish and Italian: three women, a boy and four men."""
_FOREIGN_SHARE = 0.3
HELD_OUT = {FLITE: ("slt", "awb"), RHVOICE: ("alan", "ksp", "lyubov", "evgeniy-eng")}
"""By program those whom no training has: a woman and a Scot; a Scot, an Indian and two Russians."""
_USUAL_PACE = 170
"""Words a minute of espeak-ng at these speakers' own pace."""


@dataclass(frozen=True)
class Manner:
    """How a speaker speaks. formants: factor of all frequencies; pitch: further factor of the voice's."""

    speaker: str
    formants: float = 1.0
    pitch: float = 1.0

    @property
    def name(self) -> str:
        """As a voice of the clips is named."""
        return f"{PREFIX}:{self.speaker}:{self.formants:.3f}:{self.pitch:.3f}"

    @classmethod
    def of(cls, name: str) -> Manner:
        """From its name."""
        _, speaker, formants, pitch = name.split(":")
        return cls(speaker, float(formants), float(pitch))


def random_manner(rng: random.Random) -> Manner:
    """One of training, from a child's frequencies to those of a large man; a fifth are as recorded."""
    speaker = rng.choice(FOREIGN_SPEAKERS if rng.random() < _FOREIGN_SHARE else TRAIN_SPEAKERS)
    if rng.random() < 0.2:
        return Manner(speaker)
    return Manner(speaker, rng.uniform(0.86, 1.3), rng.uniform(0.8, 1.3))


_Program = Flite | RhVoice | Pico | Festival
_PROGRAMS: dict[str, type[_Program]] = {FLITE: Flite, RHVOICE: RhVoice, PICO: Pico, FESTIVAL: Festival}


class RecordedVoices:
    """The programs, each started when a voice of it speaks first."""

    def __init__(self) -> None:
        self._programs: dict[str, _Program] = {}

    def say(self, text: str, manner: Manner, words_per_minute: int = _USUAL_PACE) -> np.ndarray:
        """float32 [n] at 16 kHz in [-1, 1], without silence at either end. Raises
        `Missing`.
        """
        pace = words_per_minute / _USUAL_PACE / manner.formants
        samples, rate_hz = self.start(SPEAKERS[manner.speaker]).say(text, manner.speaker, pace, manner.pitch)
        return trim(soxr.resample(samples, rate_hz * manner.formants, MICROPHONE_RATE_HZ, quality="HQ"))

    def start(self, program: str) -> _Program:
        """That program. Raises `Missing`."""
        if program not in self._programs:
            self._programs[program] = _PROGRAMS[program]()
        return self._programs[program]
