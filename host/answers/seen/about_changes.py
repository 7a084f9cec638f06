"""What a sentence about the difference between two pictures of shapes claims, told anew from two scenes.

No two things of a picture that is compared have the same shape, so that each is found again by it. Whether
and where to one thing moved is not told: the language model knows that better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from host.answers.seen.forms import compiled
from host.answers.seen.named import COLOURS, SHAPES
from host.answers.seen.scene import Item, Scene
from host.answers.seen.words import listed, some, started, verdict

Claim = Callable[[Scene, Scene], str]
"""What the sentence would have to be of the earlier and the later scene."""
NOTHING = "Nothing changed."
_MOVED_FROM = 11 / 128
"""Part of the picture's side; what moved less did not move, as the camera is not held still."""
_KINDS = ("moved", "recoloured", "appeared", "gone")
"""The order in which several changes are told."""
_DIRECTIONS = "left|right|up|down"


@dataclass(frozen=True)
class Change:
    """What became of the thing of one shape."""

    kind: str
    before: Item | None = None
    after: Item | None = None

    @property
    def item(self) -> Item:
        """The thing, as it is now where it is there."""
        item = self.after or self.before
        assert item is not None
        return item


def comparable(first: Scene, second: Scene) -> bool:
    """Whether each thing can be found again."""
    return all(len({item.name for item in each.shapes}) == len(each.shapes) for each in (first, second))


def _of_shape(shape: str, first: Scene, second: Scene) -> Change | None:
    """None where it is in neither."""
    before, after = (next(iter(each.matching(shape)), None) for each in (first, second))
    if before is None and after is None:
        return None
    if before is None or after is None:
        return Change("appeared" if before is None else "gone", before, after)
    if max(abs(after.x - before.x), abs(after.y - before.y)) >= _MOVED_FROM:
        return Change("moved", before, after)
    return Change("same" if before.colour == after.colour else "recoloured", before, after)


def _changes(first: Scene, second: Scene) -> list[Change]:
    found = (_of_shape(shape, first, second) for shape in first.names)
    changed = [each for each in found if each is not None and each.kind != "same"]
    return sorted(changed, key=lambda each: (_KINDS.index(each.kind), first.names.index(each.item.name)))


def _direction(change: Change) -> str:
    assert change.before is not None and change.after is not None
    dx, dy = change.after.x - change.before.x, change.after.y - change.before.y
    if abs(dx) >= abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


def _told(change: Change) -> str:
    name = change.item.name
    match change.kind:
        case "appeared":
            return f"{some(change.item.colour)} {name} appeared"
        case "gone":
            return f"the {change.item.colour} {name} is gone"
        case "moved":
            return f"the {name} moved {_direction(change)}"
    assert change.before is not None and change.after is not None
    return f"the {name} changed from {change.before.colour} to {change.after.colour}"


def _whole(first: Scene, second: Scene) -> str:
    changes = [_told(each) for each in _changes(first, second)]
    return started(f"{listed(changes)}.") if changes else NOTHING


def _any(first: Scene, second: Scene) -> str:
    sentence = _whole(first, second)
    return verdict(sentence != NOTHING, sentence[0].lower() + sentence[1:])


def _list_of(kind: str, first: Scene, second: Scene) -> str:
    state = "new" if kind == "appeared" else "gone"
    items = [each.item for each in _changes(first, second) if each.kind == kind]
    if not items:
        return f"Nothing is {state}."
    named = [
        some(f"{one.colour} {one.name}") if kind == "appeared" else f"the {one.colour} {one.name}"
        for one in items
    ]
    return started(f"{listed(named)} {'are' if len(named) > 1 else 'is'} {state}.")


def _one(colour: str, shape: str, told: Callable[[Change, str], str]) -> Claim:
    """What is told of the thing of a shape, and of a colour where the question names one."""
    name = f"{colour} {shape}".strip()

    def claim(first: Scene, second: Scene) -> str:
        change = _of_shape(shape, first, second)
        if change is None:
            return f"I cannot see {some(name)}."
        colours = {item.colour for item in (change.before, change.after) if item is not None}
        if colour and colours != {colour}:
            return f"I see {some(change.item.colour)} {shape}, no {colour} one." if change.after else ""
        return told(change, name)

    return claim


