"""Training clips of people's recordings."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.people.recordings import LIST, WORDS, Recording, Unreadable, read_list, read_samples
from models.train.sound.people.spliced import SplicedPeople
from models.train.sound.transcripts import transcript
from models.train.sound.utterances import MAX_S, ClipGenerator, LabelledClip

_PACE = (0.87, 1.15)
"""How much faster a recording is played for a clip, which moves its pitch as well."""
_FASTEST = 1.3
_TWO_SHARE, _GAP_S = 0.25, (0.05, 0.4)
"""Share of the clips that are two recordings of one speaker, where both fit, and the pause between them."""
_SPLICED_SHARE = 0.4
"""Share of the clips that are a sentence to the headband, put together from words of one speaker, where it is
known when each word is said.
"""
_SPEECH_ABOVE = 0.03
_MARGIN_S = 0.08
_FADE_S = 0.02
_LIMIT_S = MAX_S - 0.2
_LIMIT = int(_LIMIT_S * MICROPHONE_RATE_HZ)
"""Samples of speech in a clip."""


class PeopleClips:
    """Training clips of people's recordings: at another pace, at times two in a row, over the sounds and in
    the rooms of the other clips.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `Unreadable`."""
        self._said: list[tuple[Recording, NDArray[np.float32]]] = []
        for recording in read_list(folder):
            speech = _without_silence(read_samples(recording.path))
            if len(speech) <= _FASTEST * _LIMIT:
                self._said.append((recording, speech))
        if not self._said:
            raise Unreadable(f"{folder / LIST} has no recording of at most {_FASTEST * _LIMIT_S:.1f} s.")
        self._spliced = SplicedPeople(folder) if (folder / WORDS).exists() else None
        self._around = ClipGenerator("train")
        self._of_speaker: dict[str, list[int]] = defaultdict(list)
        for number, (recording, _) in enumerate(self._said):
            self._of_speaker[recording.speaker].append(number)

    def clips(self, index: int, count: int) -> list[LabelledClip]:
        """Clips of batch `index`: all recordings in turn, each batch in another order of its own."""
        seed = 7_000_003 + index
        rng, noise_rng = random.Random(seed), np.random.default_rng(seed)
        self._around.draw_speakers(index)
        self._around.draw_babble(rng, noise_rng)
        start = index * count
        order = list(range(len(self._said)))
        random.Random(start // len(order)).shuffle(order)
        return [self._clip(order[(start + i) % len(order)], rng, noise_rng) for i in range(count)]

    def _clip(self, number: int, rng: random.Random, noise_rng: np.random.Generator) -> LabelledClip:
        if self._spliced and rng.random() < _SPLICED_SHARE:
            found = self._spliced.sentence(lambda: self._around.sentence(rng), rng)
            if found is not None and len(found.pcm) <= _FASTEST * _LIMIT:
                return self._finished(found.text, found.pcm, found.family, rng, noise_rng)
        recording, speech = self._said[number]
        text, speech = recording.sentence, _at_pace(speech, rng.uniform(*_PACE))
        if rng.random() < _TWO_SHARE:
            other, after = self._said[rng.choice(self._of_speaker[recording.speaker])]
            gap = np.zeros(int(rng.uniform(*_GAP_S) * MICROPHONE_RATE_HZ), np.float32)
            both = np.concatenate([speech, gap, _at_pace(after, rng.uniform(*_PACE))])
            if len(both) <= _LIMIT:
                text, speech = f"{text} {other.sentence}".strip(), both
        return self._finished(text, speech, "people" if text else "other speech", rng, noise_rng)

    def _finished(
        self,
        text: str,
        speech: NDArray[np.float32],
        family: str,
        rng: random.Random,
        noise_rng: np.random.Generator,
    ) -> LabelledClip:
        speech = _at_pace(speech, max(1.0, len(speech) / _LIMIT))
        return self._around.finished(speech, transcript(text), family, "", rng, noise_rng)


def _at_pace(speech: NDArray[np.float32], pace: float) -> NDArray[np.float32]:
    """The same, played so many times as fast."""
    if pace == 1.0:
        return speech
    at = np.arange(0.0, len(speech) - 1, pace)
    return np.interp(at, np.arange(len(speech)), speech).astype(np.float32)


def _without_silence(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The samples from shortly before the first loud one to shortly after the last one, faded in and out."""
    window = MICROPHONE_RATE_HZ // 50
    loud = np.sqrt(np.convolve(samples**2, np.full(window, 1 / window), "same"))
    (above,) = np.nonzero(loud > _SPEECH_ABOVE * loud.max())
    margin = int(_MARGIN_S * MICROPHONE_RATE_HZ)
    speech = samples[max(0, above[0] - margin) : above[-1] + margin].copy()
    ramp = np.linspace(0.0, 1.0, min(int(_FADE_S * MICROPHONE_RATE_HZ), len(speech)), dtype=np.float32)
    speech[: len(ramp)] *= ramp
    speech[len(speech) - len(ramp) :] *= ramp[::-1]
    return speech
