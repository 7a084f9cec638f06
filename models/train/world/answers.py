"""Templates of the headband's answers: sentences to train the voice on, and a grammar for the recogniser that
measures how well the voice is understood.

`jsgf` writes every answer that the templates can make as one grammar (JSpeech Grammar Format), so the
recogniser has to tell the right answer from thousands of others. Numbers are words, because the recogniser's
dictionary has no digits.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from models.train.world.grammar import (
    COLOURS,
    DIRECTIONS,
    ITEMS,
    NUMBER_WORDS,
    POSITIONS,
    RELATIONS,
    SHAPES,
    SIGN_WORDS,
    SIZES,
)

SLOTS: Mapping[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "shapes": tuple("crosses" if shape == "cross" else shape + "s" for shape in SHAPES),
    "colour": COLOURS,
    "size": SIZES,
    "relation": RELATIONS,
    "direction": DIRECTIONS,
    "position": POSITIONS,
    "item": ITEMS,
    "surface": ("kitchen table", "desk", "shelf", "sofa", "bed", "counter", "floor", "bench"),
    "few": NUMBER_WORDS[2:7],
    "number": NUMBER_WORDS[1:],
    "sign": SIGN_WORDS + NUMBER_WORDS,
    "hour": NUMBER_WORDS[1:13],
    "minute": NUMBER_WORDS[1:30],
    "day": ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    "daytime": ("this morning", "this afternoon", "this evening", "yesterday"),
    "mode": ("performance", "saving", "cascade"),
}

ANSWERS = (
    "The {shape} is {colour}.",
    "The {colour} thing is a {shape}.",
    "The sign is {colour}.",
    "There is one {shape}.",
    "There are {few} {shapes}.",
    "There are no {shapes}.",
    "There are {few} {colour} things.",
    "Yes, there is a {colour} {shape}.",
    "No, there is no {colour} {shape}.",
    "Yes, the {shape} is {relation} the {shape}.",
    "No, the {shape} is {relation} the {shape}.",
    "The {shape} is {relation} the {shape}.",
    "The {shape} is at the {position}.",
    "The {shape} is {size}.",
    "The sign says {sign}.",
    "I see a {size} {colour} {shape} and a {size} {colour} {shape}.",
    "I see {few} things.",
    "I see nothing.",
    "I can not tell from this picture.",
    "It is too dark to see.",
    "The picture is blurred, please hold still.",
    "There is no {shape}.",
    "The {shape} moved {direction}.",
    "The {shape} did not move.",
    "The {shape} is gone.",
    "A {colour} {shape} is new.",
    "The {shape} was {colour}, and is now {colour}.",
    "Nothing changed.",
    "I see a {colour} {shape}, no {colour} one.",
    "I see two {shapes}, a {colour} one and a {colour} one.",
    "Yes, it is {colour}.",
    "No, it is {colour}.",
    "The {shape} is bigger.",
    "They are about the same size.",
    "A {colour} {shape} is next to the {shape}.",
    "Your {item} is on the {surface}, left of the {item}.",
    "I do not see your {item} here.",
    "You are holding your {item}.",
    "I cannot judge what is safe, please do not rely on me for that.",
    "I last saw your {item} {daytime}.",
    "I have not seen your {item}.",
    "I did not catch that.",
    "The battery is at {number} percent.",
    "The battery will last about {hour} hours.",
    "It is {minute} minutes past {hour}.",
    "It is half past {hour}.",
    "It is {minute} minutes to {hour}.",
    "Today is {day}.",
    "The volume is at {number} percent.",
    "I am in {mode} mode.",
    "Hello, I am listening.",
    "Good morning, how can I help you?",
    "Something went wrong, please ask again.",
    "The battery is low, please charge me.",
    "You are welcome.",
    "Goodbye.",
)
"""Templates whose answers are among the sentences that the voice is trained on."""

UNTRAINED_ANSWERS = (
    "I cannot see a {shape}.",
    "I cannot see anything {colour}.",
    "I cannot tell, the picture is too blurred.",
    "Yes, there is something {colour}.",
    "No, there is nothing {colour}.",
    "No, the {colour} {shape} is not {relation} the {shape}.",
    "The {size} {shape} is {relation} the sign.",
    "Nothing is {relation} the {shape}.",
    "The number on the sign is {number}.",
    "I see {few} things, among them a {colour} {shape}.",
    "Yes, the {shape} moved {direction}.",
    "The {shape} changed from {colour} to {colour}.",
    "A {colour} {shape} appeared.",
    "Yes, the {shape} is still there.",
    "I will save power from now on.",
    "I am charging, and the battery is at {number} percent.",
    "The {colour} {shape} is the biggest.",
    "No, there is one {shape} and no {shapes}.",
    "I see your {colour} {item}, no {colour} one.",
    "What colour is what?",
    "At this rate, I will last about {hour} hours.",
    "I cannot read the battery just now.",
    "I have only one picture so far, so I cannot compare.",
    "My name is headband.",
    "I am a headband that looks and answers.",
)
"""Templates of which no sentence is in the training data; half of the answers in the evaluation have one."""


def sample_answer(rng: random.Random, templates: Sequence[str] = ANSWERS) -> str:
    """A random answer, capitalised and punctuated; no value occurs in two of its slots."""
    template = rng.choice(templates)
    used: set[str] = set()
    while (match := re.search(r"\{(\w+)\}", template)) is not None:
        value = rng.choice(SLOTS[match[1]])
        if value in used:
            continue
        used.add(value)
        template = template[: match.start()] + value + template[match.end() :]
    return template


def words(text: str) -> list[str]:
    """The words of `text`, lower case, without punctuation."""
    return re.findall(r"[a-z']+", text.lower())


def jsgf() -> str:
    """Every answer as one JSGF grammar with the public rule <answer>."""
    rules = [f"<{name}> = {' | '.join(values)};" for name, values in SLOTS.items()]
    texts = (
        " ".join(re.findall(r"[a-z']+|<\w+>", re.sub(r"\{(\w+)\}", r"<\1>", text.lower())))
        for text in ANSWERS + UNTRAINED_ANSWERS
    )
    return "\n".join(
        ("#JSGF V1.0;", "grammar answers;", *rules, f"public <answer> = {' | '.join(texts)};", "")
    )
