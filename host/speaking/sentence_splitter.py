"""Cuts a stream of text into pieces that can be spoken: whole sentences, and less when the wearer waits."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable

_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_CLAUSE = re.compile(r"(?<=[,;:])\s+(?=\S)")
LEAST_WORDS = 3
"""Before a comma: fewer are not worth a breath."""
PHRASE_WORDS = 5
"""After so many words a piece may end before one that opens a phrase."""
MOST_WORDS = 12
"""A piece for an impatient wearer ends at the first word from here on that may end one."""
_OPENERS = frozenset(
    "and or but with in on at to from for that which who while because so is are was were says near next "
    "behind under above between".split()
)
_OPEN = frozenset(
    "a an the this these those my your his her its our their no some any every each all both very more most "
    "and or but nor with without in on at to from for of by as than like into onto over under above below "
    "between behind beside near next close along around across through that which who whose while because so "
    "if when where is are was were be been has have had do does did can could will would may might must not "
    "it one two three four five six seven eight nine ten".split()
)
"""Words that lean on the next one: no piece ends with one of them."""


async def sentences(
    pieces: AsyncIterator[str], urgent: Callable[[], bool] = lambda: False
) -> AsyncIterator[str]:
    """Whole sentences out of text pieces; the last one may lack its full stop. While `urgent`, a clause or a
    phrase does as well.
    """
    text = ""
    async for piece in pieces:
        text += piece
        *whole, text = _END.split(text)
        for sentence in whole:
            yield sentence.strip()
        if text and urgent():
            ready, text = first_phrase(text)
            if ready:
                yield ready
    if text.strip():
        yield text.strip()


def first_phrase(text: str) -> tuple[str, str]:
    """What of an unfinished sentence can be spoken now, and the rest; the last word may still grow."""
    for match in _CLAUSE.finditer(text):
        if len(text[: match.start()].split()) >= LEAST_WORDS:
            return text[: match.start()].strip(), text[match.end() :]
    spans = list(re.finditer(r"\S+", text))[:-1]
    words = [span.group().lower() for span in spans]
    for number in range(PHRASE_WORDS, len(spans)):
        opens = words[number] in _OPENERS or (number >= MOST_WORDS and words[number] != "of")
        if opens and words[number - 1] not in _OPEN:
            return text[: spans[number].start()].strip(), text[spans[number].start() :]
    return "", text
