"""Labels of training pictures: they follow what is drawn, also where a camera shows it smaller."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("PIL")

from models.train.sight.data.camera import WHOLE, Shot, Window, plain, random_shot, taken
from models.train.sight.data.home_grounding import home_grounding
from models.train.sight.data.labels import (
    FIRST_KIND,
    STATES,
    cell_of,
    change_labels,
    clip_in_window,
    in_window,
    picture_labels,
    view_labels,
)
from models.train.sight.grounding import CLASSES, IGNORED
from models.train.world.drawing import render
from models.train.world.grammar import SHAPES
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import truth_of
from models.train.world.scenes import SIDE_PX, random_clip, random_scene

SIDE = 192
KEYS = tuple(CLASSES)


def test_a_thing_is_labelled_in_its_cell() -> None:
    rng = random.Random(1)
    for _ in range(60):
        scene = random_scene(rng, "train", unusable_share=0.0)
        labels = picture_labels(scene)
        for thing in scene.things:
            cell = cell_of(thing.x / SIDE_PX, thing.y / SIDE_PX)
            assert labels["shape"][cell] != 0
        assert (labels["shape"] > 0).sum() <= len(scene.things) + len(scene.signs)
        assert labels["counts"][16] == len(scene.things)


def test_what_is_too_dark_or_blurred_has_only_its_quality() -> None:
    rng = random.Random(2)
    scene = next(s for s in (random_scene(rng, "train", 1.0) for _ in range(99)) if s.quality == "dark")
    view = next(
        v for v in (random_view(rng, "train", 1.0) for _ in range(99)) if v.light.quality == "blurred"
    )
    for labels, quality in (
        (picture_labels(scene), 1),
        (view_labels(view, truth_of(view, SIDE), SIDE), 2),
    ):
        assert labels.pop("quality") == quality
        labels.pop("offset")
        assert all((values == IGNORED).all() for values in labels.values())


def test_scenes_and_views_have_the_same_labels() -> None:
    rng = random.Random(3)
    view = random_view(rng, "train", 0.0)
    shapes, home = picture_labels(random_scene(rng, "train")), view_labels(view, truth_of(view, SIDE), SIDE)
    assert {key: (each.shape, each.dtype) for key, each in shapes.items()} == {
        key: (each.shape, each.dtype) for key, each in home.items()
    }


def test_a_recognisable_thing_of_the_home_is_labelled_as_such() -> None:
    rng, seen = random.Random(4), 0
    for _ in range(80):
        view = random_view(rng, "train", 0.0)
        truth = truth_of(view, SIDE)
        labels = view_labels(view, truth, SIDE)
        for thing in truth.seen:
            seen += 1
            assert labels["kinds"][KINDS.index(thing.kind)] == STATES.index("seen")
        drawn = set(labels["shape"][labels["shape"] >= FIRST_KIND] - FIRST_KIND)
        assert drawn <= {KINDS.index(thing.kind) for thing in truth.things}
    assert seen > 40


def test_in_a_smaller_window_things_keep_their_part_of_the_picture() -> None:
    window = Window(0.1, 0.0, 0.8, 1.0)
    rng = random.Random(5)
    clip = random_clip(rng, "train", 0.0)
    assert in_window(clip.first, WHOLE) is clip.first
    moved = clip_in_window(clip, window)
    for before, after in zip(clip.second.things, moved.second.things, strict=True):
        assert after.x == pytest.approx(0.1 * SIDE_PX + 0.8 * before.x)
        assert after.y == before.y
    assert (change_labels(moved)["change"] > 0).sum() >= 1


def test_a_camera_shows_the_scene_in_its_window() -> None:
    drawn = np.full((128, 128, 3), 90, np.uint8)
    drawn[60:68, 60:68] = 250
    shot = Shot(128, Window(0.125, 0.0, 0.75, 1.0))
    picture = taken(drawn, shot, SIDE)
    rows, columns = np.nonzero(picture[..., 0] > 200)
    assert (rows.min() + rows.max()) / 2 == pytest.approx(95.5, abs=1)
    assert (columns.min() + columns.max()) / 2 == pytest.approx(95.5, abs=1)
    assert np.ptp(columns) < np.ptp(rows)


def test_cameras_give_pictures_of_one_size_and_the_same_ones_for_a_seed() -> None:
    scene = random_scene(random.Random(6), "train", 0.0)
    first, second = random.Random(7), random.Random(7)
    for _ in range(25):
        shot, again = random_shot(first, SIDE), random_shot(second, SIDE)
        picture = taken(render(scene, 0, shot.drawn_px), shot, SIDE)
        assert picture.shape == (SIDE, SIDE, 3) and picture.dtype == np.uint8
        assert (picture == taken(render(scene, 0, again.drawn_px), again, SIDE)).all()
    untouched = render(scene, 0, SIDE)
    assert (taken(untouched, plain(SIDE), SIDE) == untouched).all()


def test_a_larger_picture_of_a_scene_shows_the_same() -> None:
    rng = random.Random(8)
    for _ in range(12):
        scene = random_scene(rng, "train", 0.0)
        small, large = (render(scene, 0, side).astype(float) for side in (SIDE_PX, 2 * SIDE_PX))
        halved = large.reshape(SIDE_PX, 2, SIDE_PX, 2, 3).mean((1, 3))
        assert np.abs(halved - small).mean() < 9
        assert len(SHAPES) == 8


def test_words_of_the_home_are_labelled_with_what_they_refer_to() -> None:
    rng, met = random.Random(1), set()
    for _ in range(150):
        view = random_view(rng, "train", 0.0)
        truth = truth_of(view, SIDE)
        for kind in KINDS:
            question = f"where {'are' if kind in ('keys', 'glasses') else 'is'} my {kind} please"
            ((at, labels),) = home_grounding(question, truth, SIDE, WHOLE).items()
            assert question.split()[at] == kind.split()[-1]
            known, thing = dict(zip(KEYS, labels, strict=True)), truth.thing(kind)
            if thing is None:
                assert (known["state"], known["count"]) == (0, 0)
            elif thing in truth.seen:
                assert known["kind"] == 1 + KINDS.index(kind) and known["state"] == 1
            met.add(STATES[known["state"]] if known["state"] != IGNORED else "unsure")
    assert {"absent", "seen", "occluded", "left"} <= met
