"""Which depth of the motion brick is usual, and what several depths say together."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.motion.thresholds import WORTH, Answered, choose, means
from models.train.world.clips.values import FAMILIES, LABELS, ClipQuestion

WHETHER = FAMILIES["whether"]


def answered(right: bool, by: float = 2.0) -> Answered:
    """ "yes" is right."""
    logits = np.full(len(LABELS), float("-inf"), np.float32)
    logits[[LABELS.index(label) for label in WHETHER]] = 0.0
    logits[LABELS.index("yes" if right else "no")] = by
    return Answered(ClipQuestion("whether", "cup", "", "yes"), logits, "", False)


def some(right: int, of: int = 1000) -> list[Answered]:
    return [answered(number < right) for number in range(of)]


@pytest.mark.parametrize(
    ("right", "usual"),
    [((900, 950, 960), 2), ((900, 958, 960), 1), ((959, 950, 960), 0), ((960, 970, 940), 1)],
)
def test_a_greater_depth_is_usual_only_where_it_is_right_in_enough_more(
    right: tuple[int, ...], usual: int
) -> None:
    assert WORTH == 0.005
    assert choose([some(each) for each in right]).depth == usual


def test_depths_that_err_apart_outvote_the_one_that_is_wrong() -> None:
    (found,) = means([[answered(True)], [answered(False, 3.0)], [answered(True)]])
    assert found.label == "yes" and found.question.family == "whether"
    assert found.logits[LABELS.index("yes")] == pytest.approx(4 / 3)
    assert np.isneginf(found.logits[LABELS.index("left")])
