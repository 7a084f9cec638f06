"""The true answer to a question about a view of the home, as a complete sentence.

A question whose answer is a matter of judgement (a thing that is half seen, letters at the limit of what can
be read) has no true answer and is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from models.train.world.answering.reference import listed
from models.train.world.grammar import NUMBER_WORDS
from models.train.world.home.captions import PLURALS, spot
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import (
    GLIMPSE,
    NOTHING,
    PART,
    PLACE_KNOWN,
    PLACE_UNKNOWN,
    SEEN,
    SeenThing,
    Truth,
    cause,
    surface_name,
    tall_enough,
)
from models.train.world.truth import some

DARK, BLURRED = "It is too dark to see.", "The picture is blurred."
NO_PLACE = "I cannot tell which place this is."
NO_THINGS = "I do not see any of your things here."
EMPTY_HAND = "You are not holding anything."
NO_LABEL = "I do not see a label."
SMALL_LABEL = "The letters are too small to read, come closer."
TURN: Mapping[str, str] = {
    "left": "turn left", "right": "turn right", "up": "look up", "down": "look down",
}  # fmt: skip
_ALIASES = ({"table", "desk"}, {"floor", "ground"})
_ADJACENT, _APART = 62.0, 72.0
"""Two things at most 62 units apart, middle to middle, are next to each other; from 72 on they are not."""
Slots = Mapping[str, str]


def your(kind: str) -> str:
    """ "your keys"."""
    return f"your {kind}"


def _is(kind: str) -> str:
    return "are" if kind in PLURALS else "is"


def _it(kind: str) -> str:
    return "them" if kind in PLURALS else "it"


def partly(words: str, side: str) -> str:
    """The sentence about something that the picture's border cuts at `side`."""
    return f"I see only part of {words}, {TURN[side]}."


def _unseen(kind: str, truth: Truth) -> str | None:
    """The sentence that says why a thing is not seen; None where that is a matter of judgement."""
    why, thing = cause(truth, kind), truth.thing(kind)
    if why == "absent":
        return f"I do not see {your(kind)} here."
    if why == "occluded":
        return f"I see only part of {your(kind)}, something is in front of {_it(kind)}."
    if why == "cut off" and thing is not None:
        return partly(your(kind), thing.cut_side)
    return None


def _known(truth: Truth) -> bool | None:
    if truth.landmark >= PLACE_KNOWN:
        return True
    return False if truth.landmark < PLACE_UNKNOWN else None


def _spot(thing: SeenThing, truth: Truth, neighbour: bool) -> str | None:
    """Where it is, with its nearest neighbour; None where nobody can say whether the place is known."""
    if thing.held:
        return "in your hand"
    known = _known(truth)
    if known is None:
        return None
    text = spot(truth.place, thing.surface, known)
    if not neighbour or not thing.beside:
        return text
    if any(other.surface == thing.surface for other in truth.judged):
        return None
    return f"{text}, {thing.beside[0]}"


def _find(slots: Slots, truth: Truth) -> str | None:
    return _of_colour(slots, truth) or _located(slots, truth, "Your", neighbour=True)


def _here(slots: Slots, truth: Truth) -> str | None:
    return _of_colour(slots, truth) or _located(slots, truth, "Yes, your", neighbour=False)


def _of_colour(slots: Slots, truth: Truth) -> str | None:
    """What is there instead, where a seen thing has another colour than the question says."""
    kind, colour = slots["item"], slots.get("colour")
    thing = truth.thing(kind)
    if colour is None or thing is None or cause(truth, kind) != "" or thing.colour == colour:
        return None
    return f"I see {your(f'{thing.colour} {kind}')}, no {colour} {'ones' if kind in PLURALS else 'one'}."


def _located(slots: Slots, truth: Truth, your_: str, *, neighbour: bool) -> str | None:
    """Where a thing is, or why that cannot be told; None when the truth gives no answer."""
    kind = slots["item"]
    why, colour = cause(truth, kind), slots.get("colour")
    words = f"{colour} {kind}" if colour else kind
    if colour and why == "absent":
        return f"I do not see {your(words)} here."
    if why != "":
        return None if colour else _unseen(kind, truth)
    thing = truth.thing(kind)
    where = _spot(thing, truth, neighbour=neighbour) if thing else None
    return f"{your_} {words} {_is(kind)} {where}." if where else None


def _where(slots: Slots, truth: Truth) -> str | None:
    """Whether a thing is on a surface."""
    kind, asked = slots["item"], slots["surface"]
    if cause(truth, kind) != "":
        return _unseen(kind, truth)
    thing = truth.thing(kind)
    if thing is None:
        return None
    real = "" if thing.held else surface_name(truth.place, thing.surface)
    if real != asked and {real, asked} in _ALIASES:
        return None
    where = f"on the {real}" if real else "in your hand"
    return f"{'Yes' if real == asked else 'No'}, {your(kind)} {_is(kind)} {where}."


def _in_hand(slots: Slots, truth: Truth) -> str | None:
    kind = slots["item"]
    thing = truth.thing(kind)
    held = thing is not None and thing.held
    return f"Yes, you are holding {your(kind)}." if held else f"No, you are not holding {your(kind)}."


def _place(slots: Slots, truth: Truth) -> str | None:
    known = _known(truth)
    if not known:
        return NO_PLACE if known is False else None
    return f"{'Yes' if truth.place == slots['place'] else 'No'}, this is the {truth.place}."


def _colour(slots: Slots, truth: Truth) -> str | None:
    kind = slots["item"]
    thing = truth.thing(kind)
    if cause(truth, kind) != "" or thing is None:
        return _unseen(kind, truth)
    return f"Your {kind} {_is(kind)} {thing.colour}."


