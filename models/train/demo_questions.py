"""The questions of the demo with their views and true answers, about the drawn home and the drawn shapes.

Pictures are of the held-out split, and so are sentences with a slot: no model was trained on them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.train.world import grammar
from models.train.world import truth as shapes
from models.train.world.drawing import render
from models.train.world.home import questions as home
from models.train.world.home.answers import cause_of
from models.train.world.home.answers import true_answer as home_answer
from models.train.world.home.picture.render import render as render_home
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.home.views import View as HomeView
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene

VIEW_PX = 384
_SLOTS_TRIED = 20
_truth = lru_cache(maxsize=1)(truth_of)
"""Several lines ask about the same view."""
View = HomeView | Scene | FramePair


@dataclass(frozen=True)
class DemoLine:
    """One question of the demo. `world`: home, shapes, or "" for the headband itself; `family` and `text`
    choose a wording, `slots` fixes some of its slots; the answer contains `told`. `new_view`: from then on
    the camera shows another view, else the one of the line before.
    """

    world: str
    family: str
    text: str
    told: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    wake: bool = True
    battery: int | None = None
    note: str = ""
    new_view: bool = True


LINES = (
    DemoLine(
        "home", "find", "can you find my {item}", ", ", {"item": "keys"},
        battery=82, note="Performance: battery at 82 percent",
    ),
    DemoLine("shapes", "motion", "did the {shape} move", " moved "),
    DemoLine(
        "home", "holding", "what am i holding", "holding your ",
        battery=41, note="Throttled: battery at 41 percent",
    ),
    DemoLine("home", "label", "can you read the label", "The label says", new_view=False, wake=False),
    DemoLine(
        "shapes", "colour", "what colour is the {shape}", "The cross is", {"shape": "cross"},
        battery=14, note="Cascade: battery at 14 percent",
    ),
    DemoLine("", "device", "how much battery is left", new_view=False),
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A line with its words, the true answer ("" for the headband's own state), and what the camera shows:
    the frames of a new view, oldest first, uint8 [VIEW_PX, VIEW_PX, 3] each.
    """

    line: DemoLine
    text: str
    answer: str
    frames: tuple[NDArray[np.uint8], ...] = ()


def asked_of(view: View, line: DemoLine, rng: random.Random, side_px: int) -> tuple[str, str] | None:
    """A question of the line's wording about a view, and its true answer; None where none is found. side_px:
    of the picture that the eye takes.
    """
    of_world = {"home": _asked_of_home, "shapes": _asked_of_shapes}
    for _ in range(_SLOTS_TRIED):
        found = of_world[line.world](view, line, rng, side_px)  # type: ignore[operator]
        if found is not None and line.told in found[1]:
            return found
    return None


def _asked_of_home(
    view: HomeView, line: DemoLine, rng: random.Random, side_px: int
) -> tuple[str, str] | None:
    template = next(each for each in home.TEMPLATES if (each.family, each.text) == (line.family, line.text))
    truth = _truth(view, side_px)
    slots = {**home.random_slots(template, truth, rng), **line.slots}
    text, answer = home.fill(template, slots), home_answer(line.family, slots, truth)
    if answer is None or cause_of(answer) or (slots and home.sentence_split(text) != "held"):
        return None
    return text, answer


def _asked_of_shapes(
    view: Scene | FramePair, line: DemoLine, rng: random.Random, side_px: int
) -> tuple[str, str] | None:
    of_line = (each for each in grammar.TEMPLATES if (each.family, each.text) == (line.family, line.text))
    template = next(of_line)
    slots = {**grammar.random_slots(template, rng), **line.slots}
    text, answer = grammar.fill(template, slots), shapes.true_answer(template, slots, view)
    if answer is None or shapes.kind_of(answer, line.family) != "answerable":
        return None
    return None if slots and not grammar.is_held_out(text) else (text, answer)


def _new_view(line: DemoLine, rng: random.Random) -> View:
    if line.world == "home":
        return random_view(rng, "held", 0.0)
    return random_clip(rng, "held", 0.0) if line.family == "motion" else random_scene(rng, "held", 0.0)


def _crowded(view: View) -> bool:
    """Whether a view shows several things."""
    frame = view.second if isinstance(view, FramePair) else view
    return len(frame.things) >= 3


def frames_of(view: View, side_px: int) -> tuple[NDArray[np.uint8], ...]:
    """The pictures of a view, oldest first; side_px: of shapes, which are drawn as the eye takes them."""
    if isinstance(view, HomeView):
        return (render_home(view, VIEW_PX),)
    scenes = [view] if isinstance(view, Scene) else [view.first, view.second]
    return tuple(render(scene, index, side_px) for index, scene in enumerate(scenes))


def questions(rng: random.Random, side_px: int, lines: tuple[DemoLine, ...] = LINES) -> Iterator[Asked]:
    """The demo's questions in their order. A view suits all lines that ask about it."""
    for number, line in enumerate(lines):
        if not line.new_view:
            if not line.world:
                yield Asked(line, line.text, "")
            continue
        about = [line]
        for further in lines[number + 1 :]:
            if further.new_view or not further.world:
                break
            about.append(further)
        view, found = _suitable(about, rng, side_px)
        for index, (each, (text, answer)) in enumerate(zip(about, found, strict=True)):
            yield Asked(each, text, answer, () if index else frames_of(view, side_px))


def _suitable(about: list[DemoLine], rng: random.Random, side_px: int) -> tuple[View, list[tuple[str, str]]]:
    """The first view that all these lines can ask about, with a question and an answer for each."""
    while True:
        view = _new_view(about[0], rng)
        if not _crowded(view):
            continue
        found = [asked_of(view, line, rng, side_px) for line in about]
        if None not in found:
            return view, [each for each in found if each is not None]
