"""Training batches for the seeing-and-answering network: pictures, questions, the drawn truth by cell.

Many questions share one picture: each sits in its own slot of one decoder sequence and sees only itself and
the picture, so a picture is encoded once. Batches depend on (seed, step) only.
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
from models.train.world.augmentation import UNNAMED, odd_clip, odd_colours, odd_shapes, reading_scene
from models.train.world.drawing import ODD_SHAPES, render
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
_SHAPE_WORDS = re.compile(rf"\b({'|'.join((*SHAPES, *SLOT_VALUES['shapes'], *ODD_SHAPES))})\b", re.IGNORECASE)
_WITHOUT_SHAPES = {**dict.fromkeys(SHARES, 0.0), "count": 4.0, "exist": 1.0, "colour": 0.3, "position": 0.3}
"""Shares of the families with questions that no shape comes into."""
Arrays = dict[str, NDArray]


@dataclass(frozen=True)
class BatchPlan:
    """How much goes into a batch. `pictures` counts frames, so a batch of clips has half as many clips.

    The first `sight_steps` batches have pictures and no questions: a quarter of the cost, and the decoder can
    learn nothing before the ViT sees. In the next `rest_steps` only the decoder learns.
    After that both do, and `practice_share` of the batches are pictures alone again. Of the views that are
    asked about, `odd_colour_share` have things in unnamed colours, and `odd_shape_share` of the single
    pictures have unnamed shapes.
    """

    pictures: int = 16
    questions: int = 11
    text_rows: int = 192
    clip_text_rows: int = 160
    clip_share: float = 0.4
    sight_steps: int = 700
    sight_pictures: int = 32
    rest_steps: int = 300
    practice_share: float = 0.35
    odd_colour_share: float = 0.4
    odd_shape_share: float = 0.2


def cell_of(x: float, y: float) -> int:
    """Index 0-63 of the 16 px cell at (x, y)."""
    column, row = (min(max(int(v // CELL_PX), 0), CELLS - 1) for v in (x, y))
    return row * CELLS + column


def picture_truth(scene: Scene) -> Arrays:
    """What a picture shows: by cell classes (0 = nothing), offsets, letters; counts, word, quality."""
    shape, colour, size, word = (np.zeros(64, np.int64) for _ in range(4))
    offset, letters = np.zeros((64, 2), np.float32), np.zeros((64, 2), np.int64)
    counts = np.zeros(17, np.int64)
    quality = _QUALITIES.index(scene.quality)
    items: list[Thing | Sign] = [*scene.things, *scene.boards]
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
    for board in scene.boards:
        for character, x, y in letter_centres(board):
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


def change_truth(clip: FramePair) -> Arrays:
    """By cell of the newer frame: what happened to the thing there or gone from there; where it was before.

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
    """Questions and answers in slots of `rows` rows: tokens, slots, positions, targets, weights, sight."""
    tokens, slot, positions = (np.zeros(rows, np.int64) for _ in range(3))
    target, weight = np.full(rows, IGNORED, np.int64), np.zeros(rows, np.float32)
    sees, index_of = np.zeros(rows, bool), np.full(rows, -1, np.int64)
    slot[:] = -1 - np.arange(rows)
    grounded = np.full((rows, len(CLASSES)), IGNORED, np.int64)
    at = 0
    for index, (item, looking) in enumerate(answered):
        prompt, answer = words.prompt(item.question), (*words.encode(item.answer), words.end_id)
        ids = (*prompt, *answer[:-1])
        end = at + len(ids)
        if end > rows:
            continue
        tokens[at:end], slot[at:end] = ids, index
        positions[at:end] = np.arange(len(ids)) + (n_image if looking else 0)
        first = at + len(prompt) - 1
        target[first:end] = answer
        weight[first:end] = [2.0 if token in words.content else 1.0 for token in answer]
        sees[at:end], index_of[first:end] = looking, index
        if looking and len(item.question.split()) == len(prompt) - 2:
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
    truth = _stack([picture_truth(scene) for scene in scenes])
    packed = _stack([pack(items, words, rows, 64, scene) for items, scene in zip(asked, scenes, strict=True)])
    return {"pixels": np.stack([render(scene) for scene in scenes]), **truth, **packed}


