"""What a description in a question refers to; where that is not exactly one thing, the sentence that says
what is there instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from models.train.world.grammar import COLOURS, NUMBER_WORDS, SHAPES
from models.train.world.scenes import Scene, Thing

Slots = Mapping[str, str]


def some(words: str) -> str:
    """`words` with the indefinite article."""
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def plural_of(shape: str) -> str:
    """The plural, also of a shape that the grammar does not name."""
    return "crosses" if shape == "cross" else shape + "s"


def several(number: int, one: str, many: str) -> str:
    """ "a star", "two stars", "no stars"."""
    return some(one) if number == 1 else f"{NUMBER_WORDS[number] if number else 'no'} {many}"


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def name_of(slots: Slots) -> str:
    """The description: "large star", "red thing"."""
    words = [slots[key] for key in ("size", "colour", "shape") if key in slots]
    return " ".join(words if "shape" in slots else [*words, "thing"])


def in_order(things: Iterable[Thing]) -> list[Thing]:
    """The things by colour and then by shape, as the grammar lists them: an order in which no two different
    things are tied, wherever they are.
    """

    def key(thing: Thing) -> tuple[int, int, str]:
        colour = COLOURS.index(thing.colour) if thing.colour in COLOURS else len(COLOURS)
        return colour, SHAPES.index(thing.shape) if thing.shape in SHAPES else len(SHAPES), thing.shape

    return sorted(things, key=key)


def groups(things: Iterable[Thing]) -> list[str]:
    """The things with equal ones together: "two blue hearts", "a red star"."""
    counts: dict[tuple[str, str], int] = {}
    for thing in in_order(things):
        counts[thing.colour, thing.shape] = counts.get((thing.colour, thing.shape), 0) + 1
    return [
        several(number, f"{colour} {shape}", f"{colour} {plural_of(shape)}")
        for (colour, shape), number in counts.items()
    ]


def matching(scene: Scene, slots: Slots) -> list[Thing]:
    """The things that fit the description."""
    return scene.matching(slots.get("shape"), slots.get("colour"), slots.get("size"))


def referent(scene: Scene, slots: Slots) -> Thing | str:
    """The one thing that the description fits; otherwise the sentence that says what is there.

    Where the description fits no thing but another of that shape is in view, the sentence names it: the
    question supposed something that is not so.
    """
    found = matching(scene, slots)
    if len(found) == 1:
        return found[0]
    if found:
        return _too_many(found, slots)
    alike = scene.matching(slots["shape"]) if "shape" in slots else []
    if alike and ("colour" in slots or "size" in slots):
        return _another(alike, slots)
    return f"I cannot see {some(name_of(slots))}." if "shape" in slots else _nothing_of(slots["colour"])


def _nothing_of(colour: str) -> str:
    return f"I cannot see anything {colour}."


def _too_many(found: list[Thing], slots: Slots) -> str:
    """ "I see two stars, a red one and a blue one." """
    words = [slots[key] for key in ("size", "colour") if key in slots]
    many = plural_of(slots["shape"]) if "shape" in slots else "things"
    sentence = f"I see {NUMBER_WORDS[len(found)]} {' '.join([*words, many])}"
    kinds = {(thing.colour, thing.shape) for thing in found}
    if len(found) > 2:
        return sentence + "."
    if len(kinds) == 1:
        same = in_order(found)[0]
        return f"I see two {' '.join([*words[: 'size' in slots], same.colour, plural_of(same.shape)])}."
    by_colour = "shape" in slots
    parts = [f"{some(one.colour)} one" if by_colour else some(one.shape) for one in in_order(found)]
    return f"{sentence}, {listed(parts)}."


def _another(alike: list[Thing], slots: Slots) -> str:
    """ "I see a blue heart, no red one." """
    shape, key = slots["shape"], "colour" if "colour" in slots else "size"
    counts: dict[str, int] = {}
    for thing in in_order(alike):
        value = thing.colour if key == "colour" else thing.size
        counts[value] = counts.get(value, 0) + 1
    if len(counts) > 2:
        there = f"{NUMBER_WORDS[len(alike)]} {plural_of(shape)}"
    else:
        there = listed(
            [several(n, f"{value} {shape}", f"{value} {plural_of(shape)}") for value, n in counts.items()]
        )
    return f"I see {there}, no {slots[key]} one."
