"""Counts how often a question is complete after given last words, in the grammar's training sentences.

    python -m models.train.world.endings [--out host/language/end_of_question.txt]

The result is a back-off table with a line per context: the percentage of its occurrences that end a
question, then the context, which is up to `LONGEST` last words, with `^` for the beginning of the question. A
context whose percentage is that of its longest listed suffix is left out. Held-out sentences are not counted.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.train.world.grammar import sample_text

SENTENCES = 60_000
LONGEST = 4
LEAST = 12
"""Least number of occurrences of a listed context."""
SURE_PERCENT, NEVER_PERCENT = 80, 10
"""Percentages from the first upwards are written as 100, and up to the second as 0: any question may be
followed by "please", so that no context ends a question every time.
"""


def count(sentences: int = SENTENCES, seed: int = 1) -> dict[str, int]:
    """Percentage of the occurrences of a context that end a question, by context, shortest first."""
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    for _ in range(sentences):
        words = ["^", *sample_text(rng, "train")[0].split()]
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


def _rounded(percent: float) -> int:
    if percent >= SURE_PERCENT:
        return 100
    return 0 if percent <= NEVER_PERCENT else 10 * round(percent / 10)


def _shorter(table: Mapping[str, int], words: Sequence[str]) -> int | None:
    found = (table.get(" ".join(words[start:])) for start in range(len(words)))
    return next((percent for percent in found if percent is not None), None)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("host/language/end_of_question.txt"))
    out: Path = parser.parse_args().out
    out.write_text("".join(f"{percent} {context}\n" for context, percent in count().items()))


if __name__ == "__main__":
    main()
