"""The closed answers of both worlds: every sentence with blanks, and what each blank may say.

The blanks `asked_...` repeat words of the question ("the large star"), the others are what the picture shows.
A sentence that two forms can make is of the first one.
"""

from __future__ import annotations

from collections.abc import Mapping

from models.bricks.closed_sentence import HAND_OVER, AnswerTable
from models.train.world.grammar import COLOURS, NUMBER_WORDS, POSITIONS, SHAPES, SIGN_WORDS, SIZES
from models.train.world.home import answers as home
from models.train.world.home.captions import PLURALS
from models.train.world.home.questions import SURFACE_NAMES
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.truth import BLURRED, DARK

NAME = "{asked_size} {asked_colour} {asked_shape}"
_SPOT = "on the {place} {surface}"
_GROUND = "on the ground in the {place}"
_BESIDE = "{side} of the {item2}"
_YOURS = "{asked_colour} {item} {is:item}"
_COUNTS = ("a", "no", *NUMBER_WORDS[1:13])

FORMS: tuple[str, ...] = (
    HAND_OVER,
    DARK,
    BLURRED,
    "I cannot see a sign.",
    "I cannot see anything {asked_colour}.",
    f"I cannot see a {NAME}.",
    "I see two {asked_size} {colour} {many:shape}.",
    "I see two {asked_size} {asked_colour} {many:asked_shape}, a {colour} one and a {colour2} one.",
    "I see two {asked_size} {asked_colour} things, a {shape} and a {shape2}.",
    "I see {count} {asked_size} {asked_colour} {many:asked_shape}.",
    "I see {count} {colour} {many:asked_shape:count}, no {asked_colour} one.",
    "I see {count} {size} {many:asked_shape:count}, no {asked_size} one.",
    "I see {count} {colour} {many:asked_shape:count} and {count2} {colour2} {many:asked_shape:count2}, "
    "no {asked_colour} one.",
    "I see {count} {many:asked_shape}, no {asked_colour} one.",
    "The sign is {colour}.",
    f"The {NAME} is {{colour}}.",
    f"The {NAME} is {{size}}.",
    "The {asked_colour} thing is a {shape}.",
    "There {is:count} {count} {asked_colour} {many:asked_shape:count}.",
    "{verdict}, there {is:count} {count} {asked_colour} {many:asked_shape:count} and "
    "{count2} {asked_colour2} {many:asked_shape2:count2}.",
    "Yes, there is a sign.",
    "No, there is no sign.",
    "Yes, there is something {asked_colour}.",
    "No, there is nothing {asked_colour}.",
    f"Yes, there is a {NAME}.",
    f"No, there is no {NAME}.",
    "Yes, there are {count} {asked_colour} {many:asked_shape}.",
    "No, there are no {asked_colour} {many:asked_shape}.",
    "{verdict}, it is {colour}.",
    "{verdict}, it is {size}.",
    "{verdict}, it is a {shape}.",
    "They are about the same size.",
    "{verdict}, they are about the same size.",
    "The {shape} is {comparative}.",
    "No, the {shape} is {comparative}.",
    "The {colour} {shape} is the {superlative}.",
    f"Yes, the {NAME} is {{relation}} the {{asked_shape2}}.",
    f"No, the {NAME} is not {{relation}} the {{asked_shape2}}.",
    f"The {NAME} is {{relation}} the {{asked_shape2}}.",
    "I see nothing else.",
    "I do not see anything.",
    "The sign is {position}.",
    f"The {NAME} is {{position}}.",
    "Nothing is {position}.",
    "A {colour} {shape} is {position}.",
    "A {colour} {shape} and a {colour2} {shape2} are {position}.",
    "A {colour} {shape} and the sign are {position}.",
    "The number on the sign is {tens} {number}.",
    "The sign says {word}.",
    "The sign says {tens} {number}.",
    f"The sign is {{relation}} the {NAME}.",
    f"Nothing is {{relation}} the {NAME}.",
    f"A {{colour}} {{shape}} is {{relation}} the {NAME}.",
    f"Two {{colour}} {{many:shape}} are {{relation}} the {NAME}.",
    f"A {{colour}} {{shape}} and a {{colour2}} {{shape2}} are {{relation}} the {NAME}.",
    f"A {{colour}} {{shape}} and the sign are {{relation}} the {NAME}.",
    # the home
    home.DARK,
    home.BLURRED,
    home.NO_PLACE,
    home.NO_THINGS,
    home.EMPTY_HAND,
    home.NO_LABEL,
    home.SMALL_LABEL,
    f"Your {_YOURS} in your hand.",
    f"Your {_YOURS} {_GROUND}.",
    f"Your {_YOURS} {_GROUND}, {_BESIDE}.",
    f"Your {_YOURS} {_SPOT}.",
    f"Your {_YOURS} {_SPOT}, {_BESIDE}.",
    f"{{verdict}}, your {_YOURS} in your hand.",
    f"{{verdict}}, your {_YOURS} {_GROUND}.",
    f"{{verdict}}, your {_YOURS} {_SPOT}.",
    "I do not see your {asked_colour} {item} here.",
    "I see only part of your {item}, something is in front of {it:item}.",
    "I see only part of your {item}, {turn}.",
    "I see your {colour} {item}, no {asked_colour} {one:item}.",
    "Yes, you are holding your {item}.",
    "No, you are not holding your {item}.",
    "You are holding your {item}.",
    "{verdict}, this is the {place}.",
    "This is the {place}.",
    "Your {item} {is:item} {colour}.",
    "I see {count} of your things.",
    "I do not see a {surface} here.",
    "I see only part of the {surface}, {turn}.",
    "Nothing is on the {surface}.",
    "Your {item} and your {item2} are on the {surface}.",
    "Nothing is next to your {item}.",
    "Your {item2} {is:item2} next to your {item}.",
    "Your {item2} and your {item3} are next to your {item}.",
    "I see only part of the label, {turn}.",
    "The label says {word}.",
)
_AT = tuple({"left": "on the left", "right": "on the right", "middle": "in the middle"}.get(p, f"at the {p}")
            for p in POSITIONS)  # fmt: skip
