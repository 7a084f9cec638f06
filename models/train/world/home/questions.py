"""Questions about views of the home: the wordings of each family, which are held out, and random questions.

Text is as in `grammar`: lower case, no punctuation. Whole wordings are held out, and one in ten of the
sentences that have a slot.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping

from models.train.world import grammar
from models.train.world.grammar import Template
from models.train.world.home.answers import FAMILIES, cause_of, true_answer
from models.train.world.home.captions import PLURALS
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import Truth
from models.train.world.truth import TrueAnswer

SURFACE_NAMES = (
    "table", "desk", "shelf", "chair", "sofa", "bed", "counter", "floor", "ground", "hook", "bench",
)  # fmt: skip
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "find": (
        "where {are} my {item}",
        "where did i put my {item}",
        "do you see where my {item} {are}",
        "help me find my {item}",
        "i am looking for my {item}",
        "can you find my {item}",
    ),
    "here": (
        "{are} my {item} here",
        "do you see my {item}",
        "can you see my {item}",
        "{are} my {item} in front of me",
        "{are} my {item} in view",
    ),
    "on": (
        "what is on the {surface}",
        "what do you see on the {surface}",
        "what lies on the {surface}",
        "tell me what is on the {surface}",
        "which things are on the {surface}",
    ),
    "holding": (
        "what am i holding",
        "what do i have in my hand",
        "what is in my hand",
        "tell me what i am holding",
        "what did i pick up",
    ),
    "room": (
        "what room is this",
        "which room is this",
        "where am i",
        "what place is this",
        "which room am i in",
        "tell me where i am",
    ),
    "next": (
        "what is next to my {item}",
        "what is next to the {item}",
        "what lies next to the {item}",
        "what is beside my {item}",
        "tell me what is next to my {item}",
    ),
    "label": (
        "read the label",
        "what does the label say",
        "what is written on the label",
        "read the label to me",
        "can you read the label",
    ),
    "sign": ("read the sign", "what does the sign say", "what is written on the sign"),
}
TEMPLATES = tuple(Template(family, "now", text) for family, texts in _TEXTS.items() for text in texts)
HELD_OUT_TEXTS = frozenset(texts[-1] for family, texts in _TEXTS.items() if family != "sign")
"""The wordings that no training question has: the last of each family."""
_BY_FAMILY = {family: [each for each in TEMPLATES if each.family == family] for family in FAMILIES}
_KEPT = {"absent": 0.35, "dark": 0.5, "blurred": 0.5, "Nothing": 0.4, "You are not": 0.25, "I cannot": 0.5}
"""Share that is kept of the answers with that cause or beginning, which would otherwise be too frequent."""


def fill(template: Template, slots: Mapping[str, str]) -> str:
    """The question with its slots filled; {are} agrees with the item."""
    return template.text.format(**slots, are="are" if slots.get("item") in PLURALS else "is")


def _forms(template: Template) -> list[str]:
    """Every sentence of a wording."""
    if "item" in template.slots:
        return [fill(template, {"item": kind}) for kind in KINDS]
    if "surface" in template.slots:
        return [fill(template, {"surface": name}) for name in SURFACE_NAMES]
    return [template.text]


_TEMPLATE_OF = {text: template for template in TEMPLATES for text in _forms(template)}


def parsed(text: str) -> tuple[Template, dict[str, str]] | None:
    """The wording and the slots of a question about the home, also with a polite word; None for others."""
    core = grammar.without_polite_word(text)
    template = _TEMPLATE_OF.get(core)
    if template is None:
        return None
    values = [("item", kind) for kind in KINDS] + [("surface", name) for name in SURFACE_NAMES]
    for name, value in values:
        if name in template.slots and fill(template, {name: value}) == core:
            return template, {name: value}
    return template, {}


def sentence_split(text: str) -> str:
    """The split of a question about the home: held, validation or train."""
    core = grammar.without_polite_word(text)
    template = _TEMPLATE_OF[core]
    if template.text in HELD_OUT_TEXTS:
        return "held"
    if not template.slots:
        return "train"
    if grammar.is_held_out(core):
        return "held"
    return "validation" if hashlib.sha256(core.encode()).digest()[1] % 20 == 0 else "train"


def random_slots(template: Template, truth: Truth, rng: random.Random) -> dict[str, str]:
    """Usually a thing or a surface of the view, sometimes one that is not there."""
    if "item" in template.slots:
        here = [thing.kind for thing in truth.things if thing.visible > 0]
        away = [kind for kind in KINDS if kind not in here]
        return {"item": rng.choice(here if here and rng.random() < 0.75 else away or here)}
    if "surface" in template.slots:
        near = [surface.name for surface in truth.surfaces if surface.visible > 0.2]
        return {"surface": rng.choice(near if near and rng.random() < 0.8 else list(SURFACE_NAMES))}
    return {}


def _kept(answer: str) -> float:
    why = cause_of(answer)
    return _KEPT.get(why, 1.0) if why else next((s for w, s in _KEPT.items() if answer.startswith(w)), 1.0)


def ask(truth: Truth, rng: random.Random, split: str, family: str) -> TrueAnswer | None:
    """One question of `family` about a view, its wording of `split`; None where the draw is unsuitable.

    A held-out question is held out as a sentence; a training question never is.
    """
    template = rng.choice(_BY_FAMILY[family])
    slots = random_slots(template, truth, rng)
    text = grammar.with_polite_word(fill(template, slots), rng)
    if sentence_split(text) != split and not (split == "validation" and not template.slots):
        return None
    if split == "validation" and template.text in HELD_OUT_TEXTS:
        return None
    answer = true_answer(family, slots, truth)
    if answer is None or rng.random() > _kept(answer):
        return None
    return TrueAnswer(text, answer, family, "cannot_tell" if cause_of(answer) else "answerable")


def ask_many(truth: Truth, rng: random.Random, split: str, wanted: int) -> list[TrueAnswer]:
    """Up to `wanted` different questions about a view, all families equally likely."""
    found: dict[str, TrueAnswer] = {}
    for _ in range(wanted * (6 if split == "train" else 60)):
        answered = ask(truth, rng, split, rng.choice(FAMILIES))
        if answered is not None:
            found.setdefault(answered.question, answered)
            if len(found) == wanted:
                break
    return list(found.values())