def _all_seen(truth: Truth) -> list[str] | None:
    """The kinds of all things in view, in a fixed order; None where one of them is seen in part only."""
    if any(NOTHING <= thing.visible < SEEN for thing in truth.things):
        return None
    return sorted((thing.kind for thing in truth.seen), key=KINDS.index)


def _see(slots: Slots, truth: Truth) -> str | None:
    kinds = _all_seen(truth)
    if not kinds:
        return None if kinds is None else NO_THINGS
    if len(kinds) > 4:
        return f"I see {NUMBER_WORDS[len(kinds)]} things, among them {listed([your(k) for k in kinds[:2]])}."
    return f"I see {listed([your(kind) for kind in kinds])}."


def _count(slots: Slots, truth: Truth) -> str | None:
    kinds = _all_seen(truth)
    if not kinds:
        return None if kinds is None else NO_THINGS
    return f"I see {NUMBER_WORDS[len(kinds)]} of your things."


def _on(slots: Slots, truth: Truth) -> str | None:
    name = slots["surface"]
    surface = next((each for each in truth.surfaces if each.name == name), None)
    if surface is None:
        other = {alias for pair in _ALIASES if name in pair for alias in pair} - {name}
        if any(each.name in other for each in truth.surfaces):
            return None
        return f"I do not see {some(name)} here."
    if surface.visible == 0:
        return f"I do not see {some(name)} here."
    if surface.visible < 0.6 and name not in ("floor", "ground"):
        if surface.visible < 0.2 or surface.visible > 0.5 or not surface.cut_side:
            return None
        return partly(f"the {name}", surface.cut_side)
    if surface.visible < 0.8 or (name in ("floor", "ground") and surface.visible < 0.95):
        return None
    lying = [thing for thing in truth.things if thing.surface == surface.kind]
    hidden = [thing for thing in lying if thing.visible < SEEN]
    if any(name not in ("floor", "ground") or thing.visible > 0 or thing.covered > 0 for thing in hidden):
        return None
    kinds = [thing.kind for thing in truth.seen if thing in lying]
    if not kinds:
        return f"Nothing is on the {name}."
    verb = "are" if len(kinds) > 1 else _is(kinds[0])
    return f"{listed([your(kind) for kind in kinds]).capitalize()} {verb} on the {name}."


def _holding(slots: Slots, truth: Truth) -> str | None:
    held = next((thing for thing in truth.things if thing.held), None)
    return f"You are holding {your(held.kind)}." if held else EMPTY_HAND


def _room(slots: Slots, truth: Truth) -> str | None:
    known = _known(truth)
    return None if known is None else f"This is the {truth.place}." if known else NO_PLACE


def _next(slots: Slots, truth: Truth) -> str | None:
    kind = slots["item"]
    if cause(truth, kind) != "":
        return _unseen(kind, truth)
    thing = truth.thing(kind)
    if thing is None or thing.held:
        return None
    there = [other for other in truth.things if other.surface == thing.surface and other is not thing]
    if any(o.visible < SEEN and abs(o.room_x - thing.room_x) < _APART for o in there):
        return None
    near: list[SeenThing] = []
    for sign in (-1, 1):
        side = [o for o in there if o.visible >= SEEN and (o.room_x - thing.room_x) * sign > 0]
        first = min(side, key=lambda other: abs(other.room_x - thing.room_x), default=None)
        if first is not None:
            gap = abs(first.room_x - thing.room_x)
            if _ADJACENT < gap < _APART:
                return None
            near += [first] if gap <= _ADJACENT else []
    if not near:
        return f"Nothing is next to {your(kind)}."
    verb = "are" if len(near) > 1 else _is(near[0].kind)
    names = listed([your(other.kind) for other in near]).capitalize()
    return f"{names} {verb} next to {your(kind)}."


def _read(words: list[tuple[str, float]], thing: str, nothing: str) -> str | None:
    if not words:
        return nothing
    if len(words) > 1:
        return None
    word, letter_px = words[0]
    readable = tall_enough(letter_px)
    return None if readable is None else f"The {thing} says {word}." if readable else SMALL_LABEL


def _label(slots: Slots, truth: Truth) -> str | None:
    labelled = [thing for thing in truth.things if thing.label and thing.visible > 0]
    if len(labelled) == 1 and labelled[0].visible < 0.98:
        one = labelled[0]
        cut = one.covered == 0 and GLIMPSE <= one.visible < PART
        return partly("the label", one.cut_side) if cut else None
    return _read([(thing.label.lower(), thing.letter_px) for thing in labelled], "label", NO_LABEL)


def _sign(slots: Slots, truth: Truth) -> str | None:
    if not truth.signs:
        return None
    return _read(list(truth.signs), "sign", NO_LABEL)


_ANSWERS: Mapping[str, Callable[[Slots, Truth], str | None]] = {
    "find": _find, "here": _here, "on": _on, "holding": _holding, "room": _room, "next": _next,
    "label": _label, "sign": _sign, "where": _where, "in hand": _in_hand, "place": _place,
    "colour": _colour, "see": _see, "count": _count,
}  # fmt: skip
FAMILIES = tuple(_ANSWERS)


def true_answer(family: str, slots: Slots, truth: Truth) -> str | None:
    """The right answer to a question of `family`; None where it is a matter of judgement."""
    if truth.quality != "clear":
        return DARK if truth.quality == "dark" else BLURRED
    return _ANSWERS[family](slots, truth)


def cause_of(answer: str) -> str:
    """What an answer says is in the way: dark, blurred, cut off, occluded, absent, or "" for nothing."""
    if answer in (DARK, BLURRED):
        return "dark" if answer == DARK else "blurred"
    if answer.startswith("I see only part"):
        return "occluded" if "in front" in answer else "cut off"
    return "absent" if answer.startswith("I do not see") else ""
