"""Which words of an answer were played.

The position comes from the speaker if it reports how much it played, else from the clock. The voice makes one
sound of each sentence and each line of a piece, so the sounds so far hold as many of them. All words of these
count as equally long; a word that was interrupted does not count as played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from host.speaking.sentence_splitter import sentences_and_lines


@dataclass
class SpokenPiece:
    """A piece of the answer: its sentences and lines, when its sound begins on the clock, and the number of
    its sounds so far and their length, seconds.
    """

    parts: list[str]
    begins_s: float
    sounds: int = 0
    sound_s: float = 0.0

    @property
    def text(self) -> str:
        """The whole piece in one line."""
        return " ".join(self.words(whole=True))

    def add(self, seconds: float) -> None:
        """Adds a sound of this length."""
        self.sounds += 1
        self.sound_s += seconds

    def words(self, *, whole: bool) -> list[str]:
        """The words of its sounds so far; `whole`: these are all its sounds."""
        return " ".join(self.parts if whole else self.parts[: self.sounds]).split()


class PlaybackPosition:
    """The pieces of the present answer and how much of them was played."""

    def __init__(self, clock: Callable[[], float], played_s: Callable[[], float] | None = None) -> None:
        """`clock` gives seconds; `played_s` the length of all sound that the speaker has played, if it
        reports that.
        """
        self._clock, self._played_s = clock, played_s
        self.clear()

    def clear(self) -> None:
        """Starts a new answer."""
        self._pieces: list[SpokenPiece] = []
        self._before_s = self._played_s() if self._played_s else 0.0
        self._ended_s: float | None = None
        self._whole = False

    def begin(self, text: str, begins_s: float) -> SpokenPiece:
        """Adds a piece, whose sound begins at `begins_s` on the clock."""
        self._pieces.append(SpokenPiece(sentences_and_lines(text), begins_s))
        self._ended_s, self._whole = None, False
        return self._pieces[-1]

    def end(self, *, interrupted: bool) -> float:
        """Ends the answer now; `interrupted`: some of it was not played. Returns the time on the clock."""
        self._ended_s, self._whole = self._clock(), not interrupted
        return self._ended_s

    @property
    def heard_s(self) -> float:
        """Length of the answer's sound that was played, seconds."""
        if self._played_s is not None:
            return self._played_s() - self._before_s
        now_s = self._clock() if self._ended_s is None else self._ended_s
        return sum(min(piece.sound_s, max(0.0, now_s - piece.begins_s)) for piece in self._pieces)

    @property
    def heard(self) -> str:
        """The words that were played completely."""
        if self._whole:
            return " ".join(piece.text for piece in self._pieces)
        return self.after(self.heard_s)

    def after(self, seconds: float) -> str:
        """The words that are complete after `seconds` of sound."""
        words: list[str] = []
        for piece in self._pieces:
            made = piece.words(whole=piece is not self._pieces[-1])
            share = min(1.0, seconds / piece.sound_s) if piece.sound_s > 0 else 0.0
            words += made[: int(len(made) * share + 1e-6)]
            seconds -= piece.sound_s
            if seconds <= 0:
                break
        return " ".join(words)
