"""The table of how many questions about a stranger's clips are answered rightly."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from tests.eval.eye.page import Table, share
from tests.eval.stranger_clips.by_sight import Asked, InWords
from tests.eval.stranger_clips.judges import verdict
from tests.eval.stranger_clips.truth import FAMILIES, NOTHING, STILL, UNSEEN, Truth

ORDERED = ("direction", "first", "appeared", "gone")
"""Families in which the same pictures in another order have another answer."""
COLUMNS = (
    "what", "right", "commonest answer", "withheld", "wrong of those given",
    "in documented words: read; right", "in its own words: read; right",
)  # fmt: skip


def table(found: Sequence[Asked], title: str) -> Table:
    """A row for each family, and for what only order decides, for head turns, and for all."""
    groups = [(family, [each for each in found if each.truth.family == family]) for family in FAMILIES]
    ordered = [
        each
        for each in found
        if each.truth.family in ORDERED and each.truth.answer not in (STILL, UNSEEN, NOTHING)
    ]
    turned = [each for each in found if each.film.turned and each.truth.family in ("whether", "moved")]
    rests = [each for each in turned if each.truth.answer in ("no", NOTHING)]
    moves = [each for each in turned if each not in rests]
    shares = [statistics.fmean(each.right for each in own) for _, own in groups if own]
    rows = [
        row(name, own)
        for name, own in (
            *groups,
            ("decided by order alone", ordered),
            ("head turn or thing moved", turned),
            ("  nothing or another moved", rests),
            ("  it moved", moves),
            ("all", found),
        )
        if own
    ]
    least = 100 * min(shares)
    notes = [f"worst family {least:.1f} %; mean of families {100 * statistics.fmean(shares):.1f} %"]
    return Table(title, COLUMNS, rows, notes)


def row(name: str, own: Sequence[Asked]) -> tuple[str, ...]:
    """The figures of some questions."""
    given = [each for each in own if each.told != "withheld"]
    return (
        name,
        share([each.right for each in own]),
        f"{100 * commonest(own):.1f} %",
        f"{100 * (1 - len(given) / len(own)):.1f} %",
        share([each.told == "wrong" for each in given]),
        in_words([(each.truth, each.documented) for each in own]),
        in_words([(each.truth, each.own) for each in own]),
    )


def in_words(own: Sequence[tuple[Truth, InWords]]) -> str:
    """Shares of questions that are read as asked, and answered rightly, in percent."""
    read = statistics.fmean(each.read for _, each in own)
    right = statistics.fmean(verdict(truth, each.said) == "right" for truth, each in own)
    return f"{100 * read:.0f}; {100 * right:.0f} %"


def commonest(own: Sequence[Asked]) -> float:
    """Share of right answers of whoever always gives the commonest answer of each family among these."""
    counts = Counter((each.truth.family, each.truth.answer) for each in own)
    best: Counter[str] = Counter()
    for (family, _), count in counts.items():
        best[family] = max(best[family], count)
    return sum(best.values()) / len(own)
