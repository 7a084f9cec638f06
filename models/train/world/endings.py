"""Counts how often a question is complete after given last words, in the training sentences.

    python -m models.train.world.endings [--out host/language/end_of_question.txt]

The result is a back-off table with a line per context: the percentage of its occurrences that end a
question, then the context, which is up to `LONGEST` last words, with `^` for the beginning of the question. A
context whose percentage is that of its longest listed suffix is left out. A question that ends with words of
`MAY_BE_LEFT_OUT` is counted without them too. Held-out sentences are not counted.
The first lines begin with "like": all words of such a line are counted as the first of them.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.train.world import grammar
from models.train.world.home.questions import SURFACE_NAMES
from models.train.world.home.splits import KINDS
from models.train.world.sentences import whole_question

SENTENCES = 60_000
LONGEST = 4
LEAST = 12
"""Least number of occurrences of a listed context."""
MAY_BE_LEFT_OUT = ("to me", "for me", "left or right", "up or down")
"""A question that ends with these words is complete without them: "read the label to me"."""
SURE_PERCENT, NEVER_PERCENT = 80, 10
"""Percentages from the first upwards are written as 100, and up to the second as 0: any question may be
followed by "please", so that no context ends a question every time.
"""


def alike() -> tuple[tuple[str, ...], ...]:
    """The words that stand for one another, so that a question which nobody counted is known by another."""
    small = grammar.NUMBER_WORDS[:20]
    tens = tuple(word for word in grammar.NUMBER_WORDS[20::10])
    things = tuple(kind for kind in KINDS if " " not in kind)
    return (
        grammar.SHAPES, grammar.SLOT_VALUES["shapes"], grammar.COLOURS, (*grammar.SIZES, *grammar.SIZE_MEANT),
        things, SURFACE_NAMES, small, tens,
    )  # fmt: skip


def count(sentences: int = SENTENCES, seed: int = 1) -> dict[str, int]:
    """Percentage of the occurrences of a context that end a question, by context, shortest first."""
    rng = random.Random(seed)
    like = {word: words[0] for words in alike() for word in words}
    seen: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    for _ in range(sentences):
        for question in _with_shorter_ones(whole_question(rng, "train")):
            words = ["^", *(like.get(word, word) for word in question.split())]
            for end in range(2, len(words) + 1):
                for start in range(max(0, end - LONGEST), end):
                    context = " ".join(words[start:end])
                    seen[context] += 1
                    ended[context] += end == len(words)
    table: dict[str, int] = {}
    for context in sorted(seen, key=lambda c: (c.count(" "), c)):
        percent = _rounded(100 * ended[context] / seen[context])
        if seen[context] >= LEAST and percent != _shorter(table, context.split()[1:]):
            table[context] = percent
    return table


def _with_shorter_ones(question: str) -> list[str]:
    return [
        question,
        *(question.removesuffix(f" {end}") for end in MAY_BE_LEFT_OUT if question.endswith(f" {end}")),
    ]


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
