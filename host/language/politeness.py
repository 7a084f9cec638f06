"""Takes the polite and idle words off both ends of a question, before it is matched or answered: "Excuse me,
what is that, please?" asks "what is that?".
"""

from __future__ import annotations

import re

_BEFORE = (
    "please", "okay", "ok", "so", "now", "and", "then", "hey", "hi", "hello", "well", "um", "uh", "sorry",
    "excuse me", "pardon me", "listen", "by the way", "thanks", "thank you",
)  # fmt: skip
_AFTER = (
    "please", "okay", "ok", "so", "now", "and", "then", "hey", "well", "thanks", "thank you", "if you can",
    "if you could", "if you would", "if you please", "if possible", "would you", "will you", "could you",
    "by the way",
)  # fmt: skip


def _any_of(phrases: tuple[str, ...]) -> str:
    longest_first = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in longest_first) + ")"


_START = re.compile(rf"^\W*(?:{_any_of(_BEFORE)}(?:[\s,.!]+))+", re.IGNORECASE)
_END = re.compile(rf"(?:[\s,]+(?:right\s+)?{_any_of(_AFTER)})+(?=\W*$)", re.IGNORECASE)
_ALL = re.compile(rf"(?:\W*\b{_any_of(_BEFORE + _AFTER)}\b)*\W*", re.IGNORECASE)


def without_politeness(said: str) -> str:
    """The question without them; as it is where there is nothing else ("thank you")."""
    return said if _ALL.fullmatch(said) else _END.sub("", _START.sub("", said))
