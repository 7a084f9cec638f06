"""Pictures to practise seeing on: many boards to read; colours, and shapes, that have no name here."""

from __future__ import annotations

import colorsys
import random
from dataclasses import replace

from models.train.world.drawing import ODD_SHAPES
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.scenes import FramePair, Rgb, Scene, Sign, Thing, paint, random_sign

UNNAMED = "other"
_ODD_HUES_DEG = ((10, 18), (36, 46), (64, 101), (149, 204), (238, 268), (298, 348))
"""Between the hues of the named colours (`scenes`), 4 degrees off them."""
_GREYS = ((0.25, 0.36), (0.66, 0.88))
"""Darker or lighter than a backdrop, lighter than what is called black, darker than what is called white."""


def reading_scene(rng: random.Random) -> Scene:
    """Many boards and hardly anything else, to practise reading on."""
    boards: list[Sign] = []
    for _ in range(40):
        new = random_sign(rng)
        if all(
            abs(new.x - old.x) > (new.width_px + old.width_px) / 2 + 2
            or abs(new.y - old.y) > (new.height_px + old.height_px) / 2 + 2
            for old in boards
        ):
            boards.append(new)
    return Scene((), None, "clear", rng.getrandbits(32), tuple(boards))


def unnamed_paint(rng: random.Random) -> Rgb:
    """An RGB value (0-255) that is none of the named colours."""
    if rng.random() < 0.3:
        parts = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.0, 0.12), rng.uniform(*rng.choice(_GREYS)))
    else:
        hue = rng.uniform(*rng.choice(_ODD_HUES_DEG)) / 360
        parts = colorsys.hsv_to_rgb(hue, rng.uniform(0.35, 1.0), rng.uniform(0.3, 1.0))
    red, green, blue = (round(part * 255) for part in parts)
    return red, green, blue


def _repainted(thing: Thing, rng: random.Random) -> Thing:
    return replace(thing, colour=UNNAMED, rgb=unnamed_paint(rng))


def odd_colours(scene: Scene, rng: random.Random, share: float = 0.5) -> Scene:
    """The scene with `share` of its things in colours without a name, and any shape in any of them.

    A network that has seen shapes in such colours tells shapes whatever their colour, and so knows a shape
    in a named colour that it has never seen it in. No reserved pair is ever shown.
    """
    things = tuple(
        replace(_repainted(thing, rng), shape=rng.choice(SHAPES)) if rng.random() < share else thing
        for thing in scene.things
    )
    return replace(scene, things=things)


def odd_shapes(scene: Scene, rng: random.Random, share: float = 0.5) -> Scene:
    """The scene with `share` of its things in shapes without a name, and any named colour on any of them.

    A network that has seen such shapes tells colours whatever the shape. No reserved pair is ever shown.
    """

    def reshaped(thing: Thing) -> Thing:
        colour = rng.choice(COLOURS)
        return replace(
            thing,
            shape=rng.choice(ODD_SHAPES),
            angle_deg=rng.uniform(0, 360),
            colour=colour,
            rgb=paint(colour, rng),
        )

    things = tuple(reshaped(thing) if rng.random() < share else thing for thing in scene.things)
    return replace(scene, things=things)


def odd_clip(clip: FramePair, rng: random.Random, share: float = 0.5) -> FramePair:
    """The clip with some things in colours without a name, the same in both frames; not the changed thing."""
    changed = {one.shape for one in (clip.change.before, clip.change.after) if one is not None}
    paints = {
        thing.shape: unnamed_paint(rng)
        for thing in (*clip.first.things, *clip.second.things)
        if thing.shape not in changed or clip.change.kind == "moved"
    }
    chosen = {shape: rgb for shape, rgb in paints.items() if rng.random() < share}

    def repainted(thing: Thing) -> Thing:
        return replace(thing, colour=UNNAMED, rgb=chosen[thing.shape]) if thing.shape in chosen else thing

    def frame(scene: Scene) -> Scene:
        return replace(scene, things=tuple(repainted(thing) for thing in scene.things))

    change = replace(
        clip.change,
        before=repainted(clip.change.before) if clip.change.before else None,
        after=repainted(clip.change.after) if clip.change.after else None,
    )
    return replace(clip, first=frame(clip.first), second=frame(clip.second), change=change)
