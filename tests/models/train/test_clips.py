"""Drawn clips: what is asked of them is decided by their pictures."""

from __future__ import annotations

import random

import numpy as np

from models.train.world.clips.draw import FEWEST, MOST, random_clip
from models.train.world.clips.truth import questions_about, seen_in
from models.train.world.clips.values import FAMILIES, NOTHING, Clip
from models.train.world.home.picture.render import render
from models.train.world.said.clips import clip_sentence
from models.train.world.wording.clips import HELD_OUT, TRAINED

CLIPS = [random_clip(random.Random(seed), "validation") for seed in range(60)]


def asked(clip: Clip, family: str) -> set[str]:
    """The answers to a family's questions without a thing."""
    return {each.answer for each in clip.questions if each.family == family and not each.thing}


def test_clips_are_reproducible_and_in_the_order_of_time() -> None:
    assert random_clip(random.Random(3), "train") == random_clip(random.Random(3), "train")
    for clip in CLIPS:
        assert FEWEST <= len(clip.views) <= MOST
        assert clip.times_s[0] == 0 and list(clip.times_s) == sorted(set(clip.times_s))


def test_every_answer_is_one_of_its_family() -> None:
    assert {each.family for clip in CLIPS for each in clip.questions} == set(FAMILIES)
    for clip in CLIPS:
        for each in clip.questions:
            assert each.answer in FAMILIES[each.family]
            assert each.family not in ("direction", "speed") or each.thing


def test_a_head_that_turns_moves_nothing() -> None:
    turned = [clip for clip in CLIPS if clip.event == "still" and clip.turned]
    assert turned
    for clip in turned:
        assert asked(clip, "whether") == {"no"} and asked(clip, "moved") == {NOTHING}
        assert not asked(clip, "appeared"), "the border makes things come and go"


def test_what_comes_goes_in_the_reversed_clip() -> None:
    for clip in (each for each in CLIPS if each.event == "appear"):
        came = asked(clip, "appeared") - {NOTHING}
        if came:
            seen = seen_in(clip.views[::-1])
            facts = {"gone": came.pop()}
            back = questions_about(seen, facts, clip.times_s, clip.turned, random.Random(1))
            gone = {each.answer for each in back if each.family == "gone"}
            assert gone == {facts["gone"]}


def test_flashes_are_views_of_another_brightness() -> None:
    clip = next(each for each in CLIPS if each.event == "flash")
    (count,) = asked(clip, "flashes")
    levels = np.array([view.light.level for view in clip.views])
    usual = levels[0] == levels
    assert int(count) == np.sum(usual[:-1] & ~usual[1:])
    bright = [float(render(view, 64).mean()) for view in clip.views]
    assert abs(np.mean(np.array(bright)[usual]) - np.mean(np.array(bright)[~usual])) > 5


def test_sentences_of_every_family_and_held_out_ones() -> None:
    rng = random.Random(1)
    assert set(TRAINED) == set(HELD_OUT) and set(FAMILIES) < set(TRAINED)
    for split in ("train", "held"):
        found = {clip_sentence(rng, split)[1] for _ in range(400)}
        assert found == set(TRAINED)
