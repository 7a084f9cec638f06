"""Questions about what changed between two pictures."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.eval.stranger.compose import random_pair, random_picture
from tests.eval.stranger.judges import TellsChanges
from tests.eval.stranger.questions import Question, Wordings
from tests.eval.stranger.truth import Change, Pair

_CHANGED = Wordings(
    ("what changed", "what has changed", "did anything change"),
    ("what is different", "what is different from before", "has anything changed", "what happened"),
)
_MOVED = Wordings(
    ("which way did the {kind} move", "where did the {kind} go", "in which direction did the {kind} move"),
    ("in what direction has the {kind} moved", "which way has the {kind} gone"),
)
_STILL_SHARE = 0.15


def told(changes: tuple[Change, ...]) -> str:
    """The changes in words, for people to read."""
    parts = []
    for change in changes:
        to = f" to {change.after.colour}" if change.how == "recoloured" and change.after else ""
        way = f" {change.direction}" if change.direction else ""
        parts.append(f"{change.item.name} {change.how}{way}{to}")
    return ", ".join(parts) or "nothing changed"


def _question(family: str, pair: Pair, wordings: Wordings, rng: random.Random, **slots: str) -> Question:
    text, own = wordings.draw(rng, **slots)
    pictures = (pair.first, pair.second)
    return Question(family, text, TellsChanges(pair.changes), told(pair.changes), pictures, own)


def one_change(rng: random.Random) -> Question | None:
    """What changed, where one thing or nothing did; or which way a thing moved."""
    if rng.random() < _STILL_SHARE:
        picture = random_picture(rng, rng.randint(1, 4), distinct=True)
        return _question("change", Pair(picture, replace(picture), ()), _CHANGED, rng)
    pair = random_pair(rng, 1)
    change = pair.changes[0]
    if change.how == "moved" and rng.random() < 0.6:
        return _question("change", pair, _MOVED, rng, kind=change.item.kind)
    return _question("change", pair, _CHANGED, rng)


def two_changes(rng: random.Random) -> Question | None:
    """What changed, where two things did."""
    return _question("two changes", random_pair(rng, 2), _CHANGED, rng)


CHANGES: Mapping[str, Callable[[random.Random], Question | None]] = {
    "change": one_change,
    "two changes": two_changes,
}
