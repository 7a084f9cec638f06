"""The question grammar of the micro pack: what can be asked, and which sentences are held out.

The one source of questions for the speech recogniser, the decoder, the held-out evaluation and the demo.
Text is lower case, British spelling, no punctuation, numbers in words: exactly what the recogniser prints
and what the decoder reads.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from models.train.world.wording.device import DEVICE, FOLLOW_UP, MEMORY, SMALL_TALK
from models.train.world.wording.sight import CLIP, HELD_OUT, SCENE

SHAPES = ("circle", "square", "triangle", "star", "heart", "cross", "diamond", "ring")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "white", "black")
SIZES = ("large", "small")
RELATIONS = ("left of", "right of", "above", "below")
DIRECTIONS = ("left", "right", "up", "down")
POSITIONS = (
    "top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right",
)  # fmt: skip
ITEMS = ("keys", "glasses", "phone", "wallet", "bag", "cup", "book", "coat")
SIGN_WORDS = (
    "stop", "exit", "open", "shut", "push", "pull", "taxi", "bus", "cafe", "bank",
    "park", "shop", "hotel", "food", "sale", "free", "slow", "north", "south", "east",
    "west", "gate", "door", "lift", "water", "milk", "tea", "bread", "fish", "book",
    "post", "zoo", "pool", "gym", "key", "home", "music", "news", "fire", "help",
)  # fmt: skip
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS = _UNITS + tuple(
    ten if unit == 0 else f"{ten} {_UNITS[unit]}" for ten in _TENS for unit in range(10)
)
"""The words for 0 to 99, by index."""

HELD_OUT_PAIRS = frozenset((shape, COLOURS[(5 * i + 3) % 8]) for i, shape in enumerate(SHAPES))
"""(shape, colour) pairs that no training scene shows: one in eight."""


SIZE_MEANT: Mapping[str, str] = {"big": "large", "little": "small"}
"""Other words for the sizes."""
RELATION_MEANT: Mapping[str, str] = {
    "to the left of": "left of", "on the left of": "left of", "to the right of": "right of",
    "on the right of": "right of", "over": "above", "on top of": "above", "under": "below",
    "underneath": "below", "beneath": "below",
}  # fmt: skip
"""Other words for the relations."""
CORNER_MEANT: Mapping[str, str] = {
    "top left corner": "top left", "upper left corner": "top left", "top right corner": "top right",
    "upper right corner": "top right", "bottom left corner": "bottom left",
    "lower left corner": "bottom left", "bottom right corner": "bottom right",
    "lower right corner": "bottom right", "middle": "middle", "centre": "middle",
}  # fmt: skip
"""The parts of the picture that are asked about, and which of POSITIONS they are."""


@dataclass(frozen=True)
class Template:
    """The wording of a question. `text` has slots such as {shape}; `family`: the skill that it asks for;
    `route`: the route that answers it; `about`: the aspect of the family, "" for the usual one.
    """

    family: str
    route: str
    text: str
    about: str = ""

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots, in order of appearance."""
        return tuple(part.split("}")[0] for part in self.text.split("{")[1:])


def _templates(texts: Mapping[str, tuple[str, ...]], route: str) -> tuple[Template, ...]:
    made = []
    for key, wordings in texts.items():
        family, _, about = key.partition(", ")
        made += [Template(family, route, text, about) for text in wordings]
    return tuple(made)


SCENE_FAMILIES, CLIP_FAMILIES = (
    tuple(dict.fromkeys(key.partition(", ")[0] for key in texts)) for texts in (SCENE, CLIP)
)
_HELD_OUT_SCENE = {key: texts for key, texts in HELD_OUT.items() if key in SCENE}
_HELD_OUT_CLIP = {key: texts for key, texts in HELD_OUT.items() if key in CLIP}
HELD_OUT_TEMPLATES = _templates(_HELD_OUT_SCENE, "now") + _templates(_HELD_OUT_CLIP, "frames")
"""Wordings that no training question has."""
TEMPLATES = (
    *_templates(SCENE, "now"),
    *_templates({"follow_up": FOLLOW_UP}, "now"),
    *_templates(CLIP, "frames"),
    *_templates({"memory": MEMORY}, "memory"),
    *_templates({"device": DEVICE}, "device"),
    *_templates({"smalltalk": tuple(SMALL_TALK)}, "open"),
    *HELD_OUT_TEMPLATES,
)
_BY_FAMILY = {
    family: tuple(template for template in TEMPLATES if template.family == family)
    for family in dict.fromkeys(template.family for template in TEMPLATES)
}

SLOT_VALUES: Mapping[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "shape2": SHAPES,
    "shapes": tuple("crosses" if shape == "cross" else shape + "s" for shape in SHAPES),
    "shapes2": tuple("crosses" if shape == "cross" else shape + "s" for shape in SHAPES),
    "colour": COLOURS,
    "colour2": COLOURS,
    "size": SIZES,
    "big": tuple(SIZE_MEANT),
    "relation": RELATIONS,
    "where": tuple(RELATION_MEANT),
    "corner": tuple(CORNER_MEANT),
    "item": ITEMS,
    "number": NUMBER_WORDS[1:11],
}

