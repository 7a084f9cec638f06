"""What a sentence about the last seconds asks, in the usual words for it: "whereabouts was my mug off to"
asks "which way did the cup go".

That it is one, the classifier of all sentences tells. A further one names the kind of question, one of the
motion brick's families; the things that it asks about have to stand in the sentence, as many as the kind
needs. Where a thing is only called "it", the question is asked without one. `LEAST` was chosen with people
who were in no training of it, a fifth at a time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from host.language.classifier.asked import SHORTEST_IN_PART
from host.language.classifier.ensemble import packed_ensemble
from host.language.classifier.model import Model, read_model
from host.language.classifier.words import LAMP, full_words, marked, things_in
from host.language.router import Decision, plain_words
from host.language.safety import about_safety
from host.language.usual.shapes import shapes_in
from models.brick import UNKNOWN_WORD, Transcript

WEIGHTS = Path(__file__).with_name("clip.bin")
LEAST = 0.35
"""Least probability of a kind of question. Of 990 questions of people who were in no training, 85 % are of
the likeliest kind; from here on 89 % are, and 92 % of the questions are left.
"""
LEAST_IN_DOUBT = 0.5
"""Least probability that a transcript in doubt is about the last seconds at all, and of what it asks."""
_OF_THINGS = {
    "direction": ("which way did the {0} go", "which way did it go"),
    "speed": ("how fast did the {0} move", "how fast did it move"),
    "whether": ("did the {0} move", "did anything move"),
    "first": ("what came first the {0} or the {1}", "what came first"),
    "swapped": ("did the {0} and the {1} change places", "did they change places"),
}
"""Kind that asks of things -> the question in usual words with its things, and without any."""
_OF_ANY = tuple(of_any for _, of_any in _OF_THINGS.values())
_OTHERS = {
    "moved": "what moved",
    "flashes": "how often did the light flash",
    "blinked": "did the light flash",
    "appeared": "what appeared",
    "gone": "what disappeared",
    "read": "what was on the {sign}",
}
_LABEL = re.compile(r"\b(?:label|tag|sticker|packet|packaging|tin|jar)\b")
_LOOKS = re.compile(
    "(?: (?:little|small|big|large|old|new|poor|other|long|tall|short|whole|left|right|first|second|last|two|"
    r"red|blue|green|yellow|black|white|gr[ae]y|pink|orange|purple|brown))+\b"
)
"""What is said of a thing before its name."""
_NO_NAME = (
    "way|direction|side|place|spot|position|second|moment|minute|time|bit|end|edge|top|bottom|middle|hand|lot|"
    "while|pair|one|same|thing|object|item|table|desk|shelf|counter|worktop|room|corner|front|view|picture|"
    "camera|eye|hurry|rush|clip|flash|blur|speed|pace|rate|opinion|estimate|movement|motion|order|back|"
    "which|what|who|where|when|if|whether|how|would|could|can|went|go|goes|going|moved?|moving|came|come|is|was|were|are|had|has|have|did|do|does|or|and|to|toward|"
    "towards|just|then|there|now|for|on|over|up|down|by|past|please|yes|true|me|you|i|it|we|they|er|um|the|a"
)
_NAMED = re.compile(
    rf"\b(?:the|my|our|your|his|her|their|an?|this|that|these|those|them) (?!(?:{_NO_NAME})s?\b)[a-z]+"
)
"""The name of a thing, known or not."""
_BESIDE = re.compile(
    r"\b(?:with|in|on|by|past|near|under|behind|from|to|towards?|at|over|into|off|carrying|holding)"
    r"(?: (?:the|my|our|your|his|her|their|an?|this|that|these|those|them))?(?: [a-z]+)? $"
)
"""Before a thing that is only named to tell of another."""


@dataclass(frozen=True)
class AskedOfClip:
    """question: in usual words. kind: one of the motion brick's families. certainty: how probable that is.
    unknown: it is about a thing that is not known by sight, and `question` names none.
    """

    question: str
    kind: str
    certainty: float
    unknown: bool = False


def asked_of_clip(heard: Transcript, decision: Decision, least: float) -> AskedOfClip | None:
    """What is asked about the last seconds where `decision` says no more than that it is about them, or that
    the transcript is in doubt and the classifier of all sentences takes the known words of it for such a
    question; None for anything else, and of a transcript in doubt where what it asks about may be a word that
    was not heard. least: probability of a transcript that is understood.
    """
    if heard.probability < least:
        return None
    known = [word for word in heard.text.split() if word != UNKNOWN_WORD]
    text = plain_words(" ".join(known))
    if decision.route == "unclear":
        kind, certainty = packed_ensemble().kind(text)
        if len(known) < SHORTEST_IN_PART or kind != "motion" or certainty < LEAST_IN_DOUBT:
            return None
    elif (decision.route, decision.intent) != ("frames", "frames"):
        return None
    found = None if about_safety(text) else read_clip(text)
    if found is None or decision.route != "unclear":
        return found
    unheard = UNKNOWN_WORD in heard.text and found.question in _OF_ANY
    return None if found.unknown or unheard or found.certainty < LEAST_IN_DOUBT else found


def read_clip(text: str, least: float = LEAST) -> AskedOfClip | None:
    """What a sentence about the last seconds (lower case, without punctuation) asks; None where that is not
    sure, or what it asks about is not named.
    """
    likely = clip_model().of_words(marked(text))
    best = int(np.argmax(likely))
    kind, certainty = clip_model().kinds[best], float(likely[best])
    if certainty < least or shapes_in(text)[0]:
        return None
    question, unknown = _question(kind, full_words(text))
    return AskedOfClip(question, kind, round(certainty, 3), unknown)


def _question(kind: str, text: str) -> tuple[str, bool]:
    """In usual words, and whether it is about another thing than those that are known by sight."""
    if kind not in _OF_THINGS:
        return _OTHERS[kind].format(sign="label" if _LABEL.search(text) else "sign"), False
    text = " ".join(map(_one_of, _LOOKS.sub("", text).split()))
    known = sorted((span, name) for name, span in things_in(text).items() if name != LAMP)
    others = [each.end() for each in _NAMED.finditer(text) if not {*things_in(each[0])} - {LAMP}]
    others = [end for end in others if not any(_is_part(text, end, span) for span, _ in known)]
    of_things, of_any = _OF_THINGS[kind]
    number = 2 if "{1}" in of_things else 1
    beside = bool(others) and number == 1 and bool(known) and others[0] < known[0][0][0]
    if len(known) < number or (beside and _BESIDE.search(text[: known[0][0][0]])):
        return of_any, bool(others)
    return of_things.format(*(name for _, name in known)), False


@lru_cache(256)
def _one_of(word: str) -> str:
    """The word for one thing of a known kind where it is that for several: "cups"."""
    one = word.removesuffix("s")
    return one if not things_in(word) and things_in(one) else word


def _is_part(text: str, end: int, thing: tuple[int, int]) -> bool:
    """Whether a name that ends there is part of that of a known thing: "the coffee" of "the coffee cup"."""
    start, stop = thing
    return start < end <= stop or (end <= start and text[end:start].strip() in ("", "of"))


@cache
def clip_model() -> Model:
    """The weights, read once by a process."""
    return read_model(WEIGHTS)
