"""Pictures of both worlds with questions and with labels of each picture's cells, as arrays of a batch.

Many questions share a picture: each has a slot of its own in one decoder sequence and attends to itself and
the picture only, so a picture is encoded once.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.train.sight.data.camera import Shot, Window, plain, taken
from models.train.sight.data.home_grounding import home_grounding
from models.train.sight.data.labels import (
    Arrays,
    change_labels,
    clip_in_window,
    in_window,
    picture_labels,
    view_labels,
)
from models.train.sight.grounding import CLASSES, IGNORED, grounding
from models.train.sight.vocabulary import Words
from models.train.world.caption_truth import Captioned, of_scene, of_view
from models.train.world.home import questions as home_questions
from models.train.world.home.truth import Truth, truth_of
from models.train.world.home.views import View
from models.train.world.scenes import FramePair, Scene
from models.train.world.truth import TrueAnswer
from models.train.world.variety.manner import USUAL, Manner

PICTURE_PX = 192
_FIRST_WORD_WEIGHT = 4.0
"""Weight of an answer's first word in the loss: it decides whether the question is answered or refused, and
yes or no; the rest often follows from it.
"""
Asked = Sequence[tuple[TrueAnswer, bool]]


@dataclass(frozen=True)
class Shown:
    """A picture with its labels, what its captions are, and how the words of questions are labelled."""

    pixels: NDArray[np.uint8]
    labels: Arrays
    captioned: Captioned


def scene_px(window: Window) -> int:
    """The side that a scene has in the picture, the shorter one where they differ."""
    return round(PICTURE_PX * min(window.width, window.height))


def shown_scene(scene: Scene, shot: Shot, frame: int = 0, manner: Manner = USUAL) -> Shown:
    """A picture of shapes."""
    drawn = manner.scene(scene, frame, shot.drawn_px)
    pixels = taken(drawn, shot, PICTURE_PX, bright=scene.quality != "dark")
    if scene.quality == "clear":
        pixels = manner.looked(pixels)
    return Shown(pixels, picture_labels(in_window(scene, shot.window)), of_scene(scene))


def shown_view(view: View, shot: Shot, manner: Manner = USUAL) -> tuple[Shown, Truth]:
    """A picture of the home. What can be read is judged at the size that it has in the picture."""
    truth = truth_of(view, scene_px(shot.window))
    pixels = taken(manner.view(view, shot.drawn_px), shot, PICTURE_PX, bright=truth.quality != "dark")
    if truth.quality == "clear":
        pixels = manner.looked(pixels)
    labels = view_labels(view, truth, scene_px(shot.window), shot.window)
    return Shown(pixels, labels, of_view(view, truth)), truth


def pack(answered: Asked, words: Words, rows: int, n_image: int, labelled: object = None) -> Arrays:
    """Questions and answers as one sequence of `rows` rows. `answered`: each with whether it attends to the
    picture; those for which no room is left are dropped. `labelled`: what `grounding_of` takes.

    Row by row: token, slot, position, target, weight, whether it attends to the picture, grounding labels.
    """
    tokens, slot, positions = (np.zeros(rows, np.int64) for _ in range(3))
    target, weight = np.full(rows, IGNORED, np.int64), np.zeros(rows, np.float32)
    sees, index_of = np.zeros(rows, bool), np.full(rows, -1, np.int64)
    slot[:] = -1 - np.arange(rows)
    grounded = np.full((rows, len(CLASSES)), IGNORED, np.int64)
    at = 0
    for index, (item, attends) in enumerate(answered):
        prompt, answer = words.prompt(item.question), (*words.encode(item.answer), words.end_id)
        ids = (*prompt, *answer[:-1])
        end = at + len(ids)
        if end > rows:
            continue
        tokens[at:end], slot[at:end] = ids, index
        positions[at:end] = np.arange(len(ids)) + (n_image if attends else 0)
        first = at + len(prompt) - 1
        target[first:end] = answer
        weight[first:end] = [2.0 if token in words.content else 1.0 for token in answer]
        weight[first] = _FIRST_WORD_WEIGHT
        sees[at:end], index_of[first:end] = attends, index
        if attends:
            ends = _word_ends(item.question, words)
            for word, labels in grounding_of(item.question, labelled).items():
                grounded[at + ends[word]] = labels
        at = end
    return {"tokens": tokens, "slot": slot, "positions": positions, "target": target, "weight": weight,
        "sees": sees,
        "grounding": grounded,
            "question": index_of}  # fmt: skip


def _word_ends(question: str, words: Words) -> list[int]:
    """Index of the last token of each word of a question in its prompt."""
    parts = question.split()
    lengths = [len(words.encode(part if index == 0 else f" {part}")) for index, part in enumerate(parts)]
    return list(itertools.accumulate(lengths))


def grounding_of(question: str, labelled: object) -> dict[int, NDArray[np.int64]]:
    """Labels of the question's words: about a scene, a clip, or (truth, shot) of a view of the home."""
    if isinstance(labelled, Scene | FramePair):
        return grounding(question, labelled)
    if isinstance(labelled, tuple):
        truth, shot = labelled
        return home_grounding(question, truth, scene_px(shot.window), shot.window)
    return {}


