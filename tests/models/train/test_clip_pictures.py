"""Clips as the motion brick's training draws them: varied motions, one hand and look for all views."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.train.motion import pictures
from models.train.motion.mixes import KNOWN, MIXES, mix_of
from models.train.motion.pictures import CELLS, SIDE_PX, Manner, cells_of, drawn, in_manner, random_manner
from models.train.reflex.unseen import STYLES_KEPT_BACK, dressed
from models.train.sight.data.camera import Window
from models.train.world.clips.values import FAMILIES, Clip
from models.train.world.clips.varied import eased, varied_clip
from models.train.world.home.splits import HELD_OUT_STYLES, KINDS
from models.train.world.variety.forms import Reshaped
from models.train.world.variety.strokes import Hand

CLIPS = [varied_clip(random.Random(seed), "train") for seed in range(80)]


def of_event(event: str) -> Clip:
    return next(clip for clip in CLIPS if clip.event == event)


def test_varied_clips_are_reproducible_and_ask_what_is_known() -> None:
    assert varied_clip(random.Random(3), "train") == varied_clip(random.Random(3), "train")
    assert {each.family for clip in CLIPS for each in clip.questions} == set(FAMILIES)
    for clip in CLIPS:
        assert list(clip.times_s) == sorted(set(clip.times_s))
        assert all(each.answer in FAMILIES[each.family] for each in clip.questions)


def test_every_way_leads_from_the_start_to_the_end() -> None:
    for way in ("steady", "gentle", "starting", "stopping"):
        path = [eased(share, way) for share in np.linspace(-0.5, 1.5, 21)]
        assert path[0] == 0 and path[-1] == 1 and path == sorted(path)
    assert eased(0.05, "gentle") < 0.01 and eased(0.95, "gentle") > 0.99


def test_things_that_change_places_end_where_the_other_was() -> None:
    clip = of_event("swap")
    begin, end = ({each.kind: (each.x, each.y) for each in clip.views[at].things} for at in (0, -1))
    moved = [kind for kind in begin if begin[kind] != end[kind]]
    assert len(moved) == 2
    assert begin[moved[0]] == end[moved[1]] and begin[moved[1]] == end[moved[0]]


def test_no_look_adds_a_flash_or_takes_one_away() -> None:
    rng = random.Random(5)
    for clip in [clip for event in ("flash", "still") for clip in CLIPS if clip.event == event][::4][:4]:
        levels = np.array([view.light.level for view in clip.views])
        lit = (levels > 1.35 * levels[0]) | (levels < 0.65 * levels[0])
        for mix in MIXES:
            shown = in_manner(clip, random_manner(rng, "train", mix), mix).pictures
            bright = shown.reshape(len(shown), -1).mean(1)
            if clip.event == "flash":
                factor = levels[lit].mean() / levels[0]
                assert (bright[lit].mean() - bright[~lit].mean()) * (factor - 1) > 0
            elif not clip.turned and not lit.any():
                assert np.ptp(bright) < 0.35 * bright.mean()


@pytest.mark.parametrize("reshaped", [None, Reshaped(1.0, 3)])
def test_what_stays_is_drawn_the_same_whatever_else_comes(reshaped: Reshaped | None) -> None:
    """A loose hand wobbles and tints every thing, but not anew when another thing is put down."""
    clip = of_event("come")
    camera, light = clip.views[0].camera, replace(clip.views[0].light, grain=0.0)
    empty, full = (replace(clip.views[at], camera=camera, light=light, look=1) for at in (0, -1))
    hand = Hand(1.5, 0.5, "ink", 9, 7)
    one, two = (Manner(hand, reshaped=reshaped).picture(view, 0).astype(int) for view in (empty, full))
    came = [each for each in full.things if each not in empty.things]
    apart = np.abs(one - two).max(2) > 0
    a, b, c, d, e, f = camera.pose(SIDE_PX)
    for thing in came:
        x, y = a * thing.x + c * thing.y + e, b * thing.x + d * thing.y + f
        reach = round(45 * SIDE_PX / camera.field)
        apart[
            max(0, int(y) - 2 * reach) : max(0, int(y) + reach),
            max(0, int(x) - reach) : max(0, int(x) + reach),
        ] = 0
    assert not apart.any()


def test_mirrored_clips_answer_the_other_side() -> None:
    clip = next(
        clip for clip in CLIPS if any(q.family == "direction" and q.answer == "left" for q in clip.questions)
    )
    usual, mirrored = (in_manner(clip, Manner(mirrored=each), KNOWN) for each in (False, True))
    for one, two in zip(usual.questions, mirrored.questions, strict=True):
        assert two.answer == {"left": "right", "right": "left"}.get(one.answer, one.answer)
    sides = len(clip.views), CELLS, CELLS
    assert (usual.kinds.reshape(sides) == mirrored.kinds.reshape(sides)[:, :, ::-1]).all()
    assert np.array_equal(
        usual.moved[..., 0].reshape(sides), -mirrored.moved[..., 0].reshape(sides)[:, :, ::-1]
    )
    assert np.array_equal(usual.pictures, mirrored.pictures[:, :, ::-1])


def test_cells_know_what_moves_and_how_far() -> None:
    clip = next(clip for clip in CLIPS if clip.event == "move")
    kinds, moved = cells_of(clip)
    (kind,) = {q.answer for q in clip.questions if q.family == "moved"}
    (way,) = {q.answer for q in clip.questions if q.family == "direction" and q.thing == kind}
    own = kinds == 1 + KINDS.index(kind)
    assert own.any() and not moved[(kinds > 0) & ~own].any()
    total = sum(moved[at][own[at]].mean(0).astype(float) for at in range(len(kinds)) if own[at].any())
    axis, sign = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}[way]
    assert sign * total[axis] > 0.08 and abs(total[axis]) > abs(total[1 - axis])
    small = cells_of(clip, Window(0.25, 0.25, 0.5, 0.5))[0]
    assert (small > 0).sum() < (kinds > 0).sum()


def test_training_never_draws_what_validation_keeps_back() -> None:
    assert [mix_of("validation", number) for number in range(4)] == list(MIXES)
    assert {mix_of("train", number) for number in range(9)} == {KNOWN}
    trained = [random_manner(random.Random(seed), "train", KNOWN) for seed in range(30)]
    assert not any(each.unseen for each in trained) and any(each.reshaped for each in trained)
    assert not any(
        random_manner(random.Random(seed), "validation", mix).reshaped for seed in range(30) for mix in MIXES
    )
    kept_back = HELD_OUT_STYLES | STYLES_KEPT_BACK
    met = 0
    for seed in range(30):
        clip = varied_clip(random.Random(seed), "train", lambda view, rng: dressed(view, rng, False))
        assert not {(thing.kind, thing.style) for view in clip.views for thing in view.things} & kept_back
        clip = varied_clip(random.Random(seed), "validation", lambda view, rng: dressed(view, rng, True))
        styles = {(thing.kind, thing.style) for view in clip.views for thing in view.things}
        assert not styles & HELD_OUT_STYLES
        met += bool(styles & STYLES_KEPT_BACK)
    assert met > 20


def test_a_shard_of_pictures_is_read_as_it_was_drawn(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(pictures, "CLIPS_PER_SHARD", 2)
    monkeypatch.setattr(pictures.drawn_clips, "__defaults__", (2,))
    pictures.write_drawn(tmp_path, "validation", 0)
    found = list(pictures.read_drawn(tmp_path, "validation", 0))
    made = list(pictures.drawn_clips("validation", 0))
    assert len(found) == len(made) == 2
    for one, two in zip(found, made, strict=True):
        assert (one.event, one.turned, one.questions, one.mix) == (
            two.event,
            two.turned,
            two.questions,
            two.mix,
        )
        assert np.array_equal(one.kinds, two.kinds) and np.array_equal(one.times_s, two.times_s)
        assert np.abs(one.pictures.astype(int) - two.pictures).mean() < 2.5


def test_drawing_is_a_function_of_the_seed() -> None:
    one, two = (drawn(random.Random(11), "train", KNOWN) for _ in range(2))
    assert np.array_equal(one.pictures, two.pictures) and one.questions == two.questions
