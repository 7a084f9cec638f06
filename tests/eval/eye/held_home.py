"""Held-out views of the drawn home, with their facts in the evaluation's own terms."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from models.train.world.home.picture.render import render
from models.train.world.home.questions import parsed, sentence_split
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import (
    GLIMPSE,
    NOTHING,
    PART,
    PLACE_KNOWN,
    PLACE_UNKNOWN,
    SEEN,
    SeenSurface,
    SeenThing,
    Truth,
    surface_name,
    tall_enough,
    truth_of,
)
from models.train.world.home.views import View
from tests.eval.stranger_home import facts
from tests.eval.stranger_home.facts import Facts, Item, Top

_BESIDE_TO, _APART_FROM = 62.0, 72.0
"""Distances of middles in room units: up to the first, things are next to each other; from the second on
they are not.
"""
_WHOLE = 0.98


def held_out_view(rng: random.Random) -> tuple[View, Facts]:
    """A random view of a held-out layout."""
    view = random_view(rng, "held")
    return view, facts_of_view(view)


def picture_of(view: View) -> NDArray[np.uint8]:
    """uint8 [224, 224, 3]."""
    return render(view)


def held_out_sentence(text: str) -> bool:
    """Whether a documented question is one that no training picture is asked."""
    return parsed(text) is not None and sentence_split(text) == "held"


def facts_of_view(view: View) -> Facts:
    """The facts of a view of the drawn home."""
    truth = truth_of(view)
    known = True if truth.landmark >= PLACE_KNOWN else False if truth.landmark < PLACE_UNKNOWN else None
    return Facts(
        truth.place,
        known,
        tuple(_item(thing, truth) for thing in truth.things),
        tuple(_top(surface, truth) for surface in truth.surfaces),
        truth.quality,
    )


def _state(thing: SeenThing) -> str:
    if thing.visible >= SEEN:
        return facts.SEEN
    if thing.visible < NOTHING:
        return facts.ABSENT
    if not GLIMPSE <= thing.visible < PART:
        return facts.DOUBTFUL
    return facts.CUT if thing.cut >= thing.covered else facts.COVERED


def _item(thing: SeenThing, truth: Truth) -> Item:
    return Item(
        thing.kind,
        facts.HAND if thing.held else surface_name(truth.place, thing.surface),
        _state(thing),
        thing.cut_side,
        thing.room_x,
        () if thing.held else _beside(thing, truth),
        thing.label.lower(),
        tall_enough(thing.letter_px) if thing.label else True,
        thing.visible >= _WHOLE,
        thing.colour,
    )


def _beside(thing: SeenThing, truth: Truth) -> tuple[str, ...] | None:
    others = [each for each in truth.things if each.surface == thing.surface and each is not thing]
    if any(each.visible < SEEN and abs(each.room_x - thing.room_x) < _APART_FROM for each in others):
        return None
    found = []
    for way in (-1, 1):
        gaps = [
            (abs(each.room_x - thing.room_x), each.kind)
            for each in others
            if (each.room_x - thing.room_x) * way > 0 and each.visible >= SEEN
        ]
        if gaps:
            gap, name = min(gaps)
            if _BESIDE_TO < gap < _APART_FROM:
                return None
            found += [name] if gap <= _BESIDE_TO else []
    return tuple(found)


def _top(surface: SeenSurface, truth: Truth) -> Top:
    ground = surface.name in ("floor", "ground")
    if surface.visible == 0:
        return Top(surface.name, facts.ABSENT)
    if surface.visible >= (0.95 if ground else 0.8):
        lying = [each for each in truth.things if each.surface == surface.kind]
        hidden = [each for each in lying if each.visible < SEEN]
        if ground:
            hidden = [each for each in hidden if each.visible > 0 or each.covered > 0]
        return Top(surface.name, facts.DOUBTFUL if hidden else facts.SEEN)
    if 0.2 <= surface.visible <= 0.5 and surface.cut_side and not ground:
        return Top(surface.name, facts.CUT, surface.cut_side)
    return Top(surface.name, facts.DOUBTFUL)
