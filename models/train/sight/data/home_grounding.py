"""Grounding labels of questions about the home: what each question's word refers to, see `grounding`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.train.sight.data.camera import Window
from models.train.sight.data.labels import (
    CELLS,
    SURFACE_CLASSES,
    centre_of,
    place_class,
    spoken_class,
    state_of,
)
from models.train.sight.grounding import CLASSES, IGNORED
from models.train.world.grammar import COLOURS
from models.train.world.home.questions import parsed
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import SeenThing, Truth, tall_enough

_KEYS = tuple(CLASSES)


def _labels(**known: int) -> NDArray[np.int64]:
    return np.asarray([known.get(key, IGNORED) for key in _KEYS], np.int64)


def _of_thing(thing: SeenThing | None, side_px: int, window: Window) -> NDArray[np.int64]:
    state = state_of(thing)
    if thing is None or state in (0, IGNORED):
        return _labels(count=0, state=state)
    u, v = centre_of(thing, side_px, window)
    known = {
        "state": state,
        "count": 1,
        "column": min(int(u * CELLS), CELLS - 1),
        "row": min(int(v * CELLS), CELLS - 1),
        "colour": COLOURS.index(thing.colour),
        "kind": 1 + KINDS.index(thing.kind),
        "lying": 1 + SURFACE_CLASSES.index(thing.surface),
        "beside": 0,
    }
    if thing.beside:
        side, _, kind = thing.beside[0].partition(" of the ")
        known |= {"beside": 1 + KINDS.index(kind), "across": int(side == "right")}
    return _labels(**known)


def _on(name: str, truth: Truth) -> NDArray[np.int64]:
    surface = next((each for each in truth.surfaces if each.name == name), None)
    if surface is None or surface.visible == 0:
        return _labels(count=0, lying=0)
    lying = [thing for thing in truth.seen if thing.surface == surface.kind]
    known = {"count": min(len(lying), 6), "lying": 1 + SURFACE_CLASSES.index(surface.kind)}
    if len(lying) == 1:
        known["kind"] = 1 + KINDS.index(lying[0].kind)
    return _labels(**known)


def _word(found: list[tuple[str, float]]) -> NDArray[np.int64]:
    if not found:
        return _labels(count=0, word=0)
    if len(found) > 1:
        return _labels(count=min(len(found), 6))
    word, letter_px = found[0]
    return _labels(count=1, word=spoken_class(word)) if tall_enough(letter_px) else _labels(count=1)


def home_grounding(question: str, truth: Truth, side_px: int, window: Window) -> dict[int, NDArray[np.int64]]:
    """Word index -> a class for each key of CLASSES: at the last word of the thing or surface that is asked
    for, or at the last word of a question without one.
    """
    found = parsed(question)
    if found is None or truth.quality != "clear":
        return {}
    (template, slots), words = found, question.split()
    labels = {}
    for name, value in slots.items():
        parts = value.split()
        ends = [i + len(parts) - 1 for i in range(len(words)) if words[i : i + len(parts)] == parts]
        if not ends:
            continue
        if name == "item":
            labels[ends[-1]] = _of_thing(truth.thing(value), side_px, window)
        elif name == "surface":
            labels[ends[-1]] = _on(value, truth)
        elif name == "place":
            labels[ends[-1]] = _labels(place=place_class(truth))
    if not slots:
        labels[len(words) - 1] = _of_picture(template.family, truth)
    return labels


def _of_picture(family: str, truth: Truth) -> NDArray[np.int64]:
    """Labels for the last word of a question about the whole picture."""
    if family == "holding":
        held = next((thing for thing in truth.things if thing.held), None)
        return _labels(kind=1 + KINDS.index(held.kind) if held else 0)
    if family == "room":
        return _labels(place=place_class(truth))
    if family == "label":
        return _word([(t.label.lower(), t.letter_px) for t in truth.things if t.label and t.visible > 0])
    if family == "sign":
        return _word(list(truth.signs))
    return _labels(count=min(len(truth.seen), 6))
