"""Augmented training pictures: many signs to read, and things in colours or shapes that no question names."""

from __future__ import annotations

import colorsys
import random
from dataclasses import replace

from models.train.world.drawing import UNNAMED_SHAPES
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.scenes import Change, FramePair, Rgb, Scene, Sign, Thing, paint, random_sign

UNNAMED = "other"
_UNNAMED_HUES_DEG = ((10, 18), (36, 46), (64, 101), (149, 204), (238, 268), (298, 348))
"""The gaps between the hues of the named colours (`scenes`), at least 4 degrees away from them."""
_GREY_VALUES = ((0.25, 0.36), (0.66, 0.88))
"""Ranges of brightness: between black and the background, and between the background and white."""


def scene_of_signs(rng: random.Random) -> Scene:
    """Up to 40 signs that do not overlap, and no things."""
    signs: list[Sign] = []
    for _ in range(40):
        new = random_sign(rng)
        if all(
            abs(new.x - old.x) > (new.width_px + old.width_px) / 2 + 2
            or abs(new.y - old.y) > (new.height_px + old.height_px) / 2 + 2
            for old in signs
        ):
            signs.append(new)
    return Scene((), None, "clear", rng.getrandbits(32), tuple(signs))


def unnamed_rgb(rng: random.Random) -> Rgb:
    """An RGB value (0-255) that is none of the named colours."""
    if rng.random() < 0.3:
        parts = colorsys.hsv_to_rgb(
            rng.random(), rng.uniform(0.0, 0.12), rng.uniform(*rng.choice(_GREY_VALUES))
        )
    else:
        hue = rng.uniform(*rng.choice(_UNNAMED_HUES_DEG)) / 360
        parts = colorsys.hsv_to_rgb(hue, rng.uniform(0.35, 1.0), rng.uniform(0.3, 1.0))
    red, green, blue = (round(part * 255) for part in parts)
    return red, green, blue


def _repainted(thing: Thing, rng: random.Random) -> Thing:
    return replace(thing, colour=UNNAMED, rgb=unnamed_rgb(rng))


def with_unnamed_colours(scene: Scene, rng: random.Random, share: float = 0.5) -> Scene:
    """The scene with `share` of its things in a random unnamed colour and a random named shape.

    Every shape occurs in these colours, so the network learns to recognise shapes independently of colour,
    also in the pairs of shape and colour that are held out. No such pair is shown.
    """
    things = tuple(
        replace(_repainted(thing, rng), shape=rng.choice(SHAPES)) if rng.random() < share else thing
        for thing in scene.things
    )
    return replace(scene, things=things)


def with_unnamed_shapes(scene: Scene, rng: random.Random, share: float = 0.5) -> Scene:
    """The scene with `share` of its things in a random unnamed shape and a random named colour.

    The network learns to recognise colours independently of shape. No held-out pair is shown.
    """

    def reshaped(thing: Thing) -> Thing:
        colour = rng.choice(COLOURS)
        return replace(
            thing,
            shape=rng.choice(UNNAMED_SHAPES),
            angle_deg=rng.uniform(0, 360),
            colour=colour,
            rgb=paint(colour, rng),
        )

    things = tuple(reshaped(thing) if rng.random() < share else thing for thing in scene.things)
    return replace(scene, things=things)


def clip_with_unnamed_colours(clip: FramePair, rng: random.Random, share: float = 0.5) -> FramePair:
    """The clip with `share` of its things in an unnamed colour, the same in both frames. A thing that
    appears, disappears or changes colour keeps its own.
    """
    moved_only = all(change.kind == "moved" for change in clip.changes)
    changed = {
        one.shape for change in clip.changes for one in (change.before, change.after) if one is not None
    }
    paints = {
        thing.shape: unnamed_rgb(rng)
        for thing in (*clip.first.things, *clip.second.things)
        if thing.shape not in changed or moved_only
    }
    chosen = {shape: rgb for shape, rgb in paints.items() if rng.random() < share}

    def repainted(thing: Thing) -> Thing:
        return replace(thing, colour=UNNAMED, rgb=chosen[thing.shape]) if thing.shape in chosen else thing

    def frame(scene: Scene) -> Scene:
        return replace(scene, things=tuple(repainted(thing) for thing in scene.things))

    def with_repainted(change: Change) -> Change:
        return replace(
            change,
            before=repainted(change.before) if change.before else None,
            after=repainted(change.after) if change.after else None,
        )

    return replace(
        clip,
        first=frame(clip.first),
        second=frame(clip.second),
        change=with_repainted(clip.change),
        also=with_repainted(clip.also),
    )
