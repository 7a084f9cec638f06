"""The question grammar of the micro pack: what can be asked, and which sentences are held out.

The one source of questions for the speech recogniser, the decoder, the held-out evaluation and the demo.
Text is lower case, British spelling, no punctuation, numbers in words: exactly what the recogniser prints
and what the decoder reads.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Template:
    """The wording of a question. `text` has slots such as {shape}; `family`: the skill that it asks for;
    `route`: the route that answers it.
    """

    family: str
    route: str
    text: str

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots, in order of appearance."""
        return tuple(part.split("}")[0] for part in self.text.split("{")[1:])


_BY_FAMILY: dict[tuple[str, str], tuple[str, ...]] = {
    ("colour", "now"): (
        "what colour is the {shape}",
        "which colour is the {shape}",
        "what colour is that {shape}",
        "what is the colour of the {shape}",
        "tell me the colour of the {shape}",
        "what colour is the {size} {shape}",
        "what colour is the sign",
        "what colour is that sign",
        "which colour is the sign",
    ),
    ("shape", "now"): (
        "what shape is the {colour} thing",
        "what is the {colour} thing",
        "which shape is {colour}",
        "what shape is the {colour} object",
        "tell me the shape of the {colour} thing",
    ),
    ("count", "now"): (
        "how many {shapes} are there",
        "how many {shapes} do you see",
        "how many {shapes} can you see",
        "count the {shapes}",
        "how many {colour} things are there",
        "how many {colour} things do you see",
        "how many things are there",
        "how many objects do you see",
    ),
    ("exist", "now"): (
        "is there a {colour} {shape}",
        "do you see a {colour} {shape}",
        "can you see a {colour} {shape}",
        "is there a {shape}",
        "can you see a {shape}",
        "is there anything {colour}",
        "is there a sign",
        "do you see a sign",
    ),
    ("relation", "now"): (
        "is the {shape} {relation} the {shape2}",
        "is the {colour} {shape} {relation} the {shape2}",
        "tell me if the {shape} is {relation} the {shape2}",
        "is the {shape} bigger than the {shape2}",
    ),
    ("position", "now"): (
        "where is the {shape}",
        "where is the {colour} {shape}",
        "where do you see the {shape}",
        "in which part of the picture is the {shape}",
        "where is the sign",
    ),
    ("size", "now"): (
        "is the {shape} large or small",
        "is the {colour} {shape} large or small",
        "how big is the {shape}",
        "what size is the {shape}",
        "tell me the size of the {shape}",
    ),
    ("sign", "now"): (
        "what does the sign say",
        "what does that sign say",
        "read the sign",
        "read the sign to me",
        "what is written on the sign",
        "what is on the sign",
        "can you read the sign",
    ),
    ("describe", "now"): (
        "what do you see",
        "what can you see",
        "what is in front of me",
        "describe the picture",
        "describe what you see",
        "tell me what you see",
    ),
    ("side", "now"): (
        "what is {relation} the {shape}",
        "what do you see {relation} the {shape}",
        "which thing is {relation} the {shape}",
    ),
    ("follow_up", "now"): (
        "and the {colour} one",
        "what about the {colour} one",
        "and the {shape}",
        "what about the {shape}",
    ),
    ("motion", "frames"): (
        "which way did the {shape} move",
        "did the {shape} move",
        "where did the {shape} go",
        "did the {shape} move left or right",
        "in which direction did the {shape} move",
    ),
    ("change", "frames"): (
        "what changed",
        "what has changed",
        "did anything change",
        "what is new",
        "what is gone",
        "is the {shape} still there",
    ),
    ("memory", "memory"): (
        "where did i leave my {item}",
        "where are my {item}",
        "where is my {item}",
        "have you seen my {item}",
        "when did you last see my {item}",
        "where did you last see my {item}",
        "what did you see before",
        "what did i look at this morning",
        "remember this",
    ),
    ("device", "device"): (
        "what time is it",
        "what is the time",
        "tell me the time",
        "what day is it",
        "what is the date",
        "how much battery is left",
        "how much battery do you have",
        "what is the battery level",
        "how is the battery",
        "how long will you last",
        "how long will the battery last",
        "louder",
        "turn the volume up",
        "volume up",
        "quieter",
        "turn the volume down",
        "volume down",
        "set the volume to {number}",
        "stop",
        "be quiet",
        "never mind",
        "repeat that",
        "say that again",
        "what did you say",
        "save power",
        "use full power",
        "choose the mode yourself",
        "what mode are you in",
        "why was that answer short",
        "what used the battery",
        "what used the battery today",
        "slower",
        "speak slower",
        "faster",
        "speak faster",
        "set a timer for {number} minutes",
        "how much time is left",
        "cancel the timer",
        "stop recording",
        "start recording",
    ),
    ("smalltalk", "open"): (
        "hello",
        "good morning",
        "how are you",
        "who are you",
        "what are you",
        "what is your name",
        "what can you do",
        "help me",
        "thank you",
        "thanks a lot",
        "good night",
        "goodbye",
        "tell me a joke",
        "are you there",
    ),
}

