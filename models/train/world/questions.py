"""Random questions about a scene or a clip, with balanced answers; no question is in two splits."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from itertools import accumulate

from models.train.world import grammar
from models.train.world.grammar import SHAPES, TEMPLATES, Template
from models.train.world.scenes import Scene, allowed_pair
from models.train.world.slots import random_slots
from models.train.world.truth import (
    CLIP_FAMILIES,
    SCENE_FAMILIES,
    SMALL_TALK,
    TrueAnswer,
    View,
    kind_of,
    true_answer,
)
from models.train.world.unanswered import unanswered

_BY_FAMILY = {
    family: [template for template in TEMPLATES if template.family == family]
    for family in (*SCENE_FAMILIES, *CLIP_FAMILIES, "smalltalk")
}
_PLAIN = frozenset(template.text for template in TEMPLATES if not template.slots)
SHARES: Mapping[str, float] = {
    "colour": 0.9, "shape": 0.8, "count": 1.6, "more": 0.9, "exist": 1.0, "check": 1.4, "compare": 1.8,
    "relation": 4.5, "position": 1.9, "at": 1.2, "size": 0.8, "sign": 2.4, "describe": 1.4, "side": 5.0,
    "next": 2.2, "motion": 1.0, "change": 1.6,
}  # fmt: skip
"""Relative frequency of each family, among those for the same kind of picture."""
_KEPT: Mapping[str, float] = {"I cannot see": 0.3, "Nothing is": 0.45, "They are about": 0.5}
"""Share that is kept of the answers that begin so, which would otherwise be too frequent."""
_KEPT_ABSENT: Mapping[str, float] = {
    "relation": 0.07,
    "compare": 0.07,
    "side": 0.12,
    "next": 0.2,
    "position": 0.2,
    "motion": 0.5,
    "change": 0.5,
}
"""The same by family, for answers that begin with "I cannot see"."""


def _kept(answer: str, family: str) -> float:
    """The share of such answers that is kept, from `_KEPT` and `_KEPT_ABSENT`."""
    if answer.startswith("I cannot see"):
        return _KEPT_ABSENT.get(family, _KEPT["I cannot see"])
    return next(share for start, share in _KEPT.items() if answer.startswith(start))


def sentence_split(text: str) -> str:
    """The split of a question: "held" where the grammar holds it out, 5 % of the others "validation", else
    "train".
    """
    if grammar.is_held_out(text):
        return "held"
    bare = grammar.core(text)
    if bare in _PLAIN:
        return "train"
    key = bare.replace(" an orange", " a orange")
    return "validation" if hashlib.sha256(key.encode()).digest()[1] % 20 == 0 else "train"


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
    if not all(value in grammar.SLOT_VALUES[name] for name, value in slots.items()):
        return None
    if not all(allowed_pair(*pair, split) for pair in _named_pairs(slots)):
        return None
    if any(slots.get(f"{name}2", "") == slots.get(name) for name in ("shape", "shapes", "colour")):
        return None
    text = grammar.as_spoken(grammar.fill(template, slots), rng)
    if sentence_split(text) != split:
        return None
    answer = true_answer(template, slots, view)
    if answer is None or (answer.startswith(tuple(_KEPT)) and rng.random() > _kept(answer, family)):
        return None
    return TrueAnswer(text, answer, family, kind_of(answer, family))


def _named_pairs(slots: Mapping[str, str]) -> list[tuple[str, str]]:
    """The pairs of shape and colour that a question names."""
    shapes = [slots[key] for key in ("shape", "shapes") if key in slots]
    named = [SHAPES[grammar.SLOT_VALUES["shapes"].index(s)] if s not in SHAPES else s for s in shapes]
    return [(shape, slots[key]) for shape in named for key in ("colour", "colour2") if key in slots]


def ask_many(
    view: View, rng: random.Random, split: str, wanted: int, shares: Mapping[str, float] = SHARES
) -> list[TrueAnswer]:
    """Up to `wanted` different questions about `view`, families drawn by `shares`."""
    families = SCENE_FAMILIES if isinstance(view, Scene) else CLIP_FAMILIES
    weights = list(accumulate(shares[family] for family in families))
    found: dict[str, TrueAnswer] = {}
    for _ in range(wanted * (4 if split == "train" else 60)):
        answered = ask(view, rng, split, rng.choices(families, cum_weights=weights)[0])
        if answered is not None:
            found.setdefault(answered.question, answered)
            if len(found) == wanted:
                break
    return list(found.values())


def chat(rng: random.Random, split: str) -> TrueAnswer:
    """What needs no picture: in two of five cases small talk, otherwise what has no answer (`unanswered`)."""
    return small_talk(rng, split) if rng.random() < 0.4 else unanswered(rng, split)


def small_talk(rng: random.Random, split: str) -> TrueAnswer:
    """A random piece of small talk of `split`."""
    while True:
        template = rng.choice(_BY_FAMILY["smalltalk"])
        text = grammar.as_spoken(template.text, rng)
        if sentence_split(text) == split or split == "validation":
            return TrueAnswer(text, SMALL_TALK[template.text], "smalltalk", "answerable")
