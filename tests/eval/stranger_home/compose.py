"""Random views of a stranger's home, reproducible by seed."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from models.train.cutouts import Cutout
from tests.eval.stranger.compose import EVERYDAY_WORDS, crayon
from tests.eval.stranger.truth import COLOURS, Rgb
from tests.eval.stranger_home.facts import HAND, THINGS
from tests.eval.stranger_home.outlines import ASPECT, HEIGHT, LABELS
from tests.eval.stranger_home.render import PAPERS
from tests.eval.stranger_home.scene import Cover, Furniture, HomePicture, Look, Thing

Cutouts = Mapping[str, Sequence[Cutout]]
PLACES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "kitchen": (("table", "shelf"), ("stove",), ("fridge",)),
    "bedroom": (("bed",), ("wardrobe",), ("shelf", "low window")),
    "living room": (("sofa", "shelf"), ("table",), ("tv",)),
    "park": (("bench",), ("tree",)),
}
"""What stands in each column of a place, and what hangs above it."""
_WIDE = {"table": 0.74, "shelf": 0.6, "sofa": 0.86, "bed": 0.98, "bench": 0.82, "stove": 0.36, "fridge": 0.34,
         "tv": 0.5, "wardrobe": 0.44, "tree": 0.56, "low window": 0.4}  # fmt: skip
_HIGH = {"table": 0.62, "shelf": 0.26, "sofa": 0.68, "bed": 0.68, "bench": 0.66, "stove": 0.5, "fridge": 0.18,
         "tv": 0.34, "wardrobe": 0.14, "tree": -0.02, "low window": 0.5}  # fmt: skip
_FOOT = {"shelf": 0.36, "low window": 0.74}
_FLOOR_Y, _FOOT_Y = 0.78, 0.86
_TOPS = ("table", "shelf", "sofa", "bed", "bench")
_NOT_ON = {"shelf": ("coat", "umbrella", "bag")}
_FORMS = (
    ((288, 288), 4),
    ((384, 384), 1),
    ((400, 300), 2),
    ((300, 400), 2),
    ((480, 270), 1),
    ((270, 480), 1),
)
_JPEG = (50, 65, 80, 92)
_LIKENESS = 85.0
LABEL_WORDS = tuple(word for word in EVERYDAY_WORDS if len(word) <= 4)


def _pale(rng: random.Random, low: int, high: int, spread: int) -> Rgb:
    level = rng.randint(low, high)
    red, green, blue = (max(0, min(255, level + rng.randint(-spread, spread))) for _ in range(3))
    return red, green, blue


def _wood(rng: random.Random) -> Rgb:
    base = rng.choice(((150, 104, 62), (186, 140, 92), (112, 76, 50), (206, 196, 180), (120, 124, 132)))
    red, green, blue = (part + rng.randint(-10, 10) for part in base)
    return red, green, blue


def _look(place: str, rng: random.Random) -> Look:
    park = place == "park"
    soft = rng.uniform(0.002, 0.006) if rng.random() < 0.3 else 0.0
    return Look(
        wall=(150 + rng.randint(-15, 25), 196 + rng.randint(-12, 20), 232)
        if park
        else _pale(rng, 148, 222, 22),
        floor=(88 + rng.randint(-15, 20), 146 + rng.randint(-14, 16), 70) if park else _wood(rng),
        paper=rng.choice(PAPERS),
        edge=rng.uniform(1.0, 2.2),
        gloss=rng.uniform(0.1, 1.0),
        shadow=rng.uniform(0.0, 0.8),
        gain=rng.uniform(0.7, 1.1),
        warmth=rng.uniform(-0.8, 0.9),
        vignette=rng.uniform(0.0, 0.3),
        grain=rng.uniform(0.5, 5.0),
        quality=rng.choice(_JPEG),
        blur=soft,
        seed=rng.getrandbits(31),
    )


def _furnished(place: str, rng: random.Random) -> tuple[Furniture, ...]:
    found: list[Furniture] = []
    x = 0.0
    for column in rng.sample(PLACES[place], len(PLACES[place])):
        width = max(_WIDE[kind] for kind in column) * rng.uniform(0.95, 1.1)
        for kind in column:
            half, middle = min(_WIDE[kind] * rng.uniform(0.95, 1.1), width) / 2, x + width / 2
            y, foot = _HIGH[kind] + rng.uniform(-0.02, 0.02), _FOOT.get(kind, _FOOT_Y)
            cloth = _pale(rng, 90, 190, 40)
            name = "window" if kind == "low window" else kind
            found.append(Furniture(name, middle - half, middle + half, y, foot, _wood(rng), cloth))
        x += width + rng.uniform(0.08, 0.2)
    return tuple(found)


def _paint_for(look: Look, piece: Furniture | None, rng: random.Random) -> tuple[str, Rgb]:
    """A colour and its name that differs from what stands behind the thing."""
    behind = [look.wall, *((piece.cloth,) if piece and piece.kind == "sofa" else ())]
    behind += [piece.rgb] if piece and piece.kind == "bench" else []
    while True:
        colour = rng.choice(COLOURS)
        rgb = crayon(colour, rng)
        if all(math.dist(rgb, other) > _LIKENESS for other in behind):
            return colour, rgb


def _thing(name: str, piece: Furniture, look: Look, cutouts: Cutouts, rng: random.Random) -> Thing:
    if cutouts:
        cutout = rng.choice(cutouts[name])
        height = HEIGHT[name] * math.sqrt(ASPECT[name] / cutout.aspect) * rng.uniform(0.92, 1.12)
        return Thing(
            name, piece.kind, 0.0, piece.y + 0.008, height, (0, 0, 0), rng.uniform(-4, 4),
            colour=cutout.colour, cutout=cutout,
        )  # fmt: skip
    label = rng.choice(LABEL_WORDS).upper() if name in LABELS and rng.random() < 0.7 else ""
    colour, rgb = _paint_for(look, piece, rng)
    height = HEIGHT[name] * rng.uniform(0.92, 1.12)
    return Thing(name, piece.kind, 0.0, piece.y + 0.008, height, rgb, rng.uniform(-4, 4), label, colour)


def _laid(
    pieces: Sequence[Furniture], look: Look, count: int, cutouts: Cutouts, rng: random.Random
) -> tuple[Thing, ...]:
    """Up to `count` different things on the given pieces, beside one another."""
    things: list[Thing] = []
    names = [name for name in THINGS if name in cutouts] if cutouts else THINGS
    for name in rng.sample(names, len(names)):
        fit = [piece for piece in pieces if name not in _NOT_ON.get(piece.kind, ())]
        if len(things) == count or not fit:
            continue
        piece = rng.choice(fit)
        thing = _thing(name, piece, look, cutouts, rng)
        left = piece.left + (0.27 if piece.kind == "bed" else 0.06 if piece.kind == "sofa" else 0.0)
        half = thing.width / 2 + 0.01
        there = [other for other in things if other.top == piece.kind]
        for _ in range(20):
            x = rng.uniform(left + half, piece.right - half - (0.06 if piece.kind == "sofa" else 0.0))
            if left + half < piece.right - half and all(
                abs(x - other.x) > half + other.width / 2 + 0.02 for other in there
            ):
                things.append(replace(thing, x=x))
                break
    return tuple(things)


def random_home(rng: random.Random, case: str = "", cutouts: Cutouts | None = None) -> HomePicture:
    """A view of a random place. case: what is special in it, "", dark, blurred, cut off, covered or held.
    cutouts: somebody's pictures by thing; then all things are such pictures.
    """
    cutouts = cutouts or {}
    place = rng.choice(sorted(PLACES))
    look, furniture = _look(place, rng), _furnished(place, rng)
    width, height = rng.choices([size for size, _ in _FORMS], [weight for _, weight in _FORMS])[0]
    tops = [piece for piece in furniture if piece.kind in _TOPS]
    target = rng.choice(tops)
    near = [piece for piece in tops if abs(piece.left - target.left) < 0.5]
    things = _laid([target, *near], look, rng.choice((0, 1, 2, 2, 3, 3, 4, 5)), cutouts, rng)
    zoom = rng.uniform(0.72, 1.25) * (
        min(1.0, 0.9 / (target.right - target.left)) if width <= height else 1.0
    )
    at = (
        (target.left + target.right) / 2 + rng.uniform(-0.12, 0.12) / zoom,
        target.y - rng.uniform(0.0, 0.14) / zoom,
    )
    picture = HomePicture(
        width, height, place, _FLOOR_Y, furniture, things, None, None, look, at, zoom, rng.gauss(0, 2.0)
    )
    return _with_case(picture, case, cutouts, rng)


def _with_case(picture: HomePicture, case: str, cutouts: Cutouts, rng: random.Random) -> HomePicture:
    look = picture.look
    if case == "dark":
        return replace(picture, look=replace(look, gain=rng.uniform(0.02, 0.06), grain=rng.uniform(1, 3)))
    if case == "blurred":
        motion = rng.choice((None, rng.uniform(0, 180)))
        return replace(picture, look=replace(look, blur=rng.uniform(0.075, 0.1), motion_deg=motion))
    if case == "held":
        there = {thing.name for thing in picture.things}
        names = [name for name in THINGS if name in (cutouts or THINGS) and name not in there]
        if not names:
            return picture
        name = rng.choice(names)
        if cutouts:
            return replace(picture, held=_cutout_in_hand(picture, rng.choice(cutouts[name]), rng))
        height = 0.42 / max(1.0, ASPECT[name])
        label = rng.choice(LABEL_WORDS).upper() if name in LABELS and rng.random() < 0.7 else ""
        across, down = picture.width / picture.short, picture.height / picture.short
        colour, rgb = _paint_for(look, None, rng)
        x, y = across * rng.uniform(0.4, 0.6), down - rng.uniform(0.2, 0.3)
        held = Thing(name, HAND, x, y, height, rgb, rng.uniform(-6, 6), label, colour)
        return replace(picture, held=held)
    if case in ("cut off", "covered") and picture.things:
        thing = rng.choice(picture.things)
        return _cut(picture, thing, rng) if case == "cut off" else _covered(picture, thing, rng)
    return picture


def _cutout_in_hand(picture: HomePicture, cutout: Cutout, rng: random.Random) -> Thing:
    across, down = picture.width / picture.short, picture.height / picture.short
    return Thing(
        cutout.thing, HAND, across * rng.uniform(0.4, 0.6), down - rng.uniform(0.2, 0.3),
        0.42 / max(1.0, cutout.aspect), (0, 0, 0), rng.uniform(-6, 6), colour=cutout.colour, cutout=cutout,
    )  # fmt: skip


def _cut(picture: HomePicture, thing: Thing, rng: random.Random) -> HomePicture:
    """The camera moved so that the left or right border cuts the thing."""
    half = picture.width / picture.px_per_unit / 2
    gone = rng.uniform(0.52, 0.78)
    if rng.random() < 0.5:
        x = thing.x - thing.width / 2 + gone * thing.width + half
    else:
        x = thing.x + thing.width / 2 - gone * thing.width - half
    return replace(picture, at=(x, picture.at[1]), lean_deg=rng.gauss(0, 0.7))


def _covered(picture: HomePicture, thing: Thing, rng: random.Random) -> HomePicture:
    """A carton or cushion before the thing."""
    gone = rng.uniform(0.55, 0.78)
    left, right = thing.x - thing.width / 2 - 0.01, thing.x + thing.width / 2 + 0.01
    top, bottom = thing.y - thing.height - 0.02, thing.y + 0.05
    wide = thing.width + 0.02
    _, rgb = _paint_for(picture.look, None, rng)
    match rng.choice(("below", "left", "right")):
        case "below":
            box = (left - 0.03, thing.y - gone * thing.height, right + 0.05, bottom + 0.04)
        case "left":
            box = (left - 0.12, top, left + gone * wide, bottom)
        case _:
            box = (right - gone * wide, top, right + 0.12, bottom)
    return replace(picture, cover=Cover(*box, rgb))
