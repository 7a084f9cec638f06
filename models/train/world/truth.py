"""The true answer to a question about a scene or a clip, as a complete sentence.

A question that is ambiguous, or whose answer is a matter of judgement, has no true answer and is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from models.train.world.grammar import NUMBER_WORDS, POSITIONS, SHAPES, Template, plural
from models.train.world.scenes import SIDE_PX, FramePair, Scene, Sign, Thing

DARK = "I cannot tell, the picture is too dark. Please find more light."
BLURRED = "I cannot tell, the picture is too blurred. Please hold still."
SMALL_TALK: Mapping[str, str] = {
    "hello": "Hello, I am listening.",
    "good morning": "Good morning to you.",
    "how are you": "I am well, thank you.",
    "who are you": "I am your headband, I look and I answer.",
    "what are you": "I am a headband that looks and answers.",
    "what is your name": "My name is Headband.",
    "what can you do": "I can look, read signs, count things and answer you.",
    "help me": "Ask me what I see, or what a sign says.",
    "thank you": "You are welcome.",
    "thanks a lot": "You are very welcome.",
    "good night": "Good night, sleep well.",
    "goodbye": "Goodbye, see you soon.",
    "tell me a joke": "What did the circle say to the square? You have too many corners.",
    "are you there": "Yes, I am here.",
}
_CLEAR_PX = 14.0
_SAME_PX = 4.0
_BORDER_PX = 4.0
_AT = {
    **{position: f"at the {position}" for position in POSITIONS},
    "left": "on the left",
    "right": "on the right",
    "middle": "in the middle",
}
View = Scene | FramePair
Slots = Mapping[str, str]


@dataclass(frozen=True)
class TrueAnswer:
    """A question and its true answer. `kind` is "answerable" or "cannot_tell"."""

    question: str
    answer: str
    family: str
    kind: str


def some(words: str) -> str:
    """`words` with the indefinite article."""
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def _name(slots: Slots) -> str:
    return " ".join(slots[key] for key in ("size", "colour", "shape") if key in slots)


def _referents(scene: Scene, slots: Slots) -> list[Thing]:
    return scene.matching(slots.get("shape"), slots.get("colour"), slots.get("size"))


def _one(scene: Scene, slots: Slots) -> Thing | str | None:
    """The thing that the description identifies; the sentence that it is not there; None for several."""
    found = _referents(scene, slots)
    if not found:
        return f"I cannot see {some(_name(slots))}."
    return found[0] if len(found) == 1 else None


def offset_px(relation: str, a: Thing | Sign, b: Thing | Sign) -> float:
    """Distance of `a` from `b` in the direction of `relation`, px; negative on the opposite side."""
    along = {"left of": b.x - a.x, "right of": a.x - b.x, "above": b.y - a.y, "below": a.y - b.y}
    return along[relation]


def position_of(item: Thing | Sign) -> str | None:
    """The part of the picture, one of POSITIONS; None less than 4 px from the border of a part."""
    third = SIDE_PX / 3
    if any(abs(v - edge) < _BORDER_PX for v in (item.x, item.y) for edge in (third, 2 * third)):
        return None
    return POSITIONS[3 * int(item.y // third) + int(item.x // third)]


def _colour(text: str, slots: Slots, scene: Scene) -> str | None:
    if "sign" in text:
        return f"The sign is {scene.sign.colour}." if scene.sign else "I cannot see a sign."
    one = _one(scene, slots)
    return f"The {_name(slots)} is {one.colour}." if isinstance(one, Thing) else one


def _shape(text: str, slots: Slots, scene: Scene) -> str | None:
    colour, found = slots["colour"], scene.matching(colour=slots["colour"])
    if len(found) > 1 or (scene.sign and scene.sign.colour == colour):
        return None
    return f"The {colour} thing is {some(found[0].shape)}." if found else f"I cannot see anything {colour}."


def _count(text: str, slots: Slots, scene: Scene) -> str | None:
    if "shapes" in slots:
        many = slots["shapes"]
        one = next(shape for shape in SHAPES if plural(shape) == many)
        number = len(scene.matching(shape=one))
    elif "colour" in slots:
        if scene.sign and scene.sign.colour == slots["colour"]:
            return None
        one, many = slots["colour"] + " thing", slots["colour"] + " things"
        number = len(scene.matching(colour=slots["colour"]))
    else:
        if scene.sign:
            return None
        one, many, number = "thing", "things", len(scene.things)
    if number == 1:
        return f"There is one {one}."
    return f"There are {NUMBER_WORDS[number] if number else 'no'} {many}."


def _exist(text: str, slots: Slots, scene: Scene) -> str | None:
    if "sign" in text:
        return "Yes, there is a sign." if scene.sign else "No, there is no sign."
    found = bool(_referents(scene, slots))
    if "anything" in text:
        colour = slots["colour"]
        if scene.sign and scene.sign.colour == colour:
            return None
        return f"Yes, there is something {colour}." if found else f"No, there is nothing {colour}."
    name = _name(slots)
    return f"Yes, there is {some(name)}." if found else f"No, there is no {name}."


def _relation(text: str, slots: Slots, scene: Scene) -> str | None:
    first, second = _one(scene, slots), _one(scene, {"shape": slots["shape2"]})
    if first is None or second is None:
        return None
    if isinstance(first, str):
        return first
    if isinstance(second, str):
        return second
    if "bigger" in text:
        if first.size == second.size:
            return None
        relation, true = "bigger than", first.size == "large"
    else:
        relation = slots["relation"]
        offset = offset_px(relation, first, second)
        if abs(offset) < _CLEAR_PX:
            return None
        true = offset > 0
    verdict = "is" if true else "is not"
    return f"{'Yes' if true else 'No'}, the {_name(slots)} {verdict} {relation} the {second.shape}."


def _position(text: str, slots: Slots, scene: Scene) -> str | None:
    if "sign" in text:
        item: Thing | Sign | str | None = scene.sign or "I cannot see a sign."
    else:
        item = _one(scene, slots)
    if item is None or isinstance(item, str):
        return item
    place = position_of(item)
    return f"The {_name(slots) or 'sign'} is {_AT[place]}." if place else None


def _size(text: str, slots: Slots, scene: Scene) -> str | None:
    one = _one(scene, slots)
    return f"The {_name(slots)} is {one.size}." if isinstance(one, Thing) else one


def _sign(text: str, slots: Slots, scene: Scene) -> str | None:
    sign = scene.sign
    if sign is None:
        return "I cannot see a sign."
    return f"The number on the sign is {sign.spoken}." if sign.is_number else f"The sign says {sign.spoken}."


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _describe(text: str, slots: Slots, scene: Scene) -> str | None:
    things = sorted(scene.things, key=lambda thing: thing.x)
    parts = [some(f"{thing.colour} {thing.shape}") for thing in things]
    if len(things) > 4:
        return f"I see {NUMBER_WORDS[len(things)]} things, among them {_listed(parts[:2])}."
    if scene.sign:
        parts.append("a sign")
    return f"I see {_listed(parts)}." if parts else "I do not see anything."


def _side(text: str, slots: Slots, scene: Scene) -> str | None:
    one = _one(scene, slots)
    if not isinstance(one, Thing):
        return one
    others: list[Thing | Sign] = [thing for thing in scene.things if thing is not one]
    if scene.sign:
        others.append(scene.sign)
    relation = slots["relation"]
    there = [other for other in others if offset_px(relation, other, one) > _SAME_PX]
    if len(there) > 1 or any(offset_px(relation, other, one) < _CLEAR_PX for other in there):
        return None
    if not there:
        return f"Nothing is {relation} the {one.shape}."
    found = there[0]
    name = some(f"{found.colour} {found.shape}").capitalize() if isinstance(found, Thing) else "The sign"
    return f"{name} is {relation} the {one.shape}."


def _motion(text: str, slots: Slots, clip: FramePair) -> str | None:
    shape, change = slots["shape"], clip.change
    if change.kind == "gone" and change.before and change.before.shape == shape:
        return f"The {shape} is gone."
    if not clip.second.matching(shape=shape):
        return f"I cannot see a {shape}."
    if not clip.first.matching(shape=shape):
        return None
    moved = change.kind == "moved" and change.after is not None and change.after.shape == shape
    sentence = f"The {shape} moved {change.direction}." if moved else f"The {shape} did not move."
    if text.startswith("did") and "left or right" not in text:
        return ("Yes, t" if moved else "No, t") + sentence[1:]
    return sentence


def _what_changed(clip: FramePair) -> str:
    kind, before, after = clip.change.kind, clip.change.before, clip.change.after
    if after and not before:
        return f"{some(after.colour)} {after.shape} appeared.".capitalize()
    if before and not after:
        return f"The {before.colour} {before.shape} is gone."
    if not before or not after:
        return "Nothing changed."
    if kind == "moved":
        return f"The {before.shape} moved {clip.change.direction}."
    return f"The {before.shape} changed from {before.colour} to {after.colour}."


def _change(text: str, slots: Slots, clip: FramePair) -> str | None:
    change, sentence = clip.change, _what_changed(clip)
    if "shape" in slots:
        shape = slots["shape"]
        if clip.second.matching(shape=shape):
            return f"Yes, the {shape} is still there." if clip.first.matching(shape=shape) else None
        return f"No, the {shape} is gone." if clip.first.matching(shape=shape) else f"I cannot see a {shape}."
    if text == "did anything change":
        return ("No, " if change.kind == "none" else "Yes, ") + sentence[0].lower() + sentence[1:]
    if "new" in text:
        after = change.after if change.kind == "appeared" else None
        return f"{some(after.colour)} {after.shape} is new.".capitalize() if after else "Nothing is new."
    if "gone" in text:
        return sentence if change.kind == "gone" else "Nothing is gone."
    return sentence


_OF_SCENES: Mapping[str, Callable[[str, Slots, Scene], str | None]] = {
    "colour": _colour, "shape": _shape, "count": _count, "exist": _exist, "relation": _relation,
    "position": _position, "size": _size, "sign": _sign, "describe": _describe, "side": _side,
}  # fmt: skip
_OF_CLIPS: Mapping[str, Callable[[str, Slots, FramePair], str | None]] = {
    "motion": _motion,
    "change": _change,
}
SCENE_FAMILIES, CLIP_FAMILIES = tuple(_OF_SCENES), tuple(_OF_CLIPS)


def true_answer(template: Template, slots: Slots, view: View) -> str | None:
    """The right answer to a question about `view`; None where the question is ambiguous."""
    frames = (view,) if isinstance(view, Scene) else (view.first, view.second)
    qualities = {frame.quality for frame in frames}
    if "dark" in qualities:
        return DARK
    if "blurred" in qualities:
        return BLURRED
    if isinstance(view, Scene):
        return _OF_SCENES[template.family](template.text, slots, view)
    return _OF_CLIPS[template.family](template.text, slots, view)
