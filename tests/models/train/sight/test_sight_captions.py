"""Captions for the contrastive loss: what is true of a picture, what is not, and what nobody can judge."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("PIL")

from models.train.sight.data.captioned import FALSE, TRUE, UNJUDGED, caption_batch, chosen_captions, matches
from models.train.sight.text_words import LENGTH, PADDING, UNKNOWN, TextWords, split
from models.train.world.caption_truth import Captioned, altered, of_scene, of_view
from models.train.world.home.captions import captions
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import NOTHING, SEEN, truth_of
from models.train.world.scenes import random_scene

WORDS = TextWords(("", "?", "a", "cup", "keys", "kitchen", "on", "red", "table", "the"))


def test_every_caption_of_the_home_is_among_the_true_ones() -> None:
    rng = random.Random(1)
    for _ in range(120):
        view = random_view(rng, "train")
        truth = truth_of(view)
        found = of_view(view, truth)
        assert set(captions(truth, rng, 9)) <= found.true
        assert set(found.telling) <= found.true


def test_a_thing_that_is_half_seen_is_neither_there_nor_not() -> None:
    rng, met = random.Random(2), 0
    for _ in range(150):
        view = random_view(rng, "train", 0.0)
        truth = truth_of(view)
        found = of_view(view, truth)
        for thing in truth.things:
            if NOTHING <= thing.visible < SEEN:
                met += 1
                assert found.holds(f"{thing.kind} on the kitchen table") is not False
        assert found.holds("a thing that no view has") is False
    assert met > 10


def test_captions_of_scenes_are_true_of_their_own_and_mostly_of_no_other() -> None:
    rng = random.Random(3)
    scenes = [of_scene(random_scene(rng, "train", 0.0)) for _ in range(24)]
    told = [picture.telling[-1] for picture in scenes if picture.telling]
    match = matches(scenes, told)
    assert set(np.unique(match)) <= {TRUE, FALSE, UNJUDGED}
    assert (match == TRUE).any(0).all()
    assert (match == TRUE).mean() < 0.2


def test_an_exchanged_word_makes_another_caption() -> None:
    rng = random.Random(4)
    for text in ("red keys on the kitchen table, left of the cup", "a red circle above a blue star"):
        changed = {altered(text, rng) for _ in range(40)}
        assert text not in changed and len(changed) > 3
        assert all(len(split(each)) in (len(split(text)), len(split(text)) + 1) for each in changed)
    assert altered("nothing known", rng) == "nothing known"


def test_a_batch_has_as_many_captions_as_wanted_and_says_what_is_true() -> None:
    rng = random.Random(5)
    pictures = [of_scene(random_scene(rng, "train", 0.0)) for _ in range(6)] + [Captioned(frozenset(), ())]
    batch = caption_batch(pictures, WORDS, rng, 40)
    assert batch["captions"].shape == (40, LENGTH)
    assert batch["match"].shape == (7, 40)
    assert (batch["match"][-1] != TRUE).all()
    assert all((batch["match"][row] == TRUE).any() for row in range(6) if pictures[row].telling)


def test_words_of_a_sentence() -> None:
    ids = WORDS.encode("Red keys on the kitchen table, please.")
    assert ids.shape == (LENGTH,)
    assert [WORDS.words[i] for i in ids if i != PADDING] == [
        "red",
        "keys",
        "on",
        "the",
        "kitchen",
        "table",
        "?",
    ]
    assert ids[6] == UNKNOWN
    assert WORDS.encode("a " * 50).min() > PADDING


def test_short_captions_are_chosen_too() -> None:
    rng = random.Random(6)
    view = next(v for v in (random_view(rng, "train", 0.0) for _ in range(99)) if len(truth_of(v).seen) > 1)
    picture = of_view(view, truth_of(view))
    chosen = {caption for _ in range(60) for caption in chosen_captions(picture, rng, 3)}
    assert chosen <= picture.true
    assert any(len(split(caption)) <= 2 for caption in chosen)
