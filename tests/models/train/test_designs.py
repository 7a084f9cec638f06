"""Designs are other drawings of the same things, and only training has them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PIL import Image

from models.train.world.home.picture.pen import Pen, differs_from
from models.train.world.home.picture.sprites import draw_thing
from models.train.world.home.random_views import random_view
from models.train.world.home.sheet import design_sheet
from models.train.world.home.splits import KINDS, SPLITS, STYLES
from models.train.world.home.things import carries_word, size_of
from models.train.world.home.truth import truth_of
from models.train.world.variety.designs.catalogue import (
    FORMS,
    NUMBER,
    first_of,
    form_of,
    has_label,
    kept_back,
)
from models.train.world.variety.designs.redesign import one_design_each, redesigned

GROUND = (206, 202, 194)


def drawn(kind: str, design: int, label: str = "") -> np.ndarray:
    image = Image.new("RGB", (300, 300), GROUND)
    draw_thing(Pen(image, (3.0, 0.0, 0.0, 3.0, 150.0, 260.0)), kind, STYLES + design, (200, 60, 60), label)
    return np.asarray(image)


def colours(picture: np.ndarray) -> np.ndarray:
    """One number for the colour of each pixel; to compare these takes a fraction of the time."""
    red, green, blue = picture.astype(np.int32).transpose(2, 0, 1)
    return np.asarray(red << 16 | green << 8 | blue)


@pytest.mark.parametrize("kind", KINDS)
def test_a_design_fills_its_box_and_stays_inside_and_designs_differ(kind: str) -> None:
    pictures = []
    for design in (*range(12), *range(240, 252)):
        picture = drawn(kind, design, "MILK")
        width, height = size_of(kind, STYLES + design)
        rows, columns = np.nonzero(differs_from(picture, GROUND))
        own = (columns.min() - 150, rows.min() - 260, columns.max() - 150, rows.max() - 260)
        assert own == pytest.approx((-1.5 * width, -3 * height, 1.5 * width, 0), abs=8)
        assert np.array_equal(picture, drawn(kind, design, "MILK"))
        pictures.append(colours(picture))
    for number, picture in enumerate(pictures):
        assert all((picture != other).mean() > 0.002 for other in pictures[:number])


@pytest.mark.parametrize("kind", KINDS)
def test_a_design_has_the_colour_of_the_thing(kind: str) -> None:
    for design in map(first_of, range(FORMS)):
        picture = drawn(kind, design).astype(int)
        red = (picture[..., 0] > 1.6 * picture[..., 1]) & (picture[..., 0] > 1.6 * picture[..., 2])
        assert red.sum() > 0.2 * differs_from(picture, GROUND).sum()


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_stands_on_designs_that_can_hold_one(kind: str) -> None:
    for design in map(first_of, range(FORMS)):
        differs = not np.array_equal(drawn(kind, design, "MILK"), drawn(kind, design, "TEA"))
        assert differs == has_label(kind, design) == carries_word(kind, STYLES + design)


def test_one_form_of_each_kind_is_kept_back_from_training() -> None:
    for kind in KINDS:
        assert len({form_of(design) for design in range(NUMBER) if kept_back(kind, design)}) == 1
    rng = random.Random(3)
    views = [redesigned(random_view(rng, "train", 0.0), rng) for _ in range(90)]
    styles = {(thing.kind, thing.style) for view in views for thing in view.things}
    designs = [(kind, style - STYLES) for kind, style in styles if style >= STYLES]
    assert len(designs) > 60 and not any(kept_back(kind, design) for kind, design in designs)
    view = random_view(rng, "validation", 0.0)
    assert all(
        kept_back(thing.kind, thing.style - STYLES) for thing in redesigned(view, rng, unseen=True).things
    )


def test_no_split_has_designs_by_itself() -> None:
    for split in SPLITS:
        rng = random.Random(5)
        assert all(thing.style < STYLES for _ in range(30) for thing in random_view(rng, split).things)


def test_what_hangs_keeps_its_upper_edge_and_only_labels_hold_words() -> None:
    hung = 0
    for seed in range(90):
        view = random_view(random.Random(seed), "train", 0.0)
        other = redesigned(view, random.Random(seed), unseen=True)
        assert truth_of(other).place == truth_of(view).place
        for before, after in zip(view.things, other.things, strict=True):
            assert not after.label or carries_word(after.kind, after.style)
            if before.surface == "hook":
                hung += 1
                top = before.y - size_of(before.kind, before.style)[1]
                assert after.y - size_of(after.kind, after.style)[1] == pytest.approx(top)
    assert hung


def test_a_day_has_one_design_of_each_kind() -> None:
    views = [random_view(random.Random(seed), "validation", 0.0) for seed in range(30)]
    styles = {(thing.kind, thing.style) for view in one_design_each(views, 4) for thing in view.things}
    assert len(styles) == len({kind for kind, _ in styles}) > 6
    assert all(kept_back(kind, style - STYLES) for kind, style in styles)


def test_the_designs_fit_one_page() -> None:
    assert design_sheet(1).size == (1488, 3600)
