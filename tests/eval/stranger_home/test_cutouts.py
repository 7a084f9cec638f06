"""The second renderer with pictures of other people: what is drawn is where the facts say."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from models.train.cutouts import Cutout
from tests.eval.stranger_home.compose import random_home
from tests.eval.stranger_home.cutouts import filled, sampled
from tests.eval.stranger_home.facts import CUT, HAND, SEEN
from tests.eval.stranger_home.look_at import facts_of
from tests.eval.stranger_home.questions import DOCUMENTED, a_question
from tests.eval.stranger_home.render import render


def cutout(thing: str, colour: str = "") -> Cutout:
    """Pink on the left, transparent on the right half."""
    rgba = np.zeros((60, 80, 4), np.uint8)
    rgba[:, :40] = (250, 20, 250, 255)
    return Cutout(thing, colour, rgba)


CUTOUTS = {name: (cutout(name),) for name in ("cup", "keys", "phone")}


def test_a_cutout_is_sampled_where_it_lies_and_nowhere_else() -> None:
    x, y = np.meshgrid(np.linspace(-1, 1, 81, dtype=np.float32), np.linspace(-1.5, 0.5, 81, dtype=np.float32))
    paint, share = sampled(cutout("cup"), x, y, 40.0)
    inside = (x > -0.62) & (x < -0.05) & (y > -0.95) & (y < -0.05)
    outside = (x < -0.72) | (x > 0.05) | (y < -1.05) | (y > 0.05)
    assert share[inside].min() > 0.95 and share[outside].max() < 0.05
    assert np.allclose(paint[inside], (250, 20, 250), atol=1)
    glass = replace(
        cutout("cup"), rgba=cutout("cup").rgba // np.array((1, 1, 1, 3), np.uint8)
    )  # seen through everywhere
    for each in (cutout("cup"), glass):
        assert filled(each, x, y)[inside].all() and not filled(each, x, y)[outside].any()


def test_all_things_are_cutouts_and_those_in_view_are_seen_in_the_picture() -> None:
    rng = random.Random("cutouts")
    found = 0
    for number in range(40):
        picture = random_home(rng, ("", "held", "cut off")[number % 3], CUTOUTS)
        things = [*picture.things, *([picture.held] if picture.held else [])]
        assert all(thing.cutout is CUTOUTS[thing.name][0] for thing in things)
        facts = facts_of(picture)
        assert all(not item.colour and not item.label for item in facts.items)
        pixels = render(picture).astype(int)
        pink = (pixels[..., 0] > 2 * pixels[..., 1]) & (pixels[..., 2] > 2 * pixels[..., 1])
        if any(item.state in (SEEN, CUT) or item.top == HAND for item in facts.items):
            found += 1
            assert pink.sum() > 15
        elif not facts.items:
            assert not pink.any()
    assert found > 15


def test_without_cutouts_the_views_are_as_before() -> None:
    assert random_home(random.Random(5), "held") == random_home(random.Random(5), "held", {})


def test_a_colour_is_asked_only_where_somebody_has_said_it() -> None:
    rng = random.Random("colour")
    named = {"cup": (cutout("cup", "purple"),)}
    asked = {True: 0, False: 0}
    for _ in range(150):
        for cutouts, has in ((CUTOUTS, False), (named, True)):
            facts = facts_of(random_home(rng, "", cutouts))
            for family in ("colour", "wrong colour"):
                question = a_question(family, facts, rng, DOCUMENTED)
                if question and not question.cause:
                    asked[has] += 1
                    assert has
    assert asked[True] and not asked[False]
