"""Puts a question about the view into the words that are most usual for it: "in which part of my home am I
standing" asks "what room is this".

A small decoder that was taught one grammar of questions answers what it knows in the words that it knows.
What is asked follows from the kinds of words in a question: things, furniture, places, shapes, colours, and
words that ask. A question with any word that may change its meaning stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.usual.otherwise import asks_how_it_is, asks_otherwise
from host.language.usual.plain_question import plain_question
from host.language.usual.shapes import COLOURS, about_shapes, shapes_in

THINGS = {
    "keys": "key ?ring|bunch of keys|door keys?|house keys?|keys?",
    "glasses": "(reading )?glasses|spectacles|specs|eyeglasses",
    "phone": "phone|telephone|mobile( phone)?|cell( ?phone)?|smartphone|handset",
    "wallet": "wallet|billfold",
    "bag": "bag|handbag|backpack|rucksack|satchel",
    "cup": "cup|mug|teacup|coffee cup",
    "book": "book|novel",
    "coat": "coat|jacket|overcoat",
    "umbrella": "umbrella|brolly",
    "bottle": "bottle|flask",
    "remote control": "remote( control)?|tv remote",
    "medicine box": "medicine box|medicines?|medication|pill ?box|box of (pills|medicine)|pills|tablets",
}
SURFACES = {
    "table": "table|tabletop",
    "desk": "desk",
    "shelf": "shelf|bookshelf",
    "chair": "chair",
    "sofa": "sofa|couch|settee",
    "bed": "bed",
    "counter": "counter|worktop|countertop",
    "floor": "floor",
    "ground": "ground",
    "hook": "hook|peg",
    "bench": "bench",
}
PLACES = {
    "kitchen": "kitchen",
    "hall": "hall|hallway|corridor",
    "desk": "study|office",
    "bedroom": "bedroom",
    "bathroom": "bathroom",
    "living room": "living room|lounge|sitting room",
    "shop": "shop|store",
    "street": "street|road",
    "park": "park",
}
PLURAL = ("keys", "glasses")
_A_THING = re.compile(rf"\b(?:{'|'.join((*THINGS.values(), *SURFACES.values()))})\b")
_A_PLACE = re.compile(rf"\b(?:{'|'.join(PLACES.values())})\b")
_CHANGES_MEANING = re.compile(
    r"\b(not|no|none|never|without|except|or|and|both|either|same|than|bigger|smaller|biggest|smallest|larger|"
    r"largest|above|below|over|under|underneath|beneath|behind|between|top|bottom|corner|middle|centre|center|edge|new|changes|upper|lower|count|"
    r"number of|how|when|why|who|whose|yesterday|today|earlier|before|was|were|still|moved?|changed?|went|"
    r"gone|came|shapes?|left of|right of|to the left|to the right|(on|at) the (left|right)|left side|"
    r"right side|leftmost|rightmost)\b"
)
_YES_OR_NO = re.compile(
    r"^(is|are|am|do|does|did|have|has)\b|\b(if|whether)\b|^(can|could|would|will) (you|i) (see|spot|notice|"
    r"make out|detect|recogni[sz]e|confirm|check)\b|^any (sign|trace|chance)\b"
)
_HAND = re.compile(
    r"\b(hands?|palm|fingers|fist|holding|hold|held|grasping|carrying|gripping|clutching|picked up|pick up)\b"
)
_WRITTEN = re.compile(
    r"\b(read|reads|says?|saying|written|writing|words?|text|printed|lettering|letters|stands?|spell|spells)\b"
)
_ON_A_THING = re.compile(r"\b(label|sticker|tag|sign|signpost|signboard)s?\b")
_BESIDE = re.compile(
    r"\b(next to|beside|near|nearby|nearest|close to|closest|by|alongside|adjacent|neighbou?rs?|"
    r"neighbou?ring|around)\b"
)
_COLOUR = re.compile(r"\b(colou?rs?|coloured|shade|hue|tint)\b")
_SEEKING = re.compile(
    r"\b(where|whereabouts|find|locate|location|looking for|searching|search|lost|misplaced|mislaid|missing|"
    r"spot|put|leave|left|need|want|look for|point me|guide me|lead me)\b"
)
_ROOM = re.compile(
    r"\b(rooms?|place|part of (the|my|our) (house|home|flat|apartment|building)|surroundings|location)\b|"
    r"\bwhere(abouts)? (am|are|is it that) (i|we)\b|\bwhere (i am|we are|i stand|we stand)\b|"
    r"\bwhere (exactly )?(am i|are we)\b"
)
_HERE_I_AM = re.compile(r"\b(this|here|am i|i am|are we|we are|that)\b")
_SEE = re.compile(
    r"\b(see|seeing|view|picture|image|scene|in front|ahead|look at|looking at|describe|description|notice|"
    r"visible|before me|before us|around me|show me|there|here|camera)\b"
)
_NOT_THE_SAME = re.compile(r"what(?: is|s|'s) not the (?:same|sign)(?: (?:now|here|then))?")
"""The recogniser takes the one word for the other, and only one of the two sentences asks anything."""
_ASKS = re.compile(r"\b(what|whats|which|describe|tell|list|name|anything|something|everything|things?)\b")


@dataclass(frozen=True)
class _Named:
    """What a question names; "" for nothing."""

    thing: str
    surface: str
    place: str
    colour: str


def usual_wording(text: str) -> str:
    """The same question in usual words; `text` itself where it has none, or may mean something else.

    text: lower case without punctuation, as of `host.language.router.plain_words`.
    """
    return known_wording(text) or text


def known_wording(text: str) -> str:
    """The same; "" for a question that has no usual words, or may mean something else."""
    text = text.replace("key ring", "keyring")  # no ring
    if _NOT_THE_SAME.fullmatch(text):
        return "what changed"
    return _known(text) or _known(plain_question(text))


def _known(text: str) -> str:
    return _about_the_home(text) or about_shapes(text)


def no_usual_question(text: str) -> bool:
    """Whether a question about things of the home asks something that no usual wording does."""
    return asks_otherwise(text, _A_THING, _A_PLACE)


def usual_names(text: str) -> str:
    """The text with each thing of the home by its usual name: "my reading specs" -> "my reading glasses"."""
    for name, forms in THINGS.items():
        text = re.sub(rf"\b(?:{forms})\b", name, text)
    return text


def _about_the_home(text: str) -> str:
    if _CHANGES_MEANING.search(text) or shapes_in(text)[0] or no_usual_question(text):
        return ""
    thing, text_left = _first(text, THINGS)
    surface, text_left = _first(text_left, SURFACES)
    place, text_left = _first(text_left, PLACES)
    colours = [word for word in text_left.split() if word in COLOURS]
    if thing is None or surface is None or place is None or len(colours) > 1:
        return ""
    named = _Named(thing, surface, place, colours[0] if colours else "")
    return _about_writing(text, named) or _about_things(text, named) or _about_the_place(text, named)


def _about_writing(text: str, named: _Named) -> str:
    if named.thing or named.surface or named.colour or not _WRITTEN.search(text):
        return ""
    if _COLOUR.search(text) or _SEEKING.search(text):
        return ""
    if re.search(r"\b(label|sticker|tag)\b", text):
        return "what does the label say"
    return "what does the sign say" if re.search(r"\b(sign|signpost|signboard)\b", text) else ""


def _about_things(text: str, named: _Named) -> str:
    thing, colour = named.thing, named.colour
    item = f"my {colour} {thing}" if colour else f"my {thing}"
    are = "are" if thing in PLURAL else "is"
    if _ON_A_THING.search(text):
        return ""
    if _HAND.search(text):
        if named.surface or colour:
            return ""
        return f"am i holding {item}" if thing else "what am i holding"
    if named.place:
        return ""
    if not thing:
        return f"what is on the {named.surface}" if _asks_what_is_on(text, named) else ""
    if named.surface:
        return f"{are} {item} on the {named.surface}" if _YES_OR_NO.search(text) and not colour else ""
    if _COLOUR.search(text):
        return "" if colour else f"what colour {are} {item}"
    if _BESIDE.search(text):
        return "" if colour or not _ASKS.search(text) else f"what is next to {item}"
    if re.search(r"\bwhere|\bfind\b|\blocat", text) or (
        _SEEKING.search(text) and not _YES_OR_NO.search(text)
    ):
        return f"where {are} {item}"
    return f"do you see {item}" if _YES_OR_NO.search(text) and not asks_how(text) else ""


def asks_how(text: str) -> bool:
    """Whether a question about a thing or a place asks how it is, and not whether it is here."""
    return any(
        asks_how_it_is(text[: named.start()], text[named.end() :])
        for names in (_A_THING, _A_PLACE)
        for named in names.finditer(text)
    )


def _asks_what_is_on(text: str, named: _Named) -> bool:
    if not named.surface or named.colour:
        return False
    return bool(_ASKS.search(text) and re.search(r"\b(on|upon|onto|of|up)\b", text))


def _about_the_place(text: str, named: _Named) -> str:
    if named.thing or named.surface or named.colour or _HAND.search(text) or _WRITTEN.search(text):
        return ""
    if _ON_A_THING.search(text):
        return ""
    if named.place:
        here = _HERE_I_AM.search(text) and _YES_OR_NO.search(text) and not asks_how(text)
        return f"is this the {named.place}" if here else ""
    if _ROOM.search(text):
        return "what room is this"
    return "what do you see" if _SEE.search(text) and _ASKS.search(text) and not _BESIDE.search(text) else ""


def _first(text: str, table: dict[str, str]) -> tuple[str | None, str]:
    """The one name of the table that the text has, "" for none, None for several; and the text without it."""
    found = {name: match for name, forms in table.items() if (match := re.search(rf"\b({forms})\b", text))}
    if len(found) > 1:
        return None, text
    for name, match in found.items():
        return name, f"{text[: match.start()]} {text[match.end() :]}"
    return "", text
