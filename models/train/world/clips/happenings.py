"""What may happen in a drawn clip, as far as `draw` and `varied` have it in common, and how a clip is made of
it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from models.train.world.clips.stage import Stage
from models.train.world.clips.truth import questions_about, seen_in
from models.train.world.clips.values import Clip
from models.train.world.home.views import Cover, Light, Thing, View

_TRIES = 40
"""Of one event, before another is drawn."""
Scene = Sequence[Sequence[Thing]]
"""The things of each view."""
Happened = tuple[Scene, Sequence[Light], dict[str, str]]
"""What is there in each view, its light, and the facts about it."""
Happening = Callable[[Stage, random.Random], Happened | None]
"""What may happen on a stage; None where that has no room for it."""


def asked_about(events: Sequence[str], drawn: Callable[[str], Clip | None], rng: random.Random) -> Clip:
    """The first drawn clip with a question, of one of the events."""
    while True:
        event = rng.choice(events)
        for _ in range(_TRIES):
            clip = drawn(event)
            if clip is not None and clip.questions:
                return clip


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


def nothing(stage: Stage, rng: random.Random) -> Happened:
    """All stays as it is."""
    return [stage.things] * stage.frames, stage.lights, {}


def appear(stage: Stage, rng: random.Random) -> Happened:
    """A thing is there from one view on."""
    thing, at = rng.choice(stage.things), change_at(stage, rng)
    without = [each for each in stage.things if each is not thing]
    scene = [without if number < at else stage.things for number in range(stage.frames)]
    return scene, stage.lights, {"appeared": thing.kind}


def gone(stage: Stage, rng: random.Random) -> Happened:
    """A thing is there until one view."""
    scene, lights, facts = appear(stage, rng)
    return scene[::-1], lights, {"gone": facts["appeared"]}


def change_at(stage: Stage, rng: random.Random) -> int:
    """The first view after a change."""
    return rng.randint(1, stage.frames - 1)


def put_down(stage: Stage, begins: Mapping[int, int]) -> Scene:
    """Each thing is there from its view on. begins: identity of a thing -> that view; others are there from
    the first on.
    """
    return [
        [each for each in stage.things if number >= begins.get(id(each), 0)] for number in range(stage.frames)
    ]


def exchangeable(stage: Stage, rng: random.Random) -> tuple[Thing, Thing] | None:
    """Two things near each other on one surface; None where there are none."""
    pairs = [
        (a, b) for a in stage.things for b in stage.things
        if a is not b and a.surface == b.surface and 12 < abs(a.x - b.x) < 130
    ]  # fmt: skip
    return rng.choice(pairs) if pairs else None


def flashes(stage: Stage, lengths: Sequence[int], rng: random.Random) -> list[bool] | None:
    """Whether the light is another, for each view: flashes of so many views each, at random, with a view
    between and around them; None where they have no room.
    """
    spare = stage.frames - sum(lengths) - (len(lengths) + 1)
    if spare < 0:
        return None
    gaps = [1] * (len(lengths) + 1)
    for _ in range(spare):
        gaps[rng.randrange(len(gaps))] += 1
    lit: list[bool] = []
    for gap, length in zip(gaps, [*lengths, 0], strict=True):
        lit += [False] * gap + [True] * length
    return lit
