"""Compares the figures of a run with those of one saved before."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from power.rig import student
from power.rig.baseline import MIN_REPEATS
from power.rig.budgets import ChangeLimits
from power.rig.figures import rounded
from power.rig.spread import UNKNOWN, Usual, usual

MOST_REPEATS = 100
NOTICED = 0.2
"""A change by this share is noticed with a probability of 95 %, or the report says that it is not."""
FALSE_ALARMS = 0.05
"""Largest probability that any figure of an unchanged headband counts as worse; the same for better."""
_SURE = 1e9
"""So many standard errors are certain."""
_LEAST = 0.001
"""A smaller change is none: the JSON is rounded."""
_NOTHING = 1e-6
"""A smaller figure, in its unit, is 0: what the computer's arithmetic leaves."""


def compare(
    figures: Sequence[Mapping[str, Any]], baseline: Mapping[str, Any], limits: ChangeLimits
) -> list[dict[str, Any]]:
    """One entry per figure that both have, largest change first.

    A figure is `worse` or `better` when it differs by more than `limits.least_change` and Student's t with
    Holm's correction (1979) tells that from chance: of an unchanged headband at most one report in twenty has
    any worse figure, and one any better, however many it has. `more` and `less` are told from chance and
    smaller. What is not told is `same` where a change by `NOTICED` would have been, with a probability of
    95 %, and `too few repeats` where it would not. What was 0 is compared as a share of what it is, and its
    `change` is None.
    """
    saved = {each["id"]: each for each in baseline["figures"]}
    found = [_Pair(each, saved[each["id"]], limits.between_runs) for each in figures if each["id"] in saved]
    pairs = _moderated(found)
    chances = _holm([pair.chance for pair in pairs if pair.enough])
    told = iter(chances)
    family = max(1, len(chances))
    entries = [_entry(pair, next(told) if pair.enough else None, family, limits) for pair in pairs]
    return sorted(entries, key=lambda entry: -math.inf if entry["change"] is None else -abs(entry["change"]))


def too_few(baseline: Mapping[str, Any], repeats: int, limits: ChangeLimits) -> list[tuple[str, int | None]]:
    """(label, repeats that are needed) of what has budgets and varied so much in the saved run that this many
    repeats will not notice a change by `NOTICED`.
    """
    pairs = _moderated([_Pair(each, each, limits.between_runs) for each in baseline["figures"]])
    family = max(1, sum(pair.enough for pair in pairs))
    return [
        (str(pair.now["label"]), pair.repeats_needed(family))
        for pair in pairs
        if pair.enough and pair.budgeted and pair.noticed(family, repeats) > NOTICED
    ]


