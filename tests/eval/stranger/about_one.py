"""Questions about one picture whose answer is in it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from itertools import pairwise

from tests.eval.stranger.compose import EVERYDAY_WORDS, OTHER_WORDS, random_picture
from tests.eval.stranger.judges import (
    AtPlace,
    Bigger,
    Counts,
    Describes,
    Neighbour,
    SaysWords,
    YesOrNo,
    says_colour,
    says_kind,
)
from tests.eval.stranger.questions import Question, Wordings, plural
from tests.eval.stranger.sentences import number_in_words
from tests.eval.stranger.truth import COLOURS, KINDS, Item, Picture

Writer = Callable[[random.Random], Question | None]
_SIDES = ("left", "right", "above", "below")
_SIDE_WORDS = {"left": "left of", "right": "right of", "above": "above", "below": "below"}
_OPPOSITE = {"left": "right", "right": "left", "above": "below", "below": "above"}
_STACKED_SHARE, _COLUMN_SHARE = 1 / 3, 0.08
_CLEAR_SHARE = 0.14
"""Least distance to a side at which a relation is certain, as a share of the picture's extent."""


def _sometimes_a_sign(rng: random.Random) -> str:
    return rng.choice(EVERYDAY_WORDS) if rng.random() < 0.2 else ""


def _lone(picture: Picture, rng: random.Random) -> Item | None:
    """An item of which there is no second of its kind."""
    lone = [item for item in picture.items if len(picture.found(item.kind)) == 1]
    return rng.choice(lone) if lone else None


_COLOUR = Wordings(
    ("what colour is the {kind}", "which colour is the {kind}", "what is the colour of the {kind}"),
    ("what colour is that {kind} there", "can you tell me the colour of the {kind}",
     "what colour does the {kind} have", "in what colour is the {kind}"),
)  # fmt: skip


def colour(rng: random.Random) -> Question | None:
    """The colour of a kind."""
    picture = random_picture(rng, text=_sometimes_a_sign(rng))
    item = _lone(picture, rng)
    if item is None:
        return None
    text, own = _COLOUR.draw(rng, kind=item.kind)
    return Question("colour", text, says_colour(item.colour, item.kind), item.name, (picture,), own)


_KIND = Wordings(
    ("what is the {colour} thing", "what shape is the {colour} thing", "which shape is {colour}"),
    ("what kind of shape is the {colour} one", "what is that {colour} thing over there",
     "what do you call the {colour} shape"),
)  # fmt: skip


def kind(rng: random.Random) -> Question | None:
    """The kind of a colour."""
    picture = random_picture(rng)
    item = rng.choice(picture.items) if picture.items else None
    if item is None or len(picture.found(colour=item.colour)) != 1:
        return None
    text, own = _KIND.draw(rng, colour=item.colour)
    return Question("kind", text, says_kind(item.kind, item.colour), item.name, (picture,), own)


_COUNT = Wordings(
    ("how many {things} are there", "how many {things} do you see", "count the {things}"),
    ("how many {things} are in front of me", "how many {things} can you find", "can you count the {things}"),
)


def count(rng: random.Random) -> Question | None:
    """How many of a kind, of a colour, or of all."""
    picture = random_picture(rng)
    what = rng.choice(("kind", "colour", "all"))
    item, kind = rng.choice(picture.items), ""
    if rng.random() < 0.15:
        absent = rng.choice(KINDS)
        things, number, kind = plural(absent), len(picture.found(absent)), absent
    elif what == "kind":
        things, number, kind = plural(item.kind), len(picture.found(item.kind)), item.kind
    elif what == "colour":
        things, number = f"{item.colour} things", len(picture.found(colour=item.colour))
    else:
        things, number = "things", len(picture.items)
    text, own = _COUNT.draw(rng, things=things)
    return Question("count", text, Counts(number, kind), f"{number} {things}", (picture,), own)


_POSITION = Wordings(
    ("where is the {name}", "where do you see the {name}", "in which part of the picture is the {name}"),
    ("whereabouts is the {name}", "can you tell me where the {name} is", "on which side is the {name}"),
)


