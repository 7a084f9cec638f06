"""Training batches for visual question answering: pictures, questions, and labels of each picture's cells.

Many questions share a picture: each has a slot of its own in one decoder sequence and attends to itself and
the picture only, so a picture is encoded once. Batches depend on (seed, step) only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.train.sight.grounding import CLASSES, IGNORED, STILL, change_class, grounding, word_class
from models.train.sight.vocabulary import Words
from models.train.world.augmentation import (
    UNNAMED,
    clip_with_unnamed_colours,
    scene_of_signs,
    with_unnamed_colours,
    with_unnamed_shapes,
)
from models.train.world.drawing import UNNAMED_SHAPES, render
from models.train.world.grammar import COLOURS, SHAPES, SIZES, SLOT_VALUES
from models.train.world.questions import SHARES, ask_many, chat
from models.train.world.scenes import (
    SIDE_PX,
    FramePair,
    Scene,
    Sign,
    Thing,
    letter_centres,
    random_clip,
    random_scene,
)
from models.train.world.truth import TrueAnswer

CELL_PX = 16
CELLS = SIDE_PX // CELL_PX
_QUALITIES = ("clear", "dark", "blurred")
_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_COLOUR_WORDS = re.compile(rf"\b({'|'.join((*COLOURS, UNNAMED))})\b", re.IGNORECASE)
_SHAPE_WORDS = re.compile(
    rf"\b({'|'.join((*SHAPES, *SLOT_VALUES['shapes'], *UNNAMED_SHAPES))})\b", re.IGNORECASE
)
_WITHOUT_SHAPES = {**dict.fromkeys(SHARES, 0.0), "count": 4.0, "exist": 1.0, "colour": 0.3, "position": 0.3}
"""Relative frequency of the families that have questions without a shape."""
Arrays = dict[str, NDArray]


@dataclass(frozen=True)
class BatchPlan:
    """The contents of batches. `pictures` counts frames, so a batch of clips has half as many clips.

    The first `sight_steps` batches have pictures and no questions: they cost a quarter, and the decoder can
    learn nothing from an untrained ViT. In the next `rest_steps` the ViT is frozen and the decoder learns.
    After that both learn, and `picture_only_share` of the batches have no questions. Of the views with
    questions, `unnamed_colour_share` have things in unnamed colours; of the single pictures with questions,
    `unnamed_shape_share` have things in unnamed shapes.
    """

    pictures: int = 16
    questions: int = 11
    text_rows: int = 192
    clip_text_rows: int = 160
    clip_share: float = 0.4
    sight_steps: int = 700
    sight_pictures: int = 32
    rest_steps: int = 300
    picture_only_share: float = 0.35
    unnamed_colour_share: float = 0.4
    unnamed_shape_share: float = 0.2


def cell_of(x: float, y: float) -> int:
    """Index 0-63 of the 16 px cell at (x, y)."""
    column, row = (min(max(int(v // CELL_PX), 0), CELLS - 1) for v in (x, y))
    return row * CELLS + column


def picture_labels(scene: Scene) -> Arrays:
    """Labels of a picture: of each cell classes (0: nothing is there), offset and letters; of the whole
    picture counts and quality.
    """
    shape, colour, size, word = (np.zeros(64, np.int64) for _ in range(4))
    offset, letters = np.zeros((64, 2), np.float32), np.zeros((64, 2), np.int64)
    counts = np.zeros(17, np.int64)
    quality = _QUALITIES.index(scene.quality)
    items: list[Thing | Sign] = [*scene.things, *scene.signs]
    for item in items:
        cell = cell_of(item.x, item.y)
        colour[cell] = 1 + COLOURS.index(item.colour) if item.colour in COLOURS else IGNORED
        offset[cell] = (item.x % CELL_PX) / 8 - 1, (item.y % CELL_PX) / 8 - 1
        if isinstance(item, Sign):
            shape[cell], size[cell], word[cell] = 9, 0, word_class(item)
        else:
            named = item.shape in SHAPES
            shape[cell] = 1 + SHAPES.index(item.shape) if named else IGNORED
            size[cell] = 1 + SIZES.index(item.size)
    for thing in scene.things:
        if thing.shape in SHAPES:
            counts[SHAPES.index(thing.shape)] += 1
        if thing.colour in COLOURS:
            counts[8 + COLOURS.index(thing.colour)] += 1
        counts[16] += 1
    for sign in scene.signs:
        for character, x, y in letter_centres(sign):
            cell = cell_of(x, y)
            letters[cell, 1 if letters[cell, 0] else 0] = 1 + _CHARACTERS.index(character)
    if quality:
        for labels in (shape, colour, size, word, letters, counts):
            labels[...] = IGNORED
    return {
        "shape": shape,
        "colour": colour,
        "size": size,
        "offset": offset,
        "letters": letters,
        "counts": counts,
        "word": word,
        "quality": np.asarray(quality),
    }


def change_labels(clip: FramePair) -> Arrays:
    """Labels by cell of the newer frame: the change of the thing that is or was there, and its earlier cell.

    int64: "change" [64] (0: nothing is there), "before" [64, 2] (older column and row, or IGNORED).
    """
    change, before = np.zeros(64, np.int64), np.full((64, 2), IGNORED, np.int64)
    if clip.first.quality != "clear" or clip.second.quality != "clear":
        change[:] = IGNORED
        return {"change": change, "before": before}
    for thing in clip.second.things:
        cell = cell_of(thing.x, thing.y)
        change[cell] = STILL
        for earlier in clip.first.matching(thing.shape):
            before[cell] = divmod(cell_of(earlier.x, earlier.y), CELLS)[::-1]
    if (item := clip.change.after or clip.change.before) is not None:
        change[cell_of(item.x, item.y)] = change_class(clip.change)
    return {"change": change, "before": before}


def pack(
    answered: Sequence[tuple[TrueAnswer, bool]],
    words: Words,
    rows: int,
    n_image: int,
    view: Scene | FramePair,
) -> Arrays:
    """Questions and answers as one sequence of `rows` rows. `answered`: each with whether it attends to the
    picture; those for which no room is left are dropped. Row by row: token, slot, position, target, weight,
    whether it attends to the picture, grounding labels.
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
        sees[at:end], index_of[first:end] = attends, index
        if attends and len(item.question.split()) == len(prompt) - 2:
            for word, labels in grounding(item.question, view).items():
                grounded[at + 1 + word] = labels
        at = end
    return {"tokens": tokens, "slot": slot, "positions": positions, "target": target, "weight": weight,
        "sees": sees,
        "grounding": grounded,
            "question": index_of}  # fmt: skip


