"""The true answers to questions about two pictures of drawn shapes, by family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from models.train.world.answering.reference import Slots, listed, name_of, some
from models.train.world.grammar import SHAPES, Template
from models.train.world.scenes import Change, FramePair, Thing

_KINDS = ("moved", "recoloured", "appeared", "gone")
"""The order in which several changes are told."""


def _subject(change: Change) -> Thing:
    thing = change.after or change.before
    assert thing is not None
    return thing


def _ordered(clip: FramePair) -> list[Change]:
    def key(change: Change) -> tuple[int, int]:
        shape = _subject(change).shape
        return _KINDS.index(change.kind), SHAPES.index(shape) if shape in SHAPES else len(SHAPES)

    return sorted(clip.changes, key=key)


def _told(change: Change) -> str:
    """One change as a sentence without capital and full stop."""
    before, after = change.before, change.after
    if after and not before:
        return f"{some(after.colour)} {after.shape} appeared"
    if before and not after:
        return f"the {before.colour} {before.shape} is gone"
    assert before and after
    if change.kind == "moved":
        return f"the {before.shape} moved {change.direction}"
    return f"the {before.shape} changed from {before.colour} to {after.colour}"


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] + "."


def _of_shape(clip: FramePair, shape: str) -> Change:
    """What happened to the thing of that shape."""
    return next((change for change in clip.changes if _subject(change).shape == shape), Change("none"))


def _other_colour(slots: Slots, clip: FramePair) -> str | None:
    """What is there instead of a thing of the colour in the question; "" where the colour is right, None
    where it cannot be said of both pictures.
    """
    colour, shape = slots.get("colour"), slots["shape"]
    found = [*clip.first.matching(shape), *clip.second.matching(shape)]
    if colour is None or not found:
        return ""
    colours = {thing.colour for thing in found}
    if colours == {colour}:
        return ""
    if len(colours) > 1 or not clip.second.matching(shape):
        return None
    return f"I see {some(colours.pop())} {shape}, no {colour} one."


def _motion(asked: Template, slots: Slots, clip: FramePair) -> str | None:
    shape, name = slots["shape"], name_of(slots)
    other = _other_colour(slots, clip)
    if other != "":
        return other
    change = _of_shape(clip, shape)
    if change.kind == "gone":
        return f"The {name} is gone."
    if not clip.second.matching(shape=shape):
        return f"I cannot see {some(name)}."
    if not clip.first.matching(shape=shape):
        return None
    moved = change.kind == "moved"
    sentence = f"the {name} moved {change.direction}" if moved else f"the {name} did not move"
    if asked.about == "whether":
        return f"{'Yes' if moved else 'No'}, {sentence}."
    return _sentence(sentence)


def _whole(told: list[Change]) -> str:
    return _sentence(listed([_told(change) for change in told])) if told else "Nothing changed."


def _change(asked: Template, slots: Slots, clip: FramePair) -> str | None:
    told = _ordered(clip)
    if asked.about == "":
        return _whole(told)
    if asked.about == "any":
        sentence = _whole(told)
        return f"{'Yes' if told else 'No'}, {sentence[0].lower()}{sentence[1:]}"
    if asked.about == "new":
        new = [f"{some(one.colour)} {one.shape}" for one in _things(told, "appeared")]
        return _sentence(f"{listed(new)} {'are' if len(new) > 1 else 'is'} new") if new else "Nothing is new."
    if asked.about == "gone":
        gone = [f"the {one.colour} {one.shape}" for one in _things(told, "gone")]
        return (
            _sentence(f"{listed(gone)} {'are' if len(gone) > 1 else 'is'} gone")
            if gone
            else "Nothing is gone."
        )
    return _of_one(asked.about, slots, clip)


def _things(told: list[Change], kind: str) -> list[Thing]:
    return [_subject(change) for change in told if change.kind == kind]


def _of_one(about: str, slots: Slots, clip: FramePair) -> str | None:
    """Whether one thing is still there, is gone, or has another colour."""
    shape, name = slots["shape"], name_of(slots)
    other = _other_colour(slots, clip)
    if other != "":
        return other
    before, after = clip.first.matching(shape=shape), clip.second.matching(shape=shape)
    if not before and not after:
        return f"I cannot see {some(name)}."
    if not before:
        return None
    if about == "recoloured":
        if not after:
            return f"The {name} is gone."
        change = _of_shape(clip, shape)
        if change.kind == "recoloured":
            return f"Yes, {_told(change)}."
        return f"No, the {name} did not change its colour."
    agreed = bool(after) == (about == "still")
    state = f"the {name} is still there" if after else f"the {name} is gone"
    return f"{'Yes' if agreed else 'No'}, {state}."


OF_CLIPS: Mapping[str, Callable[[Template, Slots, FramePair], str | None]] = {
    "motion": _motion,
    "change": _change,
}
"""The answer of each family to a question; None where it is ambiguous or a matter of judgement."""
