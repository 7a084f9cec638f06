"""Text to view on held-out days, for every exit, against an oracle, chance, and the decoder's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from models.pack.catalogue import Pack
from models.pack.chain import Chain
from models.train.over_runs import over
from tests.eval.eye.captions import Captioner, match
from tests.eval.eye.days import (
    AT,
    Candidates,
    Recalled,
    Scores,
    by_chance,
    candidates,
    recalled,
    without_view,
)
from tests.eval.eye.examples import Examples, examples, pooled
from tests.eval.eye.gallery import write_gallery
from tests.eval.eye.page import Lacks, Table, share
from tests.eval.eye.pieces import Eye, loaded, phrases, with_text
from tests.eval.eye.queries import KINDS

BATCH = 16
ORACLE, WORDS, CHANCE = "oracle on the drawn truth", "decoder's answers, matched by words", "chance"
BY_EXAMPLE = "full depth without text: training views that answer the query"


@dataclass(frozen=True)
class Size:
    """How much is measured. caption_days: days on which the decoder is asked about every view; example_days:
    training days, as long as the others, from which a query's direction is learned without text.
    """

    days: int = 5
    views: int = 1200
    queries: int | None = None
    caption_days: int = 3
    example_days: int = 4
    first_seed: int = 9_001


@dataclass
class Found:
    """R@k of every method by day, and what the gallery shows."""

    percent: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    by_kind: dict[str, dict[str, list[bool]]] = field(default_factory=dict)
    last: tuple[Candidates, Scores, Scores] | None = None
    """A day with the scores of the deepest and of the first exit."""

    def add(self, method: str, result: Recalled) -> None:
        """Takes in one day of a method."""
        self.percent.setdefault(method, []).append(result.percent)
        kinds = self.by_kind.setdefault(method, {kind: [] for kind in KINDS})
        for kind, hits in result.by_kind.items():
            kinds[kind] += hits


def exit_name(depth: int) -> str:
    """How an exit is called in a table."""
    return f"exit after block {depth}"


def places_by_depth(eye: Eye, chain: Chain, day: Candidates) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Places of a day's views in the recall space at every exit, float32 [views, embedding], and the pooled
    activations of the last, [views, width].
    """
    found: dict[int, list[np.ndarray]] = {depth: [] for depth in chain.exit_depths}
    last = []
    for start in range(0, len(day.views), BATCH):
        pictures = day.pictures(start, start + BATCH)
        activations = eye.encode(pictures, chain.exit_depths[0])
        for depth in chain.exit_depths:
            activations = eye.resume(activations, depth)
            found[depth].append(eye.embed(activations))
        last.append(pooled(activations))
    return {depth: np.concatenate(parts) for depth, parts in found.items()}, np.concatenate(last)


def measure(pack: Pack, size: Size) -> tuple[Found, list[Candidates], str]:
    """All methods on all days, and why the exits are left out, where the pack has none."""
    found, days, lacking = Found(), [], ""
    try:
        chain = with_text(pack)
    except Lacks as error:
        chain, lacking = None, str(error)
    if "vision" not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no eye.")
    with loaded(pack.bricks["vision"]) as brick:
        eye = Eye(brick)
        taught = examples(eye, chain.exit_depths[-1], size.example_days, size.views) if chain else None
        for number in range(size.days):
            day = candidates(size.first_seed + number, size.views, size.queries)
            days.append(day)
            found.add(ORACLE, recalled(day.right.astype(np.float32), day))
            found.percent.setdefault(CHANCE, []).append(by_chance(day))
            if chain is not None and taught is not None:
                _exits(pack, eye, chain, day, taught, found)
            if number < size.caption_days and "llm" in pack.bricks:
                asked = Captioner(pack)
                said = [asked.captions(eye, picture) for at in range(len(day.views))
                        for picture in day.pictures(at, at + 1)]  # fmt: skip
                found.add(WORDS, recalled(match([query.text for query in day.queries], said), day))
    return found, days, lacking


def _exits(pack: Pack, eye: Eye, chain: Chain, day: Candidates, taught: Examples, found: Found) -> None:
    with loaded(pack.bricks["text"]) as tower:
        texts = phrases(tower, [query.text for query in day.queries])
    places, last = places_by_depth(eye, chain, day)
    scores = {depth: texts @ vectors.T for depth, vectors in places.items()}
    for depth, each in scores.items():
        found.add(exit_name(depth), recalled(each, day))
    by_example = taught.directions(day.queries) @ (last - taught.vectors.mean(0)).T
    found.add(BY_EXAMPLE, recalled(by_example, day))
    found.last = day, scores[chain.exit_depths[-1]], scores[chain.exit_depths[0]]


def report(pack: Pack, size: Size, gallery: Path | None = None) -> list[Table]:
    """The tables; writes the five nearest of ten queries to `gallery`."""
    found, days, lacking = measure(pack, size)
    number = sum(len(day.queries) for day in days)
    title = (
        f"Retrieval: {number} queries on {len(days)} held-out days of {len(days[0].views)} views; "
        "R@k is the share with a right view among the k nearest"
    )
    rows = [_row(method, values, found) for method, values in found.percent.items()]
    rows.sort(key=lambda row: (row[0] == CHANCE, row[0] == WORDS, row[0] != ORACLE))
    notes = ["Intervals are over days, Student's."]
    missing = without_view(days)
    notes.append(f"No view answers {missing} of the queries, so the oracle stays below 100 %.")
    if WORDS in found.percent and len(found.percent[WORDS]) < len(days):
        notes.append(f"The decoder was asked about the first {len(found.percent[WORDS])} days.")
    notes += [lacking] if lacking else []
    tables = [Table(title, ("method", *(f"R@{k}" for k in AT), f"R@{AT[-1]} of the oracle's"), rows, notes)]
    tables.append(_kinds(found))
    if found.last is not None and gallery is not None:
        write_gallery(gallery, *found.last, f"pack {pack.name} {pack.version}")
        tables[0] = Table(title, tables[0].columns, rows, [*notes, f"Five nearest of ten queries: {gallery}"])
    return tables


def _row(method: str, values: Sequence[tuple[float, ...]], found: Found) -> tuple[str, ...]:
    cells = [over([each[at] for each in values], shares=True) for at in range(len(AT))]
    oracle = found.percent[ORACLE][: len(values)]
    parts = [100 * each[-1] / max(best[-1], 1e-9) for each, best in zip(values, oracle, strict=True)]
    return (method, *cells, over(parts, shares=True))


def _kinds(found: Found) -> Table:
    """R@k for the largest k by kind of query: the oracle, the deepest exit, the decoder's words."""
    exits = [method for method in found.by_kind if method.startswith("exit")]
    shown = [method for method in (ORACLE, *exits[:1], *exits[-1:], WORDS) if method in found.by_kind]
    shown = list(dict.fromkeys(shown))
    rows = [
        (kind, *(share(found.by_kind[method][kind]) for method in shown))
        for kind in KINDS
        if found.by_kind[ORACLE][kind]
    ]
    return Table(f"R@{AT[-1]} by kind of query", ("kind", *shown), rows, ["Intervals are Wilson's."])
