"""Questions about the home, their true and honest answers, and captions."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("PIL")

from models.train.world import grammar
from models.train.world.grammar import as_spoken
from models.train.world.home.answers import FAMILIES, cause_of, true_answer
from models.train.world.home.captions import captions
from models.train.world.home.layouts import layout
from models.train.world.home.questions import (
    HELD_OUT_TEXTS,
    TEMPLATES,
    ask_many,
    fill,
    parsed,
    sentence_split,
)
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import cause, truth_of
from models.train.world.home.views import HAND, Camera, Cover, Light, Thing, View
from models.train.world.truth import TrueAnswer

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None)
KITCHEN = layout("kitchen", 12)
TABLE = KITCHEN.surface("table")
MIDDLE = (TABLE.left + TABLE.right) / 2


def thing(kind: str, x: float, style: int = 0, label: str = "", surface: str = "table") -> Thing:
    return Thing(kind, style, "red", (200, 40, 40), surface, x, TABLE.y + 6, label)


KEYS, CUP = thing("keys", MIDDLE - 22), thing("cup", MIDDLE + 22)


def view(*things: Thing, field: float = 200.0, x: float = MIDDLE, light: Light | None = None) -> View:
    return View("kitchen", 12, things, Camera(x, 108, field), light or Light())


def told(question: str, of: View) -> str | None:
    found = parsed(question)
    assert found is not None, question
    template, slots = found
    return true_answer(template.family, slots, truth_of(of))


def test_things_are_told_with_place_surface_and_neighbour() -> None:
    of = view(KEYS, CUP, field=400, x=KITCHEN.width / 2)
    assert told("where are my keys", of) == "Your keys are on the kitchen table, left of the cup."
    assert told("where is my cup", of) == "Your cup is on the kitchen table, right of the keys."
    assert told("is my cup here", of) == "Yes, your cup is on the kitchen table."
    assert told("what is on the table", of) == "Your keys and your cup are on the table."
    assert told("what is next to my cup", of) == "Your keys are next to your cup."
    assert told("what room is this", of) == "This is the kitchen."


def test_what_is_not_in_view_is_said_to_be_absent() -> None:
    of = view(CUP)
    assert told("where are my keys", of) == "I do not see your keys here."
    assert told("is my phone here", of) == "I do not see your phone here."
    assert told("what is on the sofa", of) == "I do not see a sofa here."
    assert told("what am i holding", of) == "You are not holding anything."
    assert told("read the label", of) == "I do not see a label."
    assert told("what is next to my cup", of) == "Nothing is next to your cup."


def test_dark_and_blurred_views_are_told_as_such() -> None:
    for question in ("where are my keys", "what am i holding", "what room is this", "read the label"):
        assert told(question, view(KEYS, light=Light(level=0.04))) == "It is too dark to see."
        assert told(question, view(KEYS, light=Light(blur=0.09))) == "The picture is blurred."


def test_a_cut_off_thing_says_where_to_turn_and_a_covered_one_that_something_is_in_front() -> None:
    at_left, at_right = (view(KEYS, field=120, x=KEYS.x + side * 65) for side in (1, -1))
    assert told("where are my keys", at_left) == "I see only part of your keys, turn left."
    assert told("are my keys here", at_right) == "I see only part of your keys, turn right."
    cover = Cover(KEYS.x - 40, 60, KEYS.x + 4, 140, (90, 90, 90), 0)
    covered = replace(view(KEYS), cover=cover)
    answer = "I see only part of your keys, something is in front of them."
    assert told("where are my keys", covered) == answer
    assert cause(truth_of(covered), "keys") == "occluded"


def test_what_is_held_and_what_a_label_says() -> None:
    held = Thing("book", 0, "red", (200, 40, 40), HAND, 0.5, 0.75, "TEA")
    assert told("what am i holding", view(held)) == "You are holding your book."
    assert told("where is my book", view(held)) == "Your book is in your hand."
    assert told("read the label", view(held)) == "The label says tea."
    far = view(thing("bottle", MIDDLE, label="MILK"), field=200.0)
    assert told("read the label", far) == "The letters are too small to read, come closer."


def test_a_close_view_without_a_landmark_does_not_name_the_place() -> None:
    close = replace(view(KEYS), camera=Camera(KEYS.x, TABLE.y - 6, 50))
    assert truth_of(close).landmark == 0
    assert told("what room is this", close) == "I cannot tell which place this is."
    assert told("where are my keys", close) == "Your keys are on the table."


@few
@given(seeds)
def test_answers_agree_with_the_truth_of_the_view(seed: int) -> None:
    rng = random.Random(seed)
    truth = truth_of(random_view(rng, "held"))
    for asked in ask_many(truth, rng, "train", 6):
        template, slots = parsed(asked.question) or (None, {})
        assert template is not None and template.family == asked.family
        assert asked.answer == true_answer(asked.family, slots, truth)
        why = cause_of(asked.answer)
        if "item" in slots and "colour" not in slots and template.family != "in hand":
            assert why == cause(truth, slots["item"])
        if truth.quality != "clear":
            assert why == truth.quality


@cache
def many(split: str) -> tuple[TrueAnswer, ...]:
    rng = random.Random(f"asked {split}")
    views = range(1600 if split == "train" else 500)
    return tuple(asked for _ in views for asked in ask_many(truth_of(random_view(rng, split)), rng, split, 4))


def test_every_family_and_every_cause_is_asked_about() -> None:
    asked = many("train")
    assert {each.family for each in asked} == set(FAMILIES)
    assert {cause_of(each.answer) for each in asked} == {
        "",
        "dark",
        "blurred",
        "cut off",
        "occluded",
        "absent",
    }
    honest = sum(each.kind == "cannot_tell" for each in asked) / len(asked)
    assert 0.2 < honest < 0.55


def test_no_sentence_is_in_two_splits() -> None:
    train, held = ({each.question for each in many(split)} for split in ("train", "held"))
    assert not train & held
    assert all(sentence_split(text) == "held" for text in held)
    cores = {parsed(text)[0].text for text in train}  # type: ignore[index]
    assert not cores & HELD_OUT_TEXTS
    trained = {template.text for template in TEMPLATES} - HELD_OUT_TEXTS
    assert len(trained - cores) < 0.05 * len(trained)


@given(st.sampled_from(TEMPLATES), st.sampled_from(KINDS), seeds)
def test_a_question_is_read_back_with_its_slots(template, kind, seed) -> None:
    slots = {"item": kind} if "item" in template.slots else {}
    slots |= {"surface": "shelf"} if "surface" in template.slots else {}
    slots |= {"colour": "orange"} if "colour" in template.slots else {}
    slots |= {"place": "hall"} if "place" in template.slots else {}
    text = as_spoken(fill(template, slots), random.Random(seed))
    found = parsed(text)
    assert found is not None and found[1] == slots and found[0].family == template.family
    assert parsed("where is the nearest star") is None


@few
@given(seeds)
def test_captions_name_only_what_is_seen(seed: int) -> None:
    rng = random.Random(seed)
    truth = truth_of(random_view(rng, "train"))
    seen = {thing.kind for thing in truth.seen}
    for text in captions(truth, rng, most=10):
        subject = text.split(" on the ")[0].split(" in the ")[0].split(", left")[0].split(" with the")[0]
        named = {kind for kind in KINDS if kind in subject}
        assert named <= seen or "sign" in text or "picture" in text
    if truth.quality != "clear":
        assert captions(truth, rng) == []


def test_new_families_tell_what_is_true_of_the_view() -> None:
    of = view(KEYS, CUP, field=400, x=KITCHEN.width / 2)
    assert told("is my cup on the table", of) == "Yes, your cup is on the table."
    assert told("are my keys on the shelf", of) == "No, your keys are on the table."
    assert told("am i holding my cup", of) == "No, you are not holding your cup."
    assert told("am i in the kitchen", of) == "Yes, this is the kitchen."
    assert told("is this the shop", of) == "No, this is the kitchen."
    assert told("what colour is my cup", of) == "Your cup is red."
    assert told("what's this", of) == "I see your keys and your cup."
    assert told("how many of my things do you see", of) == "I see two of your things."
    assert told("do you see my umbrella", of) == "I do not see your umbrella here."
    assert told("what do you see", view()) == "I do not see any of your things here."


def test_a_thing_of_another_colour_is_told_as_it_is() -> None:
    of = view(KEYS, CUP, field=400, x=KITCHEN.width / 2)
    assert told("where is my blue cup", of) == "I see your red cup, no blue one."
    assert told("i can't find my green keys", of) == "I see your red keys, no green ones."
    assert told("where is my red cup", of) == "Your red cup is on the kitchen table, right of the keys."
    assert told("do you see my red book", of) == "I do not see your red book here."
    asked = [each for each in many("train") if ", no " in each.answer]
    assert len(asked) > 15
    for each in asked:
        _, slots = parsed(each.question) or (None, {})
        assert slots["colour"] not in each.answer.split(", no ")[0]


def test_a_sentence_has_the_same_split_in_both_worlds() -> None:
    shapes = {t.text: t in grammar.HELD_OUT_TEMPLATES for t in grammar.TEMPLATES if not t.slots}
    home = {t.text: t.text in HELD_OUT_TEXTS for t in TEMPLATES if not t.slots}
    assert len(shapes.keys() & home.keys()) > 5
    assert all(shapes[text] == home[text] for text in shapes.keys() & home.keys())
