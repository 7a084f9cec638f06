"""Questions that suppose what is not so, and descriptions, judged by reading the answer against the scene."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache

import pytest

pytest.importorskip("PIL")

from models.train.sight.evaluate import mentions
from models.train.world import grammar
from models.train.world.questions import ask, ask_many
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene
from models.train.world.truth import TrueAnswer

NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
SINGULAR = dict(zip(grammar.SLOT_VALUES["shapes"], grammar.SHAPES, strict=True))
SIZES = {**grammar.SIZE_MEANT, "large": "large", "small": "small"}


@cache
def asked(split: str) -> tuple[tuple[Scene, TrueAnswer], ...]:
    rng = random.Random(f"suppositions {split}")
    drawn = [random_scene(rng, split, 0.0) for _ in range(800 if split == "train" else 250)]
    return tuple((scene, answered) for scene in drawn for answered in ask_many(scene, rng, split, 6))


def named(question: str) -> list[tuple[str, str | None, str | None]]:
    """(shape, colour, size) of each thing that the question names, from its words."""
    words, found = question.split(), []
    for before, word in zip(["", *words], words, strict=False):
        if word in grammar.SHAPES:
            found.append((word, before if before in grammar.COLOURS else None, SIZES.get(before)))
    return found


def told(answer: str) -> Counter[tuple[str, ...]]:
    """How often an answer "I see ..." says that there is a thing with such words: ("blue", "heart"): 2."""
    parts = re.findall(r"\b(a|an|two|three|four|five|six) ((?:\w+ )?\w+)", answer.split(", no ")[0])
    return Counter({
        tuple(SINGULAR.get(word, word) for word in words.split()): NUMBERS[number] for number, words in parts
    })  # fmt: skip


@pytest.mark.parametrize("split", ["train", "validation", "held"])
def test_what_is_not_there_is_not_answered_as_if_it_were(split: str) -> None:
    checked = 0
    for scene, answered in asked(split):
        for shape, colour, size in named(answered.question):
            fits = len(scene.matching(shape, colour, size))
            if (colour or size) and not fits and answered.family not in ("exist", "check", "count"):
                checked += 1
                assert answered.kind in ("false_premise", "cannot_tell"), (answered, scene.things)
    assert checked > 30


def test_what_is_said_to_be_there_instead_is_there() -> None:
    other = re.compile(r"I see (.+), no (\w+) one\.")
    checked = 0
    for scene, answered in asked("train"):
        match = other.fullmatch(answered.answer)
        if match is None:
            continue
        missing = match[2]
        for words, number in told(answered.answer).items():
            shape = words[-1]
            value = words[0] if len(words) == 2 else None
            colour, size = (value if value in values else None for values in (grammar.COLOURS, SIZES))
            assert len(scene.matching(shape, colour, size)) == number
            assert not [t for t in scene.matching(shape) if missing in (t.colour, t.size)]
            checked += 1
    assert checked > 40


def test_several_things_are_told_where_one_was_supposed() -> None:
    checked = 0
    for scene, answered in asked("train"):
        match = re.match(r"I see (two|three|four|five|six) (?:(\w+) )??(\w+)[.,]", answered.answer)
        if answered.kind == "false_premise" and match and ", no " not in answered.answer:
            word = match[2]
            shape, colour, size = (
                SINGULAR.get(match[3]),
                word if word in grammar.COLOURS else None,
                SIZES.get(word),
            )
            assert len(scene.matching(shape, colour, size)) == NUMBERS[match[1]]
            checked += 1
    assert checked > 40


def test_training_often_mixes_properties_of_two_things_in_view() -> None:
    colour_of_another = present = 0
    for scene, answered in asked("train"):
        for shape, colour, _ in named(answered.question):
            if colour and scene.matching(shape) and answered.family not in ("exist", "check", "count"):
                present += 1
                if not scene.matching(shape, colour):
                    colour_of_another += bool(scene.matching(colour=colour))
    assert colour_of_another > 0.12 * present
    assert colour_of_another > 40


def test_every_family_that_names_a_thing_meets_a_false_premise_in_every_split() -> None:
    families = {"colour", "relation", "position", "size", "side", "next", "compare", "check"}
    for split in ("train", "held"):
        rng = random.Random(8)
        met: set[str] = set()
        for _ in range(1500):
            scene = random_scene(rng, split, 0.0)
            for family in sorted(families - met):
                answered = ask(scene, rng, split, family)
                if answered and ", no " in answered.answer and answered.kind == "false_premise":
                    met.add(family)
        assert met == families, split


def test_a_description_names_everything_with_its_number() -> None:
    rng = random.Random(9)
    seen_twice = 0
    for _ in range(400):
        scene = random_scene(rng, "train", 0.0)
        answered = next((a for _ in range(30) if (a := ask(scene, rng, "train", "describe"))), None)
        if answered is None or "among them" in answered.answer or not scene.things:
            continue
        there = Counter((thing.colour, thing.shape) for thing in scene.things)
        assert told(answered.answer.replace(" and a sign", "").replace("a sign", "")) == there
        assert ("a sign" in answered.answer) == (scene.sign is not None)
        seen_twice += max(there.values()) > 1
    assert seen_twice > 15


def test_a_description_does_not_depend_on_where_things_are() -> None:
    rng = random.Random(10)
    for _ in range(60):
        scene = random_scene(rng, "train", 0.0)
        first = ask(scene, random.Random(1), "train", "describe")
        turned = Scene(tuple(reversed(scene.things)), scene.sign, scene.quality, scene.look)
        second = ask(turned, random.Random(1), "train", "describe")
        assert first == second


def test_two_descriptions_are_alike_whatever_their_order_but_not_with_other_numbers() -> None:
    assert mentions("I see a red star and two blue hearts.") == mentions(
        "I see two blue hearts and a red star."
    )
    assert mentions("I see two blue hearts.") != mentions("I see three blue hearts.")
    assert mentions("I see two blue hearts.") != mentions("I see two red hearts.")


def _differences(clip: FramePair) -> set[str]:
    """What differs between the frames, from the things themselves."""
    first, second = ({t.shape: t for t in scene.things} for scene in (clip.first, clip.second))
    found = {f"the {t.colour} {shape} is gone" for shape, t in first.items() if shape not in second}
    found |= {f"{t.colour} {shape} appeared" for shape, t in second.items() if shape not in first}
    for shape in first.keys() & second.keys():
        a, b = first[shape], second[shape]
        if a.colour != b.colour:
            found.add(f"the {shape} changed from {a.colour} to {b.colour}")
        dx, dy = b.x - a.x, b.y - a.y
        if max(abs(dx), abs(dy)) > 12:
            across, along = ("right" if dx > 0 else "left"), ("down" if dy > 0 else "up")
            found.add(f"the {shape} moved {across if abs(dx) > abs(dy) else along}")
    return found


def test_two_changes_are_both_told() -> None:
    rng = random.Random(11)
    twice = 0
    for _ in range(400):
        clip = random_clip(rng, "train", 0.0)
        answered = None
        while answered is None or not answered.question.startswith(("what changed", "did anything")):
            answered = ask(clip, rng, "train", "change")
        found = _differences(clip)
        said = answered.answer.lower().rstrip(".").removeprefix("yes, ").removeprefix("no, ")
        parts = {re.sub(r"^an? ", "", part) for part in said.split(" and ")}
        assert parts == (found or {"nothing changed"})
        twice += len(found) == 2
    assert twice > 30