def position(rng: random.Random) -> Question | None:
    """Where a thing is, by ninths of the picture."""
    picture = random_picture(rng)
    item = rng.choice(picture.items)
    place = picture.place(item.x, item.y)
    if place is None or len(picture.found(item.kind, item.colour)) != 1:
        return None
    name = item.kind if len(picture.found(item.kind)) == 1 and rng.random() < 0.5 else item.name
    text, own = _POSITION.draw(rng, name=name)
    return Question("position", text, AtPlace(place, item.kind), f"{item.name}: {place}", (picture,), own)


_SIGN = Wordings(
    ("what does the sign say", "read the sign", "what is written on the sign"),
    ("what is on that sign over there", "can you read me the sign", "what word is on the sign"),
)


def sign(rng: random.Random) -> Question | None:
    """A common word or a number on a sign."""
    words = number_in_words(rng.randrange(100)) if rng.random() < 0.4 else ""
    shown = _as_digits(words) if words else rng.choice(EVERYDAY_WORDS)
    picture = random_picture(rng, text=shown)
    text, own = _SIGN.draw(rng)
    return Question("sign", text, SaysWords(words or shown), f"{shown.upper()}", (picture,), own)


def _as_digits(words: str) -> str:
    return next(str(number) for number in range(100) if number_in_words(number) == words)


def other_sign(rng: random.Random) -> Question | None:
    """A word that is on other signs."""
    shown = rng.choice(OTHER_WORDS)
    text, own = _SIGN.draw(rng)
    picture = random_picture(rng, text=shown)
    return Question("sign, other words", text, SaysWords(shown), shown.upper(), (picture,), own)


def _offset(side: str, one: Item, other: Item, picture: Picture) -> float:
    """How far `one` is to that side of `other`, as a share of the picture's extent."""
    across, down = (one.x - other.x) / picture.width, (one.y - other.y) / picture.height
    return {"left": -across, "right": across, "above": -down, "below": down}[side]


_RELATION = Wordings(
    ("is the {one} {side} the {other}", "tell me if the {one} is {side} the {other}"),
    ("do you see the {one} {side} the {other}", "would you say the {one} is {side} the {other}"),
)


def relation(rng: random.Random) -> Question | None:
    """Whether one thing is to a side of another."""
    picture = random_picture(rng, rng.randint(2, 4), distinct=True)
    if len(picture.items) < 2:
        return None
    one, other = rng.sample(picture.items, 2)
    side = rng.choice(_SIDES)
    offset = _offset(side, one, other, picture)
    if abs(offset) < _CLEAR_SHARE:
        return None
    text, own = _RELATION.draw(rng, one=one.kind, side=_SIDE_WORDS[side], other=other.kind)
    true = side if offset > 0 else _OPPOSITE[side]
    judge = YesOrNo(offset > 0, side, true, (side, _OPPOSITE[side]), (one.kind, other.kind))
    return Question("relation", text, judge, f"{one.kind} {_SIDE_WORDS[true]} {other.kind}", (picture,), own)


_SIDE = Wordings(
    ("what is {side} the {kind}", "what do you see {side} the {kind}", "which thing is {side} the {kind}"),
    ("what can be found {side} the {kind}", "what is there {side} the {kind}"),
)


def side(rng: random.Random) -> Question | None:
    """What is to one side of a thing, where only one other is."""
    picture = random_picture(rng, rng.randint(2, 4), distinct=True)
    item, way = rng.choice(picture.items), rng.choice(_SIDES)
    offsets = {other: _offset(way, other, item, picture) for other in picture.items if other != item}
    there = [other for other, offset in offsets.items() if offset > 0]
    if len(there) != 1 or any(abs(offset) < _CLEAR_SHARE for offset in offsets.values()):
        return None
    text, own = _SIDE.draw(rng, side=_SIDE_WORDS[way], kind=item.kind)
    judge = Neighbour(item.kind, there[0].colour, there[0].kind)
    return Question("side", text, judge, f"{there[0].name} {_SIDE_WORDS[way]} {item.kind}", (picture,), own)


