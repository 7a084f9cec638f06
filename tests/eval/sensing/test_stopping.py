"""Stopping early: what each way of looking is charged for."""

from __future__ import annotations

import numpy as np

from models.sensing.stop_gate import CHECKPOINTS
from models.train.motion.choosing.tried import CHECKED_STEPS, Tried
from models.train.world.clips.values import FAMILIES, LABELS, ClipQuestion
from tests.eval.sensing.stopping import Stopped, fixed_cut, nothing_cut, stopped_by

UNITS = 20
FAMILY = "direction"
ANSWER = FAMILIES[FAMILY][0]


def clip() -> Tried:
    """One question, of which each unit tells the same."""
    after = np.zeros((1, UNITS, len(LABELS)), np.float16)
    after[:, :, LABELS.index(ANSWER)] = 1
    nothing = np.zeros(0, np.float32)
    question = ClipQuestion(FAMILY, "", "", ANSWER)
    return Tried(
        nothing, nothing, nothing, nothing, "", False, (question,), np.zeros((1, 0), bool),
        (after,) * len(CHECKED_STEPS),
    )  # fmt: skip


def test_who_looks_at_all_pictures_asks_nothing_on_the_way() -> None:
    assert nothing_cut([clip()], CHECKED_STEPS[0]) == [Stopped(UNITS, UNITS, 1, True)]


def test_a_gate_that_never_stops_has_answered_at_every_checkpoint_besides() -> None:
    (found,) = stopped_by(lambda checkpoint: 0.0, 1.0, [clip()], CHECKED_STEPS[0])
    assert found == Stopped(UNITS, UNITS, len(CHECKPOINTS) + 1, True)


def test_a_cut_that_is_fixed_answers_once() -> None:
    assert fixed_cut(0.5, [clip()], CHECKED_STEPS[0]) == [Stopped(UNITS // 2, UNITS, 1, True)]
