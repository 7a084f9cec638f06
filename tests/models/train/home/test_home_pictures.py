"""What the home's pictures show, and that the truth beside them agrees with their pixels."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("PIL")

from PIL import Image

from models.train.world.home.layouts import LANDMARKS, SURFACES, layout, surfaces_of
from models.train.world.home.picture.pen import Pen
from models.train.world.home.picture.render import render
from models.train.world.home.picture.sprites import draw_thing
from models.train.world.home.random_views import random_view
from models.train.world.home.sheet import contact_sheet
from models.train.world.home.splits import (
    HELD_OUT_PLACES,
    HELD_OUT_STYLES,
    KINDS,
    PLACES,
    STYLES,
    VALIDATION_PLACES,
    layout_split,
)
from models.train.world.home.things import size_of
from models.train.world.home.truth import SeenThing, truth_of
from models.train.world.home.views import Camera, Cover, Light, Thing, View

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15, deadline=None)
PLAIN = Light(grain=0.0)


def plain_view(seed: int, split: str = "train") -> View:
    """A random view in even light, so that pixels differ only where things do."""
    return replace(random_view(random.Random(seed), split), light=PLAIN)


def without(view: View, kind: str) -> View:
    return replace(view, things=tuple(thing for thing in view.things if thing.kind != kind))


def changed(one: View, other: View) -> np.ndarray:
    """Where the two pictures differ clearly."""
    return np.asarray((np.abs(render(one).astype(int) - render(other)) > 6).any(axis=2))


def box_mask(thing: SeenThing, side: int, margin: int) -> np.ndarray:
    mask = np.zeros((side, side), bool)
    left, top, right, bottom = (round(part) for part in thing.box)
    mask[max(0, top - margin) : max(0, bottom + margin), max(0, left - margin) : max(0, right + margin)] = (
        True
    )
    return mask


def area_px(thing: SeenThing) -> float:
    left, top, right, bottom = thing.box
    return (right - left) * (bottom - top)


@few
@given(seeds)
def test_a_picture_depends_on_its_view_alone(seed: int) -> None:
    view = random_view(random.Random(seed), "held")
    assert view == random_view(random.Random(seed), "held")
    picture = render(view)
    assert picture.dtype == np.uint8 and picture.shape == (224, 224, 3)
    assert (picture == render(view)).all()


@few
@given(seeds)
def test_removing_a_thing_changes_the_pixels_of_its_box_and_no_others(seed: int) -> None:
    view = plain_view(seed)
    for thing in truth_of(view).things:
        if thing.held or thing.covered > 0:
            continue
        different = changed(view, without(view, thing.kind))
        inside = box_mask(thing, 224, 4)
        assert not different[~inside].any()
        if thing.visible == 1:
            assert different.sum() > 0.14 * inside.sum()
        if thing.cut == 1:
            assert different.sum() < 0.08 * area_px(thing), "at most a sliver at the border"


@few
@given(seeds)
@example(191)
def test_the_visible_share_agrees_with_the_pixels_that_a_cover_hides(seed: int) -> None:
    rng = random.Random(seed)
    kind, style = rng.choice(KINDS), rng.randrange(STYLES)
    width = size_of(kind, style)[0]
    thing = Thing(kind, style, "red", (210, 30, 30), "table", 100.0, 120.0)
    camera = Camera(100.0, 100.0, 150.0, rng.gauss(0, 4))
    share = rng.uniform(0.2, 0.8)
    cover = Cover(60, 40, 100 - width / 2 + share * width, 140, (90, 120, 150), rng.randrange(3))
    whole = View("kitchen", 12, (thing,), camera, PLAIN)
    hidden = replace(whole, cover=cover)
    left_over = changed(hidden, without(hidden, kind)).sum() / changed(whole, without(whole, kind)).sum()
    found = truth_of(hidden).things[0]
    uneven = kind == "umbrella"  # most of what is drawn of it lies on one side
    assert found.visible == pytest.approx(left_over, abs=0.2 if uneven else 0.15)
    assert truth_of(whole).things[0].visible == 1


@few
@given(seeds, st.sampled_from(("left", "right", "up", "down")))
def test_a_thing_cut_by_the_border_tells_its_side_and_share(seed: int, side: str) -> None:
    rng = random.Random(seed)
    kind, style = rng.choice(KINDS), rng.randrange(STYLES)
    width, height = size_of(kind, style)
    thing = Thing(kind, style, "blue", (30, 60, 200), "floor", 150.0, 180.0)
    share, half = rng.uniform(0.2, 0.8), 70.0
    x, y = 150.0, 170.0
    if side == "left":
        x = 150 - width / 2 + share * width + half
    elif side == "right":
        x = 150 + width / 2 - share * width - half
    elif side == "up":
        y = 180 - height + share * height + half
    else:
        y = 180 - share * height - half
    whole = View("hall", 12, (thing,), Camera(150.0, 170.0, 2 * half), PLAIN)
    cut = replace(whole, camera=Camera(x, y, 2 * half))
    left_over = changed(cut, without(cut, kind)).sum() / changed(whole, without(whole, kind)).sum()
    found = truth_of(cut).things[0]
    assert found.covered == 0
    assert found.cut_side == side or left_over > 0.9, "the part outside is seen, unless it is hardly any"
    uneven = kind == "umbrella"  # most of what is drawn of it lies on one side
    assert found.visible == pytest.approx(left_over, abs=0.2 if uneven else 0.15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sprite_fills_its_box_and_stays_inside_and_its_styles_differ(kind: str) -> None:
    drawn = []
    for style in range(STYLES):
        width, height = size_of(kind, style)
        image = Image.new("RGB", (400, 400))
        draw_thing(Pen(image, (4.0, 0.0, 0.0, 4.0, 200.0, 350.0)), kind, style, (200, 60, 60), "MILK")
        rows, columns = np.nonzero(np.asarray(image).any(axis=2))
        drawn.append(np.asarray(image))
        own = (columns.min() - 200, rows.min() - 350, columns.max() - 200, rows.max() - 350)
        assert own == pytest.approx((-2 * width, -4 * height, 2 * width, 0), abs=5)
    for style in range(1, STYLES):
        assert all((drawn[style] != drawn[other]).any(axis=2).mean() > 0.004 for other in range(style))


def test_dark_and_blurred_pictures_show_nothing() -> None:
    for seed in range(12):
        view = random_view(random.Random(seed), "train", unusable_share=1.0)
        picture = render(view).astype(float).mean(axis=2)
        assert truth_of(view).seen == ()
        if view.light.quality == "dark":
            assert picture.mean() < 22
        else:
            fine = picture - np.asarray(Image.fromarray(picture).resize((28, 28)).resize((224, 224)))
            assert fine.std() < 12


@few
@given(st.sampled_from(PLACES), st.integers(0, 999_999))
def test_furniture_of_a_place_stands_side_by_side(place: str, number: int) -> None:
    one = layout(place, number)
    assert one == layout(place, number)
    assert tuple(sorted(surface.kind for surface in one.surfaces)) == tuple(sorted(surfaces_of(place)))
    wall = ("floor", "shelf", "hook")
    standing = sorted((each.left, each.right) for each in one.surfaces if each.kind not in wall)
    for (_, right), (left, _) in itertools.pairwise(standing):
        assert right < left
    assert all(0 <= s.left < s.right <= one.width for s in one.surfaces)


def test_every_surface_is_somewhere_and_every_place_has_landmarks_of_its_own() -> None:
    assert {kind for place in PLACES for kind in surfaces_of(place)} == set(SURFACES)
    for place in PLACES:
        elsewhere = {
            kind
            for other in PLACES
            if other != place
            for kind in (*surfaces_of(other), *(f.kind for f in layout(other, 12).fixtures))
        }
        assert not set(LANDMARKS[place]) & elsewhere


def test_training_draws_no_held_out_combination() -> None:
    rng = random.Random(1)
    views = [random_view(rng, "train") for _ in range(800)]
    things = [(view, thing) for view in views for thing in view.things]
    assert {layout_split(view.layout_number) for view in views} == {"train"}
    assert not {(thing.kind, thing.style) for _, thing in things} & HELD_OUT_STYLES
    shown = {(thing.kind, view.place) for view, thing in things}
    assert not shown & (HELD_OUT_PLACES | VALIDATION_PLACES)
    assert {thing.kind for _, thing in things} == set(KINDS)
    assert {view.place for view in views} == set(PLACES)
    assert {thing.surface for _, thing in things} == {*SURFACES, "hand"}


def test_held_out_views_show_what_training_lacks() -> None:
    rng = random.Random(2)
    views = [random_view(rng, "held") for _ in range(300)]
    things = [(view, thing) for view in views for thing in view.things]
    assert {layout_split(view.layout_number) for view in views} == {"held"}
    assert sum((thing.kind, thing.style) in HELD_OUT_STYLES for _, thing in things) > len(things) / 3
    assert len({(t.kind, v.place) for v, t in things} & HELD_OUT_PLACES) > len(HELD_OUT_PLACES) / 2
    assert not HELD_OUT_PLACES & VALIDATION_PLACES


def test_the_contact_sheet_is_one_page_and_the_same_each_time(tmp_path: Path) -> None:
    page = contact_sheet(4)
    assert page.width > 1000 and page.height > 1000
    assert page.tobytes() == contact_sheet(4).tobytes()
