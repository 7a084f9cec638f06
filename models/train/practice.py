"""Pictures to practise seeing on, without questions: many boards to read, and shapes in unnamed colours."""

from __future__ import annotations

import colorsys
import random
from dataclasses import replace

from models.train.grammar import SHAPES
from models.train.scenes import Scene, Sign, random_sign

_ODD_HUES_DEG = ((66, 96), (165, 196), (308, 344))


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


def odd_colours(scene: Scene, rng: random.Random) -> Scene:
    """The scene, half of its things in colours without a name here (lime, cyan, pink), called "other".

    Practice in telling shapes whatever their colour. No hue comes near one that a reserved pair has.
    """
    things = []
    for thing in scene.things:
        if rng.random() < 0.5:
            hue = rng.uniform(*rng.choice(_ODD_HUES_DEG)) / 360
            parts = colorsys.hsv_to_rgb(hue, rng.uniform(0.35, 1.0), rng.uniform(0.35, 1.0))
            red, green, blue = (round(part * 255) for part in parts)
            thing = replace(thing, colour="other", shape=rng.choice(SHAPES), rgb=(red, green, blue))
        things.append(thing)
    return replace(scene, things=tuple(things))