def clip_batch(
    clips: Sequence[FramePair], asked: Sequence[Sequence[tuple[TrueAnswer, bool]]], words: Words, rows: int
) -> Arrays:
    """Two pictures per sequence; `pixels` and the truth per picture come as older, newer, older, newer."""
    frames = [frame for clip in clips for frame in (clip.first, clip.second)]
    truth = _stack([picture_truth(frame) for frame in frames])
    packed = _stack([pack(items, words, rows, 128, clip) for items, clip in zip(asked, clips, strict=True)])
    return {
        "pixels": np.stack([render(frame, i % 2) for i, frame in enumerate(frames)]),
        **_stack([change_truth(clip) for clip in clips]),
        **truth,
        **packed,
    }


def _about(view: Scene | FramePair, rng: random.Random, wanted: int) -> list[TrueAnswer]:
    """Training questions about the view; about one with unnamed colours or shapes, only such as no colour,
    or no shape, comes into.

    Others would teach that what looks unlike the training pairs has no name.
    """
    things = view.things if isinstance(view, Scene) else (*view.first.things, *view.second.things)
    kept = None
    if any(thing.colour == UNNAMED for thing in things):
        kept = _COLOUR_WORDS
    elif any(thing.shape in ODD_SHAPES for thing in things):
        kept = _SHAPE_WORDS
    found = ask_many(view, rng, "train", wanted, _WITHOUT_SHAPES if kept is _SHAPE_WORDS else SHARES)
    return [item for item in found if not (kept and kept.search(f"{item.question} {item.answer}"))]


def _practised(scene: Scene, rng: random.Random) -> Scene:
    """A picture to practise on: many of its things odd in colour or in shape."""
    return (odd_colours if rng.random() < 0.6 else odd_shapes)(scene, rng, rng.uniform(0.3, 1.0))


def _to_ask(scene: Scene, rng: random.Random, plan: BatchPlan) -> Scene:
    draw = rng.random()
    if draw < plan.odd_colour_share:
        return odd_colours(scene, rng)
    return odd_shapes(scene, rng) if draw < plan.odd_colour_share + plan.odd_shape_share else scene


def training_batch(step: int, words: Words, plan: BatchPlan, seed: int = 1) -> Arrays:
    """The batch of `step`: pictures alone, then one picture per sequence, sometimes two."""
    rng = random.Random(f"vlm {seed} {step}")
    practice = step >= plan.sight_steps + plan.rest_steps and rng.random() < plan.practice_share
    if step < plan.sight_steps or practice:
        shown = [
            reading_scene(rng) if index % 4 == 0 else _practised(random_scene(rng, "train", 0.06), rng)
            for index in range(plan.sight_pictures)
        ]
        return {
            "pixels": np.stack([render(scene) for scene in shown]),
            **_stack([picture_truth(scene) for scene in shown]),
        }
    clips = rng.random() < plan.clip_share
    asked = []
    if clips:
        views = [random_clip(rng, "train", 0.06) for _ in range(plan.pictures // 2)]
        views = [odd_clip(view, rng) if rng.random() < plan.odd_colour_share else view for view in views]
        for view in views:
            asked.append([(item, True) for item in _about(view, rng, plan.questions)])
        return clip_batch(views, asked, words, plan.clip_text_rows)
    scenes = [random_scene(rng, "train", 0.06) for _ in range(plan.pictures)]
    scenes = [_to_ask(scene, rng, plan) for scene in scenes]
    for scene in scenes:
        items = [(item, True) for item in _about(scene, rng, plan.questions)]
        if rng.random() < 0.1:
            items.insert(0, (chat(rng, "train"), rng.random() < 0.2))
        asked.append(items)
    return scene_batch(scenes, asked, words, plan.text_rows)
