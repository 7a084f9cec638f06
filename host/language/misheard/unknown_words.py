"""What is asked back when the recogniser heard words that it does not know."""

from __future__ import annotations

from models.brick import UNKNOWN_WORD

ONE_WORD = "I did not catch every word. Please say it again."
_BEFORE_A_NAME = ("the", "a", "an", "my", "your", "this", "that", "any")
_PERSONS = frozenset("i me my you your am".split())
"""Words that would change sides if the headband repeated them."""


def asked_back(transcript: str) -> str | None:
    """The sentence that asks for the unknown words: "What colour is what?" for "what colour is the ??".

    "" when too little was understood to ask about it, None when every word is known.
    """
    words = transcript.split()
    if UNKNOWN_WORD not in words:
        return None
    before = words[: words.index(UNKNOWN_WORD)]
    while before and before[-1] in _BEFORE_A_NAME:
        before.pop()
    if len(before) < 2 or 2 * words.count(UNKNOWN_WORD) >= len(words):
        return ""
    if _PERSONS & set(before):
        return ONE_WORD
    return " ".join([before[0].capitalize(), *before[1:], "what?"])