def _recoloured(colour: str, shape: str) -> Claim:
    def told(change: Change, name: str) -> str:
        if change.kind in ("gone", "appeared"):
            return f"The {name} is gone." if change.kind == "gone" else ""
        if change.kind == "recoloured":
            return f"Yes, {_told(change)}."
        return f"No, the {name} did not change its colour."

    return _one(colour, shape, told)


def _still_there(colour: str, shape: str, *, asks_still: bool) -> Claim:
    def told(change: Change, name: str) -> str:
        there = change.after is not None
        state = f"the {name} is still there." if there else f"the {name} is gone."
        return verdict(there == asks_still, state) if change.before is not None else ""

    return _one(colour, shape, told)


_N = rf"(?:(?P<colour>{COLOURS}) )?(?P<shape>{SHAPES})"
_ANY_N = rf"(?:(?:{COLOURS}) )?(?:{SHAPES})"
_CHANGE = (
    rf"(?:the {_ANY_N} moved (?:{_DIRECTIONS})|the {_ANY_N} changed from (?:{COLOURS}) to (?:{COLOURS})"
    rf"|an? {_ANY_N} appeared|the {_ANY_N} is gone)"
)
_CHANGES = rf"{_CHANGE}(?:(?:, | and ){_CHANGE})*"
_RECOLOURED = rf"(?:Yes|No), the {_N} (?:changed from .+|did not change its colour)\."
_STILL = rf"(?P<yes>Yes|No), the {_N} is (?P<state>still there|gone)\."
_GONE = rf"The {_N} is gone\."
_NOT_SO = rf"I cannot see an? {_ANY_N}\.|I see an? {_ANY_N}, no (?:{COLOURS}) one\."
_LIST = (
    rf"(?:Nothing|(?:(?:an?|the) {_ANY_N})(?:(?:, | and )(?:an?|the) {_ANY_N})*) (?:is|are) "
    r"(?P<state>new|gone)\."
)
_WHOLE = rf"(?:{_CHANGES}|nothing changed)\."
_ASKS_FOR_ALL = r"\b(?:chang\w*|differ\w*|happen\w*|alter\w*|same)\b"
_ASKED_SHAPE = rf"\b(?:(?P<colour>{COLOURS}) )?(?P<shape>{SHAPES})\b"


def claim_of(sentence: str, question: str) -> Claim | None:
    """What the sentence claims; None where it is none of these forms."""
    asked = compiled(_ASKED_SHAPE).search(question)
    if asked is not None:
        return _of_one(sentence, asked["colour"] or "", asked["shape"])
    if found := compiled(_LIST).fullmatch(sentence):
        if found["state"] == "new":
            return lambda first, second: _list_of("appeared", first, second)
        if not compiled(_WHOLE).fullmatch(sentence) or not compiled(_ASKS_FOR_ALL).search(question):
            return lambda first, second: _list_of("gone", first, second)
    if compiled(_WHOLE).fullmatch(sentence):
        return _whole
    if sentence.startswith(("Yes, ", "No, ")) and compiled(_WHOLE).fullmatch(sentence.partition(", ")[2]):
        return _any
    return None


def _of_one(sentence: str, colour: str, shape: str) -> Claim | None:
    """Of a question about the thing of one shape."""
    if (found := compiled(_RECOLOURED).fullmatch(sentence)) and found["shape"] == shape:
        return _recoloured(colour, shape)
    if (found := compiled(_STILL).fullmatch(sentence)) and found["shape"] == shape:
        asks_still = (found["yes"] == "Yes") == (found["state"] == "still there")
        return _still_there(colour, shape, asks_still=asks_still)
    if compiled(_GONE).fullmatch(sentence) or compiled(_NOT_SO).fullmatch(sentence):
        return _one(
            colour, shape, lambda change, name: f"The {name} is gone." if change.kind == "gone" else ""
        )
    return None
