"""What is asked back when the recogniser heard words that it does not know."""

from __future__ import annotations

from host.language.usual.words import unknown_in
from models.brick import UNKNOWN_WORD

_TOLD_FROM = 3
"""So many words a transcript has of which an unknown one is told."""
ONE_WORD = "I did not catch every word. Please say it again."
_BEFORE_A_NAME = ("the", "a", "an", "my", "your", "this", "that", "any")
_PERSONS = frozenset("i me my you your am".split())
"""Words that would change sides if the headband repeated them."""


def asked_back(transcript: str, usual: bool = False) -> str | None:
    """The sentence that asks for the unknown words: "What colour is what?" for "what colour is the ??".

    "" when too little was understood to ask about it, None when every word is known. usual: only the words of
    usual wordings are known, and the sentence tells a single other one, because it may be heard rightly.
    """
    words = transcript.split()
    if UNKNOWN_WORD not in words:
        others = unknown_in(transcript) if usual else ()
        return (
            f"I do not know the word {others[0]}." if len(others) == 1 and len(words) >= _TOLD_FROM else None
        )
    before = words[: words.index(UNKNOWN_WORD)]
    while before and before[-1] in _BEFORE_A_NAME:
        before.pop()
    if len(before) < 2 or 2 * words.count(UNKNOWN_WORD) >= len(words):
        return ""
    if _PERSONS & set(before):
        return ONE_WORD
    return " ".join([before[0].capitalize(), *before[1:], "what?"])
