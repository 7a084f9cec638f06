"""Random questions about a scene or a clip, with balanced answers; no question is in two splits."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping

from models.train.world import grammar
from models.train.world.grammar import COLOURS, RELATIONS, SHAPES, SIZES, TEMPLATES, Template, plural
from models.train.world.scenes import FramePair, Scene, Thing, allowed_pair
from models.train.world.truth import CLIP_FAMILIES, SCENE_FAMILIES, SMALL_TALK, TrueAnswer, View, true_answer

_ABSENT_SHARE = 0.11
_BY_FAMILY = {
    family: [template for template in TEMPLATES if template.family == family]
    for family in (*SCENE_FAMILIES, *CLIP_FAMILIES, "smalltalk")
}
SHARES: Mapping[str, float] = {
    "colour": 0.7, "shape": 0.7, "count": 1.5, "exist": 0.9, "relation": 4.5, "position": 1.6, "size": 0.6,
    "sign": 2.4, "describe": 0.8, "side": 5.0, "motion": 1.0, "change": 1.2,
}  # fmt: skip
"""Relative frequency of each family, among those for the same kind of picture."""
_KEPT: Mapping[str, float] = {"I cannot see": 0.3, "Nothing is": 0.45}
"""Share that is kept of the answers that begin so, which would otherwise be too frequent."""
_KEPT_ABSENT: Mapping[str, float] = {
    "relation": 0.07,
    "side": 0.12,
    "position": 0.2,
    "motion": 0.5,
    "change": 0.5,
}
"""The same by family, for answers that begin with "I cannot see"."""


def _kept(answer: str, family: str) -> float:
    """The share of such answers that is kept, from `_KEPT` and `_KEPT_ABSENT`."""
    if answer.startswith("I cannot see"):
        return _KEPT_ABSENT.get(family, _KEPT["I cannot see"])
    return _KEPT["Nothing is"]


def sentence_split(text: str) -> str:
    """The split of a question: "held" where the grammar holds it out, 5 % of the others "validation", else
    "train".
    """
    if grammar.is_held_out(text):
        return "held"
    core = grammar.without_polite_word(text)
    if any(core == template.text for template in TEMPLATES if not template.slots):
        return "train"
    return "validation" if hashlib.sha256(core.encode()).digest()[1] % 20 == 0 else "train"


def _lone_shapes(things: tuple[Thing, ...]) -> list[str]:
    shapes = [thing.shape for thing in things]
    return [shape for shape in shapes if shapes.count(shape) == 1]


def _absent(rng: random.Random, values: tuple[str, ...], present: set[str]) -> str:
    return rng.choice([value for value in values if value not in present] or list(values))


def _count_slot(template: Template, scene: Scene, rng: random.Random) -> dict[str, str]:
    """A shape or colour, chosen so that all counts in the scene are about equally likely answers."""
    key = "shapes" if "shapes" in template.slots else "colour"
    values = SHAPES if key == "shapes" else COLOURS
    counts: dict[int, list[str]] = {}
    for value in values:
        number = len(scene.matching(shape=value) if key == "shapes" else scene.matching(colour=value))
        counts.setdefault(number, []).append(value)
    numbers = list(counts)
    chosen = rng.choice(
        counts[rng.choices(numbers, [0.35 if n == 0 else 0.5 if n == 1 else n for n in numbers])[0]]
    )
    return {key: plural(chosen) if key == "shapes" else chosen}


def _exist_slots(template: Template, scene: Scene, rng: random.Random) -> dict[str, str]:
    """In 45 % of cases a thing of the scene, otherwise often one that differs from it in one property."""
    if scene.things and rng.random() < 0.45:
        thing = rng.choice(scene.things)
        slots = {"shape": thing.shape, "colour": thing.colour}
    elif len(template.slots) == 2 and scene.things and rng.random() < 0.75:
        thing, other = rng.choice(scene.things), rng.choice(scene.things)
        near = rng.randrange(3)
        slots = {
            "shape": rng.choice(SHAPES) if near == 0 else thing.shape,
            "colour": rng.choice(COLOURS) if near == 1 else other.colour,
        }
    else:
        slots = {
            "shape": _absent(rng, SHAPES, {thing.shape for thing in scene.things}),
            "colour": _absent(rng, COLOURS, {thing.colour for thing in scene.things}),
        }
    return {name: slots[name] for name in template.slots}


def _subject_slots(template: Template, scene: Scene, rng: random.Random) -> dict[str, str]:
    """Usually a thing that its description identifies, sometimes one that is not in the scene."""
    lone = _lone_shapes(scene.things)
    slots: dict[str, str] = {}
    if "shape" in template.slots:
        if (
            ("colour" in template.slots or "size" in template.slots)
            and scene.things
            and rng.random() > _ABSENT_SHARE
        ):
            thing = rng.choice(scene.things)
            slots = {"shape": thing.shape, "colour": thing.colour, "size": thing.size}
        elif lone and rng.random() > _ABSENT_SHARE:
            slots["shape"] = rng.choice(lone)
        else:
            slots["shape"] = _absent(rng, SHAPES, {thing.shape for thing in scene.things})
    elif "colour" in template.slots and scene.things and rng.random() > _ABSENT_SHARE:
        slots["colour"] = rng.choice(scene.things).colour
    slots.setdefault("colour", _absent(rng, COLOURS, {thing.colour for thing in scene.things}))
    slots.setdefault("size", rng.choice(SIZES))
    slots["relation"] = rng.choice(RELATIONS)
    if "shape2" in template.slots:
        others = [shape for shape in lone if shape != slots["shape"]]
        absent = _absent(rng, SHAPES, {thing.shape for thing in scene.things})
        slots["shape2"] = rng.choice(others) if others and rng.random() > 0.05 else absent
    return {name: slots[name] for name in template.slots}


def _clip_slots(template: Template, clip: FramePair, rng: random.Random) -> dict[str, str]:
    """Usually the thing that changes, sometimes another, and in 8 % of cases one that is in neither frame."""
    if not template.slots:
        return {}
    there = {thing.shape for thing in (*clip.first.things, *clip.second.things)}
    subject = clip.change.before or clip.change.after
    draw = rng.random()
    if draw < 0.08 or not there:
        return {"shape": _absent(rng, SHAPES, there)}
    if subject and draw < 0.7:
        return {"shape": subject.shape}
    return {"shape": rng.choice(sorted(there))}


def random_slots(template: Template, view: View, rng: random.Random) -> dict[str, str]:
    """Values for the slots of `template` that make a meaningful question about `view`."""
    if isinstance(view, FramePair):
        return _clip_slots(template, view, rng)
    if template.family == "exist":
        return _exist_slots(template, view, rng)
    if template.family == "count":
        return _count_slot(template, view, rng) if template.slots else {}
    return _subject_slots(template, view, rng)


def _wanted(template: Template, view: View, rng: random.Random) -> bool:
    """False for most questions about a sign in a scene without one, which would otherwise be too frequent."""
    if isinstance(view, Scene) and view.sign is None and view.quality == "clear" and "sign" in template.text:
        return rng.random() < (0.5 if template.family == "exist" else 0.1)
    return True


def ask(view: View, rng: random.Random, split: str, family: str) -> TrueAnswer | None:
    """One question of `family` and `split` about `view`; None where the random draw is unsuitable."""
    template = rng.choice(_BY_FAMILY[family])
    if not _wanted(template, view, rng):
        return None
    slots = random_slots(template, view, rng)
    if {"shape", "colour"} <= set(slots) and not allowed_pair(slots["shape"], slots["colour"], split):
        return None
    if slots.get("shape2", "") == slots.get("shape"):
        return None
    text = grammar.with_polite_word(grammar.fill(template, slots), rng)
    if sentence_split(text) != split:
        return None
    answer = true_answer(template, slots, view)
    if answer is None or (answer.startswith(tuple(_KEPT)) and rng.random() > _kept(answer, family)):
        return None
    return TrueAnswer(text, answer, family, "cannot_tell" if answer.startswith("I cannot") else "answerable")


def ask_many(
    view: View, rng: random.Random, split: str, wanted: int, shares: Mapping[str, float] = SHARES
) -> list[TrueAnswer]:
    """Up to `wanted` different questions about `view`, families drawn by `shares`."""
    families = SCENE_FAMILIES if isinstance(view, Scene) else CLIP_FAMILIES
    weights = [shares[family] for family in families]
    found: dict[str, TrueAnswer] = {}
    for _ in range(wanted * (4 if split == "train" else 60)):
        answered = ask(view, rng, split, rng.choices(families, weights)[0])
        if answered is not None:
            found.setdefault(answered.question, answered)
            if len(found) == wanted:
                break
    return list(found.values())


def chat(rng: random.Random, split: str) -> TrueAnswer:
    """A random piece of small talk of `split`."""
    while True:
        template = rng.choice(_BY_FAMILY["smalltalk"])
        text = grammar.with_polite_word(template.text, rng)
        if sentence_split(text) == split or split == "validation":
            return TrueAnswer(text, SMALL_TALK[template.text], "smalltalk", "answerable")
