"""What of an answer was really heard, in words."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Spoken:
    """Sentences in the order in which they sound, each with its length as far as it was made."""

    _sentences: list[tuple[str, float]] = field(default_factory=list)

    def clear(self) -> None:
        """A new answer begins."""
        self._sentences.clear()

    def begin(self, sentence: str) -> None:
        """The first sound of a sentence is there."""
        self._sentences.append((sentence, 0.0))

    def add(self, seconds: float) -> None:
        """So much more sound of the last sentence is there."""
        sentence, before_s = self._sentences[-1]
        self._sentences[-1] = sentence, before_s + seconds

    def heard(self, seconds: float) -> str:
        """The words that were over after so many seconds of sound. Words of a sentence count as equally long;
        one cut in two was not heard.
        """
        words: list[str] = []
        for sentence, sound_s in self._sentences:
            parts = sentence.split()
            share = min(1.0, seconds / sound_s) if sound_s > 0 else 0.0
            words += parts[: int(len(parts) * share + 1e-6)]
            seconds -= sound_s
            if seconds <= 0:
                break
        return " ".join(words)
