"""Questions about views of the home: the wordings of each family, which are held out, and random questions.

Text is as in `grammar`: lower case, no punctuation. Whole wordings are held out, and one in ten of the
sentences that have a slot.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Mapping, Sequence

from models.train.world import grammar
from models.train.world.grammar import Template
from models.train.world.home.answers import FAMILIES, cause_of, true_answer
from models.train.world.home.captions import PLURALS
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.home.truth import Truth, cause, surface_name
from models.train.world.truth import TrueAnswer
from models.train.world.wording.home import HELD_OUT, TRAINED

SURFACE_NAMES = (
    "table", "desk", "shelf", "chair", "sofa", "bed", "counter", "floor", "ground", "hook", "bench",
)  # fmt: skip
TEMPLATES = tuple(
    Template(family, "now", text)
    for texts in (TRAINED, HELD_OUT)
    for family, wordings in texts.items()
    for text in wordings
)
HELD_OUT_TEXTS = frozenset(text for texts in HELD_OUT.values() for text in texts)
"""The wordings that no training question has."""
SLOT_VALUES: Mapping[str, tuple[str, ...]] = {
    "item": KINDS,
    "colour": grammar.COLOURS,
    "surface": SURFACE_NAMES,
    "place": tuple(place for place in PLACES if place != "desk"),
}
_BY_FAMILY = {family: [each for each in TEMPLATES if each.family == family] for family in FAMILIES}
_KEPT = {"absent": 0.35, "dark": 0.5, "blurred": 0.5, "Nothing": 0.4, "You are not": 0.25,
          "No, you are not": 0.2, "I cannot": 0.5}  # fmt: skip
"""Share that is kept of the answers with that cause or beginning, which would otherwise be too frequent."""


def fill(template: Template, slots: Mapping[str, str]) -> str:
    """The question with its slots filled; {are} agrees with the item."""
    return template.text.format(**slots, are="are" if slots.get("item") in PLURALS else "is")


def forms(template: Template) -> list[tuple[str, dict[str, str]]]:
    """Every sentence of a wording, with its slots."""
    names = [name for name in template.slots if name != "are"]
    combined = itertools.product(*(SLOT_VALUES[name] for name in names))
    return [(fill(template, slots), slots) for slots in (dict(zip(names, v, strict=True)) for v in combined)]


_READ = {text: (template, slots) for template in TEMPLATES for text, slots in forms(template)}


def _core(text: str) -> str:
    bare = grammar.without_polite_word(text)
    return bare if bare in _READ else grammar.expanded(bare)


def parsed(text: str) -> tuple[Template, dict[str, str]] | None:
    """The wording and the slots of a question about the home, in any of its spoken forms
    (`grammar.as_spoken`); None for others.
    """
    return _READ.get(_core(text))


def sentence_split(text: str) -> str:
    """The split of a question about the home: held, validation or train."""
    core = _core(text)
    template, slots = _READ[core]
    if template.text in HELD_OUT_TEXTS:
        return "held"
    if not slots:  # the same sentence may be one of the other world
        return "held" if grammar.reads(core) and grammar.is_held_out(text) else "train"
    if grammar.is_held_out(core):
        return "held"
    return "validation" if hashlib.sha256(core.encode()).digest()[1] % 20 == 0 else "train"


def sample_text(rng: random.Random, split: str) -> tuple[str, Template]:
    """A random question about a home, about no view in particular, of `split` ("train" or "held") and its
    template. Families are equally likely.
    """
    while True:
        template = rng.choice(_BY_FAMILY[rng.choice(FAMILIES)])
        slots = {name: rng.choice(SLOT_VALUES[name]) for name in template.slots if name != "are"}
        text = grammar.as_spoken(fill(template, slots), rng)
        if sentence_split(text) == split:
            return text, template


def random_slots(template: Template, truth: Truth, rng: random.Random) -> dict[str, str]:
    """Usually things, surfaces and the place of the view, sometimes what is not there; in two of five
    questions that name the colour of a thing in view, it has another colour.
    """
    slots: dict[str, str] = {}
    here = [thing for thing in truth.things if thing.visible > 0]
    chosen = rng.choice(here) if here and rng.random() < 0.75 else None
    if template.family == "in hand" and rng.random() < 0.5:
        chosen = next((thing for thing in here if thing.held), chosen)
    if "item" in template.slots:
        away = [kind for kind in KINDS if all(kind != thing.kind for thing in here)]
        slots["item"] = chosen.kind if chosen else rng.choice(away)
    if "colour" in template.slots:
        right = chosen is not None and rng.random() < 0.6
        slots["colour"] = chosen.colour if chosen and right else rng.choice(grammar.COLOURS)
    if "surface" in template.slots:
        near = [surface.name for surface in truth.surfaces if surface.visible > 0.2]
        slots["surface"] = rng.choice(near if near and rng.random() < 0.8 else SURFACE_NAMES)
        if template.family == "where" and chosen and not chosen.held and rng.random() < 0.5:
            slots["surface"] = surface_name(truth.place, chosen.surface)
    if "place" in template.slots:
        named = truth.place in SLOT_VALUES["place"] and rng.random() < 0.5
        slots["place"] = truth.place if named else rng.choice(SLOT_VALUES["place"])
    return slots


def _kept(answer: str) -> float:
    why = cause_of(answer)
    return _KEPT.get(why, 1.0) if why else next((s for w, s in _KEPT.items() if answer.startswith(w)), 1.0)


def ask(truth: Truth, rng: random.Random, split: str, family: str) -> TrueAnswer | None:
    """One question of `family` about a view, its wording of `split`; None where the draw is unsuitable.

    A held-out question is held out as a sentence; a training question never is.
    """
    template = rng.choice(_BY_FAMILY[family])
    slots = random_slots(template, truth, rng)
    text = grammar.as_spoken(fill(template, slots), rng)
    if sentence_split(text) != split and not (split == "validation" and not template.slots):
        return None
    if split == "validation" and template.text in HELD_OUT_TEXTS:
        return None
    answer = true_answer(family, slots, truth)
    if answer is None or rng.random() > _kept(answer):
        return None
    kind = "false_premise" if ", no " in answer else "cannot_tell" if cause_of(answer) else "answerable"
    return TrueAnswer(text, answer, family, kind)


_WHETHER_AND_WHERE = ("find", "find", "here", "where")


def ask_about_absent(truth: Truth, rng: random.Random, wanted: int) -> list[TrueAnswer]:
    """Up to `wanted` training questions about things that are not in a view, each about another one.

    Among all questions those are rare, since most ask about what is there. Whoever looks for a thing asks it
    of many views without it, and the memory of a day asks it of those that resemble the words most.
    """
    away = [kind for kind in KINDS if cause(truth, kind) == "absent"]
    return _whether_and_where(truth, rng, rng.sample(away, min(wanted, len(away))))


def ask_about_present(truth: Truth, rng: random.Random, wanted: int) -> list[TrueAnswer]:
    """Up to `wanted` of the same questions about things that are in the view and can be told."""
    there = [kind for kind in KINDS if cause(truth, kind) == ""]
    return _whether_and_where(truth, rng, rng.sample(there, min(wanted, len(there))))


def _whether_and_where(truth: Truth, rng: random.Random, kinds: Sequence[str]) -> list[TrueAnswer]:
    found = []
    for kind in kinds:
        template = rng.choice(_BY_FAMILY[rng.choice(_WHETHER_AND_WHERE)])
        slots = {**random_slots(template, truth, rng), "item": kind}
        text = grammar.as_spoken(fill(template, slots), rng)
        answer = true_answer(template.family, slots, truth)
        if answer is not None and sentence_split(text) == "train":
            told = "cannot_tell" if cause_of(answer) else "answerable"
            found.append(TrueAnswer(text, answer, template.family, told))
    return found


def ask_many(
    truth: Truth, rng: random.Random, split: str, wanted: int, shares: Mapping[str, float] | None = None
) -> list[TrueAnswer]:
    """Up to `wanted` different questions about a view. shares: relative frequency of families, 1 for those
    that it does not name; None: all families equally likely.
    """
    weights = None if shares is None else [shares.get(family, 1.0) for family in FAMILIES]
    found: dict[str, TrueAnswer] = {}
    for _ in range(wanted * (6 if split == "train" else 60)):
        family = rng.choice(FAMILIES) if weights is None else rng.choices(FAMILIES, weights)[0]
        answered = ask(truth, rng, split, family)
        if answered is not None:
            found.setdefault(answered.question, answered)
            if len(found) == wanted:
                break
    return list(found.values())
