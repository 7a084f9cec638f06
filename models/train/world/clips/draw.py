"""Random clips of the drawn home, reproducible from a seed.

    clip = random_clip(random.Random(7), "train")
    for view in clip.views: picture = render(view, 192)

One thing moves, or comes, or goes, or two change places, or the light flashes, or nothing happens; the
camera shakes in all of them, and in half of them the wearer's head turns. A question is asked only where the
pictures decide it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from models.train.world.clips.truth import questions_about, seen_in
from models.train.world.clips.values import DIRECTIONS, MOST_FLASHES, Clip, Direction
from models.train.world.home.layouts import Layout, layout
from models.train.world.home.random_views import random_light, random_things
from models.train.world.home.splits import PLACES, random_layout_number
from models.train.world.home.views import Camera, Cover, Light, Thing, View

FEWEST, MOST = 4, 16
"""Views of a clip."""
_GAPS_S = (0.1, 0.6)
_EARLIER_S = (0.9, 2.0)
"""Before the first of the others, where a clip begins with views from before the wake word."""
DENSE_GAP_S, DENSE_MOST = 0.2, 24
"""Between the views of a dense clip, and the most that it has."""
FAST_FROM, SLOW_TO = 0.45, 0.2
"""Picture widths a second."""
_TRIES = 40
_EVENTS = ("move", "move", "move", "still", "flash", "appear", "gone", "swap", "turn to", "come")
STEP: dict[Direction, tuple[float, float]] = {
    "left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0),
}  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """What a clip begins with: the place, and the things, camera and light of each view before anything
    happens.
    """

    place: Layout
    things: tuple[Thing, ...]
    cameras: tuple[Camera, ...]
    lights: tuple[Light, ...]
    times_s: tuple[float, ...]
    turned: bool

    @property
    def frames(self) -> int:
        return len(self.times_s)


Times = Callable[[random.Random], tuple[float, ...]]
"""Draws when the views of a clip are taken."""
Scene = Sequence[Sequence[Thing]]
"""The things of each view."""
Happened = tuple[Scene, Sequence[Light], dict[str, str]]
"""What is there in each view, its light, and the facts about it."""
_Happening = Callable[[Stage, random.Random], Happened | None]


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


def random_clip(rng: random.Random, split: str, times: Times = random_times) -> Clip:
    """A clip of `split`, "train", "validation" or "held"."""
    while True:
        event = rng.choice(_EVENTS)
        for _ in range(_TRIES):
            clip = _clip(event, rng, split, times)
            if clip is not None and clip.questions:
                return clip


def _clip(event: str, rng: random.Random, split: str, times: Times) -> Clip | None:
    stage = _turning_stage(rng, split, times) if event == "turn to" else _stage(rng, split, times)
    if stage is None:
        return None
    happened = _HAPPENINGS[event](stage, rng)
    if happened is None:
        return None
    return clip_of(event, stage, happened, None, rng)


def clip_of(event: str, stage: Stage, happened: Happened, cover: Cover | None, rng: random.Random) -> Clip:
    """What happened on a stage, with questions about it; `cover` hides a part of every view."""
    scene, lights, facts = happened
    look = rng.getrandbits(30)
    views = tuple(
        View(stage.place.place, stage.place.number, tuple(things), camera, light, cover, look + number)
        for number, (things, camera, light) in enumerate(zip(scene, stage.cameras, lights, strict=True))
    )
    seen = seen_in(views)
    questions = questions_about(seen, facts, stage.times_s, stage.turned, rng)
    return Clip(views, stage.times_s, event, stage.turned, tuple(questions))


def _shaken(path: Sequence[tuple[float, float]], field: float, rng: random.Random) -> tuple[Camera, ...]:
    """Cameras along a path, with the small motion of a head."""
    shake, roll = rng.uniform(0.0, 0.012) * field, rng.gauss(0, 2)
    return tuple(
        Camera(x + rng.gauss(0, shake), y + rng.gauss(0, shake), field, roll + rng.gauss(0, 0.5))
        for x, y in path
    )


def _path(
    start: tuple[float, float], step: tuple[float, float], times_s: Sequence[float], rng: random.Random
) -> list[tuple[float, float]]:
    """From `start` by `step` in the middle part of the time, at rest before and after."""
    begin, end = sorted((rng.uniform(0, 0.45), rng.uniform(0.55, 1.0)))
    path = []
    for at_s in times_s:
        share = min(1.0, max(0.0, (at_s / times_s[-1] - begin) / (end - begin)))
        path.append((start[0] + share * step[0], start[1] + share * step[1]))
    return path


def _steady(light: Light, number: int) -> tuple[Light, ...]:
    return (light,) * number


def _stage(rng: random.Random, split: str, times: Times) -> Stage | None:
    place = layout(rng.choice(PLACES), random_layout_number(rng, split))
    things = random_things(place, rng.randint(1, 5), rng, split)
    if not things:
        return None
    times_s, field = times(rng), rng.uniform(100, 190)
    target = rng.choice(things)
    x, y = target.x + rng.gauss(0, 0.08) * field, target.y - 12 + rng.gauss(0, 0.08) * field
    turned = rng.random() < 0.5
    step = (0.0, 0.0)
    if turned:
        angle, length = rng.uniform(0, 2 * math.pi), rng.uniform(0.12, 0.4) * field
        step = (length * math.cos(angle), 0.6 * length * math.sin(angle))
        x, y = x - step[0] / 2, y - step[1] / 2
    cameras = _shaken(_path((x, y), step, times_s, rng), field, rng)
    lights = _steady(random_light(rng), len(times_s))
    return Stage(place, tuple(things), cameras, lights, times_s, turned)


def _turning_stage(rng: random.Random, split: str, times: Times) -> Stage | None:
    """The head turns from one thing to another, which are never seen together."""
    place = layout(rng.choice(PLACES), random_layout_number(rng, split))
    things = random_things(place, rng.randint(2, 4), rng, split)
    pairs = [(a, b) for a in things for b in things if abs(a.x - b.x) > 70]
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    times_s = times(rng)
    field = min(185.0, rng.uniform(0.75, 1.3) * abs(first.x - second.x))
    if field < 80:
        return None
    start = (first.x + rng.gauss(0, 0.08) * field, first.y - 12 + rng.gauss(0, 0.05) * field)
    end = (second.x + rng.gauss(0, 0.08) * field, second.y - 12 + rng.gauss(0, 0.05) * field)
    path = _path(start, (end[0] - start[0], end[1] - start[1]), times_s, rng)
    lights = _steady(random_light(rng), len(times_s))
    return Stage(place, tuple(things), _shaken(path, field, rng), lights, times_s, True)


def nothing(stage: Stage, rng: random.Random) -> Happened:
    """All stays as it is."""
    return [stage.things] * stage.frames, stage.lights, {}


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
    lengths = [rng.choice((1, 1, 2)) for _ in range(count)]
    spare = stage.frames - sum(lengths) - (count + 1)
    if spare < 0:
        return None
    gaps = [1] * (count + 1)
    for _ in range(spare):
        gaps[rng.randrange(count + 1)] += 1
    lights: list[Light] = []
    for gap, length in zip(gaps, [*lengths, 0], strict=True):
        lights += list(stage.lights[:gap])
        lights += [replace(each, level=each.level * factor) for each in stage.lights[:length]]
    return [stage.things] * stage.frames, lights, {"flashes": str(count)}


def _change_at(stage: Stage, rng: random.Random) -> int:
    return rng.randint(1, stage.frames - 1)


def appear(stage: Stage, rng: random.Random) -> Happened:
    """A thing is there from one view on."""
    thing, at = rng.choice(stage.things), _change_at(stage, rng)
    without = [each for each in stage.things if each is not thing]
    scene = [without if number < at else stage.things for number in range(stage.frames)]
    return scene, stage.lights, {"appeared": thing.kind}


def gone(stage: Stage, rng: random.Random) -> Happened:
    """A thing is there until one view."""
    scene, lights, facts = appear(stage, rng)
    return scene[::-1], lights, {"gone": facts["appeared"]}


def _come(stage: Stage, rng: random.Random) -> Happened | None:
    """Two things are put down one after the other."""
    if len(stage.things) < 2 or stage.frames < FEWEST:
        return None
    first, second = rng.sample(stage.things, 2)
    at, later = sorted(rng.sample(range(1, stage.frames), 2))
    begins = {id(first): at, id(second): later}
    scene = [
        [each for each in stage.things if number >= begins.get(id(each), 0)] for number in range(stage.frames)
    ]
    return scene, stage.lights, {"came": first.kind, "came later": second.kind}


def _swap(stage: Stage, rng: random.Random) -> Happened | None:
    pairs = [
        (a, b) for a in stage.things for b in stage.things
        if a is not b and a.surface == b.surface and 12 < abs(a.x - b.x) < 130
    ]  # fmt: skip
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    at = _change_at(stage, rng)
    swapped = [
        replace(each, x=second.x, y=second.y) if each is first
        else replace(each, x=first.x, y=first.y) if each is second
        else each
        for each in stage.things
    ]  # fmt: skip
    scene = [stage.things if number < at else swapped for number in range(stage.frames)]
    return scene, stage.lights, {"swapped": first.kind, "with": second.kind}


_HAPPENINGS: dict[str, _Happening] = {
    "move": _move, "still": nothing, "flash": _flash, "appear": appear, "gone": gone, "come": _come,
    "swap": _swap, "turn to": nothing,
}  # fmt: skip