def stacked(rows: Sequence[Arrays]) -> Arrays:
    """The arrays of each key as one."""
    return {key: np.stack([row[key] for row in rows]) for key in rows[0]}


def picture_arrays(shown: Sequence[Shown]) -> Arrays:
    """Pixels and labels of the pictures."""
    return {"pixels": np.stack([one.pixels for one in shown]), **stacked([one.labels for one in shown])}


def scene_batch(
    scenes: Sequence[Scene], asked: Sequence[Asked], words: Words, rows: int, shots: Sequence[Shot] = (),
    manners: Sequence[Manner] = (),
) -> tuple[Arrays, list[Shown]]:  # fmt: skip
    """One picture of shapes per sequence."""
    shots = shots or [plain(PICTURE_PX)] * len(scenes)
    manners = manners or [USUAL] * len(scenes)
    shown = [
        shown_scene(one, shot, 0, manner) for one, shot, manner in zip(scenes, shots, manners, strict=True)
    ]
    packed = [
        pack(items, words, rows, 64, in_window(scene, shot.window))
        for items, scene, shot in zip(asked, scenes, shots, strict=True)
    ]
    return {**picture_arrays(shown), **stacked(packed)}, shown


def view_batch(
    views: Sequence[View], rng: random.Random, splits: Sequence[str], wanted: int, words: Words, rows: int,
    shots: Sequence[Shot] = (), before: Sequence[Asked] = (), shares: Mapping[str, float] | None = None,
    manners: Sequence[Manner] = (), absent: int = 0, present: int = 0,
) -> tuple[Arrays, list[Shown], list[list[TrueAnswer]]]:  # fmt: skip
    """One picture of the home per sequence, with up to `wanted` questions of each of `splits`; also returns
    these questions. `before`: what is said in front of each view before them; `shares`: relative frequency of
    families, as in `home.questions.ask_many`; `absent`, `present`: so many training questions, before them,
    ask whether or where things are that are not in the view, and that are.
    """
    shots = shots or [plain(PICTURE_PX)] * len(views)
    manners = manners or [USUAL] * len(views)
    both = [shown_view(view, shot, manner) for view, shot, manner in zip(views, shots, manners, strict=True)]
    asked = [
        [item for split in splits for item in home_questions.ask_many(truth, rng, split, wanted, shares)]
        for _, truth in both
    ]
    for wanted_of_them, ask in (
        (present, home_questions.ask_about_present), (absent, home_questions.ask_about_absent),
    ):  # fmt: skip
        if wanted_of_them:
            asked = [
                [*ask(truth, rng, wanted_of_them), *items]
                for items, (_, truth) in zip(asked, both, strict=True)
            ]
    packed = [
        pack([*first, *((item, True) for item in items)], words, rows, 64, (truth, shot))
        for first, items, (_, truth), shot in zip(before or [()] * len(both), asked, both, shots, strict=True)
    ]
    shown = [one for one, _ in both]
    return {**picture_arrays(shown), **stacked(packed)}, shown, asked


def clip_batch(
    clips: Sequence[FramePair], asked: Sequence[Asked], words: Words, rows: int, shots: Sequence[Shot] = (),
    manners: Sequence[Manner] = (),
) -> Arrays:  # fmt: skip
    """Two pictures per sequence; `pixels` and their labels are in the order older, newer, older, newer. The
    two frames of a clip are drawn and taken in the same way.
    """
    shots = shots or [plain(PICTURE_PX)] * len(clips)
    manners = manners or [USUAL] * len(clips)
    shown, moved = [], []
    for clip, shot, manner in zip(clips, shots, manners, strict=True):
        shown += [shown_scene(frame, shot, i, manner) for i, frame in enumerate((clip.first, clip.second))]
        moved.append(clip_in_window(clip, shot.window))
    packed = [pack(items, words, rows, 128, clip) for items, clip in zip(asked, moved, strict=True)]
    return {**picture_arrays(shown), **stacked([change_labels(clip) for clip in moved]), **stacked(packed)}
