"""Reads an answer about a home: what it names, and what it says is in the way."""

from __future__ import annotations

import re

from tests.eval.stranger.sentences import plain, tells_absence, unable, uncaught
from tests.eval.stranger.truth import KINDS
from tests.eval.stranger_home.facts import BLURRED, COVERED, CUT, DARK, PLACES, THINGS, TOPS

_NAMES = {
    "key": "keys", "keys": "keys", "glasses": "glasses", "spectacles": "glasses", "phone": "phone",
    "telephone": "phone", "wallet": "wallet", "purse": "wallet", "bag": "bag", "backpack": "bag",
    "handbag": "bag", "cup": "cup", "mug": "cup", "book": "book", "coat": "coat", "jacket": "coat",
    "umbrella": "umbrella", "bottle": "bottle", "remote": "remote control",
    "remote control": "remote control", "medicine box": "medicine box", "medicine": "medicine box",
    "pills": "medicine box",
}  # fmt: skip
_THING = re.compile(r"\b(" + "|".join(sorted(_NAMES, key=len, reverse=True)) + r")\b")
_PLACE = re.compile(r"\b(" + "|".join(sorted(PLACES, key=len, reverse=True)) + r")\b")
_TOP = re.compile(r"\b(" + "|".join(TOPS) + r")\b")
SAME_TOPS = ({"table", "desk"}, {"floor", "ground"})
_DARK = re.compile(r"\b(too dark|dark|no light|little light|too little light)\b")
_BLURRED = re.compile(r"\b(blurred|blurry|blur|out of focus|not sharp|unsharp|hold still|shaking)\b")
_PART = re.compile(r"\b(only (a )?part|only half|cut off|part of|partly|partially|edge of)\b")
_FRONT = re.compile(r"\b(in front|behind|hidden|covered|covers|in the way)\b")
_SIDES = {
    "left": re.compile(r"\b(turn|look|move|go)( your head| a little| a bit)?( to)?( the)? left\b"),
    "right": re.compile(r"\b(turn|look|move|go)( your head| a little| a bit)?( to)?( the)? right\b"),
    "up": re.compile(r"\b(look|turn|move|tilt)( your head| a little| a bit)? up\b"),
    "down": re.compile(r"\b(look|turn|move|tilt)( your head| a little| a bit)? down\b"),
}
_EMPTY = re.compile(r"\b(nothing|empty|not holding|do not hold|no things|not anything|none of your things)\b")
_PLACELESS = re.compile(
    r"\b(cannot|can not|cant|do not|dont|not) (tell|say|know|sure|certain|recognise|recognize)\b"
)
_SMALL = re.compile(r"\b(too small|come closer|go closer|closer)\b")
_NO_LABEL = re.compile(r"\b(no|not see (a|any)|not see the) (label|word|writing|letters)\b")
assert set(_NAMES.values()) == set(THINGS)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", plain(text)))


def things(text: str) -> list[str]:
    """The things that it names, in order."""
    return [_NAMES[found] for found in _THING.findall(_plain(text))]


def places(text: str) -> set[str]:
    """The places that it names; "the desk" is a surface as well."""
    return set(_PLACE.findall(_plain(text)))


def tops(text: str) -> set[str]:
    """The surfaces that it names."""
    return set(_TOP.findall(_plain(text)))


def same_top(first: str, second: str) -> bool:
    """True where both are names of one surface."""
    return first == second or any({first, second} <= pair for pair in SAME_TOPS)


def side(text: str) -> str:
    """Where it says to turn: left, right, up, down; "" where it does not."""
    said = _plain(text)
    return next((name for name, pattern in _SIDES.items() if pattern.search(said)), "")


def left_or_right_of(text: str) -> list[tuple[str, str]]:
    """(left or right, thing) of each position word: "left of the cup"."""
    names = "|".join(sorted(_NAMES, key=len, reverse=True))
    found = re.findall(rf"\b(left|right) (?:side )?of (?:the |your |a )?({names})\b", _plain(text))
    return [(where, _NAMES[name]) for where, name in found]


def nothing(text: str) -> bool:
    """It says that there is nothing."""
    return bool(_EMPTY.search(_plain(text)))


def no_place(text: str) -> bool:
    """It says that it cannot tell the place, and names nothing else that is in the way."""
    other = _DARK.search(_plain(text)) or _BLURRED.search(_plain(text))
    return bool(_PLACELESS.search(_plain(text))) and not other and not uncaught(text)


def yes_or_no(text: str) -> bool | None:
    """What it begins with; None for neither."""
    first = (_plain(text).split() or [""])[0]
    return {"yes": True, "no": False}.get(first)


def denies(text: str, colour: str, name: str) -> bool:
    """It says that there is no such thing of that colour: "no red one", "I do not see your red cup"."""
    thing = rf"(ones?|{name}|{'|'.join(word for word, each in _NAMES.items() if each == name)})"
    no = r"\b(no|not|isnt|arent|dont see|do not see|cannot see)"
    return bool(re.search(rf"{no}( \w+){{0,2}} {colour} {thing}\b", _plain(text)))


def of_something_else(text: str, name: str) -> bool:
    """It names a shape, or a thing of another name."""
    return bool(set(_plain(text).split()) & set(KINDS)) or bool(set(things(text)) - {name})


def too_small(text: str) -> bool:
    """It says that letters are too small to read."""
    return bool(_SMALL.search(_plain(text)))


def no_label(text: str) -> bool:
    """It says that there is no label."""
    return bool(_NO_LABEL.search(_plain(text))) or (tells_absence(text) and "label" in _plain(text))


def cause(text: str) -> str:
    """What an answer says is in the way: dark, blurred, covered, cut off, absent, small (letters), unknown (a
    question that it does not understand or place) or "" for nothing.
    """
    said = _plain(text)
    if _DARK.search(said):
        return DARK
    if _BLURRED.search(said):
        return BLURRED
    if _PART.search(said):
        return COVERED if _FRONT.search(said) else CUT
    if too_small(text):
        return "small"
    if tells_absence(re.sub(r"^no (?=\w)", "", said)):
        return "absent"
    return "unknown" if uncaught(text) or unable(text) or no_place(text) else ""
