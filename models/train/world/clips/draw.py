"""Random clips of the drawn home, reproducible from a seed.

    clip = random_clip(random.Random(7), "train")
    for view in clip.views: picture = render(view, 192)

One thing moves, or comes, or goes, or two change places, or the light flashes, or nothing happens; the
camera shakes in all of them, and in half of them the wearer's head turns. A question is asked only where the
pictures decide it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from models.train.world.clips.happenings import (
    Happened,
    Happening,
    appear,
    asked_about,
    change_at,
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
from models.train.world.clips.values import DIRECTIONS, MOST_FLASHES, Clip, Direction
from models.train.world.home.random_views import random_light
from models.train.world.home.views import Camera

FEWEST, MOST = 4, 16
"""Views of a clip."""
_GAPS_S = (0.1, 0.6)
_EARLIER_S = (0.9, 2.0)
"""Before the first of the others, where a clip begins with views from before the wake word."""
DENSE_GAP_S, DENSE_MOST = 0.2, 24
"""Between the views of a dense clip, and the most that it has."""
FAST_FROM, SLOW_TO = 0.45, 0.2
"""Picture widths a second."""
_EVENTS = ("move", "move", "move", "still", "flash", "appear", "gone", "swap", "turn to", "come")
STEP: dict[Direction, tuple[float, float]] = {
    "left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0),
}  # fmt: skip
Times = Callable[[random.Random], tuple[float, ...]]
"""Draws when the views of a clip are taken."""
_AIM = Aim(beside=0.08, longest=0.4, flat=0.6)


def random_times(rng: random.Random) -> tuple[float, ...]:
    """When the views of a usual clip are taken, seconds, rising from 0."""
    number = rng.randint(FEWEST, MOST)
    gap_s = rng.uniform(*_GAPS_S)
    gaps_s = [gap_s * rng.uniform(0.8, 1.25) for _ in range(number - 1)]
    for earlier in range(rng.choice((0, 0, 0, 1, 2))):
        if number - earlier > FEWEST:
            gaps_s[earlier] = rng.uniform(*_EARLIER_S)
    times_s = [0.0]
    for each in gaps_s:
        times_s.append(times_s[-1] + each)
    return tuple(times_s)


def dense_times(rng: random.Random) -> tuple[float, ...]:
    """Of a clip that can be looked at in several ways: a view every `DENSE_GAP_S`, about."""
    number = rng.randint(2 * FEWEST, DENSE_MOST)
    return tuple(max(0.0, DENSE_GAP_S * (each + rng.uniform(-0.1, 0.1))) for each in range(number))


def random_clip(
    rng: random.Random, split: str, times: Times = random_times, dress: Dress = as_they_are
) -> Clip:
    """A clip of `split`, "train", "validation" or "held", its things in the styles that `dress` gives."""
    return asked_about(_EVENTS, lambda event: _clip(event, rng, split, times, dress), rng)


def _clip(event: str, rng: random.Random, split: str, times: Times, dress: Dress) -> Clip | None:
    stage = _turning_stage(rng, split, times) if event == "turn to" else _stage(rng, split, times)
    if stage is None:
        return None
    stage = replace(stage, things=dress(stage.first_view, rng).things)
    happened = _HAPPENINGS[event](stage, rng)
    if happened is None:
        return None
    return clip_of(event, stage, happened, None, rng)


def _shaken(path: Sequence[Point], field: float, rng: random.Random) -> tuple[Camera, ...]:
    """Cameras along a path, with the small motion of a head."""
    shake, roll = rng.uniform(0.0, 0.012) * field, rng.gauss(0, 2)
    return tuple(
        Camera(x + rng.gauss(0, shake), y + rng.gauss(0, shake), field, roll + rng.gauss(0, 0.5))
        for x, y in path
    )


def _path(start: Point, step: Point, times_s: Sequence[float], rng: random.Random) -> list[Point]:
    """From `start` by `step` in the middle part of the time, at rest before and after."""
    begin, end = sorted((rng.uniform(0, 0.45), rng.uniform(0.55, 1.0)))
    path = []
    for at_s in times_s:
        share = min(1.0, max(0.0, (at_s / times_s[-1] - begin) / (end - begin)))
        path.append((start[0] + share * step[0], start[1] + share * step[1]))
    return path


def _stage(rng: random.Random, split: str, times: Times) -> Stage | None:
    place, things = furnished(rng, split, 1, 5)
    if not things:
        return None
    times_s, field = times(rng), rng.uniform(100, 190)
    start, step, turned = aimed(things, field, _AIM, rng)
    cameras = _shaken(_path(start, step, times_s, rng), field, rng)
    lights = (random_light(rng),) * len(times_s)
    return Stage(place, tuple(things), cameras, lights, times_s, turned)


def _turning_stage(rng: random.Random, split: str, times: Times) -> Stage | None:
    """The head turns from one thing to another, which are never seen together."""
    place, things = furnished(rng, split, 2, 4)
    pair = far_apart(things, 70, rng)
    if pair is None:
        return None
    times_s = times(rng)
    field = min(185.0, rng.uniform(0.75, 1.3) * abs(pair[0].x - pair[1].x))
    if field < 80:
        return None
    start, step = from_one_to_other(pair, field, (0.08, 0.05), rng)
    path = _path(start, step, times_s, rng)
    lights = (random_light(rng),) * len(times_s)
    return Stage(place, tuple(things), _shaken(path, field, rng), lights, times_s, True)


def _move(stage: Stage, rng: random.Random) -> Happened | None:
    """A thing moves between two moments, at one speed."""
    thing, direction = rng.choice(stage.things), rng.choice(DIRECTIONS)
    fast = rng.random() < 0.5
    speed = rng.uniform(FAST_FROM, 1.6) if fast else rng.uniform(0.06, SLOW_TO)
    field, whole_s = stage.cameras[0].field, stage.times_s[-1]
    longest_s = min(0.6 / speed, 0.95 * whole_s)
    shortest_s = 0.13 / speed
    if shortest_s > longest_s:
        return None
    lasts_s = rng.uniform(shortest_s, longest_s)
    begins_s = rng.uniform(0, whole_s - lasts_s)
    length = speed * lasts_s * field
    dx, dy = STEP[direction]
    back = rng.uniform(0.2, 0.8) * length
    scene = []
    for at_s in stage.times_s:
        done = min(1.0, max(0.0, (at_s - begins_s) / lasts_s)) * length - back
        moved = replace(thing, x=thing.x + dx * done, y=thing.y + dy * done)
        scene.append([moved if each is thing else each for each in stage.things])
    facts = {"moved": thing.kind, "direction": direction, "speed": "fast" if fast else "slow"}
    return scene, stage.lights, facts


def _flash(stage: Stage, rng: random.Random) -> Happened | None:
    """The light goes on or out for one or two views, a few times; the usual light lies between."""
    count = rng.randint(1, MOST_FLASHES)
    factor = rng.uniform(0.2, 0.5) if rng.random() < 0.5 else rng.uniform(1.7, 2.2)
    lit = flashes(stage, [rng.choice((1, 1, 2)) for _ in range(count)], rng)
    if lit is None:
        return None
    lights = [
        replace(light, level=light.level * factor) if flash else light
        for light, flash in zip(stage.lights, lit, strict=True)
    ]
    return [stage.things] * stage.frames, lights, {"flashes": str(count)}


def _come(stage: Stage, rng: random.Random) -> Happened | None:
    """Two things are put down one after the other."""
    if len(stage.things) < 2 or stage.frames < FEWEST:
        return None
    first, second = rng.sample(stage.things, 2)
    at, later = sorted(rng.sample(range(1, stage.frames), 2))
    scene = put_down(stage, {id(first): at, id(second): later})
    return scene, stage.lights, {"came": first.kind, "came later": second.kind}


def _swap(stage: Stage, rng: random.Random) -> Happened | None:
    """Two things change places in one moment."""
    pair = exchangeable(stage, rng)
    if pair is None:
        return None
    first, second = pair
    at = change_at(stage, rng)
    swapped = [
        replace(each, x=second.x, y=second.y) if each is first
        else replace(each, x=first.x, y=first.y) if each is second
        else each
        for each in stage.things
    ]  # fmt: skip
    scene = [stage.things if number < at else swapped for number in range(stage.frames)]
    return scene, stage.lights, {"swapped": first.kind, "with": second.kind}


_HAPPENINGS: dict[str, Happening] = {
    "move": _move, "still": nothing, "flash": _flash, "appear": appear, "gone": gone, "come": _come,
    "swap": _swap, "turn to": nothing,
}  # fmt: skip
