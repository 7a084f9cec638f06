"""Random scenes, the true answers about them, and the splits."""

from __future__ import annotations

import random
import re

import pytest

pytest.importorskip("PIL")

from models.train.world import grammar
from models.train.world.drawing import render
from models.train.world.questions import SHARES, ask_many, sentence_split
from models.train.world.scenes import (
    SIDE_PX,
    VALIDATION_PAIRS,
    FramePair,
    Scene,
    letter_centres,
    random_clip,
    random_scene,
)
from models.train.world.truth import BLURRED, CLIP_FAMILIES, DARK, SCENE_FAMILIES, SMALL_TALK, true_answer


def _scenes(split: str, number: int) -> list[Scene]:
    rng = random.Random(f"test {split}")
    return [random_scene(rng, split) for _ in range(number)]


def _clips(split: str, number: int) -> list[FramePair]:
    rng = random.Random(f"test {split}")
    return [random_clip(rng, split) for _ in range(number)]


def test_training_scenes_show_no_reserved_pair() -> None:
    frames = [
        *_scenes("train", 400),
        *(f for clip in _clips("train", 200) for f in (clip.first, clip.second)),
    ]
    shown = {thing.pair for scene in frames for thing in scene.things}
    assert not shown & (grammar.HELD_OUT_PAIRS | VALIDATION_PAIRS)
    assert len(shown) == 64 - len(grammar.HELD_OUT_PAIRS) - len(VALIDATION_PAIRS)


def test_held_out_scenes_show_held_out_pairs_often() -> None:
    scenes = [scene for scene in _scenes("held", 300) if scene.things]
    with_new = [s for s in scenes if any(thing.pair in grammar.HELD_OUT_PAIRS for thing in s.things)]
    assert len(with_new) > len(scenes) / 3


def test_things_and_signs_stay_inside_and_apart() -> None:
    for scene in _scenes("train", 300):
        for index, thing in enumerate(scene.things):
            assert thing.radius_px <= min(thing.x, thing.y, SIDE_PX - thing.x, SIDE_PX - thing.y)
            for other in scene.things[:index]:
                gap = ((thing.x - other.x) ** 2 + (thing.y - other.y) ** 2) ** 0.5
                assert gap > thing.radius_px + other.radius_px
        if scene.sign:
            assert scene.sign.width_px / 2 <= min(scene.sign.x, SIDE_PX - scene.sign.x)
            assert len(letter_centres(scene.sign)) == len(scene.sign.text)


def test_a_picture_depends_on_its_scene_alone() -> None:
    for scene in _scenes("train", 5):
        picture = render(scene)
        assert picture.shape == (SIDE_PX, SIDE_PX, 3)
        assert (picture == render(scene)).all()


def test_dark_pictures_are_dark_and_blurred_ones_have_no_edges() -> None:
    scenes = _scenes("train", 200)
    dark = [render(scene).mean() for scene in scenes if scene.quality == "dark"]
    assert dark
    assert max(dark) < 20
    assert all(render(scene).mean() > 35 for scene in scenes[:50] if scene.quality != "dark")
    for scene in scenes:
        if scene.quality == "blurred":
            smooth = render(scene).astype(float)[::8, ::8].mean(-1)
            assert abs(smooth[1:] - smooth[:-1]).max() < 110


def test_every_family_is_asked_in_every_split() -> None:
    assert set(SHARES) == {*SCENE_FAMILIES, *CLIP_FAMILIES}
    for split in ("train", "held"):
        rng = random.Random(3)
        views: list[Scene | FramePair] = [*_scenes(split, 60), *_clips(split, 30)]
        asked = [answered for view in views for answered in ask_many(view, rng, split, 6)]
        assert {answered.family for answered in asked} == set(SHARES)
        assert all(sentence_split(answered.question) == split for answered in asked)
        refused = sum(answered.kind == "cannot_tell" for answered in asked) / len(asked)
        assert 0.08 < refused < 0.3


def test_every_trained_wording_of_sight_is_used_and_no_other() -> None:
    rng = random.Random(5)
    views: list[Scene | FramePair] = [*_scenes("train", 900), *_clips("train", 350)]
    cores = {grammar.core(a.question) for view in views for a in ask_many(view, rng, "train", 12)}
    used = set()
    for template in grammar.TEMPLATES:
        pattern = re.compile(re.sub(r"(?:a )?\\?\{\w+\\?\}", "[a-z ]+", template.text))
        if template.family in SHARES and any(map(pattern.fullmatch, cores)):
            used.add(template)
    trained = [t for t in grammar.TEMPLATES if t.family in SHARES and t not in grammar.HELD_OUT_TEMPLATES]
    missing = [template.text for template in trained if template not in used]
    assert missing == []
    assert not any(map(grammar.is_held_out, cores))


def test_counts_equal_the_things() -> None:
    template = next(t for t in grammar.TEMPLATES if t.text == "how many {shapes} are there")
    for scene in _scenes("train", 200):
        for shape in grammar.SHAPES:
            number = sum(thing.shape == shape for thing in scene.things)
            answer = true_answer(template, {"shapes": grammar.plural(shape)}, scene)
            if scene.quality == "clear":
                word = "no" if number == 0 else grammar.NUMBER_WORDS[number]
                assert answer is not None
                assert f" {word} " in answer
            else:
                assert answer == (DARK if scene.quality == "dark" else BLURRED)


def test_yes_and_no_are_balanced() -> None:
    rng = random.Random(7)
    views: list[Scene | FramePair] = [*_scenes("train", 500), *_clips("train", 100)]
    answers = [a for view in views for a in ask_many(view, rng, "train", 9)]
    for family in ("exist", "relation", "check", "more"):
        yes = sum(a.answer.startswith("Yes") for a in answers if a.family == family)
        no = sum(a.answer.startswith("No,") for a in answers if a.family == family)
        assert 0.38 < yes / (yes + no) < 0.62, family


def test_relations_agree_with_their_opposites() -> None:
    template = next(t for t in grammar.TEMPLATES if t.text == "is the {shape} {relation} the {shape2}")
    checked = 0
    for scene in _scenes("held", 200):
        shapes = [thing.shape for thing in scene.things]
        if scene.quality != "clear" or len(shapes) < 2 or len(set(shapes)) != len(shapes):
            continue
        a, b = shapes[:2]
        left = true_answer(template, {"shape": a, "shape2": b, "relation": "left of"}, scene)
        right = true_answer(template, {"shape": b, "shape2": a, "relation": "right of"}, scene)
        assert (left is None) == (right is None)
        if left and right:
            assert left[:3] == right[:3]
            checked += 1
    assert checked > 20


def test_a_clip_changes_in_the_things_that_it_names_only() -> None:
    numbers = set()
    for clip in _clips("train", 300):
        first, second = ({t.shape: t for t in scene.things} for scene in (clip.first, clip.second))
        same = [
            shape for shape in first.keys() & second.keys() if first[shape].colour == second[shape].colour
        ]
        moved = [s for s in same if abs(first[s].x - second[s].x) > 12 or abs(first[s].y - second[s].y) > 12]
        other = len(first.keys() ^ second.keys()) + len(first.keys() & second.keys()) - len(same)
        assert len(moved) + other == len(clip.changes)
        numbers.add(len(clip.changes))
    assert numbers == {0, 1, 2}


def test_small_talk_has_an_answer_for_every_template() -> None:
    assert set(SMALL_TALK) == {t.text for t in grammar.TEMPLATES if t.family == "smalltalk"}
    assert all(answer.endswith((".", "?")) for answer in SMALL_TALK.values())