BLANKS: Mapping[str, tuple[str, ...]] = {
    "verdict": ("Yes", "No"),
    "count": _COUNTS,
    "count2": _COUNTS,
    "colour": COLOURS,
    "colour2": COLOURS,
    "asked_colour": ("", *COLOURS),
    "asked_colour2": ("", *COLOURS),
    "shape": SHAPES,
    "shape2": SHAPES,
    "asked_shape": ("thing", *SHAPES),
    "asked_shape2": ("thing", *SHAPES),
    "size": SIZES,
    "asked_size": ("", *SIZES),
    "relation": (
        "left of", "right of", "above", "below", "next to", "nearest to", "bigger than", "smaller than",
    ),
    "comparative": ("bigger", "smaller"),
    "superlative": ("biggest", "smallest"),
    "position": _AT,
    "tens": ("", *NUMBER_WORDS[20::10]),
    "number": ("", *NUMBER_WORDS[:20]),
    "word": SIGN_WORDS,
    "item": KINDS,
    "item2": KINDS,
    "item3": KINDS,
    "place": ("", *PLACES),
    "surface": SURFACE_NAMES,
    "side": ("left", "right"),
    "turn": tuple(home.TURN.values()),
}  # fmt: skip
ANSWERABLE = ""
CUT = {side: f"cut {side}" for side in home.TURN}
CAUSES = (
    ANSWERABLE, "dark", "blurred", *CUT.values(), "occluded", "small", "absent", "false premise", "off topic",
    "no place",
)  # fmt: skip
ADVICE: Mapping[str, str] = {
    "dark": "It is too dark to see, please turn on a light.",
    "blurred": "The picture is blurred, please hold still.",
    "cut left": "I see only part of it, please turn a little left.",
    "cut right": "I see only part of it, please turn a little right.",
    "cut up": "I see only part of it, please look up a little.",
    "cut down": "I see only part of it, please look down a little.",
    "occluded": "I see only part of it, something is in front of it.",
    "small": "The letters are too small to read, please come closer.",
    "absent": "I do not see that here.",
    "false premise": "I do not see exactly one like that here.",
    "off topic": "That I cannot tell from a picture.",
    "no place": home.NO_PLACE,
}


def answer_table(temperature: float = 1.0) -> AnswerTable:
    """The table of both worlds' answers."""
    plurals = frozenset((*PLURALS, *_COUNTS[1:])) - {"a", "one"}
    return AnswerTable(FORMS, BLANKS, plurals, CAUSES, ADVICE, temperature)
