"""Captions of a view, from its truth: what a person would say of the picture.

"keys on the kitchen table, left of the cup" is the form in which memory looks for a view.
"""

from __future__ import annotations

import random

from models.train.world.answering.reference import listed
from models.train.world.home.layouts import OUTDOORS
from models.train.world.home.truth import PLACE_KNOWN, READABLE_PX, SeenThing, Truth, surface_name
from models.train.world.truth import some

PLURALS = ("keys", "glasses")


def named(kind: str, colour: str = "") -> str:
    """The thing with its article: "a red cup", "keys"."""
    words = f"{colour} {kind}".strip()
    return words if kind in PLURALS else some(words)


def spot(place: str, surface: str, known: bool = True) -> str:
    """Where something lies: "on the kitchen table", "on the ground in the park"; without the place unless
    it is `known`.
    """
    name = surface_name(place, surface)
    if not known or name == "desk":
        return f"on the {name}"
    if place in OUTDOORS and surface == "floor":
        return f"on the {name} in the {place}"
    return f"on the {place} {name}"


def caption_of(thing: SeenThing, truth: Truth, rng: random.Random) -> str:
    """One thing and where it is; the colour, the place and the neighbour are named in some captions."""
    words = f"{thing.colour} {thing.kind}" if rng.random() < 0.35 else thing.kind
    if thing.held:
        return f"{words} in the hand"
    text = f"{words} {spot(truth.place, thing.surface, rng.random() < 0.75)}"
    if thing.beside and rng.random() < 0.5:
        text += f", {thing.beside[0]}"
    return text


def captions(truth: Truth, rng: random.Random, most: int = 4) -> list[str]:
    """Up to `most` different true captions of a view; none of one that is too dark or blurred."""
    if truth.quality != "clear":
        return []
    found = [caption_of(thing, truth, rng) for thing in truth.seen]
    by_surface: dict[str, list[str]] = {}
    for thing in truth.seen:
        if not thing.held:
            by_surface.setdefault(thing.surface, []).append(named(thing.kind))
    found += [
        f"{listed(kinds)} {spot(truth.place, surface, rng.random() < 0.75)}"
        for surface, kinds in by_surface.items()
        if len(kinds) > 1
    ]
    if truth.landmark >= PLACE_KNOWN:
        found.append(f"the {truth.place}")
    for thing in truth.seen:
        if thing.label and thing.visible > 0.95 and thing.letter_px >= READABLE_PX:
            found.append(f"{thing.kind} with the word {thing.label.lower()}")
    found += [f"a sign that says {word}" for word, letter_px in truth.signs if letter_px >= READABLE_PX]
    found += [f"a picture of {some(f'{colour} {shape}')}" for shape, colour in truth.pictures]
    unique = list(dict.fromkeys(found))
    return rng.sample(unique, min(most, len(unique)))
