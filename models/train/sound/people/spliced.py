"""Sentences put together from the words of people's recordings.

FOLDER has recordings.tsv, the list of `models.train.sound.people.recordings`, and words.tsv, which says when
each word is said (`models.train.sound.people.pieces` writes both): `file`, `word`, `start_s`, `end_s`.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.people.recordings import WORDS, Unreadable, placed, read_list, read_samples

LONGEST_RUN = 4
"""Words in a row that are looked for in one recording, where they sound as they do in speech."""
TRIED = 30
"""Sentences that are drawn for one that a speaker has the words of."""
LEAST_OWN, LEAST_WORDS = 0.7, 300
_EDGE_S, _FADE_S = 0.01, 0.008


@dataclass(frozen=True)
class Spoken:
    """A word in a recording; start and end: samples."""

    recording: int
    start: int
    end: int
    speaker: str


@dataclass(frozen=True, eq=False)
class Sentence:
    """pcm: float32 [n] at 16 kHz."""

    text: str
    family: str
    speaker: str
    pcm: NDArray[np.float32]


class SplicedPeople:
    """Says sentences in people's voices."""

    def __init__(self, folder: Path, least_own: float = LEAST_OWN, least_words: int = LEAST_WORDS) -> None:
        """least_own: so many of a sentence's words have to be its speaker's own; others say the rest.
        least_words: a speaker of fewer lends them to others only, so that there may be no `speakers`. Raises
        `Unreadable`.
        """
        self._least_own = least_own
        self._sounds: list[NDArray[np.int16]] = []
        self._spoken: list[Spoken] = []
        self._where: dict[str, list[int]] = defaultdict(list)
        self._own: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._words: list[str] = []
        speakers = {str(each.path): each.speaker for each in read_list(folder)}
        for path, words in _words_of(folder).items():
            if path in speakers:
                self._add(path, words, speakers[path])
        counts: dict[str, int] = defaultdict(int)
        for each in self._spoken:
            counts[each.speaker] += 1
        self.speakers = sorted(name for name, count in counts.items() if count >= least_words)

    def _add(self, path: str, words: Sequence[tuple[str, float, float]], speaker: str) -> None:
        samples = (read_samples(Path(path)) * 32767).astype(np.int16)
        self._sounds.append(samples)
        for word, start_s, end_s in words:
            at = len(self._spoken)
            bounds = (int((s + by) * MICROPHONE_RATE_HZ) for s, by in ((start_s, -_EDGE_S), (end_s, _EDGE_S)))
            start, end = (min(max(0, sample), len(samples)) for sample in bounds)
            self._spoken.append(Spoken(len(self._sounds) - 1, start, end, speaker))
            self._words.append(word)
            self._where[word].append(at)
            self._own[speaker, word].append(at)

    def sentence(self, draw: Callable[[], tuple[str, str]], rng: random.Random) -> Sentence | None:
        """Of `TRIED` sentences that a random speaker can say, that with the most words of their own. draw:
        gives a text and its family.
        """
        if not self.speakers:
            return None
        speaker = rng.choice(self.speakers)
        best, most = None, self._least_own
        for _ in range(TRIED):
            text, family = draw()
            words = text.split()
            if not words or any(word not in self._where for word in words):
                continue
            own = sum((speaker, word) in self._own for word in words) / len(words)
            if own >= most:
                best, most = (text, family), own + 1e-9
        if best is None:
            return None
        return Sentence(*best, speaker, self._say(best[0].split(), speaker, rng))

    def _say(self, words: Sequence[str], speaker: str, rng: random.Random) -> NDArray[np.float32]:
        parts: list[NDArray[np.float32]] = []
        at = 0
        while at < len(words):
            first, count = self._run(words[at : at + LONGEST_RUN], speaker, rng)
            last = first + count - 1
            sound = self._sounds[self._spoken[first].recording]
            parts.append(_faded(sound[self._spoken[first].start : self._spoken[last].end]))
            at += count
        return np.concatenate(parts)

    def _run(self, words: Sequence[str], speaker: str, rng: random.Random) -> tuple[int, int]:
        """Where as many of the words as possible are said in a row, from the first on; how many those are."""
        found = self._own.get((speaker, words[0])) or self._where[words[0]]
        for count in range(len(words), 1, -1):
            runs = [
                at
                for at in found
                if self._words[at : at + count] == list(words[:count]) and self._whole(at, count)
            ]
            if runs:
                return rng.choice(runs), count
        return rng.choice(found), 1

    def _whole(self, at: int, count: int) -> bool:
        """Whether so many words from there on are of one recording."""
        return self._spoken[at].recording == self._spoken[at + count - 1].recording


def _words_of(folder: Path) -> dict[str, list[tuple[str, float, float]]]:
    path = folder / WORDS
    found: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                times = float(row["start_s"]), float(row["end_s"])
                found[str(placed(folder, row["file"]))].append((row["word"], *times))
    except (OSError, UnicodeDecodeError, KeyError, ValueError, TypeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.") from None
    return found


def _faded(samples: NDArray[np.int16]) -> NDArray[np.float32]:
    ramp = np.linspace(0.0, 1.0, min(int(_FADE_S * MICROPHONE_RATE_HZ), len(samples)), dtype=np.float32)
    faded: NDArray[np.float32] = samples.astype(np.float32) * np.float32(1 / 32767)
    faded[: len(ramp)] *= ramp
    faded[len(faded) - len(ramp) :] *= ramp[::-1]
    return faded
