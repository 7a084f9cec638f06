"""Random views of the home, reproducible from a seed: things placed, the camera aimed, the light set."""

from __future__ import annotations

import random
from collections.abc import Sequence

from models.train.world.grammar import COLOURS
from models.train.world.home.layouts import LANDMARKS, Layout, Surface, hook_places, layout
from models.train.world.home.splits import (
    HELD_OUT_PLACES,
    KINDS,
    PLACES,
    VALIDATION_PLACES,
    allowed_place,
    random_layout_number,
    random_style,
)
from models.train.world.home.things import LABEL_WORDS, SENSIBLE, carries_word, size_of
from models.train.world.home.views import HAND, Camera, Cover, Light, Thing, View
from models.train.world.scenes import paint

_APART = 2.5


def new_thing(kind: str, rng: random.Random, split: str, surface: str = HAND) -> Thing:
    """A thing of `kind` in a random style and colour, in the hand until it is put somewhere."""
    style, colour = random_style(kind, rng, split), rng.choice(COLOURS)
    label = rng.choice(LABEL_WORDS).upper() if carries_word(kind, style) and rng.random() < 0.75 else ""
    u, v = rng.uniform(0.36, 0.64), rng.uniform(0.68, 0.8)
    return Thing(kind, style, colour, paint(colour, rng), surface, u, v, label)


def _free_x(
    surface: Surface, half: float, others: Sequence[Thing], rng: random.Random, span: tuple[float, float]
) -> float | None:
    """An x on `surface`, within `span`, where `half` the thing's width touches no other; None if full."""
    there = [other for other in others if other.surface == surface.kind]
    left = max(surface.left, surface.free_left, span[0]) + half
    right = min(surface.right, span[1]) - half
    if surface.kind == "hook":
        free = [x for x in hook_places(surface) if all(abs(x - other.x) > 5 for other in there)]
        return rng.choice(free) if free else None
    if left >= right:
        return None
    for _ in range(20):
        x = rng.uniform(left, right)
        if all(abs(x - o.x) > half + size_of(o.kind, o.style)[0] / 2 + _APART for o in there):
            return x
    return None


def put_down(
    thing: Thing,
    kind: str,
    place: Layout,
    others: Sequence[Thing],
    rng: random.Random,
    span: tuple[float, float] = (0.0, 1e6),
) -> Thing | None:
    """The thing on the surface `kind` of `place`, beside the others; None where there is no room for it
    between the two x of `span`.
    """
    surface = place.surface(kind)
    width, height = size_of(thing.kind, thing.style)
    x = _free_x(surface, width / 2, others, rng, span)
    if x is None:
        return None
    y = surface.y + height + 3 if kind == "hook" else surface.y + rng.uniform(0.45, 0.95) * surface.depth
    return Thing(thing.kind, thing.style, thing.colour, thing.rgb, kind, x, y, thing.label)


def aimed_at(
    x: float, y: float, field: float, place: Layout, rng: random.Random, jitter: float = 0.18
) -> Camera:
    """A camera that looks at about (x, y), kept within the place."""
    x += rng.uniform(-jitter, jitter) * field
    y += rng.uniform(-jitter, jitter) * field
    x = min(max(x, 0.3 * field), place.width - 0.3 * field)
    y = min(max(y, 0.42 * field), 212 - 0.42 * field)
    return Camera(x, y, field, rng.gauss(0, 2.5))


def random_light(rng: random.Random, quality: str = "clear") -> Light:
    """Light of a quality: clear, dark or blurred."""
    motion = rng.choice(("", "x", "y")) if quality == "blurred" else ""
    blur = rng.uniform(0.075, 0.1) if quality == "blurred" else max(0.0, rng.gauss(0.0005, 0.0018))
    return Light(
        level=rng.uniform(0.02, 0.06) if quality == "dark" else rng.uniform(0.55, 1.12),
        warmth=rng.uniform(-0.8, 0.9),
        slope_x=rng.uniform(-0.16, 0.16),
        slope_y=rng.uniform(-0.16, 0.16),
        grain=rng.uniform(0.5, 6.0) if quality != "dark" else rng.uniform(1.5, 4.0),
        blur=blur,
        motion=motion,
    )


def cover_of(thing: Thing, share: float, rng: random.Random) -> Cover:
    """Something that hides about `share` of the thing from below or from one side."""
    width, height = size_of(thing.kind, thing.style)
    left, top, right, bottom = thing.x - width / 2, thing.y - height, thing.x + width / 2, thing.y
    rgb = paint(rng.choice(COLOURS), rng) if rng.random() < 0.5 else (178, 142, 98)
    side = rng.choice(("below", "left", "right"))
    spread = rng.uniform(0.3, 0.9)
    if side == "below":
        return Cover(
            left - 4 - 12 * spread,
            top + (1 - share) * height,
            right + 4 + 12 * (1 - spread),
            bottom + 24,
            rgb,
            rng.randrange(3),
        )
    if side == "left":
        left, right = left - 30 * spread - 6, left + share * width
    else:
        left, right = right - share * width, right + 30 * spread + 6
    return Cover(left, top - 6 - 16 * (1 - spread), right, bottom + 12, rgb, rng.randrange(3))


