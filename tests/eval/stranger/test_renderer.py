"""The stranger's pictures are reproducible, and their pixels are what the truth says."""

from __future__ import annotations

import colorsys
import random
from dataclasses import replace

import numpy as np
import pytest

from tests.eval.stranger.all_questions import FAMILIES, questions
from tests.eval.stranger.backdrop import BACKDROPS
from tests.eval.stranger.compose import CRAYONS, EVERYDAY_WORDS, OTHER_WORDS, random_pair, random_picture
from tests.eval.stranger.letters import written
from tests.eval.stranger.render import render
from tests.eval.stranger.sheet import write_sheet
from tests.eval.stranger.truth import COLOURS, KINDS, Item, Picture, Style

PLAIN = Style("gradient", (128, 128, 128), (128, 128, 128), 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 95, 3)
INSIDE = {"ring": (0.74, 0.0)}
"""A point inside a shape, in radii from its centre; the centre for all others."""


def one(kind: str, colour: str = "red", x: float = 100.0, y: float = 60.0) -> Picture:
    item = Item(kind, colour, "large", x, y, 30.0, 0.0, CRAYONS[colour][0])
    return Picture(200, 120, (item,), None, PLAIN)


def test_the_same_seed_draws_the_same_pixels() -> None:
    first, again = (random_picture(random.Random(5), text="exit") for _ in range(2))
    assert first == again
    assert np.array_equal(render(first), render(again))
    other = render(random_picture(random.Random(6)))
    assert other.shape != render(first).shape or not np.array_equal(other, render(first))


def test_frames_of_a_pair_differ_in_noise_only() -> None:
    noisy = replace(PLAIN, grain=3.0)
    picture = replace(one("star"), style=noisy)
    before, after = render(picture, 0).astype(int), render(picture, 1).astype(int)
    assert 0 < np.abs(before - after).mean() < 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_shape_is_where_the_truth_says(kind: str) -> None:
    pixels = render(one(kind)).astype(int)
    in_x, in_y = INSIDE.get(kind, (0.0, 0.0))
    assert np.abs(pixels[60 + round(30 * in_y), 100 + round(30 * in_x)] - CRAYONS["red"][0]).max() < 20
    drawn = np.abs(pixels - 128).max(axis=2) > 25
    rows, columns = np.nonzero(drawn)
    assert abs(columns.mean() - 100) < 2 and abs(rows.mean() - 60) < 8
    assert 35 < np.ptp(columns) <= 62 and 40 < np.ptp(rows) <= 62, "as large as its radius says"
    assert (kind == "ring") == (not drawn[60, 100]), "only a ring is hollow"


def test_no_two_kinds_look_alike() -> None:
    drawn = {kind: np.abs(render(one(kind)).astype(int) - 128).max(axis=2) > 25 for kind in KINDS}
    for kind, mask in drawn.items():
        for other, its in drawn.items():
            if kind != other:
                assert (mask & its).sum() / (mask | its).sum() < 0.88, f"{kind} and {other}"


@pytest.mark.parametrize("colour", COLOURS)
def test_crayons_have_the_hue_that_people_name(colour: str) -> None:
    hues = {"red": 0, "orange": 30, "yellow": 52, "green": 130, "blue": 222, "purple": 280}
    for rgb in CRAYONS[colour]:
        hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in rgb))
        if colour in hues:
            away = abs((hue * 360 - hues[colour] + 180) % 360 - 180)
            assert away < 20 and saturation > 0.5
        else:
            assert (value > 0.9) == (colour == "white") and (value < 0.2) == (colour == "black")


@pytest.mark.parametrize("name", BACKDROPS)
def test_backgrounds_are_of_medium_brightness(name: str) -> None:
    style = replace(PLAIN, backdrop=name, tone=(110, 115, 120), second_tone=(150, 140, 145))
    pixels = render(replace(one("star"), items=(), style=style))
    assert 90 < pixels.mean() < 165
    assert np.ptp(pixels.mean(axis=2)) < 110


def test_items_do_not_overlap_and_lie_inside() -> None:
    for seed in range(60):
        picture = random_picture(random.Random(seed), text="exit" if seed % 3 == 0 else "")
        for item in picture.items:
            assert item.radius <= item.x <= picture.width - item.radius
            assert item.radius <= item.y <= picture.height - item.radius
            for other in picture.items:
                gap = np.hypot(item.x - other.x, item.y - other.y) - item.radius - other.radius
                assert other == item or gap > 0


def test_pictures_come_square_wide_and_tall() -> None:
    forms = {random_picture(random.Random(seed), 1).form for seed in range(40)}
    assert forms == {"square", "wide", "tall"}


def test_places_are_ninths_and_unknown_at_their_borders() -> None:
    picture = one("star")
    assert picture.place(20, 10) == "top left"
    assert picture.place(100, 60) == "middle"
    assert picture.place(190, 60) == "right"
    assert picture.place(100, 110) == "bottom"
    assert picture.place(68, 60) is None


@pytest.mark.parametrize("changes", [1, 2])
def test_a_pair_differs_in_its_changes_and_in_nothing_else(changes: int) -> None:
    for seed in range(40):
        pair = random_pair(random.Random(seed), changes)
        assert len(pair.changes) == changes
        items = set(pair.first.items)
        for change in pair.changes:
            items -= {change.before} if change.before else set()
            items |= {change.after} if change.after else set()
        assert items == set(pair.second.items)
        assert len({change.item.kind for change in pair.changes}) == changes


def test_letters_differ_and_all_words_can_be_written() -> None:
    x, y = np.meshgrid(np.arange(-20, 20, dtype=np.float32), np.arange(-20, 20, dtype=np.float32))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    drawn = {letter: written(x, y, letter, 24.0, 0.0) < 2 for letter in letters}
    alike = {frozenset("O0")}
    for letter, mask in drawn.items():
        assert mask.any()
        for other, its in drawn.items():
            if letter != other and frozenset((letter, other)) not in alike:
                assert (mask ^ its).sum() >= 8, f"{letter} and {other}"
    assert {letter for word in EVERYDAY_WORDS + OTHER_WORDS for letter in word.upper()} <= set(drawn)


def test_questions_do_not_depend_on_how_many_are_asked() -> None:
    few, many = list(questions(30, 4)), list(questions(60, 4))
    assert few == many[:30]
    assert {question.family for question in many} == set(FAMILIES)
    assert few != list(questions(30, 5))


def test_the_sheet_is_a_picture(tmp_path) -> None:
    from PIL import Image

    write_sheet(tmp_path / "sheet.png", 1)
    assert Image.open(tmp_path / "sheet.png").size[0] > 1000
