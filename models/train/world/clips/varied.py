"""Random clips with more ways to move than `draw` has, reproducible from a seed.

    clip = varied_clip(random.Random(7), "train")

Things start and stop gently or at once and drift to the side, two change places in one moment or pass each
other, heads sway, lean and look back, light drifts, the light also flashes while something else happens, and
some things are partly hidden. What is asked is decided by the pictures, as in `draw`. Training and the choice
of thresholds draw these; evaluations draw the clips of `draw`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.train.world.clips.draw import FAST_FROM, FEWEST, MOST, SLOW_TO, STEP, random_times
from models.train.world.clips.happenings import (
    Happened,
    Happening,
    appear,
    asked_about,
    clip_of,
    exchangeable,
    flashes,
    gone,
    nothing,
    put_down,
)
from models.train.world.clips.stage import (
    Aim,
    Dress,
    Point,
    Stage,
    aimed,
    as_they_are,
    far_apart,
    from_one_to_other,
    furnished,
)
from models.train.world.clips.values import DIRECTIONS, MOST_FLASHES, Clip
from models.train.world.home.layouts import Layout
from models.train.world.home.random_views import cover_of, random_light
from models.train.world.home.views import Camera, Cover, Light, Thing, View

_EVENTS = (
    "move", "move", "move", "move", "still", "still", "flash", "appear", "gone", "swap", "turn to", "come",
    "come",
)  # fmt: skip
_AIM = Aim(beside=0.1, longest=0.45, flat=0.7)
_ALSO_FLASHES = 0.12


@dataclass(frozen=True)
class _Set:
    """A stage, and what hides a part of it."""

    stage: Stage
    cover: Cover | None


def eased(share: float, way: str) -> float:
    """How much of a path is behind a thing after a share of the time, both 0 to 1, from rest to rest
    ("gentle"), from rest ("starting"), to rest ("stopping"), or at one speed ("steady").
    """
    share = min(1.0, max(0.0, share))
    if way == "gentle":
        return share * share * (3 - 2 * share)
    if way == "starting":
        return share * share
    return 1 - (1 - share) ** 2 if way == "stopping" else share


def random_way(rng: random.Random) -> str:
    """A way to move."""
    return rng.choice(("steady", "gentle", "gentle", "starting", "stopping"))


def varied_clip(rng: random.Random, split: str, dress: Dress = as_they_are) -> Clip:
    """A clip of `split`, "train", "validation" or "held", its things in the styles that `dress` gives."""
    return asked_about(_EVENTS, lambda event: _clip(event, rng, split, dress), rng)


def _clip(event: str, rng: random.Random, split: str, dress: Dress) -> Clip | None:
    there = _turning_set(rng, split, dress) if event == "turn to" else _set(rng, split, dress)
    if there is None:
        return None
    stage = there.stage
    happened = _HAPPENINGS[event](stage, rng)
    if happened is None:
        return None
    scene, lights, facts = happened
    if event not in ("flash", "come") and rng.random() < _ALSO_FLASHES:
        flashed = _flash(stage, rng)
        if flashed is not None:
            lights, facts = flashed[1], facts | flashed[2]
    return clip_of(event, stage, (scene, lights, facts), there.cover, rng)


def _times(rng: random.Random) -> tuple[float, ...]:
    """As usual, or dense, or at irregular times."""
    draw_from = rng.random()
    if draw_from < 0.6:
        return random_times(rng)
    gap_s, uneven = rng.uniform(0.1, 0.5), 0.15 if draw_from < 0.8 else 0.5
    times_s = [0.0]
    for _ in range(rng.randint(FEWEST, MOST) - 1):
        times_s.append(times_s[-1] + gap_s * rng.uniform(1 - uneven, 1 + uneven))
    return tuple(times_s)


def _set(rng: random.Random, split: str, dress: Dress) -> _Set | None:
    place, things = furnished(rng, split, 1, 7)
    if not things:
        return None
    times_s, field = _times(rng), rng.uniform(90, 200)
    start, step, turned = aimed(things, field, _AIM, rng)
    path = _path(start, step, times_s, turned and rng.random() < 0.15, rng)
    return _made(place, things, path, field, times_s, turned, rng, dress)


def _turning_set(rng: random.Random, split: str, dress: Dress) -> _Set | None:
    """The head turns from one thing to another, which are never seen together."""
    place, things = furnished(rng, split, 2, 5)
    pair = far_apart(things, 65, rng)
    if pair is None:
        return None
    field = min(190.0, rng.uniform(0.75, 1.3) * abs(pair[0].x - pair[1].x))
    if field < 75:
        return None
    times_s = _times(rng)
    start, step = from_one_to_other(pair, field, (0.08, 0.06), rng)
    path = _path(start, step, times_s, False, rng)
    return _made(place, things, path, field, times_s, True, rng, dress)


def _made(
    place: Layout,
    things: Sequence[Thing],
    path: Sequence[Point],
    field: float,
    times_s: tuple[float, ...],
    turned: bool,
    rng: random.Random,
    dress: Dress,
) -> _Set:
    cameras = _shaken(path, field, rng)
    light = random_light(rng)
    dressed = dress(View(place.place, place.number, tuple(things), cameras[0], light), rng).things
    cover = cover_of(rng.choice(dressed), rng.uniform(0.2, 0.5), rng) if rng.random() < 0.12 else None
    stage = Stage(place, dressed, cameras, _lights(light, times_s, rng), times_s, turned)
    return _Set(stage, cover)


def _path(start: Point, step: Point, times_s: Sequence[float], back: bool, rng: random.Random) -> list[Point]:
    """From `start` by `step` in the middle part of the time, and `back` again."""
    begin, end, way = rng.uniform(0, 0.45), rng.uniform(0.55, 1.0), random_way(rng)
    path = []
    for at_s in times_s:
        share = (at_s / times_s[-1] - begin) / (end - begin)
        done = eased(1 - abs(2 * min(1.0, max(0.0, share)) - 1) if back else share, way)
        path.append((start[0] + done * step[0], start[1] + done * step[1]))
    return path


def _shaken(path: Sequence[Point], field: float, rng: random.Random) -> tuple[Camera, ...]:
    """Cameras along a path, with the small motion of a head: at random or swaying, sometimes leaning in."""
    strength, keeps = rng.uniform(0.0, 0.02) * field, rng.choice((0.0, 0.0, 0.6, 0.85))
    roll, rolls = rng.gauss(0, 2.5), rng.uniform(0.1, 0.9)
    leans = rng.uniform(-0.06, 0.06) if rng.random() < 0.25 else 0.0
    fresh = math.sqrt(1 - keeps * keeps) * strength
    dx, dy, cameras = rng.gauss(0, strength), rng.gauss(0, strength), []
    for number, (x, y) in enumerate(path):
        near = 1 + leans * eased(number / max(1, len(path) - 1), "gentle")
        cameras.append(Camera(x + dx, y + dy, field * near, roll + rng.gauss(0, rolls)))
        dx, dy = keeps * dx + rng.gauss(0, fresh), keeps * dy + rng.gauss(0, fresh)
    return tuple(cameras)


def _lights(light: Light, times_s: Sequence[float], rng: random.Random) -> tuple[Light, ...]:
    """The light of every view: steady, or drifting and flickering a little, far less than a flash does."""
    if rng.random() < 0.5:
        return (light,) * len(times_s)
    drift, phase, flicker = rng.uniform(0, 0.07), rng.uniform(0, 6.3), rng.uniform(0, 0.02)
    return tuple(
        replace(light, level=light.level * (1 + drift * math.sin(phase + at_s) + rng.gauss(0, flicker)))
        for at_s in times_s
    )


def _move(stage: Stage, rng: random.Random) -> Happened | None:
    """A thing moves between two moments. Its speed is the mean of its motion."""
    thing, direction, way = rng.choice(stage.things), rng.choice(DIRECTIONS), random_way(rng)
    fast = rng.random() < 0.5
    speed = rng.uniform(FAST_FROM, 1.6) if fast else rng.uniform(0.06, SLOW_TO)
    field, whole_s = stage.cameras[0].field, stage.times_s[-1]
    longest_s, shortest_s = min(0.7 / speed, 0.95 * whole_s), 0.12 / speed
    if shortest_s > longest_s:
        return None
    lasts_s = rng.uniform(shortest_s, longest_s)
    begins_s = rng.uniform(0, whole_s - lasts_s)
    length, back = speed * lasts_s * field, rng.uniform(0.2, 0.8)
    aside = rng.choice((0.0, rng.uniform(-0.18, 0.18)))
    step = STEP[direction]
    dx, dy = step[0] + aside * abs(step[1]), step[1] + aside * abs(step[0])
    scene = []
    for at_s in stage.times_s:
        done = length * (eased((at_s - begins_s) / lasts_s, way) - back)
        moved = replace(thing, x=thing.x + dx * done, y=thing.y + dy * done)
        scene.append([moved if each is thing else each for each in stage.things])
    facts = {"moved": thing.kind, "direction": direction, "speed": "fast" if fast else "slow"}
    return scene, stage.lights, facts


def _flash(stage: Stage, rng: random.Random) -> Happened | None:
    """The light goes on or out for one to three views, a few times; the usual light lies between."""
    count = rng.randint(1, MOST_FLASHES)
    factor = rng.uniform(0.2, 0.55) if rng.random() < 0.5 else rng.uniform(1.6, 2.3)
    warmer = rng.choice((0.0, rng.uniform(-0.4, 0.4)))
    lit = flashes(stage, [rng.choice((1, 1, 2, 3)) for _ in range(count)], rng)
    if lit is None:
        return None
    lights = [
        replace(light, level=light.level * factor, warmth=light.warmth + warmer) if flash else light
        for light, flash in zip(stage.lights, lit, strict=True)
    ]
    return [stage.things] * stage.frames, lights, {"flashes": str(count)}


def _come(stage: Stage, rng: random.Random) -> Happened | None:
    """Two or three things are put down one after the other."""
    if len(stage.things) < 2:
        return None
    count = min(len(stage.things), stage.frames - 1, rng.choice((2, 2, 3)))
    came = rng.sample(stage.things, count)
    begins = dict(zip(map(id, came), sorted(rng.sample(range(1, stage.frames), count)), strict=True))
    names = ("came", "came later", "came last")
    facts = {name: each.kind for name, each in zip(names, came, strict=False)}
    return put_down(stage, begins), stage.lights, facts


def _swap(stage: Stage, rng: random.Random) -> Happened | None:
    """Two things change places, in one moment or passing each other."""
    pair = exchangeable(stage, rng)
    if pair is None:
        return None
    first, second = pair
    whole_s, lasts_s = stage.times_s[-1], 0.01
    if rng.random() < 0.5:
        lasts_s = min(0.9 * whole_s, rng.uniform(0.3, 1.5))
    begins_s, way, lift = rng.uniform(0, whole_s - lasts_s), random_way(rng), rng.uniform(0, 16)
    scene = []
    for number, at_s in enumerate(stage.times_s):
        share = 0.0 if number == 0 else eased((at_s - begins_s) / lasts_s, way)
        share = 1.0 if number == stage.frames - 1 else share
        up = 4 * share * (1 - share) * lift
        moved = {
            id(first): replace(
                first,
                x=_between(first.x, second.x, share),
                y=first.y + _between(0, second.y - first.y, share) - up,
            ),
            id(second): replace(
                second, x=_between(second.x, first.x, share), y=_between(second.y, first.y, share)
            ),
        }
        scene.append([moved.get(id(each), each) for each in stage.things])
    return scene, stage.lights, {"swapped": first.kind, "with": second.kind}


def _between(start: float, end: float, share: float) -> float:
    return start + share * (end - start)


_HAPPENINGS: dict[str, Happening] = {
    "move": _move, "still": nothing, "flash": _flash, "appear": appear, "gone": gone,
    "come": _come, "swap": _swap, "turn to": nothing,
}  # fmt: skip