TEMPLATES = tuple(
    Template(family, route, text) for (family, route), texts in _BY_FAMILY.items() for text in texts
)

SLOT_VALUES: Mapping[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "shape2": SHAPES,
    "shapes": tuple("crosses" if shape == "cross" else shape + "s" for shape in SHAPES),
    "colour": COLOURS,
    "size": SIZES,
    "relation": RELATIONS,
    "item": ITEMS,
    "number": NUMBER_WORDS[1:11],
}

PREFIXES = ("please", "okay", "so", "now", "and")
SUFFIXES = ("please", "now", "right now", "then")


def plural(shape: str) -> str:
    """The plural of a shape's name."""
    return SLOT_VALUES["shapes"][SHAPES.index(shape)]


def fill(template: Template, slots: Mapping[str, str]) -> str:
    """The question of `template` with its slots filled; raises KeyError when one is missing."""
    return template.text.format(**slots)


def random_slots(template: Template, rng: random.Random) -> dict[str, str]:
    """Random values for the slots of `template`; {shape} and {shape2} differ."""
    slots = {name: rng.choice(SLOT_VALUES[name]) for name in template.slots}
    while "shape2" in slots and slots["shape2"] == slots["shape"]:
        slots["shape2"] = rng.choice(SHAPES)
    return slots


def with_polite_word(text: str, rng: random.Random) -> str:
    """In 3 of 10 cases, the question with one of PREFIXES or SUFFIXES added."""
    if rng.random() < 0.7:
        return text
    if rng.random() < 0.5:
        return f"{rng.choice(PREFIXES)} {text}"
    return f"{text} {rng.choice(SUFFIXES)}"


def without_polite_word(text: str) -> str:
    """The question without a prefix or suffix that `with_polite_word` may have added."""
    for prefix in PREFIXES:
        text = text.removeprefix(prefix + " ")
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if text.endswith(" " + suffix):
            return text.removesuffix(" " + suffix)
    return text


_PLAIN = frozenset(template.text for template in TEMPLATES if not template.slots)


def is_held_out(text: str) -> bool:
    """True for about one question in ten: such a sentence is in no training set.

    A question with slots is held out together with its polite forms (`with_polite_word`). A question without
    slots has one wording only, so it is in training, and only its polite forms can be held out.
    """
    core = without_polite_word(text)
    key = text if core in _PLAIN else core
    if key in _PLAIN:
        return False
    return hashlib.sha256(f"never trained {key}".encode()).digest()[0] % 10 == 0


def sample_text(rng: random.Random, split: str) -> tuple[str, Template]:
    """A random question of `split` ("train" or "held") and its template. Families are equally likely,
    except for device, which is twice as likely.
    """
    keys = [*_BY_FAMILY, ("device", "device")]
    while True:
        family, route = rng.choice(keys)
        template = Template(family, route, rng.choice(_BY_FAMILY[family, route]))
        text = with_polite_word(fill(template, random_slots(template, rng)), rng)
        if is_held_out(text) == (split == "held"):
            return text, template
