"""The true answers to questions about one picture of drawn shapes, by family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from models.train.world.answering.geometry import (
    APART_PX,
    BESIDE_PX,
    BORDER_PX,
    CLEAR_PX,
    SAME_PX,
    Item,
    bigger_of,
    gap_px,
    offset_px,
    position_of,
)
from models.train.world.answering.reference import (
    Slots,
    groups,
    in_order,
    listed,
    matching,
    name_of,
    referent,
    several,
    some,
)
from models.train.world.grammar import NUMBER_WORDS, POSITIONS, SHAPES, Template, plural
from models.train.world.scenes import SIDE_PX, Scene, Thing

NO_SIGN, NOTHING_SEEN, SAME_SIZE = (
    "I cannot see a sign.",
    "I do not see anything.",
    "They are about the same size.",
)
_AT = {
    **{position: f"at the {position}" for position in POSITIONS},
    "left": "on the left",
    "right": "on the right",
    "middle": "in the middle",
}


def _described(item: Item) -> str:
    return some(f"{item.colour} {item.shape}") if isinstance(item, Thing) else "the sign"


def _items(scene: Scene) -> list[Item]:
    return [*in_order(scene.things), *([scene.sign] if scene.sign else [])]


def _start(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _verdict(true: bool, sentence: str) -> str:
    return f"{'Yes' if true else 'No'}, {sentence}"


def _of_sign(scene: Scene, colour: str) -> bool:
    """True where the sign has the colour, so that "the red thing" may be the sign."""
    return scene.sign is not None and scene.sign.colour == colour


def _colour(asked: Template, slots: Slots, scene: Scene) -> str | None:
    if asked.about == "sign":
        return f"The sign is {scene.sign.colour}." if scene.sign else NO_SIGN
    one = referent(scene, slots)
    return f"The {name_of(slots)} is {one.colour}." if isinstance(one, Thing) else one


def _shape(asked: Template, slots: Slots, scene: Scene) -> str | None:
    if _of_sign(scene, slots["colour"]):
        return None
    one = referent(scene, slots)
    return f"The {slots['colour']} thing is {some(one.shape)}." if isinstance(one, Thing) else one


def _number(scene: Scene, colour: str | None, many: str | None) -> tuple[int, str, str]:
    """How many such things there are, and what one and several of them are called."""
    shape = next((each for each in SHAPES if plural(each) == many), None)
    one, more = (shape, many) if shape and many else ("thing", "things")
    words = f"{colour} " if colour else ""
    return len(scene.matching(shape, colour)), words + one, words + more


def _there_are(number: int, one: str, many: str) -> str:
    if number == 1:
        return f"there is one {one}"
    return f"there are {NUMBER_WORDS[number] if number else 'no'} {many}"


def _count(asked: Template, slots: Slots, scene: Scene) -> str | None:
    colour = slots.get("colour")
    if scene.sign and "shapes" not in slots and colour in (None, scene.sign.colour):
        return None
    return _start(_there_are(*_number(scene, colour, slots.get("shapes")))) + "."


def _more(asked: Template, slots: Slots, scene: Scene) -> str | None:
    colours = slots.get("colour"), slots.get("colour2")
    if scene.sign and scene.sign.colour in colours:
        return None
    first = _number(scene, colours[0], slots.get("shapes"))
    second = _number(scene, colours[1], slots.get("shapes2"))
    true = first[0] < second[0] if asked.about == "fewer" else first[0] > second[0]
    number, one, many = second
    rest = f"one {one}" if number == 1 else several(number, one, many)
    return _verdict(true, f"{_there_are(*first)} and {rest}.")


def _exist(asked: Template, slots: Slots, scene: Scene) -> str | None:
    if asked.about == "sign":
        return "Yes, there is a sign." if scene.sign else "No, there is no sign."
    if asked.about == "anything":
        colour = slots["colour"]
        if _of_sign(scene, colour):
            return None
        found = bool(scene.matching(colour=colour))
        return f"Yes, there is something {colour}." if found else f"No, there is nothing {colour}."
    if "shapes" in slots:
        number, one, many = _number(scene, slots.get("colour"), slots["shapes"])
        return _verdict(number > 0, f"there {'is' if number == 1 else 'are'} {several(number, one, many)}.")
    name = name_of(slots)
    if matching(scene, slots):
        return f"Yes, there is {some(name)}."
    return f"No, there is no {name}."


def _check(asked: Template, slots: Slots, scene: Scene) -> str | None:
    wanted = {"size": "size", "shape": "shape"}.get(asked.about, "colour")
    if asked.about == "sign":
        return (
            _verdict(_of_sign(scene, slots["colour"]), f"it is {scene.sign.colour}.")
            if scene.sign
            else NO_SIGN
        )
    if asked.about == "shape" and _of_sign(scene, slots["colour"]):
        return None
    one = referent(
        scene, {k: v for k, v in slots.items() if k in ("shape", "colour", "size") and k != wanted}
    )
    if isinstance(one, str):
        return one
    if asked.about == "either":
        return f"The {slots['shape']} is {one.colour}."
    value = {"size": one.size, "shape": one.shape, "colour": one.colour}[wanted]
    return _verdict(value == slots[wanted], f"it is {some(value) if wanted == 'shape' else value}.")


def _two(slots: Slots, scene: Scene) -> tuple[Thing, Thing] | str:
    """The two things that are compared, or the sentence that one of them is not there."""
    first = referent(scene, {key: slots[key] for key in ("shape", "colour", "size") if key in slots})
    second = referent(scene, {"shape": slots["shape2"]})
    if isinstance(first, str):
        return first
    return second if isinstance(second, str) else (first, second)


def _compare(asked: Template, slots: Slots, scene: Scene) -> str | None:
    if asked.about in ("biggest", "smallest"):
        return _extreme(asked.about, scene)
    two = _two(slots, scene)
    if isinstance(two, str):
        return two
    bigger = bigger_of(*two)
    if bigger is None:
        return None
    if bigger == "same":
        return "Yes, they are about the same size." if asked.about == "same" else SAME_SIZE
    first = (bigger == "first") != (asked.about == "smaller")
    sentence = f"the {two[0 if first else 1].shape} is {'smaller' if asked.about == 'smaller' else 'bigger'}."
    return f"No, {sentence}" if asked.about == "same" else _start(sentence)


def _extreme(about: str, scene: Scene) -> str | None:
    """The biggest or the smallest of all things."""
    if scene.sign or len(scene.things) == 1:
        return None
    if not scene.things:
        return NOTHING_SEEN
    by_size = sorted(scene.things, key=lambda thing: thing.radius_px, reverse=about == "biggest")
    if bigger_of(by_size[0], by_size[1]) in (None, "same"):
        return None
    return f"The {by_size[0].colour} {by_size[0].shape} is the {about}."


def _relation(asked: Template, slots: Slots, scene: Scene) -> str | None:
    two = _two(slots, scene)
    if isinstance(two, str):
        return two
    name, other = name_of({k: v for k, v in slots.items() if k in ("shape", "colour")}), slots["shape2"]
    if asked.about in ("bigger", "smaller"):
        bigger = bigger_of(*two)
        if bigger in (None, "same"):
            return None if bigger is None else "No, they are about the same size."
        relation, true = f"{asked.about} than", (bigger == "first") == (asked.about == "bigger")
    elif asked.about == "next":
        gap = gap_px(*two)
        if BESIDE_PX < gap < APART_PX:
            return None
        relation, true = "next to", gap <= BESIDE_PX
    else:
        relation = {"across": "left of", "along": "above"}.get(asked.about) or slots["relation"]
        offset = offset_px(relation, *two)
        if abs(offset) < CLEAR_PX:
            return None
        true = offset > 0
        if asked.about:
            opposite = {"left of": "right of", "above": "below"}[relation]
            return f"The {name} is {relation if true else opposite} the {other}."
    return _verdict(true, f"the {name} {'is' if true else 'is not'} {relation} the {other}.")


def _position(asked: Template, slots: Slots, scene: Scene) -> str | None:
    if asked.about == "sign":
        item: Item | str = scene.sign or NO_SIGN
    elif "shape" not in slots and _of_sign(scene, slots["colour"]):
        return None
    else:
        item = referent(scene, slots)
    if isinstance(item, str):
        return item
    place = position_of(item)
    return f"The {'sign' if asked.about == 'sign' else name_of(slots)} is {_AT[place]}." if place else None


def _at(asked: Template, slots: Slots, scene: Scene) -> str | None:
    position, third = slots["position"], SIDE_PX / 3
    row, column = divmod(POSITIONS.index(position), 3)
    middle = (column + 0.5) * third, (row + 0.5) * third
    there = []
    for item in _items(scene):
        outside = [abs(v - m) - third / 2 for v, m in zip((item.x, item.y), middle, strict=True)]
        if max(outside) < -BORDER_PX:
            there.append(_described(item))
            continue
        reach = (item.radius_px,) * 2 if isinstance(item, Thing) else (item.width_px / 2, item.height_px / 2)
        if all(far < max(BORDER_PX, 0.6 * r) for far, r in zip(outside, reach, strict=True)):
            return None
    if len(there) > 2:
        return None
    if not there:
        return f"Nothing is {_AT[position]}."
    return _start(f"{listed(there)} {'are' if len(there) > 1 else 'is'} {_AT[position]}.")


def _size(asked: Template, slots: Slots, scene: Scene) -> str | None:
    one = referent(scene, slots)
    return f"The {name_of(slots)} is {one.size}." if isinstance(one, Thing) else one


def _sign(asked: Template, slots: Slots, scene: Scene) -> str | None:
    sign = scene.sign
    if sign is None:
        return NO_SIGN
    return f"The number on the sign is {sign.spoken}." if sign.is_number else f"The sign says {sign.spoken}."


def _describe(asked: Template, slots: Slots, scene: Scene) -> str | None:
    parts = groups(scene.things)
    if len(parts) > 4:
        return f"I see {NUMBER_WORDS[len(scene.things)]} things, among them {listed(parts[:2])}."
    if scene.sign:
        parts.append("a sign")
    return f"I see {listed(parts)}." if parts else NOTHING_SEEN


def _side(asked: Template, slots: Slots, scene: Scene) -> str | None:
    described = {key: value for key, value in slots.items() if key != "relation"}
    one = referent(scene, described)
    if isinstance(one, str):
        return one
    relation, name = slots["relation"], name_of(described)
    others = [item for item in _items(scene) if item is not one]
    there = [other for other in others if offset_px(relation, other, one) > SAME_PX]
    if len(there) > 1 or any(offset_px(relation, other, one) < CLEAR_PX for other in there):
        return None
    if not there:
        return f"Nothing is {relation} the {name}."
    return _start(f"{_described(there[0])} is {relation} the {name}.")


def _next(asked: Template, slots: Slots, scene: Scene) -> str | None:
    one = referent(scene, slots)
    if isinstance(one, str):
        return one
    name = name_of(slots)
    gaps = sorted(
        ((gap_px(one, item), item) for item in _items(scene) if item is not one), key=lambda g: g[0]
    )
    if asked.about == "nearest":
        if not gaps:
            return "I see nothing else."
        if len(gaps) > 1 and gaps[1][0] < gaps[0][0] + 8.0:
            return None
        return _start(f"{_described(gaps[0][1])} is nearest to the {name}.")
    near = [item for gap, item in gaps if gap <= BESIDE_PX]
    if len(near) > 2 or any(BESIDE_PX < gap < APART_PX for gap, _ in gaps):
        return None
    if not near:
        return f"Nothing is next to the {name}."
    if len(near) == 2 and all(isinstance(item, Thing) for item in near):
        parts = groups(item for item in near if isinstance(item, Thing))
    else:
        parts = [_described(item) for item in _items(scene) if item in near]
    return _start(f"{listed(parts)} {'are' if len(near) > 1 else 'is'} next to the {name}.")


OF_SCENES: Mapping[str, Callable[[Template, Slots, Scene], str | None]] = {
    "colour": _colour, "shape": _shape, "count": _count, "more": _more, "exist": _exist, "check": _check,
    "compare": _compare, "relation": _relation, "position": _position, "at": _at, "size": _size,
    "sign": _sign, "describe": _describe, "side": _side, "next": _next,
}  # fmt: skip
"""The answer of each family to a question; None where it is ambiguous or a matter of judgement."""
