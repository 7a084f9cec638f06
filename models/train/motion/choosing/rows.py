"""Rows for training and judging both networks, from clips that were looked at in every way."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.clip import ClipAnswer
from models.sensing.accuracy import family_features
from models.sensing.configuration import INTERVALS_S, Configuration
from models.sensing.features import FIRST_UNITS, configuration_features, view_features
from models.sensing.stop_gate import stop_features
from models.train.motion.choosing.tried import CHECKED_STEPS, STEPS, Tried, ways
from models.train.world.clips.values import FAMILIES, LABELS, ClipQuestion

Floats = NDArray[np.float32]
LEAST_UNITS = 2
TIMES_CHECKED = 3
"""How often three checkpoints of a training clip are drawn for the gate."""


def view_of(clip: Tried) -> Floats:
    """Features of a clip's first units."""
    sharpness = [None if np.isnan(each) else float(each) for each in clip.sharpness[:FIRST_UNITS]]
    return view_features(list(clip.lumas[:FIRST_UNITS]), sharpness, clip.places[:FIRST_UNITS])


def configurations_of(depths: Sequence[int]) -> tuple[Configuration, ...]:
    """A configuration for each of `ways`, with pictures that are encoded one by one."""
    interval = dict(zip(STEPS, INTERVALS_S, strict=True))
    return tuple(Configuration(interval[step], depth, units, 1) for step, depth, units in ways(depths))


@dataclass(frozen=True, eq=False)
class Rows:
    """Of every question with every way: inputs without the family's, and whether the answer was right.
    family: [rows, families].
    """

    view: Floats
    family: Floats
    way: Floats
    right: Floats


def predictor_rows(clips: Sequence[Tried], depths: Sequence[int]) -> Rows:
    """Rows in the order clip, question, way."""
    way = np.stack([configuration_features(each, depths) for each in configurations_of(depths)])
    views, families, rights = [], [], []
    for clip in clips:
        view = view_of(clip)
        for question, right in zip(clip.questions, clip.right, strict=True):
            views.append(view)
            families.append(family_features(question.family, tuple(FAMILIES)))
            rights.append(right)
    many = len(way)
    return Rows(
        np.repeat(np.stack(views), many, axis=0),
        np.repeat(np.stack(families), many, axis=0),
        np.tile(way, (len(views), 1)),
        np.concatenate(rights).astype(np.float32),
    )


def answer_of(question: ClipQuestion, chances: NDArray[np.float16], units: int) -> ClipAnswer:
    """The motion brick's answer from its probabilities of all labels."""
    allowed = FAMILIES[question.family]
    distribution = {each: float(chances[LABELS.index(each)]) for each in allowed}
    label = max(distribution, key=lambda each: distribution[each])
    return ClipAnswer(label, distribution[label], units, 0, distribution)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The answer to a question before all units were looked at. units: how many were, of expected. features:
    what the gate reads. same: it is the answer after all units, too. right, last_right: it, and the answer
    after all units, is the true one. probability: of the answer.
    """

    units: int
    expected: int
    features: Floats
    same: bool
    right: bool
    last_right: bool
    probability: float


def checkpoints_of(clip: Tried, step: int, shares: Sequence[float]) -> Iterator[tuple[Checkpoint, ...]]:
    """The checkpoints of every question of a clip with a picture every `step` views, of `CHECKED_STEPS`."""
    after = clip.after[CHECKED_STEPS.index(step)]
    expected = after.shape[1]
    units = sorted({max(LEAST_UNITS, round(share * expected)) for share in shares} - {expected})
    for row, question in enumerate(clip.questions):
        last = answer_of(question, after[row, -1], expected)
        before, found = None, []
        for each in units:
            answer = answer_of(question, after[row, each - 1], each)
            features = stop_features(
                question.family, tuple(FAMILIES), LABELS, answer, before, units=each, expected=expected
            )
            found.append(
                Checkpoint(
                    each, expected, features, answer.label == last.label, answer.label == question.answer,
                    last.label == question.answer, answer.probability,
                )
            )  # fmt: skip
            before = answer
        yield tuple(found)


def gate_rows(clips: Sequence[Tried], rng: random.Random) -> tuple[Floats, Floats]:
    """Features and targets of checkpoints at random shares of training clips."""
    features, same = [], []
    for clip in clips:
        for step in CHECKED_STEPS:
            for _ in range(TIMES_CHECKED):
                shares = sorted(rng.uniform(0.25, 0.95) for _ in range(3))
                for found in checkpoints_of(clip, step, shares):
                    features += [each.features for each in found]
                    same += [float(each.same) for each in found]
    return np.stack(features), np.array(same, np.float32)