PREFIXES = ("hey", "well", "please", "okay", "so", "now", "and")
SUFFIXES = ("please", "now", "right now", "then")
_BEFORE = tuple(prefix + " " for prefix in PREFIXES)
_AFTER = tuple(" " + suffix for suffix in sorted(SUFFIXES, key=len, reverse=True))
CONTRACTIONS: Mapping[str, str] = {
    "what is": "what's", "where is": "where's", "how is": "how's", "who is": "who's", "that is": "that's",
    "there is": "there's", "colour is": "colour's", "i am": "i'm", "i have lost": "i've lost",
    "cannot": "can't", "do not": "don't",
}  # fmt: skip
_CONTRACTED = re.compile(rf"\b({'|'.join(CONTRACTIONS)})\b(?= )")
_EXPANDED = re.compile(rf"\b({'|'.join(CONTRACTIONS.values())})(?= )")
_WHOLE = {short: whole for whole, short in CONTRACTIONS.items()}


def plural(shape: str) -> str:
    """The plural of a shape's name."""
    return SLOT_VALUES["shapes"][SHAPES.index(shape)]


def fill(template: Template, slots: Mapping[str, str]) -> str:
    """The question of `template` with its slots filled; raises KeyError when one is missing."""
    return template.text.format(**slots).replace(" a orange", " an orange")


def meaning(slots: Mapping[str, str]) -> dict[str, str]:
    """The slots with "big", "to the left of" and "centre" as the size, relation and position that they
    mean.
    """
    meant = dict(slots)
    for name, key, values in (
        ("big", "size", SIZE_MEANT),
        ("where", "relation", RELATION_MEANT),
        ("corner", "position", CORNER_MEANT),
    ):
        if name in meant:
            meant[key] = values[meant.pop(name)]
    return meant


def random_slots(template: Template, rng: random.Random) -> dict[str, str]:
    """Random values for the slots of `template`; {shape} and {shape2} differ, and so do the others."""
    slots = {name: rng.choice(SLOT_VALUES[name]) for name in template.slots}
    for first in ("shape", "shapes", "colour"):
        while f"{first}2" in slots and slots[f"{first}2"] == slots[first]:
            slots[f"{first}2"] = rng.choice(SLOT_VALUES[first])
    return slots


def with_polite_word(text: str, rng: random.Random) -> str:
    """In 3 of 10 cases, the question with one of PREFIXES or SUFFIXES added."""
    if rng.random() < 0.7:
        return text
    if rng.random() < 0.5:
        return f"{rng.choice(PREFIXES[:-1] if text.startswith('and ') else PREFIXES)} {text}"
    return f"{text} {rng.choice(SUFFIXES)}"


def without_polite_word(text: str) -> str:
    """The question without a prefix or suffix that `with_polite_word` may have added."""
    for prefix in _BEFORE:
        text = text.removeprefix(prefix)
    if text.endswith(_AFTER):
        for suffix in _AFTER:
            if text.endswith(suffix):
                return text.removesuffix(suffix)
    return text


def contracted(text: str) -> str:
    """The question as it is said quickly: "what's", "i can't"."""
    return _CONTRACTED.sub(lambda found: CONTRACTIONS[found[1]], text)


def expanded(text: str) -> str:
    """The question without contractions."""
    return _EXPANDED.sub(lambda found: _WHOLE[found[1]], text) if "'" in text else text


def as_spoken(text: str, rng: random.Random) -> str:
    """The question as one of its speakers may say it: with a polite word, with contractions, or as it is."""
    return with_polite_word(contracted(text) if rng.random() < 0.3 else text, rng)


_PLAIN = frozenset(template.text for template in TEMPLATES if not template.slots)
_REMEMBERED = 50_000
"""Questions of which is kept what was found: many are drawn again and again."""


@lru_cache(_REMEMBERED)
def core(text: str) -> str:
    """The question without what `as_spoken` may have added to it."""
    bare = without_polite_word(text)
    return bare if bare in _PLAIN else expanded(bare)


@cache
def _sentences(held_out: bool) -> re.Pattern[str]:
    """Matches every sentence of the grammar, or those of the wordings that are held out."""
    templates = HELD_OUT_TEMPLATES if held_out else TEMPLATES
    texts = (
        re.sub(
            r"(\ba )?\{(\w+)\}",
            lambda slot: ("an? " if slot[1] else "") + f"(?:{'|'.join(SLOT_VALUES[slot[2]])})",
            template.text,
        )
        for template in templates
    )
    return re.compile("|".join(texts))


def reads(text: str) -> bool:
    """True for a question of the grammar in one of its spoken forms."""
    return bool(_sentences(held_out=False).fullmatch(core(text)))


@lru_cache(_REMEMBERED)
def is_held_out(text: str) -> bool:
    """True for a sentence that is in no training set: those of the wordings that are held out, and about one
    in ten of the others.

    A question with slots is held out together with its other spoken forms (`as_spoken`). A question without
    slots has one wording only, so it is in training, and only its other spoken forms can be held out.
    """
    bare = core(text)
    if _sentences(held_out=True).fullmatch(bare):
        return True
    key = text if bare in _PLAIN else bare
    if key in _PLAIN:
        return False
    key = key.replace(" an orange", " a orange")
    return hashlib.sha256(f"never trained {key}".encode()).digest()[0] % 10 == 0


def sample_text(rng: random.Random, split: str) -> tuple[str, Template]:
    """A random question of `split` ("train" or "held") and its template. Families are equally likely,
    except for device, which is twice as likely.
    """
    families = [*_BY_FAMILY, "device"]
    while True:
        template = rng.choice(_BY_FAMILY[rng.choice(families)])
        text = as_spoken(fill(template, random_slots(template, rng)), rng)
        if is_held_out(text) == (split == "held"):
            return text, template