@dataclass(frozen=True)
class _Pair:
    """A figure of both runs."""

    now: Mapping[str, Any]
    before: Mapping[str, Any]
    between_runs: float
    usual: Usual = UNKNOWN

    @property
    def repeats(self) -> tuple[int, int]:
        return len(self.now["per_repeat"]), len(self.before["per_repeat"])

    @property
    def enough(self) -> bool:
        return min(self.repeats) >= MIN_REPEATS

    @property
    def budgeted(self) -> bool:
        return self.now["id"].startswith(("state.", "brick.")) and self.now["id"].endswith(".mw")

    @property
    def kind(self) -> tuple[str, str]:
        return str(self.now["id"]).partition(".")[0], str(self.now["unit"])

    @property
    def was_nothing(self) -> bool:
        return abs(float(self.before["value"])) < _NOTHING

    @property
    def size(self) -> float:
        """What differences are a share of."""
        size = abs(float((self.now if self.was_nothing else self.before)["value"]))
        return size if size >= _NOTHING else 1.0

    @property
    def apart(self) -> float:
        """The difference, as a share of `size`."""
        return (float(self.now["value"]) - float(self.before["value"])) / self.size

    @functools.cached_property
    def own(self) -> tuple[float, int]:
        """Variance between repeats of both runs, as a share of `size` squared, and degrees of freedom."""
        runs = [np.asarray(each["per_repeat"], float) / self.size for each in (self.now, self.before)]
        degrees = max(1, sum(self.repeats) - 2)
        return sum(float(((run - run.mean()) ** 2).sum()) for run in runs) / degrees, degrees

    @functools.cached_property
    def moderated(self) -> tuple[float, int]:
        """The same with what other figures tell."""
        return self.usual.with_own(*self.own)

    def uncertainty(self, now: int, before: int) -> float:
        """Standard error of the difference with so many repeats, as a share of `size`."""
        return float((self.moderated[0] * (1 / now + 1 / before) + 2 * self.between_runs**2) ** 0.5)

    @property
    def chance(self) -> float:
        """Probability of so large a difference in this direction without a change."""
        if not self.apart:
            return 1.0
        uncertainty = self.uncertainty(*self.repeats)
        sure = abs(self.apart) / uncertainty if uncertainty else _SURE
        return student.beyond(min(sure, _SURE), self.moderated[1]) / 2

    def noticed(self, family: int, now: int | None = None, before: int | None = None) -> float:
        """The change that so many repeats tell from chance in 95 of 100 cases, as a share of `size`."""
        now, before = now or self.repeats[0], before or self.repeats[1]
        degrees = int(now + before - 2 + self.usual.degrees)
        sure = student.limit(2 * FALSE_ALARMS / family, degrees) + student.limit(2 * 0.05, degrees)
        return sure * self.uncertainty(now, before)

    def repeats_needed(self, family: int) -> int | None:
        """How many repeats of either run notice a change by `NOTICED`; None if not even `MOST_REPEATS` do."""
        for repeats in range(MIN_REPEATS, MOST_REPEATS + 1):
            if self.noticed(family, repeats, repeats) <= NOTICED:
                return repeats
        return None


def _moderated(pairs: Sequence[_Pair]) -> list[_Pair]:
    """With what figures of the same kind (power of states, energy of questions, ...) tell of each other."""
    kinds: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
    for pair in pairs:
        if pair.enough and not pair.was_nothing:
            kinds[pair.kind].append(pair.own)
    known = {kind: usual(own) for kind, own in kinds.items()}
    return [replace(pair, usual=known.get(pair.kind, UNKNOWN)) for pair in pairs]


def _holm(chances: Sequence[float]) -> list[float]:
    """Adjusted so that comparing each with `FALSE_ALARMS` keeps it for all together."""
    adjusted = [1.0] * len(chances)
    most = 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        most = max(most, min(1.0, chances[place] * (len(chances) - rank)))
        adjusted[place] = most
    return adjusted


def _entry(pair: _Pair, chance: float | None, family: int, limits: ChangeLimits) -> dict[str, Any]:
    now, before = pair.now, pair.before
    change = pair.apart
    ci95 = noticed = needed = None
    verdict = "too few repeats"
    if chance is not None:
        reach = student.limit(0.05, pair.moderated[1]) * pair.uncertainty(*pair.repeats)
        ci95 = [rounded((pair.apart + side) * pair.size) for side in (-reach, reach)]
        noticed = pair.noticed(family)
        if chance <= FALSE_ALARMS and abs(change) >= _LEAST:
            large = abs(change) > limits.least_change
            verdict = ("worse" if large else "more") if change > 0 else ("better" if large else "less")
        elif noticed <= NOTICED:
            verdict = "same"
        else:
            needed = pair.repeats_needed(family)
    return {
        "id": now["id"],
        "label": now["label"],
        "unit": now["unit"],
        "kind": now["kind"],
        "meter": now["meter"],
        "before": before["value"],
        "now": now["value"],
        "change": None if pair.was_nothing and abs(change) >= _LEAST else rounded(change),
        "ci95": ci95,
        "chance": None if chance is None else rounded(chance),
        "noticed": None if noticed is None else rounded(noticed),
        "repeats_needed": needed,
        "verdict": verdict,
    }