_SEE = Wordings(
    ("what do you see", "what can you see", "what is in front of me", "describe what you see"),
    ("what is in the picture", "tell me everything that you see", "what have we got here",
     "what things are there"),
)  # fmt: skip


def _stacked(picture: Picture) -> bool:
    """Whether two things stand one above the other."""
    across = sorted(item.x for item in picture.items)
    return any(right - left < _COLUMN_SHARE * picture.width for left, right in pairwise(across))


def see(rng: random.Random) -> Question | None:
    """All that is in view. At least every third picture has two things one above the other."""
    picture = random_picture(rng, text=_sometimes_a_sign(rng))
    if rng.random() < _STACKED_SHARE:
        while not _stacked(picture):
            picture = random_picture(rng, text=_sometimes_a_sign(rng))
    pairs = tuple((item.colour, item.kind) for item in picture.items)
    text, own = _SEE.draw(rng)
    truth = ", ".join(item.name for item in picture.items) + (", a sign" if picture.board else "")
    return Question("see", text, Describes(pairs, picture.board is not None), truth, (picture,), own)


_COMPARING = ("left", "right", "above", "below", "than", "bigger", "smaller")
_IS_COLOUR = Wordings(
    (),
    ("is the {kind} {colour}", "is that {kind} {colour}", "is the {kind} a {colour} one",
     "would you say the {kind} is {colour}"),
)  # fmt: skip


def is_colour(rng: random.Random) -> Question | None:
    """Whether a kind has a colour."""
    picture = random_picture(rng)
    item = _lone(picture, rng)
    if item is None:
        return None
    asked = item.colour
    if rng.random() < 0.5:
        asked = rng.choice([each for each in COLOURS if each != item.colour])
    text, own = _IS_COLOUR.draw(rng, kind=item.kind, colour=asked)
    judge = YesOrNo(asked == item.colour, asked, item.colour, COLOURS, (item.kind,), _COMPARING)
    return Question("is it green", text, judge, item.name, (picture,), own)


_BIGGER = Wordings(
    (),
    (
        "which is bigger",
        "which is bigger the {one} or the {other}",
        "what is larger the {one} or the {other}",
    ),
)


def bigger(rng: random.Random) -> Question | None:
    """Which of two things is the bigger."""
    picture = random_picture(rng, 2, distinct=True)
    if {item.size for item in picture.items} != {"large", "small"}:
        return None
    large, small = sorted(picture.items, key=lambda item: item.size)
    one, other = rng.sample((large, small), 2)
    text, own = _BIGGER.draw(rng, one=one.kind, other=other.kind)
    judge = Bigger(large.kind, small.kind)
    return Question("which is bigger", text, judge, f"the {large.kind}", (picture,), own)


_NEXT = Wordings(
    (), ("what is next to the {kind}", "what is beside the {kind}", "what is close to the {kind}")
)


def next_to(rng: random.Random) -> Question | None:
    """The nearest neighbour of a thing, where the others are clearly farther away."""
    picture = random_picture(rng, rng.randint(2, 4), distinct=True)
    item = rng.choice(picture.items)
    near = sorted(
        (math.hypot(other.x - item.x, other.y - item.y), other) for other in picture.items if other != item
    ) if len(picture.items) > 1 else []  # fmt: skip
    if not near or (len(near) > 1 and near[0][0] > 0.6 * near[1][0]):
        return None
    neighbour = near[0][1]
    text, own = _NEXT.draw(rng, kind=item.kind)
    judge = Neighbour(item.kind, neighbour.colour, neighbour.kind)
    return Question("next to", text, judge, f"{neighbour.name} next to {item.kind}", (picture,), own)


KNOWN: Mapping[str, Writer] = {
    "colour": colour, "kind": kind, "count": count, "position": position, "sign": sign,
    "relation": relation, "side": side, "see": see,
}  # fmt: skip
"""What the documentation says that can be asked."""
ASKED_BY_EVERYBODY: Mapping[str, Writer] = {
    "is it green": is_colour, "which is bigger": bigger, "next to": next_to, "sign, other words": other_sign,
}  # fmt: skip
"""What people ask all the same."""