def _cut_off(thing: Thing, camera: Camera, rng: random.Random) -> Camera:
    """The camera panned so that the picture's border cuts the thing."""
    width, height = size_of(thing.kind, thing.style)
    share, half = rng.uniform(0.5, 0.8), camera.field / 2
    x, y = camera.x, camera.y
    side = rng.choice(("left", "right", "left", "right", "up", "down"))
    if side in ("left", "right"):
        gone = share * width
        x = thing.x - width / 2 + gone + half if side == "left" else thing.x + width / 2 - gone - half
    elif side == "up":
        y = thing.y - height + share * height + half
    else:
        y = thing.y - share * height - half
    return Camera(x, y, camera.field, rng.gauss(0, 0.8))


def _kinds(place: str, number: int, rng: random.Random, split: str) -> list[str]:
    """Different kinds that may be at `place`; one reserved for the split comes first in half of the views."""
    kinds = [kind for kind in rng.sample(KINDS, len(KINDS)) if allowed_place(kind, place, split)]
    reserved = {"held": HELD_OUT_PLACES, "validation": VALIDATION_PLACES}.get(split, frozenset())
    own = [kind for kind in kinds if (kind, place) in reserved]
    if own and rng.random() < 0.5:
        kinds = own + [kind for kind in kinds if kind not in own]
    return kinds[:number]


def random_things(place: Layout, number: int, rng: random.Random, split: str) -> list[Thing]:
    """Up to `number` things of different kinds, most of them on one surface or near it."""
    things: list[Thing] = []
    centre = _middle(rng.choice([each for each in place.surfaces if each.kind != "floor"]))
    for kind in _kinds(place.place, number, rng, split):
        fit = [each for each in place.surfaces if each.kind in SENSIBLE[kind]]
        fit.sort(key=lambda each: 45.0 if each.kind == "floor" else abs(_middle(each) - centre))
        if not fit:
            continue
        chosen = fit[min(int(rng.expovariate(1.6)), len(fit) - 1)]
        span = (centre - 80, centre + 80) if chosen.kind == "floor" else (0.0, place.width)
        put = put_down(new_thing(kind, rng, split), chosen.kind, place, things, rng, span)
        if put is not None:
            things.append(put)
    return things


def _middle(surface: Surface) -> float:
    return (surface.left + surface.right) / 2


def random_target(place: Layout, rng: random.Random) -> tuple[float, float]:
    """The middle of a surface or of a landmark, units."""
    if rng.random() < 0.5:
        surface = rng.choice([each for each in place.surfaces if each.kind != "floor"])
        return (surface.left + surface.right) / 2, surface.y - 6
    kinds = LANDMARKS[place.place]
    boxes = [each.box for each in place.surfaces if each.kind in kinds]
    boxes += [(each.left, each.top, each.right, each.bottom) for each in place.fixtures if each.kind in kinds]
    left, top, right, bottom = rng.choice(boxes)
    return (left + right) / 2, (top + bottom) / 2


def random_view(rng: random.Random, split: str, unusable_share: float = 0.09) -> View:
    """A view of `split`: 0 to 7 things, sometimes one in the hand, cut off by the border or covered; too dark
    or too blurred with the probability `unusable_share`.
    """
    name = rng.choice(PLACES)
    place = layout(name, random_layout_number(rng, split))
    things = random_things(place, rng.choices(range(8), (1, 2, 3, 4, 4, 3, 2, 1))[0], rng, split)
    field = rng.uniform(90, 205)
    target = rng.choice(things) if things and rng.random() < 0.7 else None
    if target is not None:
        x, y = target.x, target.y - 14
    else:
        x, y = random_target(place, rng)
    camera, cover = aimed_at(x, y, field, place, rng), None
    draw = rng.random()
    if target is not None and draw < 0.12:
        camera = _cut_off(target, camera, rng)
    elif target is not None and draw < 0.24:
        cover = cover_of(target, rng.uniform(0.55, 0.85), rng)
    if rng.random() < 0.16:
        here = {thing.kind for thing in things}
        kinds = [kind for kind in KINDS if kind not in here and allowed_place(kind, name, split)]
        things.append(new_thing(rng.choice(kinds), rng, split))
    spoilt = rng.random()
    quality = "dark" if spoilt < unusable_share / 2 else "blurred" if spoilt < unusable_share else "clear"
    return View(
        name, place.number, tuple(things), camera, random_light(rng, quality), cover, rng.getrandbits(32)
    )
