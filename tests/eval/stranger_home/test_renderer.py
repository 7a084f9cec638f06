"""The stranger's views of a home are reproducible, and their pixels and facts agree."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.eval.stranger_home.compose import PLACES, random_home
from tests.eval.stranger_home.facts import ABSENT, COVERED, CUT, SEEN, THINGS, TOPS
from tests.eval.stranger_home.facts import PLACES as KNOWN_PLACES
from tests.eval.stranger_home.look_at import LANDMARKS, facts_of
from tests.eval.stranger_home.outlines import ASPECT, HEIGHT, inside, parts
from tests.eval.stranger_home.render import PAPERS, render
from tests.eval.stranger_home.scene import Cover, Furniture, HomePicture, Look, Thing
from tests.eval.stranger_home.sheet import write_sheet

PLAIN = Look(
    (214, 226, 206), (120, 120, 120), "plain", shadow=0.0, gloss=0.0, vignette=0.0, grain=0.0, quality=95
)
SHELF = Furniture("shelf", 0.1, 0.9, 0.6, 0.7, (120, 90, 60), (0, 0, 0))
RED = (200, 30, 35)


def home(*things: Thing, **how: object) -> HomePicture:
    given = {
        "width": 240, "height": 240, "place": "kitchen", "floor_y": 0.95, "furniture": (SHELF,), "held": None,
        "cover": None, "look": PLAIN, "at": (0.5, 0.5), "zoom": 1.0,
    }  # fmt: skip
    return HomePicture(things=things, **{**given, **how})  # type: ignore[arg-type]


def one(name: str, x: float = 0.5) -> Thing:
    return Thing(name, "shelf", x, 0.6, 0.3 / max(1.0, ASPECT[name]), RED)


def test_the_same_seed_draws_the_same_pixels() -> None:
    first, again = (random_home(random.Random(5), "held") for _ in range(2))
    assert first == again and np.array_equal(render(first), render(again))
    assert render(first).shape == (first.height, first.width, 3)


@pytest.mark.parametrize("name", THINGS)
def test_a_thing_stands_where_the_facts_say(name: str) -> None:
    thing = one(name)
    before, after = render(home()).astype(int), render(home(thing)).astype(int)
    rows, columns = np.nonzero(np.abs(before - after).max(axis=2) > 25)
    assert abs((columns.min() + columns.max()) / 2 - 120) < 12
    assert rows.max() < 0.63 * 240 and rows.min() > (0.6 - thing.height) * 240 - 4
    assert np.ptp(columns) < thing.width * 240 + 6 and np.ptp(rows) > 0.75 * thing.height * 240
    assert facts_of(home(thing)).state(name) == SEEN


def test_no_two_things_look_alike() -> None:
    across, down = np.meshgrid(np.linspace(-0.6, 0.6, 60), np.linspace(-1, 0, 60))
    drawn = {}
    for name in THINGS:
        # each is stretched to the same width, so that only its outline counts
        x = across * ASPECT[name] / 1.1
        drawn[name] = np.stack([distance < 0 for distance, _ in parts(name, x, down)]).sum(axis=0)
    for name, layers in drawn.items():
        for other, its in drawn.items():
            assert name == other or np.mean(layers != its) > 0.05, (name, other)
    assert set(HEIGHT) == set(THINGS) == set(ASPECT)
    assert all(inside(name, across, down).any() for name in THINGS)


def test_what_the_border_cuts_or_something_covers_is_seen_in_part() -> None:
    bag = one("bag")
    left = facts_of(home(bag, at=(0.5 + 0.5 + 0.05, 0.5))).item("bag")
    assert left is not None and (left.state, left.side) == (CUT, "left")
    right = facts_of(home(bag, at=(0.5 - 0.5 - 0.05, 0.5))).item("bag")
    assert right is not None and (right.state, right.side) == (CUT, "right")
    carton = Cover(0.3, 0.2, 0.55, 0.65, (150, 110, 70))
    assert facts_of(home(bag, cover=carton)).state("bag") == COVERED
    assert facts_of(home(bag, at=(2.5, 0.5))).state("bag") == ABSENT
    assert facts_of(home(bag)).state("cup") == ABSENT


def test_neighbours_and_surfaces() -> None:
    facts = facts_of(home(one("cup", 0.3), one("phone", 0.5), one("keys", 0.75)))
    cup, phone = facts.item("cup"), facts.item("phone")
    assert cup is not None and cup.beside == ("phone",)
    assert phone is not None and phone.beside == ("cup", "keys")
    assert [each.name for each in facts.lying_on("shelf")] == ["cup", "phone", "keys"]
    assert next(each for each in facts.tops if each.name == "shelf").state == SEEN
    assert facts.known is False, "a shelf is in many places"
    stove = Furniture("stove", 0.0, 0.4, 0.5, 0.86, (0, 0, 0), (200, 200, 200))
    assert facts_of(home(furniture=(SHELF, stove))).known is True


def test_dark_and_blurred_pictures_show_nothing() -> None:
    clear = home(one("book"))
    dark = replace(clear, look=replace(PLAIN, gain=0.04))
    blurred = replace(clear, look=replace(PLAIN, blur=0.09))
    assert render(dark).max() < 30 and facts_of(dark).quality == "dark"
    edges = [np.abs(np.diff(render(each).astype(int), axis=1)).max() for each in (clear, blurred)]
    assert edges[1] < edges[0] / 4 and facts_of(blurred).quality == "blurred"


def test_every_case_and_place_is_drawn_and_the_sheet_too(tmp_path: Path) -> None:
    rng = random.Random(3)
    found = {
        case: [facts_of(random_home(rng, case)) for _ in range(homes)]
        for case, homes in (("", 25), ("held", 6), ("cut off", 8), ("covered", 8))
    }
    assert {each.place for each in found[""]} == set(PLACES) == set(LANDMARKS) <= set(KNOWN_PLACES)
    assert all(any(item.held for item in each.items) for each in found["held"])
    for case in (CUT, COVERED):
        assert any(item.state == case for each in found[case] for item in each.items), case
    assert all(top.name in TOPS for each in found[""] for top in each.tops)
    assert len(PAPERS) > 3
    write_sheet(tmp_path / "sheet.png", 1)
    assert (tmp_path / "sheet.png").stat().st_size > 100_000
