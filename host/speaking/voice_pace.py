"""How long the voice takes to make a piece: a slow voice makes the first piece of an answer in parts."""

from __future__ import annotations

from host.speaking.sentence_splitter import FIRST_WORDS, first_phrase

LONGEST_S = 0.3
"""A first piece that takes the voice longer than this is made in two parts: the first plays meanwhile."""


class VoicePace:
    """The voice's seconds per word, of the last piece that it made."""

    def __init__(self) -> None:
        self._word_s: float | None = None

    def made(self, text: str, seconds: float) -> None:
        """The voice, in memory already, took so long for `text`."""
        words = len(text.split())
        if words:
            self._word_s = seconds / words

    def opened(self, text: str) -> str:
        """`text`, the first piece of an answer, in two lines where the voice would take too long for it at
        once; it makes line after line. Before the first piece nothing is known, and it stays whole.
        """
        if self._word_s is None or "\n" in text or self._word_s * len(text.split()) <= LONGEST_S:
            return text
        return "\n".join(filter(None, first_phrase(text, FIRST_WORDS)))
