"""How much of an answer was really heard, in words.

A speaker that tells what it played is believed; else the clock has to do, as if a piece had been heard from
its beginning on. Words of a piece count as equally long, and one cut in two was not heard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class SpokenPiece:
    """Something said: when its sound begins on the clock, and how long it is so far, seconds."""

    text: str
    begins_s: float
    sound_s: float = 0.0


class PlaybackPosition:
    """The sound of the present answer, piece after piece."""

    def __init__(self, clock: Callable[[], float], played_s: Callable[[], float] | None = None) -> None:
        """`played_s`: length of all sound that the speaker has let be heard so far, if it knows."""
        self._clock, self._played_s = clock, played_s
        self.clear()

    def clear(self) -> None:
        """A new answer begins."""
        self._pieces: list[SpokenPiece] = []
        self._before_s = self._played_s() if self._played_s else 0.0
        self._ended_s: float | None = None
        self._whole = False

    def begin(self, text: str, begins_s: float) -> SpokenPiece:
        """The first sound of a piece is there, and will be heard from that moment on."""
        self._pieces.append(SpokenPiece(text, begins_s))
        self._ended_s, self._whole = None, False
        return self._pieces[-1]

    def end(self, *, interrupted: bool) -> float:
        """No more is heard from now on; `cut`: something was left. Returns the moment."""
        self._ended_s, self._whole = self._clock(), not interrupted
        return self._ended_s

    @property
    def heard_s(self) -> float:
        """Length of the answer's sound that was heard, seconds."""
        if self._played_s is not None:
            return self._played_s() - self._before_s
        now_s = self._clock() if self._ended_s is None else self._ended_s
        return sum(min(piece.sound_s, max(0.0, now_s - piece.begins_s)) for piece in self._pieces)

    @property
    def heard(self) -> str:
        """The words that were over by now."""
        if self._whole:
            return " ".join(word for piece in self._pieces for word in piece.text.split())
        return self.after(self.heard_s)

    def after(self, seconds: float) -> str:
        """The words that are over after so many seconds of sound."""
        words: list[str] = []
        for piece in self._pieces:
            parts = piece.text.split()
            share = min(1.0, seconds / piece.sound_s) if piece.sound_s > 0 else 0.0
            words += parts[: int(len(parts) * share + 1e-6)]
            seconds -= piece.sound_s
            if seconds <= 0:
                break
        return " ".join(words)
