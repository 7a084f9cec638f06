"""What the object detector learns of a picture: of each of its 8 x 8 cells and of the whole."""

from __future__ import annotations

import numpy as np

from models.train.sight.data.camera import WHOLE, Window
from models.train.sight.data.labels import (
    CELLS,
    Arrays,
    cell_of,
    centre_of,
    grounds_of,
    in_window,
    place_class,
    state_of,
)
from models.train.sight.grounding import IGNORED
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home import layouts
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import Truth
from models.train.world.home.views import HAND, View
from models.train.world.home.visibility import to_picture
from models.train.world.scenes import SIDE_PX, Scene, Sign, Thing

SIGN = "sign"
WHAT = (*SHAPES, SIGN, *KINDS)
"""What may be in a cell."""
STANDING = layouts.SURFACES
"""What things stand or lie on."""
SURFACES = (*STANDING, HAND)
"""Where a thing of the home may lie."""
QUALITIES = ("clear", "dark", "blurred")
_SEEN = 1
"""In `state_of`: recognisable."""
_TRACE = 0.02
"""A thing of which less is visible leaves its cell as it is."""


def _empty(quality: str) -> Arrays:
    classes = {
        key: np.zeros(CELLS * CELLS, np.int16) for key in ("what", "colour", "lying", "whole", "ground")
    }
    places = {key: np.zeros((CELLS * CELLS, 2), np.float16) for key in ("offset", "half")}
    whole_picture = {"place": np.asarray(IGNORED, np.int16)}
    return {
        **classes, **places, **whole_picture, "quality": np.asarray(QUALITIES.index(quality), np.int16)
    }  # fmt: skip


def _put(labels: Arrays, centre: tuple[float, float], half: tuple[float, float], **classes: int) -> None:
    """An item in its cell; centre, half: parts of the picture."""
    cell = cell_of(*centre)
    labels["offset"][cell] = [(part * CELLS) % 1 * 2 - 1 for part in centre]
    labels["half"][cell] = half
    for key, value in classes.items():
        labels[key][cell] = value


def _number(name: str, names: tuple[str, ...]) -> int:
    """From 1; IGNORED for a name that is none of them."""
    return 1 + names.index(name) if name in names else IGNORED


def _nothing_known(labels: Arrays) -> Arrays:
    for key, values in labels.items():
        if key not in ("quality", "offset", "half"):
            values[...] = IGNORED
    return labels


def of_scene(scene: Scene, window: Window = WHOLE) -> Arrays:
    """Of a picture of shapes."""
    labels = _empty(scene.quality)
    if scene.quality != "clear":
        return _nothing_known(labels)
    labels["ground"][...] = IGNORED
    moved, scale = in_window(scene, window), min(window.width, window.height)
    items: list[Thing | Sign] = [*moved.things, *moved.signs]
    for item in items:
        centre = item.x / SIDE_PX, item.y / SIDE_PX
        if isinstance(item, Sign):
            half = scale * item.width_px / 2 / SIDE_PX, scale * item.height_px / 2 / SIDE_PX
            name = SIGN
        else:
            half = (scale * item.radius_px / SIDE_PX,) * 2
            name = item.shape
        _put(
            labels, centre, half,
            what=_number(name, WHAT), colour=_number(item.colour, COLOURS), lying=IGNORED, whole=1,
        )  # fmt: skip
    return labels


def of_view(view: View, truth: Truth, side_px: int, window: Window = WHOLE) -> Arrays:
    """Of a view of the home; `truth` in pixels of a picture `side_px` wide."""
    labels = _empty(truth.quality)
    if truth.quality != "clear":
        return _nothing_known(labels)
    labels["place"][...] = place_class(truth)
    labels["ground"][...] = grounds_of(truth, side_px, window)
    scale = min(window.width, window.height)
    read = dict(truth.signs)
    for sign in view.layout.signs:
        ((u, v),) = to_picture([(sign.x, sign.y)], view.camera)
        if 0 < u < 1 and 0 < v < 1:
            what = _number(SIGN, WHAT) if sign.spoken in read else IGNORED
            half = scale * sign.half_width / view.camera.field, scale * sign.height / 2 / view.camera.field
            _put(labels, window.at(u, v), half, what=what, colour=IGNORED, lying=IGNORED, whole=IGNORED)
    for poster in view.layout.posters:
        ((u, v),) = to_picture([(poster.x, poster.y)], view.camera)
        if 0 < u < 1 and 0 < v < 1:
            seen = (poster.shape, poster.colour) in truth.pictures
            half = (scale * poster.radius / view.camera.field,) * 2
            _put(
                labels, window.at(u, v), half,
                what=_number(poster.shape, WHAT) if seen else IGNORED,
                colour=_number(poster.colour, COLOURS) if seen else IGNORED, lying=IGNORED, whole=IGNORED,
            )  # fmt: skip
    for thing in truth.things:
        if thing.visible < _TRACE:
            continue
        state = state_of(thing)
        known = state != IGNORED
        left, top, right, bottom = (value / side_px for value in thing.box)
        half = scale * (right - left) / 2, scale * (bottom - top) / 2
        _put(
            labels, centre_of(thing, side_px, window), half,
            what=_number(thing.kind, WHAT) if known else IGNORED,
            colour=_number(thing.colour, COLOURS) if known else IGNORED,
            lying=_number(HAND if thing.held else thing.surface, SURFACES),
            whole=(1 if state == _SEEN else 0) if known else IGNORED,
        )  # fmt: skip
    return labels