def _stack(rows: Sequence[Arrays]) -> Arrays:
    return {key: np.stack([row[key] for row in rows]) for key in rows[0]}


def scene_batch(
    scenes: Sequence[Scene], asked: Sequence[Sequence[tuple[TrueAnswer, bool]]], words: Words, rows: int
) -> Arrays:
    """One picture per sequence."""
    truth = _stack([picture_labels(scene) for scene in scenes])
    packed = _stack([pack(items, words, rows, 64, scene) for items, scene in zip(asked, scenes, strict=True)])
    return {"pixels": np.stack([render(scene) for scene in scenes]), **truth, **packed}


def clip_batch(
    clips: Sequence[FramePair], asked: Sequence[Sequence[tuple[TrueAnswer, bool]]], words: Words, rows: int
) -> Arrays:
    """Two pictures per sequence; `pixels` and their labels are in the order older, newer, older, newer."""
    frames = [frame for clip in clips for frame in (clip.first, clip.second)]
    truth = _stack([picture_labels(frame) for frame in frames])
    packed = _stack([pack(items, words, rows, 128, clip) for items, clip in zip(asked, clips, strict=True)])
    return {
        "pixels": np.stack([render(frame, i % 2) for i, frame in enumerate(frames)]),
        **_stack([change_labels(clip) for clip in clips]),
        **truth,
        **packed,
    }


def _questions_about(view: Scene | FramePair, rng: random.Random, wanted: int) -> list[TrueAnswer]:
    """Training questions about the view. In a view with unnamed colours, no question or answer contains a
    colour; in one with unnamed shapes, no question or answer contains a shape.

    Otherwise the network would learn that a thing unlike the training pairs has no name.
    """
    things = view.things if isinstance(view, Scene) else (*view.first.things, *view.second.things)
    kept = None
    if any(thing.colour == UNNAMED for thing in things):
        kept = _COLOUR_WORDS
    elif any(thing.shape in UNNAMED_SHAPES for thing in things):
        kept = _SHAPE_WORDS
    found = ask_many(view, rng, "train", wanted, _WITHOUT_SHAPES if kept is _SHAPE_WORDS else SHARES)
    return [item for item in found if not (kept and kept.search(f"{item.question} {item.answer}"))]


def _picture_only_scene(scene: Scene, rng: random.Random) -> Scene:
    """The scene for a batch without questions: many of its things have unnamed colours or unnamed shapes."""
    return (with_unnamed_colours if rng.random() < 0.6 else with_unnamed_shapes)(
        scene, rng, rng.uniform(0.3, 1.0)
    )


def _scene_to_ask_about(scene: Scene, rng: random.Random, plan: BatchPlan) -> Scene:
    draw = rng.random()
    if draw < plan.unnamed_colour_share:
        return with_unnamed_colours(scene, rng)
    return (
        with_unnamed_shapes(scene, rng)
        if draw < plan.unnamed_colour_share + plan.unnamed_shape_share
        else scene
    )


def training_batch(step: int, words: Words, plan: BatchPlan, seed: int = 1) -> Arrays:
    """The batch of `step`: pictures without questions, scenes (a picture per sequence) or clips (two)."""
    rng = random.Random(f"vlm {seed} {step}")
    pictures_only = step >= plan.sight_steps + plan.rest_steps and rng.random() < plan.picture_only_share
    if step < plan.sight_steps or pictures_only:
        shown = [
            scene_of_signs(rng)
            if index % 4 == 0
            else _picture_only_scene(random_scene(rng, "train", 0.06), rng)
            for index in range(plan.sight_pictures)
        ]
        return {
            "pixels": np.stack([render(scene) for scene in shown]),
            **_stack([picture_labels(scene) for scene in shown]),
        }
    clips = rng.random() < plan.clip_share
    asked = []
    if clips:
        views = [random_clip(rng, "train", 0.06) for _ in range(plan.pictures // 2)]
        views = [
            clip_with_unnamed_colours(view, rng) if rng.random() < plan.unnamed_colour_share else view
            for view in views
        ]
        for view in views:
            asked.append([(item, True) for item in _questions_about(view, rng, plan.questions)])
        return clip_batch(views, asked, words, plan.clip_text_rows)
    scenes = [random_scene(rng, "train", 0.06) for _ in range(plan.pictures)]
    scenes = [_scene_to_ask_about(scene, rng, plan) for scene in scenes]
    for scene in scenes:
        items = [(item, True) for item in _questions_about(scene, rng, plan.questions)]
        if rng.random() < 0.1:
            items.insert(0, (chat(rng, "train"), rng.random() < 0.2))
        asked.append(items)
    return scene_batch(scenes, asked, words, plan.text_rows)
