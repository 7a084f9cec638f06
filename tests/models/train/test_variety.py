"""Other hands and looks draw what is true of a scene all the same."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from models.train.world.drawing import render
from models.train.world.home.picture.render import render as render_view
from models.train.world.home.random_views import random_view
from models.train.world.home.things import size_of
from models.train.world.home.views import View
from models.train.world.scenes import Scene, Thing, random_clip
from models.train.world.variety.forms import Reshaped, random_form
from models.train.world.variety.looks import varied
from models.train.world.variety.manner import USUAL, Manner, random_manner
from models.train.world.variety.reshaping import ReshapingPen
from models.train.world.variety.strokes import Hand, random_brush, random_ground, random_hand


@pytest.mark.parametrize("unseen", [False, True])
def test_other_hands_and_looks_draw_the_same_scene(unseen: bool) -> None:
    """The middle of a large thing keeps its colour, more or less, whoever draws it."""
    thing = Thing("square", "red", "large", 64, 64, 19, 0, (200, 30, 30))
    scene = Scene((thing,), None, "clear", 5)
    pictures = []
    for seed in range(20):
        rng = random.Random(seed)
        brush, ground = random_brush(rng, unseen), random_ground(rng, 128, unseen)
        drawn = varied(render(scene, 0, 128, brush.draw, ground), rng, unseen)
        assert drawn.shape == (128, 128, 3) and drawn.dtype == np.uint8
        red, green, blue = drawn[56:72, 56:72].mean((0, 1))
        assert red > 1.5 * max(green, blue)
        pictures.append(drawn.tobytes())
    assert len(set(pictures)) > 15


def test_a_usual_hand_draws_as_usual() -> None:
    view = random_view(random.Random(2), "train")
    usual = render_view(view, 96)
    assert np.array_equal(render_view(view, 96, Hand().pen), usual)
    assert not np.array_equal(render_view(view, 96, random_hand(random.Random(1), True).pen), usual)


def test_the_usual_manner_draws_as_usual() -> None:
    view, clip = random_view(random.Random(2), "train"), random_clip(random.Random(2), "train")
    assert np.array_equal(USUAL.looked(USUAL.view(view, 96)), render_view(view, 96))
    assert np.array_equal(USUAL.scene(clip.second, 1, 96), render(clip.second, 1, 96))


def test_the_frames_of_a_clip_have_one_ground_and_one_look() -> None:
    """Where nothing is drawn, two frames differ by their noise only."""
    clip = random_clip(random.Random(4), "train")
    empty = replace(clip.first, things=(), sign=None, notices=(), quality="clear")
    for seed in range(8):
        manner = random_manner(random.Random(seed))
        first, second = (manner.looked(manner.scene(empty, frame, 96)).astype(int) for frame in (0, 1))
        assert abs(first - second).mean() < 14
        assert np.array_equal(manner.looked(manner.scene(empty, 0, 96)), first)


def test_a_stretched_thing_stands_where_it_stood() -> None:
    """The lowest row that a stretched and a usual hand draw differently is about the same."""
    view = random_view(random.Random(9), "train")
    while not any(not each.held for each in view.things) or view.light.blur:
        view = random_view(random.Random(view.look), "train")
    usual = Manner().view(view, 192).astype(int)
    bare = Manner().view(replace(view, things=()), 192).astype(int)
    wide = Manner(Hand(stretch=(1.2, 0.86))).view(view, 192).astype(int)
    lowest = [np.nonzero(abs(each - bare).max(2).max(1) > 20)[0].max() for each in (usual, wide)]
    assert abs(lowest[0] - lowest[1]) <= 3


def test_a_reshaped_thing_has_one_form_near_where_it_stands() -> None:
    """Its form is the same wherever it is drawn; it stays about its box, and its design shows no more."""
    view = random_view(random.Random(9), "train")
    view = replace(view, things=tuple(each for each in view.things if not each.held), cover=None)
    view = replace(view, light=replace(view.light, grain=0.0, blur=0.0))
    camera = view.camera

    def of(shown: View, seed: int = 3) -> NDArray[np.integer]:
        return render_view(
            shown, 192, lambda image, pose: ReshapingPen(image, pose, Hand(), Reshaped(1.0, seed))
        ).astype(int)

    for thing in view.things:
        alone, bare = replace(view, things=(thing,)), replace(view, things=())
        usual, drawn = (np.abs(each - of(bare)).max(2) > 20 for each in (render_view(alone, 192), of(alone)))
        if usual.sum() < 60:
            continue
        assert not np.array_equal(usual, drawn)
        assert not np.array_equal(of(alone), of(alone, seed=4))
        assert 0.3 < drawn.sum() / usual.sum() < 3.5
        apart = [np.argwhere(each).mean(0) for each in (usual, drawn)]
        reach = max(size_of(thing.kind, thing.style)) * 192 / camera.field
        assert np.abs(apart[0] - apart[1]).max() < 0.45 * reach


def test_the_form_of_a_thing_is_a_function_of_the_seed() -> None:
    assert random_form(random.Random(5), 0.7) == random_form(random.Random(5), 0.7)
    plain = random_form(random.Random(5), 0.0)
    x, y = np.array([-4.0, 0.0, 3.0]), np.array([-9.0, -2.0, 0.0])
    assert np.allclose(plain.placed(x, y, (10, 20)), np.stack((-x if plain.mirrored else x, y), 1))
