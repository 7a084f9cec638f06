"""Comparing, checking, neighbours and places: answers against the values of the scene."""

from __future__ import annotations

import random
import re
from math import hypot

import pytest

pytest.importorskip("PIL")

from models.train.world import grammar
from models.train.world.questions import ask
from models.train.world.scenes import SIDE_PX, Scene, Thing, random_scene
from models.train.world.truth import TrueAnswer, true_answer

SHAPE = "|".join(grammar.SHAPES)
COLOUR = "|".join(grammar.COLOURS)


def drawn(family: str, number: int) -> list[tuple[Scene, TrueAnswer]]:
    rng = random.Random(family)
    found: list[tuple[Scene, TrueAnswer]] = []
    while len(found) < number:
        scene = random_scene(rng, "train", 0.0)
        answered = ask(scene, rng, "train", family)
        if answered is not None and answered.kind == "answerable":
            found.append((scene, answered))
    return found


def scene_of(*things: tuple[str, str, str, float, float, float]) -> Scene:
    made = (Thing(s, c, z, x, y, r, 0.0, (1, 2, 3)) for s, c, z, x, y, r in things)
    return Scene(tuple(made))


def answer(text: str, scene: Scene, **slots: str) -> str | None:
    template = next(template for template in grammar.TEMPLATES if template.text == text)
    return true_answer(template, slots, scene)


STAR = ("star", "blue", "large", 30.0, 30.0, 17.0)
HEART = ("heart", "red", "small", 66.0, 32.0, 10.0)
FAR = ("ring", "green", "small", 110.0, 110.0, 10.0)


def test_examples_in_the_words_of_a_person() -> None:
    scene = scene_of(STAR, HEART, FAR)
    assert answer("is the {shape} {colour}", scene, shape="star", colour="blue") == "Yes, it is blue."
    assert answer("is the {shape} {colour}", scene, shape="star", colour="green") == "No, it is blue."
    bigger = "which is bigger the {shape} or the {shape2}"
    assert answer(bigger, scene, shape="heart", shape2="star") == "The star is bigger."
    assert answer(bigger, scene, shape="heart", shape2="ring") == "They are about the same size."
    assert answer("what is next to the {shape}", scene, shape="star") == "A red heart is next to the star."
    assert answer("what is next to the {shape}", scene, shape="ring") == "Nothing is next to the ring."
    assert answer("where is the {colour} {shape}", scene, colour="red", shape="star") == (
        "I see a blue star, no red one."
    )
    assert answer("where is the {size} {shape}", scene, size="small", shape="star") == (
        "I see a large star, no small one."
    )
    two = scene_of(STAR, ("star", "red", "large", 90.0, 90.0, 17.0))
    assert answer("where is the {shape}", two, shape="star") == "I see two stars, a red one and a blue one."
    assert answer("what do you see", scene_of(HEART, FAR, (*HEART[:3], 66.0, 90.0, 10.0))) == (
        "I see two red hearts and a green ring."
    )


def test_yes_and_no_of_a_check_agree_with_the_thing() -> None:
    for scene, answered in drawn("check", 250):
        match = re.fullmatch(r"(Yes|No), it is (?:an? )?(\w+)\.", answered.answer)
        if match is None or "sign" in answered.question:
            continue
        words = set(answered.question.split())
        said = {*words, *(grammar.SIZE_MEANT[word] for word in words & set(grammar.SIZE_MEANT))}
        assert (match[2] in said) == (match[1] == "Yes")
        assert any(match[2] in (t.colour, t.size, t.shape) for t in scene.things)


def test_the_bigger_thing_is_bigger() -> None:
    checked = 0
    for scene, answered in drawn("compare", 250):
        match = re.fullmatch(rf"(?:No, t|T)he ({SHAPE}) is (bigger|smaller)\.", answered.answer)
        if match:
            named = re.findall(rf"(?:\b({COLOUR}) )?({SHAPE})\b", answered.question)
            radius = {
                shape: max(t.radius_px for t in scene.matching(shape) if colour in ("", t.colour))
                for colour, shape in named
            }
            wanted = (max if match[2] == "bigger" else min)(radius, key=lambda shape: radius[shape])
            assert match[1] == wanted
            checked += 1
        elif answered.answer.startswith("The "):
            chosen = re.fullmatch(r"The (\w+) (\w+) is the (biggest|smallest)\.", answered.answer)
            assert chosen
            by_size = sorted(scene.things, key=lambda thing: thing.radius_px)
            assert by_size[-1 if chosen[3] == "biggest" else 0].pair == (chosen[2], chosen[1])
    assert checked > 80


def test_what_is_next_to_a_thing_is_the_nearest() -> None:
    checked = 0
    for scene, answered in drawn("next", 300):
        match = re.fullmatch(
            rf"An? (\w+) ({SHAPE}) is (?:next|nearest) to the .*?({SHAPE})\.", answered.answer
        )
        if match is None or scene.sign:
            continue
        words = answered.question.split()
        fits = [
            thing
            for thing in scene.matching(match[3])
            if not set(words) & set(grammar.COLOURS) or thing.colour in words
        ]
        if len(fits) != 1:
            continue
        one = fits[0]
        others = [thing for thing in scene.things if thing is not one]
        nearest = min(others, key=lambda t: hypot(t.x - one.x, t.y - one.y) - t.radius_px)
        assert (nearest.colour, nearest.shape) == (match[1], match[2])
        checked += 1
    assert checked > 60


def test_more_is_told_with_both_numbers() -> None:
    words = {"no": 0, "one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    for scene, answered in drawn("more", 200):
        numbers = [
            words[word] for word in re.findall(r"\b(no|one|two|three|four|five|six)\b", answered.answer)
        ]
        plural = [word for word in answered.question.split() if word in grammar.SLOT_VALUES["shapes"]]
        if len(plural) == 2:
            shapes = [grammar.SHAPES[grammar.SLOT_VALUES["shapes"].index(word)] for word in plural]
            assert numbers[-2:] == [len(scene.matching(shape)) for shape in shapes]
        fewer = {"fewer", "less"} & set(answered.question.split())
        true = numbers[-2] < numbers[-1] if fewer else numbers[-2] > numbers[-1]
        assert answered.answer.startswith("Yes" if true else "No")


def test_what_is_in_a_corner_is_there() -> None:
    for scene, answered in drawn("at", 200):
        match = re.fullmatch(r"An? (\w+) (\w+) is (?:at the|in the) (.+)\.", answered.answer)
        if match:
            (thing,) = (
                t
                for t in scene.matching(match[2], match[1])
                if ("left" in match[3]) == (t.x < SIDE_PX / 3) and ("top" in match[3]) == (t.y < SIDE_PX / 3)
                if ("right" in match[3]) == (t.x > 2 * SIDE_PX / 3)
                if ("bottom" in match[3]) == (t.y > 2 * SIDE_PX / 3)
            )
            assert thing
