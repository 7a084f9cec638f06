"""Counts how often a question is complete after given last words, in the training sentences: drawn ones, to
the view and to the memory, and those that people wrote.

    python -m models.train.intents.endings [--out host/language/end_of_question.txt]

The result is a back-off table with a line per context: the probability, percent, that a question is complete
there, then the context, which is up to `LONGEST` last words, with `^` for the beginning of the question. A
context that was counted seldom has nearly the probability of the shorter one, and one whose probability
differs little from that of its longest listed suffix is left out. A question that ends with words of
`MAY_BE_LEFT_OUT` is complete before them too, and one that gives a thing its colour or size is counted
without as well. Held-out sentences are not counted. The first lines begin with "like": all words of such a
line are counted as the first of them.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from host.language.router import plain_words
from models.train.intents.data import said_by_people
from models.train.world import grammar
from models.train.world.home.questions import SURFACE_NAMES
from models.train.world.home.splits import KINDS
from models.train.world.said.memory import memory_sentence
from models.train.world.sentences import whole_question

SENTENCES = 60_000
TO_MEMORY = SENTENCES // 3
"""Sentences to the memory, beside those."""
LONGEST = 6
LEAST = 5
"""Least number of occurrences of a listed context."""
PRIOR_WEIGHT = 10
"""So many occurrences are worth what is known of the shorter context."""
PRIOR = 0.3
"""The probability before anything is counted."""
LEAST_DIFFERENCE_PERCENT = 30
"""Between a listed context and its longest listed suffix."""
MAY_BE_LEFT_OUT = tuple(
    tuple(words.split()) for words in ("to me", "for me", "left or right", "up or down", *grammar.SUFFIXES)
)
"""A question that ends with these words is complete without them: "read the label to me"."""
SURE_PERCENT, NEVER_PERCENT = 80, 10
"""Percentages from the first upwards are written as 100, and up to the second as 0: any question may be
followed by "please", so that no context ends a question every time.
"""
_THINGS = frozenset(kind.split()[0] for kind in KINDS)
_LOOKS = frozenset((*grammar.COLOURS, *grammar.SIZES))


def alike() -> tuple[tuple[str, ...], ...]:
    """The words that stand for one another, so that a question which nobody counted is known by another."""
    small = grammar.NUMBER_WORDS[:20]
    tens = tuple(word for word in grammar.NUMBER_WORDS[20::10])
    things = tuple(kind for kind in KINDS if " " not in kind)
    return (
        grammar.SHAPES, grammar.SLOT_VALUES["shapes"], grammar.COLOURS, (*grammar.SIZES, *grammar.SIZE_MEANT),
        things, SURFACE_NAMES, small, tens, ("is", "are"), ("was", "were"),
    )  # fmt: skip


def count(sentences: int = SENTENCES, seed: int = 1) -> dict[str, int]:
    """Percentage of the occurrences of a context that end a question, by context, shortest first."""
    like = {word: words[0] for words in alike() for word in words}
    seen: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    for question, times in Counter(_said(sentences, random.Random(seed))).items():
        for said in _with_and_without_looks(question.split()):
            complete = _complete_after(said)
            words = ["^", *(like.get(word, word) for word in said)]
            for end in range(2, len(words) + 1):
                ends = times if end - 1 in complete else 0
                for start in range(max(0, end - LONGEST), end):
                    context = " ".join(words[start:end])
                    seen[context] += times
                    if ends:
                        ended[context] += ends
    found: dict[str, float] = {}
    table: dict[str, int] = {}
    for context in sorted(seen, key=lambda c: (c.count(" "), c)):
        prior = found.get(context.partition(" ")[2], PRIOR)
        found[context] = (ended[context] + PRIOR_WEIGHT * prior) / (seen[context] + PRIOR_WEIGHT)
        if seen[context] < LEAST:
            continue
        percent, shorter = _rounded(100 * found[context]), _shorter(table, context.split()[1:])
        if _is_news(percent, shorter):
            table[context] = percent
    return table


def _said(sentences: int, rng: random.Random) -> Iterator[str]:
    for _ in range(sentences):
        yield whole_question(rng, "train")
    for _ in range(sentences * TO_MEMORY // SENTENCES):
        yield memory_sentence(rng, "train")
    for each in said_by_people():
        if each.kind != "none":
            yield plain_words(each.text)


def _with_and_without_looks(words: list[str]) -> Iterator[list[str]]:
    """The words, and as one says them who does not tell a thing's colour or size."""
    yield words
    told = [*words[1:], ""]
    kept = [
        word for word, after in zip(words, told, strict=True) if word not in _LOOKS or after not in _THINGS
    ]
    if len(kept) < len(words):
        yield kept


def _complete_after(words: Sequence[str]) -> set[int]:
    """Numbers of words after which a question is complete."""
    end = len(words)
    found = {end}
    while True:
        shorter = [len(last) for last in MAY_BE_LEFT_OUT if tuple(words[end - len(last) : end]) == last]
        if not shorter or end - max(shorter) < 2:
            return found
        end -= max(shorter)
        found.add(end)


def _is_news(percent: int, shorter: int | None) -> bool:
    """Whether a context is listed beside a shorter one: a context after which no question ends always is."""
    if shorter is None or (percent == 0) != (shorter == 0):
        return True
    return abs(percent - shorter) >= LEAST_DIFFERENCE_PERCENT


def _rounded(percent: float) -> int:
    if percent >= SURE_PERCENT:
        return 100
    return 0 if percent <= NEVER_PERCENT else 10 * round(percent / 10)


def _shorter(table: Mapping[str, int], words: Sequence[str]) -> int | None:
    found = (table.get(" ".join(words[start:])) for start in range(len(words)))
    return next((percent for percent in found if percent is not None), None)


def lines() -> list[str]:
    """The lines of the table."""
    classes = [f"like {' '.join(words)}" for words in alike()]
    return classes + [f"{percent} {context}" for context, percent in count().items()]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("host/language/end_of_question.txt"))
    out: Path = parser.parse_args().out
    out.write_text("\n".join(lines()) + "\n")


if __name__ == "__main__":
    main()
