"""Closed questions about held-out scenes, for each pair of precisions of vision network and decoder."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from models.brick import BrickError, Completion, Context, Embedding, Frame, Prompt
from models.bricks import llm
from models.bricks.eye import vision
from models.pack.catalogue import Pack
from models.train.sight.evaluate import CLOSED, Case
from models.train.world.drawing import render
from models.train.world.questions import ask_many
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene
from models.train.world.truth import TrueAnswer

_EACH = 4
"""Number of questions about one view."""
_CLIP_SHARE = 0.25
_MAX_TOKENS = 48


@dataclass(frozen=True)
class View:
    """Pictures, uint8 [side, side, 3] each, and the questions about them."""

    pictures: tuple[np.ndarray, ...]
    asked: tuple[TrueAnswer, ...]


@dataclass
class Cell:
    """Results of one pair of precisions. groups: right or wrong, by view; seconds: processor time of each
    answer.
    """

    groups: list[list[bool]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def held_out_views(cases: int, side_px: int) -> list[View]:
    """Views with closed questions, up to that number of questions, drawn with that side."""
    rng = random.Random("matrix held")
    views: list[View] = []
    while sum(len(view.asked) for view in views) < cases:
        seen: Scene | FramePair
        seen = random_clip(rng, "held") if rng.random() < _CLIP_SHARE else random_scene(rng, "held")
        frames = [seen] if isinstance(seen, Scene) else [seen.first, seen.second]
        asked = tuple(a for a in ask_many(seen, rng, "held", _EACH) if a.family in CLOSED)
        if asked:
            views.append(View(tuple(render(frame, i, side_px) for i, frame in enumerate(frames)), asked))
    return views


def look(
    pack: Pack, files: Mapping[str, Mapping[str, Path]], views: Sequence[View]
) -> dict[str, tuple[list, list[float]]]:
    """By precision: each view's rows from the vision brick, and the seconds of processor time per picture.
    files: by precision, the graphs by their keys in a pack.
    """
    found = {}
    for name, graphs in files.items():
        paths = {key: str(path) for key, path in graphs.items()}
        brick = vision.create({**pack.bricks["vision"].options, **paths}, Context())
        brick.load()
        rows, seconds = [], []
        for view in views:
            seen = []
            for picture in view.pictures:
                start_s = time.process_time()
                (image,) = brick.execute(Frame(picture))
                seconds.append(time.process_time() - start_s)
                seen.append(image)
            rows.append(tuple(seen))
        brick.release()
        found[name] = (rows, seconds)
    return found


def ask_all(
    pack: Pack, files: Mapping[str, Path], views: Sequence[View], seen: Mapping[str, Sequence]
) -> dict[tuple[str, str], Cell]:
    """By precision of vision and decoder. seen: by precision, each view's rows."""
    cells: dict[tuple[str, str], Cell] = {}
    llm.NICENESS = 0  # the brick's niceness would apply to this process until its end
    for name, path in files.items():
        brick = llm.Decoder({**pack.bricks["llm"].options, "model": str(path)}, Context())
        brick.load()
        try:
            for eye, rows in seen.items():
                cell = cells[eye, name] = Cell()
                for view, images in zip(views, rows, strict=True):
                    cell.groups.append([_right(brick, images, answered, cell) for answered in view.asked])
        finally:
            brick.release()
    return cells


def _right(brick: llm.Decoder, images: tuple[Embedding, ...], asked: TrueAnswer, cell: Cell) -> bool:
    start_s = time.process_time()
    said = ""
    try:
        for chunk in brick.execute(Prompt(asked.question, images, _MAX_TOKENS)):
            said = chunk.text if isinstance(chunk, Completion) else said
    except BrickError as error:
        said = str(error)
    cell.seconds.append(time.process_time() - start_s)
    return Case(asked.family, asked.kind, asked.question, asked.answer, said, False).right
