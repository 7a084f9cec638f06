"""Random sentences in the words of many people: to the memory, about what is in view, and to the headband.

They are for training only, so that a word is heard in orders that no other sentence of it has.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache

from models.train.world import grammar
from models.train.world.home import questions as home
from models.train.world.home.captions import PLURALS
from models.train.world.home.splits import KINDS
from models.train.world.numbers import PARTS
from models.train.world.said import memory
from models.train.world.said.device import expanded
from models.train.world.said.reworded import has_held_out_wording
from models.train.world.wording.memory import NAMES, OWNERS, TIMES
from models.train.world.wording.people import REMEMBERED
from models.train.world.wording.people_now import AT_HOME, HAPPENED, OF_SHAPES, TO_IT
from models.train.world.wording.people_why import NOW
from models.train.world.wording.people_why import REMEMBERED as REMEMBERED_WHY

LONGEST = 14
"""Words of a sentence, so that it is said within the recogniser's window."""
_REMEMBERED = (*(text for texts in REMEMBERED.values() for text in texts), *REMEMBERED_WHY)
_NOW = (
    *(text for texts in (*AT_HOME.values(), *OF_SHAPES.values()) for text in texts),
    *HAPPENED,
    *TO_IT,
    *NOW,
)
TEMPLATES: tuple[str, ...] = (*_REMEMBERED, *_NOW)
_TIMES = tuple(time for time in TIMES if time != "last")
_WHEN = (
    *(time for time in _TIMES if time not in ("before", "earlier", "today")),
    "{number} (minutes|hours) ago", "(a moment|a minute|half an hour) ago", "last week",
)  # fmt: skip
_EXPANDED: Mapping[str, tuple[str, ...]] = {
    "when": _WHEN,
    "name": NAMES,
    "length": ("{number} {unit}", "{number} {unit}", "{span}", "{number} minutes and {number2} seconds"),
    "timer": (*("{number} {unit} timer",) * 3, "half hour timer"),
    "clock": ("{hour} [oh|o] {minute}", "{hour} [oh|o] {minute}", "{hour} [o'clock]", "{offset} {hour}"),
    "clock2": ("{hour} [oh|o] {minute}", "{hour} [o'clock]"),
    "part": tuple(PARTS),
    "number": ("{number}",),
}
"""Slots with numbers and names, in the manner of `host/language/intents.yaml`."""
_AN = re.compile(r"\ba (?=(?:eigh|eleven|orange|hour)[a-z]*\b)")


@cache
def every_word() -> frozenset[str]:
    """Every word of the templates; the values of the slots are words of other sentences."""
    texts = (*TEMPLATES, *(re.sub(r"[()|]", " ", text) for text in _WHEN))
    return frozenset(word for text in texts for word in re.sub(r"\{\w+\}('s)?", " ", text).split())


def person_sentence(rng: random.Random) -> str:
    """A random training sentence; about half of them are for the memory. None has a held-out wording or is
    held out by another family's rule.
    """
    templates = _REMEMBERED if rng.random() < 0.5 else _NOW
    while True:
        text = filled(rng.choice(templates), rng)
        if not is_held_out(text):
            return text


def filled(template: str, rng: random.Random) -> str:
    """A template with random values in its slots, as it may be spoken."""
    slots = _slots(rng)
    slots |= {name: expanded(rng.choice(ways), rng) for name, ways in _EXPANDED.items() if name in template}
    text = _AN.sub("an ", template.format(**slots))
    return grammar.as_spoken(text, rng)


def is_held_out(text: str) -> bool:
    """Whether a sentence is too long, or anything that no training has is in it."""
    read = home.parsed(text)
    return (
        len(text.split()) > LONGEST
        or grammar.is_held_out(text)
        or memory.is_held_out(text)
        or has_held_out_wording(text)
        or _held_out_wordings().search(grammar.expanded(text)) is not None
        or (read is not None and home.sentence_split(text) != "train")
    )


@cache
def _held_out_wordings() -> re.Pattern[str]:
    """Finds the held-out wordings of questions about shapes and about the home in longer sentences."""
    texts = (*home.HELD_OUT_TEXTS, *(template.text for template in grammar.HELD_OUT_TEMPLATES))
    return re.compile(rf"\b(?:{'|'.join(re.sub(r'{[a-z0-9]+}', '[a-z ]+', text) for text in texts)})\b")


def _slots(rng: random.Random) -> dict[str, str]:
    kind, kind2 = rng.sample(KINDS, 2)
    many = kind in PLURALS
    shape, shape2 = rng.sample(grammar.SHAPES, 2)
    colour, colour2 = rng.sample(grammar.COLOURS, 2)
    return {
        "item": f"{rng.choice(OWNERS)} {kind}",
        "item2": f"{rng.choice(OWNERS)} {kind2}",
        "thing": kind,
        "are": "are" if many else "is",
        "was": "were" if many else "was",
        "it": "them" if many else "it",
        "they": "they" if many else "it",
        "time": rng.choice(_TIMES),
        "place": rng.choice(home.SLOT_VALUES["place"]),
        "surface": rng.choice(home.SURFACE_NAMES),
        "shape": shape,
        "shape2": shape2,
        "shapes": grammar.plural(shape),
        "shapes2": grammar.plural(shape2),
        "colour": colour,
        "colour2": colour2,
        "corner": rng.choice(grammar.SLOT_VALUES["corner"]),
    }
