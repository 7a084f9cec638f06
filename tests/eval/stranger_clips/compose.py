"""Random clips of a stranger's home, reproducible by seed."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from tests.eval.stranger_clips import happenings, head
from tests.eval.stranger_clips.film import Film
from tests.eval.stranger_home.compose import random_home
from tests.eval.stranger_home.scene import HomePicture

_SHARES = {
    "moved": 8, "nothing": 4, "flashes": 5, "set down": 4, "taken": 3, "two set down": 2, "traded": 3,
    "looked over": 2,
}  # fmt: skip
"""Of the clips, as parts of their sum."""
_FORMS = ((288, 288), (288, 288), (400, 300))
_TURNS = (0.12, 0.4)
"""How far a head turns, view widths."""
_SMEAR = 0.0035
"""Half length of what a turning head smears, parts of the short side."""


def random_film(rng: random.Random) -> Film:
    """A clip in which one thing happens, or nothing."""
    event = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
    while True:
        film = _film(event, rng)
        if film is not None:
            return film


def _film(event: str, rng: random.Random) -> Film | None:
    view = random_home(rng)
    width, height = rng.choice(_FORMS)
    paper = rng.choice(("plain", "stripes", "dots", "tiles"))  # plaster is drawn anew in every picture
    view = replace(view, width=width, height=height, look=replace(view.look, paper=paper))
    if not view.things:
        return None
    times_s = head.moments(rng, busy=event == "flashes")
    turned = event == "looked over" or (event in happenings.WITH_A_TURN and rng.random() < 0.5)
    ends = _turn(view, rng, turned)
    if event == "looked over":
        over = _looked_over(view, rng)
        if over is None:
            return None
        view, ends = over
    stage = happenings.Stage(view, times_s)
    happened = happenings.EVENTS[event](stage, rng)
    if happened is None:
        return None
    return _filmed(view, stage, happened, ends, event, turned, rng)


def _filmed(
    view: HomePicture,
    stage: happenings.Stage,
    happened: happenings.Happened,
    ends: tuple[head.Point, head.Point],
    event: str,
    turned: bool,
    rng: random.Random,
) -> Film:
    path = head.turning(*ends, stage.times_s, rng)
    unrest = head.unrest(stage.times_s, rng)
    pictures = []
    for number, (x, y) in enumerate(path):
        dx, dy, lean_deg = unrest[number]
        light = happened.light[number]
        look = replace(view.look, gain=view.look.gain * light)
        ahead = path[min(number + 1, len(path) - 1)]
        speed = math.dist(ahead, path[max(0, number - 1)]) / stage.view_width
        if turned and speed > 0.05 and not look.blur:
            smear_deg = math.degrees(math.atan2(ahead[1] - y, ahead[0] - x)) if ahead != (x, y) else 0.0
            look = replace(look, blur=_SMEAR, motion_deg=smear_deg)
        pictures.append(
            replace(
                view,
                things=tuple(happened.things[number]),
                cover=happened.covers[number],
                look=look,
                at=(x + dx * stage.view_width, y + dy * stage.view_width),
                lean_deg=view.lean_deg + lean_deg,
            )
        )
    return Film(tuple(pictures), stage.times_s, event, turned)


def _turn(view: HomePicture, rng: random.Random, turned: bool) -> tuple[head.Point, head.Point]:
    if not turned:
        return view.at, view.at
    far = rng.uniform(*_TURNS) * view.width / view.px_per_unit
    way = rng.uniform(0, 2 * math.pi)
    dx, dy = far * math.cos(way), 0.55 * far * math.sin(way)
    (x, y), back = view.at, rng.random()
    return (x - back * dx, y - back * dy), (x + (1 - back) * dx, y + (1 - back) * dy)


def _looked_over(
    view: HomePicture, rng: random.Random
) -> tuple[HomePicture, tuple[head.Point, head.Point]] | None:
    """From one thing to another, so near that no view has both."""
    pairs = [(a, b) for a in view.things for b in view.things if abs(a.x - b.x) > 0.35]
    if not pairs:
        return None
    first, last = rng.choice(pairs)
    width = rng.uniform(0.75, 1.2) * abs(first.x - last.x)
    view = replace(view, zoom=view.width / view.short / width)
    if max(max(each.height, each.width) for each in (first, last)) > 0.6 / view.zoom:
        return None
    ends = [
        (thing.x + rng.gauss(0, 0.07) * width, thing.y - thing.height / 2 + rng.gauss(0, 0.05) * width)
        for thing in (first, last)
    ]
    return view, (ends[0], ends[1])
