"""What sentences about shapes and signs claim, by their forms, told anew from a scene.

A claim is what the sentence would have to be if a given scene were what the picture shows: "A red star is
nearest to the ring." claims what is nearest to the ring, so that of a scene with a blue heart there it is "A
blue heart is nearest to the ring."
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from host.answers.seen.forms import compiled
from host.answers.seen.layout import (
    BESIDE,
    BIGGER,
    OPPOSITE,
    SAME,
    gap,
    holds,
    offset,
    position_of,
    ratio,
)
from host.answers.seen.named import (
    COLOURS,
    SHAPES,
    Named,
    named_by,
    named_in,
    referent,
)
from host.answers.seen.scene import Item, Scene, size_of
from host.answers.seen.words import (
    groups,
    in_order,
    listed,
    number,
    some,
    started,
    verdict,
)
from host.language.usual.shapes import shapes_in

Claim = Callable[[Scene], str]
NO_SIGN, NOTHING_SEEN, NOTHING_ELSE = "I cannot see a sign.", "I do not see anything.", "I see nothing else."
_ALIKE = "They are about the same size."
_SHAPE_IN = rf"\b({SHAPES})(?:e?s)?\b"


def _described(item: Item, scene: Scene) -> str:
    return "the sign" if item is scene.sign else some(f"{item.colour} {item.name}")


def _items(scene: Scene) -> list[Item]:
    shapes = in_order(scene.shapes, scene.colours, scene.names)
    return [*shapes, *([scene.sign] if scene.sign else [])]


def _property(named: Named, told: Callable[[Item], str]) -> Claim:
    """What is told of the one thing that the description fits."""

    def claim(scene: Scene) -> str:
        one = referent(scene, named)
        return one if isinstance(one, str) else told(one)

    return claim


def of_sign(told: Callable[[Item], str]) -> Claim:
    """What is told of the sign."""
    return lambda scene: told(scene.sign) if scene.sign else NO_SIGN


def _two(first: Named, second: Named, told: Callable[[Item, Item], str]) -> Claim:
    def claim(scene: Scene) -> str:
        one, other = referent(scene, first), referent(scene, second)
        if isinstance(one, str):
            return one
        return other if isinstance(other, str) else told(one, other)

    return claim


def related(found: re.Match[str], question: str) -> Claim | None:
    """ "The star is left of the ring.", "No, the star is not next to the ring."."""
    first, second = named_in(found, "a"), named_in(found, "b")
    if first == second:
        return None
    relation, said = found["relation"], found["verdict"]

    def told(scene: Scene) -> Callable[[Item, Item], str]:
        def sentence(one: Item, other: Item) -> str:
            alike = max(ratio(one, other), ratio(other, one)) < BIGGER
            if relation in ("bigger than", "smaller than") and alike:
                return "No, they are about the same size." if said else _ALIKE
            true = holds(relation, one, other, scene)
            words = f"the {first.words} {'is' if true else 'is not'} {relation} the {second.words}."
            if said:
                return verdict(true, words)
            named = relation if true else OPPOSITE.get(relation, relation)
            return f"The {first.words} is {named} the {second.words}."

        return sentence

    return lambda scene: _two(first, second, told(scene))(scene)


def beside(found: re.Match[str], question: str) -> Claim:
    """ "A red star is nearest to the ring.", "Nothing is left of the ring."."""
    named, relation = named_in(found, "b"), found["relation"]

    def told(one: Item, scene: Scene) -> str:
        others = [item for item in _items(scene) if item is not one]
        if relation == "nearest to":
            if not others:
                return NOTHING_ELSE
            nearest = min(others, key=lambda item: gap(one, item, scene))
            return started(f"{_described(nearest, scene)} is nearest to the {named.words}.")
        if relation == "next to":
            there = [item for item in others if gap(one, item, scene) <= BESIDE]
        else:
            there = [item for item in others if offset(relation, item, one) > SAME]
        if not there:
            return f"Nothing is {relation} the {named.words}."
        return _are(there, f"{relation} the {named.words}", scene)

    def claim(scene: Scene) -> str:
        one = referent(scene, named)
        return one if isinstance(one, str) else told(one, scene)

    return claim


def _are(there: Sequence[Item], where: str, scene: Scene) -> str:
    """ "A red star and the sign are ..."; equal ones together."""
    if scene.sign in there:
        parts = [_described(item, scene) for item in there]
    else:
        parts = groups(there, scene.colours, scene.names)
    return started(f"{listed(parts)} {'are' if len(there) > 1 else 'is'} {where}.")


def at(found: re.Match[str], question: str) -> Claim:
    """ "A red star and the sign are at the top."."""
    position = found["position"]

    def claim(scene: Scene) -> str:
        there = [item for item in _items(scene) if position_of(item) == position]
        return _are(there, position, scene) if there else f"Nothing is {position}."

    return claim


def description(scene: Scene) -> str:
    """ "I see a red star and a sign."."""
    parts = groups(scene.shapes, scene.colours, scene.names)
    if len(parts) > 4:
        return f"I see {number(len(scene.shapes))} things, among them {listed(parts[:2])}."
    parts += ["a sign"] if scene.sign else []
    return f"I see {listed(parts)}." if parts else NOTHING_SEEN


def extreme(found: re.Match[str], question: str) -> Claim:
    """ "The red star is the biggest."."""
    which = found["which"]

    def claim(scene: Scene) -> str:
        if not scene.shapes:
            return NOTHING_SEEN
        one = (max if which == "biggest" else min)(scene.shapes, key=lambda item: item.radius)
        return f"The {one.colour} {one.name} is the {which}."

    return claim


def compared(found: re.Match[str], question: str) -> Claim | None:
    """Of two shapes that the question names: which is bigger, or that both are alike."""
    named = [each.kind for each in shapes_in(question)[0]]
    if len(named) != 2:
        return None
    same = re.search(r"\bsame\b|\bas (?:big|large|small)\b", question) is not None
    smaller = re.search(r"\b(smaller|smallest|less|littler)\b", question) is not None
    first, second = (named_by(each.words.split()) for each in shapes_in(question)[0])
    relation = re.search(r"\b(bigger|larger|smaller|littler) than\b", question)

    def told(one: Item, other: Item) -> str:
        if max(ratio(one, other), ratio(other, one)) < BIGGER:
            return f"{'Yes' if same else 'No'}, they are about the same size." if same or relation else _ALIKE
        if relation:
            than = "smaller than" if smaller else "bigger than"
            true = (ratio(one, other) > 1) != smaller
            return verdict(true, f"the {first.words} {'is' if true else 'is not'} {than} the {second.words}.")
        shown = one if (ratio(one, other) > 1) != smaller else other
        sentence = f"the {shown.name} is {'smaller' if smaller else 'bigger'}."
        return f"No, {sentence}" if same else started(sentence)

    return _two(first, second, told)


_ONE = rf"\b(?:(?:large|big|small|little) )?(?:(?:{COLOURS}) )?(?:{SHAPES}|thing|one|object)\b"
_SIZE_WORDS = {"large": "large", "big": "large", "small": "small", "little": "small"}


def it_is(found: re.Match[str], question: str) -> Claim | None:
    """ "Yes, it is red.": what is asked about, and whether it is so, are in the question."""
    value = found["value"]
    if re.search(r"\bsign\b", question):
        return of_sign(lambda sign: verdict(_asks(question, sign.colour), f"it is {sign.colour}."))
    described = compiled(_ONE).search(question)
    if described is None:
        return None
    words = [_SIZE_WORDS.get(word, word) for word in described.group().split()]
    named, rest = named_by(words), question[: described.start()] + question[described.end() :]
    if value in SHAPES.split("|"):
        named = named.without("shape")
        asked = [each for each in SHAPES.split("|") if re.search(rf"\b{each}\b", question)]
        if not named.colour or len(asked) != 1:
            return None
        return _property(named, lambda one: verdict(one.name == asked[0], f"it is {some(one.name)}."))
    if not named.shape:
        return None
    if value in _SIZE_WORDS:
        return _property(named, lambda one: verdict(_asks_size(rest, size_of(one)), f"it is {size_of(one)}."))
    if named.colour and not any(re.search(rf"\b{each}\b", rest) for each in COLOURS.split("|")):
        return None
    return _property(named, lambda one: verdict(_asks(rest, one.colour), f"it is {one.colour}."))


def _asks(question: str, colour: str) -> bool:
    return re.search(rf"\b{colour}\b", question) is not None


def _asks_size(question: str, size: str) -> bool:
    return any(meant == size and re.search(rf"\b{word}\b", question) for word, meant in _SIZE_WORDS.items())


def wrong(item: Item) -> str:
    """Of something that a sentence says is not there: what is asked of it is not in the sentence."""
    return ""


def unseen(found: re.Match[str], question: str) -> Claim:
    """ "I cannot see a red star."."""
    return _property(named_in(found, "a"), wrong)


def too_many_of(found: re.Match[str], question: str) -> Claim | None:
    """ "I see two stars, a red one and a blue one."."""
    named = named_in(found, "a")
    if not named.shape and not named.colour:
        return None
    return _property(named, wrong)


def coloured(found: re.Match[str], question: str) -> Claim:
    """ "The star is red."."""
    named = named_in(found, "a")
    return _property(named, lambda one: f"The {named.words} is {one.colour}.")


def sign_coloured(found: re.Match[str], question: str) -> Claim:
    """ "The sign is red."."""
    return of_sign(lambda sign: f"The sign is {sign.colour}.")


def sign_placed(found: re.Match[str], question: str) -> Claim:
    """ "The sign is at the top."."""
    return of_sign(lambda sign: f"The sign is {position_of(sign)}.")


def sized(found: re.Match[str], question: str) -> Claim:
    """ "The star is large."."""
    named = named_in(found, "a")
    return _property(named, lambda one: f"The {named.words} is {size_of(one)}.")


def placed(found: re.Match[str], question: str) -> Claim:
    """ "The star is at the top."."""
    named = named_in(found, "a")
    return _property(named, lambda one: f"The {named.words} is {position_of(one)}.")


def shaped(found: re.Match[str], question: str) -> Claim:
    """ "The red thing is a star."."""
    colour = found["colour"]
    return _property(Named(colour=colour), lambda one: f"The {colour} thing is {some(one.name)}.")


def nothing_of(found: re.Match[str], question: str) -> Claim:
    """ "I cannot see anything red."."""
    return _property(Named(colour=found["colour"]), wrong)


def no_one(found: re.Match[str], question: str) -> Claim | None:
    """ "I see a blue heart, no red one."."""
    shapes = set(compiled(_SHAPE_IN).findall(found["there"]))
    if len(shapes) != 1:
        return None
    value, shape = found["value"], shapes.pop()
    return _property(Named(shape, value) if value in COLOURS.split("|") else Named(shape, "", value), wrong)


def sign_there(scene: Scene) -> str:
    """ "Yes, there is a sign."."""
    return "Yes, there is a sign." if scene.sign else "No, there is no sign."


def nothing_else(scene: Scene) -> str:
    """ "I see nothing else."."""
    return "" if len(_items(scene)) > 1 else NOTHING_ELSE
