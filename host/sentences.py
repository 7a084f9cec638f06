"""Cuts a stream of text into pieces that can be spoken: whole sentences, and less when the wearer waits."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable

_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_CLAUSE = re.compile(r"(?<=[,;:])\s+(?=\S)")
LEAST_WORDS = 3
"""Before a comma: fewer are not worth a breath."""
BREATH_WORDS = 5
"""After so many words a piece may end before one that opens a phrase."""
MOST_WORDS = 6
"""A piece for an impatient wearer ends here at the latest."""
_OPENERS = frozenset(
    "and or but with in on at to from for that which who while because so is are was were says near next "
    "behind under above between".split()
)


async def sentences(
    pieces: AsyncIterator[str], hungry: Callable[[], bool] = lambda: False
) -> AsyncIterator[str]:
    """Whole sentences out of text pieces; the last one may lack its full stop. While `hungry`, a clause or a
    phrase does as well.
    """
    text = ""
    async for piece in pieces:
        text += piece
        *whole, text = _END.split(text)
        for sentence in whole:
            yield sentence.strip()
        if text and hungry():
            ready, text = first_breath(text)
            if ready:
                yield ready
    if text.strip():
        yield text.strip()


def first_breath(text: str) -> tuple[str, str]:
    """What of an unfinished sentence can be spoken now, and the rest; the last word may still grow."""
    for match in _CLAUSE.finditer(text):
        if len(text[: match.start()].split()) >= LEAST_WORDS:
            return text[: match.start()].strip(), text[match.end() :]
    spans = list(re.finditer(r"\S+", text))[:-1]
    for number, span in enumerate(spans):
        opens = number >= BREATH_WORDS and span.group().lower() in _OPENERS
        if opens or number >= MOST_WORDS:
            return text[: span.start()].strip(), text[span.start() :]
    if len(spans) >= MOST_WORDS:
        return text[: spans[-1].end()].strip(), text[spans[-1].end() :].lstrip()
    return "", text
