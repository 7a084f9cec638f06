"""The words that are known behind the recogniser: those of the sentence templates, and of the questions that
a small language model was taught. A recogniser writes many more.

A word that such a model was never taught may change what is asked, so it counts as one that was not heard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from host.language.past.times import TIME
from host.language.router import Decision, plain_words
from models.brick import UNKNOWN_WORD, Transcript

_A_TIME = re.compile(rf"\b{TIME}\b")
_FILE = Path(__file__).with_name("words.txt")


@cache
def known_words() -> frozenset[str]:
    """All of them, read once by a process."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def unknown_in(text: str) -> tuple[str, ...]:
    """The words of a text that are not known, in its order and each once."""
    return tuple(dict.fromkeys(word for word in plain_words(text).split() if word not in known_words()))


def known_only(heard: Transcript) -> Transcript:
    """The transcript with `UNKNOWN_WORD` for one or more words in a row that are not known, with the least of
    their probabilities.
    """
    if UNKNOWN_WORD not in heard.text and not unknown_in(heard.text):
        return heard
    words, each = heard.text.split(), list(heard.words)
    if len(each) != len(words):
        each = []
    marked = [word if word != UNKNOWN_WORD and not unknown_in(word) else UNKNOWN_WORD for word in words]
    runs = list(_runs(marked))
    return replace(
        heard,
        text=" ".join(marked[first] for first, _ in runs),
        words=tuple(min(each[first:end]) for first, end in runs) if each else (),
    )


def _runs(words: list[str]) -> Iterator[tuple[int, int]]:
    """First and end of each word; unknown words in a row are one."""
    first = 0
    for end in range(1, len(words) + 1):
        if end == len(words) or words[end] != UNKNOWN_WORD or words[first] != UNKNOWN_WORD:
            yield first, end
            first = end


def is_answerable(decision: Decision, question: str) -> bool:
    """Whether all words that matter to who answers are known: of a question to the memory the thing that is
    sought, of one about a view all. A command was understood by its own template.
    """
    if decision.route == "device" or (decision.route == "memory" and decision.intent != "memory"):
        return True
    if decision.route == "memory":
        return not unknown_in(_A_TIME.sub(" ", str(decision.slots["rest"])))
    return not unknown_in(question)
