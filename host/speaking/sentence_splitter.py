"""Splits a stream of text into pieces to speak: whole sentences, or phrases when speech is urgent."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator

_END = re.compile(r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)\s+(?=\S)")
_CLAUSE = re.compile(r"(?<=[,;:])\s+(?=\S)")
_CLAUSE_SO_FAR = re.compile(_CLAUSE.pattern + r"|(?<=[^\W\d][,;:])$")
"""The same of a text that grows; a number may go on after its comma."""
LEAST_WORDS = 3
"""Least number of words in a piece that ends at a comma."""
PHRASE_WORDS = 5
"""Least number of words in a piece that ends before a word of `_OPENERS`."""
FIRST_WORDS = 3
"""The same for the first piece of an answer, which the wearer waits for."""
MOST_WORDS = 12
"""From this many words on, an urgent piece ends at the next word that is not in `_OPEN`."""
LONGEST_WORDS = 24
"""A sentence of more words is made in lines: the voice's memory and the wait for its sound grow with its
length.
"""
_OPENERS = frozenset(
    "and or but with in on at to from for that which who while because so is are was were says near next "
    "behind under above between".split()
)
_OPEN = frozenset(
    "a an the this these those my your his her its our their no some any every each all both very more most "
    "and or but nor with without in on at to from for of by as than like into onto over under above below "
    "between behind beside near next close along around across through that which who whose while because so "
    "if when where is are was were be been has have had do does did can could will would may might must not "
    "it what one two three four five six seven eight nine ten".split()
)
"""Words that belong to the next one: no piece ends with them."""


async def sentences(
    pieces: AsyncIterator[str], urgent: Callable[[], bool] = lambda: False, first_words: int = FIRST_WORDS
) -> AsyncIterator[str]:
    """Yields whole sentences from pieces of text; the last may lack its full stop. While `urgent()` is true,
    also yields clauses and phrases. first_words: least number in a first piece that ends before an opener.
    """
    text, least = "", first_words
    async for piece in pieces:
        text += piece
        *whole, text = _END.split(text)
        for sentence in whole:
            least = PHRASE_WORDS
            yield sentence.strip()
        if text and urgent():
            ready, text = first_phrase(text, least, grows=True)
            if ready:
                least = PHRASE_WORDS
                yield ready
    if text.strip():
        yield text.strip()


def sentences_and_lines(text: str) -> list[str]:
    """The sentences of every line of a text, of each of which the voice makes one sound."""
    return [sentence for line in text.splitlines() if line.strip() for sentence in _END.split(line)]


def in_breaths(text: str) -> str:
    """The text with its sentences of more than `LONGEST_WORDS` words in lines of whole phrases."""
    return "\n".join(map(_line_in_breaths, text.splitlines()))


def _line_in_breaths(line: str) -> str:
    sentences_of_line = _END.split(line)
    if all(len(sentence.split()) <= LONGEST_WORDS for sentence in sentences_of_line):
        return line
    lines: list[str] = []
    for sentence in sentences_of_line:
        lines.append("")
        for phrase in _phrases(sentence) if len(sentence.split()) > LONGEST_WORDS else [sentence]:
            longer = f"{lines[-1]} {phrase}".strip()
            if lines[-1] and len(longer.split()) > LONGEST_WORDS:
                lines.append(phrase)
            else:
                lines[-1] = longer
    return "\n".join(lines)


def _phrases(sentence: str) -> Iterator[str]:
    words = sentence.split()
    while words:
        most = " ".join(words[:LONGEST_WORDS])
        phrase = first_phrase(most)[0] or most
        yield phrase
        words = words[len(phrase.split()) :]


def first_phrase(text: str, least: int = PHRASE_WORDS, *, grows: bool = False) -> tuple[str, str]:
    """Splits an unfinished sentence into a phrase that can be spoken now ("" for none) and the rest. least:
    of words before one of `_OPENERS`. grows: the text is still being written. Then a phrase may be all of it,
    and its last word is taken for one of `_OPENERS` where it is written like one: a language model's token is
    mostly a word, and if that word goes on the phrase has only ended sooner. Else the last word begins no
    further phrase.
    """
    for match in (_CLAUSE_SO_FAR if grows else _CLAUSE).finditer(text):
        if len(text[: match.start()].split()) >= LEAST_WORDS:
            return text[: match.start()].strip(), text[match.end() :]
    spans = list(re.finditer(r"\S+", text))
    words = [span.group().lower() for span in spans]
    last = len(spans) - 1
    for number in range(least, len(spans) if grows else last):
        opens = words[number] in _OPENERS or (last > number >= MOST_WORDS and words[number] != "of")
        if opens and words[number - 1] not in _OPEN:
            return text[: spans[number].start()].strip(), text[spans[number].start() :]
    return "", text
