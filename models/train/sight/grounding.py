"""Grounding labels: which things of the scene each word of a question refers to.

An auxiliary loss predicts them from a middle layer of the decoder: at a word such as "circle" in "is the red
circle left of the star", the number of things that it refers to and, for a single thing, position and
properties.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.train.world.grammar import COLOURS, DIRECTIONS, SHAPES, SIGN_WORDS, SIZES, SLOT_VALUES
from models.train.world.scenes import SIDE_PX, Change, FramePair, Scene, Sign, Thing

IGNORED = -100
CHANGES = ("none", *DIRECTIONS, "appeared", "gone", "recoloured", "absent")
STILL = len(CHANGES) - 1
CLASSES = {
    "count": 7, "column": 8, "row": 8, "colour": 8, "shape": 8, "size": 2, "word": 141,
    "change": len(CHANGES),
    "across": 3,
    "along": 3,
    "kind": 13, "lying": 11, "state": 7, "place": 10, "beside": 13,
}  # fmt: skip
_KEYS = tuple(CLASSES)
_SHAPE_OF = {
    **{shape: shape for shape in SHAPES},
    **dict(zip(SLOT_VALUES["shapes"], SHAPES, strict=True)),
}


def word_class(sign: Sign) -> int:
    """1-40 for the word of a sign, 41-140 for its number."""
    return 41 + int(sign.text) if sign.is_number else 1 + SIGN_WORDS.index(sign.spoken)


def change_class(change: Change) -> int:
    """Index into CHANGES of what happened between two frames."""
    return CHANGES.index(change.direction if change.kind == "moved" else change.kind)


def _labels(found: list[Thing], **more: int) -> NDArray[np.int64]:
    """Labels of a word that refers to `found`."""
    known = {"count": min(len(found), 6)} | more
    if len(found) == 1:
        thing = found[0]
        known |= {
            "column": int(thing.x * 8 // SIDE_PX),
            "row": int(thing.y * 8 // SIDE_PX),
            "colour": COLOURS.index(thing.colour) if thing.colour in COLOURS else IGNORED,
            "shape": SHAPES.index(thing.shape) if thing.shape in SHAPES else IGNORED,
            "size": SIZES.index(thing.size),
        }
    return np.asarray([known.get(key, IGNORED) for key in _KEYS], np.int64)


def _sign_labels(sign: Sign | None) -> NDArray[np.int64]:
    if sign is None:
        return _labels([], word=0)
    known = {
        "count": 1,
        "column": int(sign.x * 8 // SIDE_PX),
        "row": int(sign.y * 8 // SIDE_PX),
        "colour": COLOURS.index(sign.colour),
        "word": word_class(sign),
    }
    return np.asarray([known.get(key, IGNORED) for key in _KEYS], np.int64)


def _referents(words: list[str], index: int, scene: Scene) -> list[Thing]:
    """The things to which the noun at `index` with its adjective can refer."""
    before = words[index - 1] if index else ""
    colour, size = (before if before in values else None for values in (COLOURS, SIZES))
    return scene.matching(_SHAPE_OF[words[index]], colour, size)


def _side(difference_px: float) -> int:
    """0 for left or above, 1 for right or below, 2 for less than 8 px either way."""
    return 2 if abs(difference_px) < 8 else int(difference_px > 0)


def _in_scene(words: list[str], index: int, scene: Scene) -> NDArray[np.int64] | None:
    word, before = words[index], words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    if word in _SHAPE_OF:
        found = _referents(words, index, scene)
        first = next((i for i in range(index) if words[i] in _SHAPE_OF), index)
        earlier = _referents(words, first, scene)
        if first < index and len(found) == len(earlier) == 1:
            dx, dy = found[0].x - earlier[0].x, found[0].y - earlier[0].y
            return _labels(found, across=_side(dx), along=_side(dy))
        if not found and len(same := scene.matching(_SHAPE_OF[word])) == 1:  # of another colour or size
            return _labels(same, count=0)
        return _labels(found)
    if word in COLOURS and after not in _SHAPE_OF:
        return _labels(scene.matching(colour=word))
    if word == "sign":
        return _sign_labels(scene.sign)
    if word in ("things", "objects") and before not in COLOURS:
        return _labels(list(scene.things))
    return None


def _in_clip(words: list[str], index: int, clip: FramePair) -> NDArray[np.int64] | None:
    word = words[index]
    if word in _SHAPE_OF:
        for change in clip.changes:
            if (change.after or change.before).shape == word:  # type: ignore[union-attr]
                return _labels(clip.second.matching(word), change=change_class(change))
        there = bool(clip.second.matching(word))
        return _labels(clip.second.matching(word), change=0 if there else CHANGES.index("absent"))
    if index == len(words) - 1 and not any(other in _SHAPE_OF for other in words):
        change = clip.change
        subject = change.after or change.before
        return _labels([subject] if subject else [], change=change_class(change))
    return None


def grounding(question: str, view: Scene | FramePair) -> dict[int, NDArray[np.int64]]:
    """Word index -> int64 [15]: a class for each key of CLASSES, or IGNORED where the label is undefined."""
    words, found = question.split(), {}
    frames = (view,) if isinstance(view, Scene) else (view.first, view.second)
    if any(frame.quality != "clear" for frame in frames):
        return {}
    for index in range(len(words)):
        labels = _in_scene(words, index, view) if isinstance(view, Scene) else _in_clip(words, index, view)
        if labels is not None:
            found[index] = labels
    return found
