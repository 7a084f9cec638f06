"""E10, E11: what it saves, and costs, to stop looking when the pictures so far are enough."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from models.sensing.stop_gate import CHECKPOINTS, StopGate
from models.train.motion.choosing.rows import Checkpoint, checkpoints_of
from models.train.motion.choosing.tried import Tried


@dataclass(frozen=True)
class Stopped:
    """A question whose sensing ended after `units` of `expected`, with `asked` answers on the way."""

    units: int
    expected: int
    asked: int
    right: bool

    @property
    def share(self) -> float:
        """Of the pictures that were looked at."""
        return self.units / self.expected


Score = Callable[[Checkpoint], float]


def stopped_by(score: Score, threshold: float, clips: Sequence[Tried], step: int) -> list[Stopped]:
    """Stops at the first checkpoint with a score from the threshold on."""
    found = []
    for clip in clips:
        for row in checkpoints_of(clip, step, CHECKPOINTS):
            if not row:
                continue
            at = next((n for n, each in enumerate(row) if score(each) >= threshold), None)
            last = row[0].expected
            if at is None:
                found.append(Stopped(last, last, len(row) + 1, row[0].last_right))
            else:
                found.append(Stopped(row[at].units, last, at + 1, row[at].right))
    return found


def by_gate(gate: StopGate) -> Score:
    """The gate's probability."""
    return lambda checkpoint: gate.probability(checkpoint.features)


def by_probability(checkpoint: Checkpoint) -> float:
    """The answer's own probability, the usual simple way."""
    return checkpoint.probability


def same_share(score: Score, wanted: float, clips: Sequence[Tried], step: int) -> list[Stopped]:
    """With the threshold that looks at nearest to the same mean share of the pictures."""
    tries = [stopped_by(score, each, clips, step) for each in np.quantile(
        [score(each) for clip in clips for row in checkpoints_of(clip, step, CHECKPOINTS) for each in row],
        np.linspace(0, 1, 60),
    )]  # fmt: skip
    return min(tries, key=lambda found: abs(mean_share(found) - wanted))


def fixed_cut(wanted: float, clips: Sequence[Tried], step: int) -> list[Stopped]:
    """Every clip is cut at the same share of its pictures, whatever it shows."""
    found = []
    for clip in clips:
        for row in checkpoints_of(clip, step, (wanted,)):
            if row:
                found.append(Stopped(row[0].units, row[0].expected, 1, row[0].right))
    return found


def nothing_cut(clips: Sequence[Tried], step: int) -> list[Stopped]:
    """All pictures and one answer: without a gate no question is answered on the way."""
    return [
        Stopped(row[0].expected, row[0].expected, 1, row[0].last_right)
        for clip in clips
        for row in checkpoints_of(clip, step, CHECKPOINTS)
        if row
    ]


def without_pictures(training: Sequence[Tried], clips: Sequence[Tried]) -> float:
    """Share right of the words alone: each family's commonest answer in training clips."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for clip in training:
        for each in clip.questions:
            counts[each.family][each.answer] += 1
    asked = [each for clip in clips for each in clip.questions]
    return float(np.mean([counts[each.family].most_common(1)[0][0] == each.answer for each in asked]))


def mean_share(found: Sequence[Stopped]) -> float:
    """Of the pictures that were looked at, all questions alike."""
    return float(np.mean([each.share for each in found]))
