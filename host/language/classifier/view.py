"""What a sentence asks about the present view, in the usual words for it: "got eyes on my coat yet" asks "do
you see my coat".

A second classifier names the kind of question; what it asks about has to stand in the sentence, once.
`LEAST` was chosen with wordings of people that were in no training of it, and with sentences that name the
same things and are no such question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from host.language.classifier.asked import SHORTEST_IN_PART, SURELY_HEARD
from host.language.classifier.model import Model, read_model
from host.language.classifier.words import LAMP, full_words, marked, things_in
from host.language.router import plain_words
from host.language.usual.otherwise import is_anothers
from host.language.usual.shapes import COLOURS, shapes_in
from host.language.usual.view import PLACES, PLURAL, SURFACES, asks_how, no_usual_question
from models.brick import UNKNOWN_WORD, Transcript

WEIGHTS = Path(__file__).with_name("view.bin")
OTHER = "other"
"""The kind of everything else."""
LEAST = 0.45
"""Least probability of a kind of question."""
LEAST_NAMED = 0.5
"""Least probability of a word that names what is asked about."""
SURE = 0.6
"""Least probability from which the kind may hang on a word that was hardly heard, and of a kind that names
nothing in a transcript in doubt. Of 785 wordings in voices that no training has, each judged by a classifier
that had not learned it, 564 are understood and 28 as another question; where no such word may decide, 545 and
31. Of 500 sentences of other speech 18 are taken for a question about the view, most of them rightly.
"""
_ASKS_OTHERWISE = re.compile(
    r"^(?:why|when|don't|do not|never|stop|how (?:many|much|come))\b|\b(?:how many|count|number of|"
    r"as soon as|same as|than|left of|right of|yesterday|TIME)\b"
)
"""Words with which a sentence asks or says something else about the same things."""
_SURFACE = re.compile(rf"\b(?:{'|'.join(SURFACES.values())})\b")
_PLACE = re.compile(rf"\b(?:{'|'.join(PLACES.values())})\b")
_COLOUR = re.compile(rf"\b(?:{'|'.join(COLOURS)})\b")
_NEEDS: Mapping[str, str] = {
    "find": "thing", "here": "thing", "in hand": "thing", "next": "thing", "colour": "thing",
    "where": "thing surface", "on": "surface", "place": "place",
}  # fmt: skip
"""What a kind of question has to name."""
_FORMS: Mapping[str, str] = {
    "find": "where {are} my {thing}", "here": "do you see my {thing}", "in hand": "am i holding my {thing}",
    "next": "what is next to my {thing}", "colour": "what colour {are} my {thing}",
    "where": "{are} my {thing} on the {surface}", "on": "what is on the {surface}",
    "place": "is this the {place}", "holding": "what am i holding", "room": "what room is this",
    "label": "what does the label say", "sign": "what does the sign say", "see": "what do you see",
}  # fmt: skip
_WHETHER_HERE = ("here", "place")
"""Kinds that ask whether something is here, and not how it is."""
_WITH_A_COLOUR = ("find", "here")
"""Kinds in which a thing may have a colour."""


@dataclass(frozen=True)
class AskedOfView:
    """question: in usual words. kind: one of the classifier's. certainty: how probable that is."""

    question: str
    kind: str
    certainty: float


def view_words(text: str) -> list[str]:
    """The words that this classifier counts."""
    said = " ".join(marked(text))
    for form, mark in ((_SURFACE, "SURFACE"), (_PLACE, "PLACE"), (_COLOUR, "COLOUR")):
        said = form.sub(mark, said)
    return said.split()


def asked_of_view(heard: Transcript, least: float = LEAST) -> AskedOfView | None:
    """The question about the view that a transcript asks; None for any other, and where what it asks about is
    not named, more than one could be meant, or it hangs on a word that may have been another, unless the kind
    is as sure as `SURE`. Words that the recogniser does not know are left out, if enough others are there.
    """
    said = heard.text.split()
    probable = heard.words if len(heard.words) == len(said) else (heard.probability,) * len(said)
    known = [(word, each) for word, each in zip(said, probable, strict=True) if word != UNKNOWN_WORD]
    if len(known) < len(said) and len(known) < SHORTEST_IN_PART:
        return None
    words = [word for word, _ in known]
    found = read_view(plain_words(" ".join(words)), least)
    if found is None or (heard.doubtful and found.kind not in _NEEDS and found.certainty < SURE):
        return None
    for index in (at for at, (_, each) in enumerate(known) if each < SURELY_HEARD):
        rest = plain_words(" ".join([*words[:index], *words[index + 1 :]]))
        named = _question(found.kind, full_words(rest)) == found.question
        if not named and known[index][1] < LEAST_NAMED:
            return None
        if found.certainty < SURE:
            without = read_view(rest, 0.0)
            if without is None or without.question != found.question:
                return None
    return found


def read_view(text: str, least: float = LEAST) -> AskedOfView | None:
    """The same of a text in lower case without punctuation, as of `host.language.router.plain_words`."""
    words = view_words(text)
    likely = view_model().of_words(words)
    best = int(np.argmax(likely))
    kind, certainty = view_model().kinds[best], float(likely[best])
    if kind == OTHER or certainty < least or shapes_in(text)[0] or _ASKS_OTHERWISE.search(" ".join(words)):
        return None
    if no_usual_question(text) or (kind in _WHETHER_HERE and asks_how(text)):
        return None
    question = _question(kind, full_words(text))
    return None if question is None else AskedOfView(question, kind, round(certainty, 3))


def where_now(text: str) -> str:
    """Where the one thing is that a text names, in usual words; "" for a text that names none, several, or a
    time.
    """
    named = _ASKS_OTHERWISE.search(" ".join(view_words(text)))
    return "" if named else _question("find", full_words(text)) or ""


def _question(kind: str, text: str) -> str | None:
    things = things_in(text)
    if any(is_anothers(text[:start]) for start, _ in things.values()):
        return None
    named = {
        "thing": [name for name in things if name != LAMP],
        "surface": _names(text, SURFACES),
        "place": _names(text, PLACES),
    }
    needs = _NEEDS.get(kind, "").split()
    if any(len(named[each]) != 1 for each in needs):
        return None
    if kind not in ("find", "next") and any(
        named[each] for each in ("thing", "surface") if each not in needs
    ):
        return None
    slots = {each: named[each][0] for each in needs}
    thing = slots.get("thing", "")
    colours = _COLOUR.findall(text)
    if colours and kind not in (*_WITH_A_COLOUR, "colour"):
        return None
    if kind in _WITH_A_COLOUR and len(colours) == 1:
        slots["thing"] = f"{colours[0]} {thing}"
    return _FORMS[kind].format(**slots, are="are" if thing in PLURAL else "is")


def _names(text: str, table: Mapping[str, str]) -> list[str]:
    return [name for name, forms in table.items() if re.search(rf"\b(?:{forms})\b", text)]


@cache
def view_model() -> Model:
    """The weights, read once by a process."""
    return read_model(WEIGHTS)
