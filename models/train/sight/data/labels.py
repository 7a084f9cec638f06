"""Labels of a drawn scene of shapes, of a clip, and of a view of the home, by cell and for the whole picture.

A picture has 8 x 8 cells. Every picture has every label; IGNORED where it means nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.train.sight.data.camera import WHOLE, Window
from models.train.sight.grounding import IGNORED, STILL, change_class, word_class
from models.train.world.grammar import COLOURS, NUMBER_WORDS, SHAPES, SIGN_WORDS, SIZES
from models.train.world.home.layouts import SURFACES
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.home.truth import (
    GLIMPSE,
    PART,
    PLACE_KNOWN,
    PLACE_UNKNOWN,
    READABLE_PX,
    SEEN,
    SeenThing,
    Truth,
)
from models.train.world.home.views import HAND, View
from models.train.world.home.visibility import to_picture
from models.train.world.scenes import SIDE_PX, Change, FramePair, Scene, Sign, Thing, letter_centres

CELLS = 8
SIGN = 1 + len(SHAPES)
FIRST_KIND = SIGN + 1
SURFACE_CLASSES = (*SURFACES, HAND)
STATES = ("absent", "seen", "occluded", "left", "right", "up", "down")
"""Of a thing: not there, recognisable, hidden, or cut off by the border at that side."""
_QUALITIES = ("clear", "dark", "blurred")
_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
Arrays = dict[str, NDArray]


def cell_of(u: float, v: float) -> int:
    """Index 0-63 of the cell at the part (u, v) of the picture."""
    column, row = (min(max(int(part * CELLS), 0), CELLS - 1) for part in (u, v))
    return row * CELLS + column


def _offset(u: float, v: float) -> tuple[float, float]:
    """From the middle of its cell, -1 to 1."""
    return (u * CELLS) % 1 * 2 - 1, (v * CELLS) % 1 * 2 - 1


def _empty(quality: str) -> Arrays:
    cell = {key: np.zeros(64, np.int64) for key in ("shape", "colour", "size", "word")}
    unknown = {key: np.full(64, IGNORED, np.int64) for key in ("state", "lying", "ground")}
    return {
        **cell,
        **unknown,
        "offset": np.zeros((64, 2), np.float32),
        "letters": np.zeros((64, 2), np.int64),
        "counts": np.zeros(17, np.int64),
        "kinds": np.zeros(len(KINDS), np.int64),
        "held": np.asarray(0),
        "place": np.asarray(IGNORED),
        "quality": np.asarray(_QUALITIES.index(quality)),
    }


def _spoilt(labels: Arrays) -> Arrays:
    """Those of a picture in which nothing can be seen: only its quality is known."""
    for key, values in labels.items():
        if key not in ("quality", "offset"):
            values[...] = IGNORED
    return labels


def in_window(scene: Scene, window: Window) -> Scene:
    """The scene as it lies in the picture: its things and signs moved to where the window shows them."""
    if window == WHOLE:
        return scene
    return replace(
        scene,
        things=tuple(_moved(thing, window) for thing in scene.things),
        sign=_moved_sign(scene.sign, window) if scene.sign else None,
        notices=tuple(_moved_sign(sign, window) for sign in scene.notices),
    )


def clip_in_window(clip: FramePair, window: Window) -> FramePair:
    """The clip as both its frames lie in the picture."""

    def moved(change: Change) -> Change:
        before, after = (_moved(one, window) if one else None for one in (change.before, change.after))
        return replace(change, before=before, after=after)

    frames = in_window(clip.first, window), in_window(clip.second, window)
    return FramePair(*frames, moved(clip.change), moved(clip.also))


def _moved(thing: Thing, window: Window) -> Thing:
    u, v = window.at(thing.x / SIDE_PX, thing.y / SIDE_PX)
    return replace(thing, x=u * SIDE_PX, y=v * SIDE_PX)


def _moved_sign(sign: Sign, window: Window) -> Sign:
    u, v = window.at(sign.x / SIDE_PX, sign.y / SIDE_PX)
    return replace(sign, x=u * SIDE_PX, y=v * SIDE_PX, font_px=round(sign.font_px * window.width))


def picture_labels(scene: Scene) -> Arrays:
    """Of a scene: of each cell classes (0: nothing is there), offset and letters; of the whole picture counts
    and quality.
    """
    labels = _empty(scene.quality)
    if scene.quality != "clear":
        return _spoilt(labels)
    items: list[Thing | Sign] = [*scene.things, *scene.signs]
    for item in items:
        u, v = item.x / SIDE_PX, item.y / SIDE_PX
        cell = cell_of(u, v)
        labels["colour"][cell] = 1 + COLOURS.index(item.colour) if item.colour in COLOURS else IGNORED
        labels["offset"][cell] = _offset(u, v)
        if isinstance(item, Sign):
            labels["shape"][cell], labels["size"][cell] = SIGN, 0
            labels["word"][cell] = word_class(item)
        else:
            labels["shape"][cell] = 1 + SHAPES.index(item.shape) if item.shape in SHAPES else IGNORED
            labels["size"][cell] = 1 + SIZES.index(item.size)
    for thing in scene.things:
        if thing.shape in SHAPES:
            labels["counts"][SHAPES.index(thing.shape)] += 1
        if thing.colour in COLOURS:
            labels["counts"][8 + COLOURS.index(thing.colour)] += 1
        labels["counts"][16] += 1
    letters = labels["letters"]
    for sign in scene.signs:
        for character, x, y in letter_centres(sign):
            cell = cell_of(x / SIDE_PX, y / SIDE_PX)
            letters[cell, 1 if letters[cell, 0] else 0] = 1 + _CHARACTERS.index(character)
    return labels


def change_labels(clip: FramePair) -> Arrays:
    """Labels by cell of the newer frame: the change of the thing that is or was there, and its earlier cell.

    int64: "change" [64] (0: nothing is there), "before" [64, 2] (older column and row, or IGNORED).
    """
    change, before = np.zeros(64, np.int64), np.full((64, 2), IGNORED, np.int64)
    if clip.first.quality != "clear" or clip.second.quality != "clear":
        change[:] = IGNORED
        return {"change": change, "before": before}

    def cell(thing: Thing) -> int:
        return cell_of(thing.x / SIDE_PX, thing.y / SIDE_PX)

    for thing in clip.second.things:
        at = cell(thing)
        change[at] = STILL
        for earlier in clip.first.matching(thing.shape):
            before[at] = divmod(cell(earlier), CELLS)[::-1]
    for each in clip.changes:
        if (item := each.after or each.before) is not None:
            change[cell(item)] = change_class(each)
    return {"change": change, "before": before}


def state_of(thing: SeenThing | None) -> int:
    """Index into STATES; IGNORED where it is a matter of judgement."""
    if thing is None or thing.visible == 0:
        return 0
    if thing.visible >= SEEN:
        return 1
    if thing.visible < GLIMPSE or thing.visible >= PART:
        return IGNORED
    if thing.cut < thing.covered:
        return 2
    return STATES.index(thing.cut_side) if thing.cut_side else IGNORED


def centre_of(thing: SeenThing, side_px: float, window: Window = WHOLE) -> tuple[float, float]:
    """The middle of what is inside the picture of its box, as parts of the picture."""
    left, top, right, bottom = (min(max(value / side_px, 0.0), 1.0) for value in thing.box)
    return window.at((left + right) / 2, (top + bottom) / 2)


def spoken_class(spoken: str) -> int:
    """1-40 for a word of a sign, 41-140 for a number in words."""
    return 41 + NUMBER_WORDS.index(spoken) if spoken in NUMBER_WORDS else 1 + SIGN_WORDS.index(spoken)


def place_class(truth: Truth) -> int:
    """1-9 for a place that is known by what is seen, 0 for an unknown one, IGNORED between."""
    if truth.landmark >= PLACE_KNOWN:
        return 1 + PLACES.index(truth.place)
    return 0 if truth.landmark < PLACE_UNKNOWN else IGNORED


def _fixed(labels: Arrays, view: View, truth: Truth, window: Window) -> None:
    """Signs and pictures on the walls."""
    read = dict(truth.signs)
    for sign in view.layout.signs:
        ((u, v),) = to_picture([(sign.x, sign.y)], view.camera)
        if 0 < u < 1 and 0 < v < 1:
            cell = cell_of(*window.at(u, v))
            labels["letters"][...] = IGNORED
            readable = read.get(sign.spoken, 0.0) >= READABLE_PX
            labels["shape"][cell] = SIGN if sign.spoken in read else IGNORED
            labels["word"][cell] = spoken_class(sign.spoken) if readable else IGNORED
            labels["colour"][cell] = IGNORED
            labels["offset"][cell] = _offset(*window.at(u, v))
    for poster in view.layout.posters:
        ((u, v),) = to_picture([(poster.x, poster.y)], view.camera)
        if 0 < u < 1 and 0 < v < 1:
            cell, seen = cell_of(*window.at(u, v)), (poster.shape, poster.colour) in truth.pictures
            labels["shape"][cell] = 1 + SHAPES.index(poster.shape) if seen else IGNORED
            labels["colour"][cell] = 1 + COLOURS.index(poster.colour) if seen else IGNORED
            labels["size"][cell] = IGNORED
            labels["offset"][cell] = _offset(*window.at(u, v))


def grounds_of(truth: Truth, side_px: int, window: Window) -> NDArray[np.int64]:
    """The surface in whose box each cell lies, the smallest where there are several; 0: none."""
    ground = np.zeros((CELLS, CELLS), np.int64)

    def area(box: tuple[float, float, float, float]) -> float:
        return (box[2] - box[0]) * (box[3] - box[1])

    for surface in sorted(truth.surfaces, key=lambda each: -area(each.box)):
        left, top, right, bottom = (value / side_px for value in surface.box)
        (left, top), (right, bottom) = window.at(left, top), window.at(right, bottom)
        columns, rows = (
            slice(max(round(low * CELLS), 0), max(round(high * CELLS), 0))
            for low, high in ((left, right), (top, bottom))
        )
        ground[rows, columns] = 1 + SURFACES.index(surface.kind)
    return ground.reshape(64)


def view_labels(view: View, truth: Truth, side_px: int, window: Window = WHOLE) -> Arrays:
    """Of a view of the home; `truth` in pixels of a picture `side_px` wide. The same keys as of a scene."""
    labels = _empty(truth.quality)
    if truth.quality != "clear":
        return _spoilt(labels)
    labels["counts"][...] = IGNORED
    labels["place"][...] = place_class(truth)
    labels["ground"][...] = grounds_of(truth, side_px, window)
    _fixed(labels, view, truth, window)
    for thing in truth.things:
        state, kind = state_of(thing), KINDS.index(thing.kind)
        labels["kinds"][kind] = IGNORED if state == IGNORED else min(state, 2)
        if thing.held:
            labels["held"][...] = 1 + kind
        if thing.visible < 0.02:
            continue
        u, v = centre_of(thing, side_px, window)
        cell = cell_of(u, v)
        known = state != IGNORED
        labels["shape"][cell] = FIRST_KIND + kind if known else IGNORED
        labels["colour"][cell] = 1 + COLOURS.index(thing.colour) if known else IGNORED
        labels["state"][cell] = state
        labels["lying"][cell] = SURFACE_CLASSES.index(thing.surface)
        labels["size"][cell] = IGNORED
        labels["offset"][cell] = _offset(u, v)
        if thing.label:
            readable = thing.visible > 0.98 and thing.letter_px >= READABLE_PX
            labels["word"][cell] = spoken_class(thing.label.lower()) if readable else IGNORED
            labels["letters"][...] = IGNORED
    return labels
