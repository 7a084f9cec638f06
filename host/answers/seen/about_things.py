"""What a sentence about the wearer's things claims, told anew from a scene, as in `about_shapes`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from host.answers.seen.forms import Form, claim_by_form
from host.answers.seen.named import COLOURS
from host.answers.seen.scene import Item, Scene
from host.answers.seen.words import is_or_are, listed, number, started, verdict, your
from host.language.usual.view import SURFACES, THINGS

Claim = Callable[[Scene], str]
NO_THINGS = "I do not see any of your things here."
EMPTY_HAND = "You are not holding anything."
_THINGS, _SURFACES = "|".join(THINGS), "|".join(SURFACES)
OUTDOORS = ("street", "park")
_ALIASES = ({"table", "desk"}, {"floor", "ground"})
HAND = "hand"
_NEAR = 0.03
"""Neither of two whose middles are nearer, in parts of the side, is left of the other."""
_REACH = 3.2
"""Two things on one surface are next to each other up to so many times half the width of the wider one."""


def surface_name(place: str, surface: str, said: str = "") -> str:
    """The spoken name of a surface: the table at the desk is "desk", the floor outdoors "ground". said: what
    it is called where the place is not known.
    """
    if not place and any({surface, said} == alike for alike in _ALIASES):
        return said
    if (place, surface) == ("desk", "table"):
        return "desk"
    return "ground" if surface == "floor" and place in OUTDOORS else surface


def spot(scene: Scene, item: Item, said: str = "") -> str:
    """Where a thing is. said: as in `surface_name`."""
    return spot_words(scene.place, item.lying, said)


def spot_words(place: str, lying: str, said: str = "") -> str:
    """Where something is: on a surface of a place, "" for an unknown one, or in the hand. said: as in
    `surface_name`.
    """
    if lying == HAND:
        return "in your hand"
    name = surface_name(place, lying, said)
    if not place or name == "desk":
        return f"on the {name}"
    if place in OUTDOORS and lying == "floor":
        return f"on the {name} in the {place}"
    return f"on the {place} {name}"


def beside(scene: Scene, item: Item) -> str:
    """ "left of the cup": the nearest other thing on the same surface; "" where there is none."""
    if item.lying == HAND:
        return ""
    others = [
        other
        for other in scene.things
        if other is not item and other.lying == item.lying and other.whole and abs(other.x - item.x) > _NEAR
    ]
    if not others:
        return ""
    nearest = min(others, key=lambda other: abs(other.x - item.x))
    return f"{'left' if item.x < nearest.x else 'right'} of the {nearest.name}"


def _unseen(kind: str, colour: str = "") -> str:
    return f"I do not see {your(kind, colour)} here."


def _one(kind: str, told: Callable[[Scene, Item], str], colour: str = "") -> Claim:
    """What is told of a thing that is seen; "" where a part of it is seen."""

    def claim(scene: Scene) -> str:
        item = scene.thing(kind)
        if item is None:
            return _unseen(kind, colour)
        if colour and item.colour != colour:
            ones = "ones" if is_or_are(kind) == "are" else "one"
            return f"I see {your(kind, item.colour)}, no {colour} {ones}."
        return told(scene, item) if item.whole else ""

    return claim


def _located(found: re.Match[str], question: str) -> Claim:
    kind, colour = found["item"].lower(), (found["colour"] or "").lower()
    start = "Yes, your" if found["yes"].lower().startswith("yes") else "Your"
    words, said = f"{colour} {kind}".strip(), found["surface"] or ""

    def told(scene: Scene, item: Item) -> str:
        where = spot(scene, item, said)
        if start == "Your" and (near := beside(scene, item)):
            where += f", {near}"
        return f"{start} {words} {is_or_are(kind)} {where}."

    return _one(kind, told, colour)


def _on_what(found: re.Match[str], question: str) -> Claim | None:
    kind = found["item"]
    asked = [each for each in _SURFACES.split("|") if re.search(rf"\b{each}\b", question)]
    if len(asked) != 1:
        return None

    def told(scene: Scene, item: Item) -> str:
        real = "" if item.lying == HAND else surface_name(scene.place, item.lying, found["surface"] or "")
        alike = real != asked[0] and {real, asked[0]} in _ALIASES
        where = f"on the {asked[0] if alike else real}" if real else "in your hand"
        return verdict(real == asked[0] or alike, f"{your(kind)} {is_or_are(kind)} {where}.")

    return _one(kind, told)


def _held(scene: Scene) -> Item | None:
    return next((item for item in scene.things if item.lying == HAND), None)


def _holding(scene: Scene) -> str:
    held = _held(scene)
    return f"You are holding {your(held.name)}." if held else EMPTY_HAND


def _in_hand(found: re.Match[str], question: str) -> Claim:
    kind = found["item"]

    def claim(scene: Scene) -> str:
        held = _held(scene)
        if held is not None and held.name == kind:
            return f"Yes, you are holding {your(kind)}."
        return f"No, you are not holding {your(kind)}."

    return claim


def _coloured(found: re.Match[str], question: str) -> Claim:
    kind = found["item"]
    return _one(kind, lambda scene, item: f"Your {kind} {is_or_are(kind)} {item.colour}.")


def _seen(scene: Scene) -> list[str]:
    return sorted((item.name for item in scene.things), key=scene.kinds.index)


def _see(scene: Scene) -> str:
    kinds = _seen(scene)
    if not kinds:
        return NO_THINGS
    if len(kinds) > 4:
        return f"I see {number(len(kinds))} things, among them {listed([your(k) for k in kinds[:2]])}."
    return f"I see {listed([your(kind) for kind in kinds])}."


def _count(scene: Scene) -> str:
    kinds = _seen(scene)
    return f"I see {number(len(kinds))} of your things." if kinds else NO_THINGS


def _are(items: Sequence[Item], where: str) -> str:
    verb = "are" if len(items) > 1 else is_or_are(items[0].name)
    return f"{started(listed([your(item.name) for item in items]))} {verb} {where}."


def _lying_on(found: re.Match[str], question: str) -> Claim:
    name = found["surface"]

    def claim(scene: Scene) -> str:
        there = [
            item
            for item in scene.things
            if item.lying != HAND and surface_name(scene.place, item.lying, name) == name
        ]
        return _are(there, f"on the {name}") if there else f"Nothing is on the {name}."

    return claim


def _next_to(found: re.Match[str], question: str) -> Claim:
    kind = found["item"]

    def told(scene: Scene, item: Item) -> str:
        near = []
        for left in (True, False):
            side = [
                other
                for other in scene.things
                if other is not item and other.lying == item.lying and (other.x < item.x) == left
            ]
            if side:
                first = min(side, key=lambda other: abs(other.x - item.x))
                near += [first] if abs(first.x - item.x) <= _reach(item, first) else []
        return _are(near, f"next to {your(kind)}") if near else f"Nothing is next to {your(kind)}."

    return _one(kind, told)


def _reach(item: Item, other: Item) -> float:
    """How far apart the middles of two things may be that are next to each other, parts of the side."""
    return _REACH * max(item.half_width, other.half_width, 0.06)


def _room(scene: Scene) -> str:
    return f"This is the {scene.place}." if scene.place else "I cannot tell which place this is."


def _is_place(found: re.Match[str], question: str) -> Claim | None:
    said, yes = found["place"], found["verdict"] == "Yes"
    if yes:
        return lambda scene: (
            verdict(scene.place == said, f"this is the {scene.place}.") if scene.place else ""
        )
    return lambda scene: f"No, this is the {scene.place}." if scene.place else ""


def _of_one_thing(found: re.Match[str], question: str) -> Claim | None:
    """ "Your cup is on the table." answers where the cup is, or what is on the table; "Yes, ..." whether it
    is there, or whether it is here at all.
    """
    surface = re.search(rf"\b(?:{_SURFACES})\b", question) is not None
    if found["yes"].lower().startswith("yes"):
        return _on_what(found, question) if surface else _located(found, question)
    if surface and found["surface"] and not re.search(rf"\b{found['item']}\b", question):
        return _lying_on(found, question)
    return _located(found, question)


_THING = rf"(?P<item>{_THINGS})"
_PLACES = "kitchen|hall|desk|bedroom|bathroom|living room|shop|street|park"
_SPOT = rf"(?:in your hand|on the (?:(?:{_PLACES}) )?(?P<surface>{_SURFACES})(?: in the (?:{_PLACES}))?)"
_LIST = rf"your (?:{_THINGS})(?:(?:, | and )your (?:{_THINGS}))*"
_FORMS: tuple[Form[Claim], ...] = (
    (
        ("your ", "yes, your "),
        rf"(?P<yes>Yes, y|Y)our (?:(?P<colour>{COLOURS}) )?{_THING} (?:is|are) {_SPOT}"
        rf"(?:, (?:left|right) of the (?:{_THINGS}))?\.",
        _of_one_thing,
    ),
    ("no, your ", rf"No, your {_THING} (?:is|are) {_SPOT}\.", _on_what),
    (("yes, you are ", "no, you are "), rf"(?:Yes|No), you are (?:not )?holding your {_THING}\.", _in_hand),
    (
        "you are ",
        rf"You are holding your (?:{_THINGS})\.|You are not holding anything\.",
        lambda m, q: _holding,
    ),
    ("your ", rf"Your {_THING} (?:is|are) (?:{COLOURS})\.", _coloured),
    ("i see ", rf"I see {_LIST}\.|I see \w+ things, among them {_LIST}\.", lambda m, q: _see),
    ("i see ", r"I see \w+ of your things\.", lambda m, q: _count),
    (
        ("nothing is on", "your "),
        rf"(?:Nothing|{_LIST}) (?:is|are) on the (?P<surface>{_SURFACES})\.",
        _lying_on,
    ),
    (("nothing is next", "your "), rf"(?:Nothing|{_LIST}) (?:is|are) next to your {_THING}\.", _next_to),
    (
        ("this is the", "i cannot tell which place"),
        rf"This is the (?:{_PLACES})\.|I cannot tell which place this is\.",
        lambda m, q: _room,
    ),
    (("yes, this is", "no, this is"), rf"(?P<verdict>Yes|No), this is the (?P<place>{_PLACES})\.", _is_place),
    (
        "i do not see your ",
        rf"I do not see your (?:(?P<colour>{COLOURS}) )?{_THING} here\.",
        lambda m, q: _one(m["item"], lambda scene, item: "", m["colour"] or ""),
    ),
    (
        "i see your ",
        rf"I see your (?:{COLOURS}) {_THING}, no (?P<colour>{COLOURS}) ones?\.",
        lambda m, q: _one(m["item"], lambda scene, item: "", m["colour"]),
    ),
    ("i do not see any of", r"I do not see any of your things here\.", lambda m, q: _see),
)


_BESIDE = re.compile(rf", (?:left|right) of the (?:{_THINGS})(?=\.$)")


def without_neighbour(sentence: str) -> str:
    """The sentence without what it says the thing is beside: "Your keys are on the table."."""
    return _BESIDE.sub("", sentence)


def claim_of(sentence: str, question: str) -> Claim | None:
    """What the sentence claims; None where it is none of these forms, or depends on more than the picture."""
    return claim_by_form(_FORMS, sentence, question)
