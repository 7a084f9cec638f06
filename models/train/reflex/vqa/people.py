"""Ten people's short answers to a question about the drawn home, from its true answer, with their noise."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from models.train.world.grammar import COLOURS, NUMBER_WORDS
from models.train.world.home.answers import cause_of
from models.train.world.truth import TrueAnswer

PEOPLE = 10
_UNANSWERABLE = (
    "unanswerable",
    "unanswerable",
    "unanswerable",
    "unsuitable",
    "unsuitable image",
    "can't tell",
)
_VERDICT = re.compile(r"(yes|no), ")
_WHERE = (re.compile(r"your .*? (?:is|are) (on the [a-z ]+|in your hand)(?:,.*)?"),)
_NAMED = (
    re.compile(
        r"((?:your [a-z ]+?)(?:, your [a-z ]+?)*(?: and your [a-z ]+?)?) (?:is|are) (?:on|next to) .*"
    ),
    re.compile(r"(nothing) is (?:on|next to) .*"),
    re.compile(r"you are holding your ([a-z ]+)"),
    re.compile(r"this is the ([a-z ]+)"),
    re.compile(r"the (?:label|sign) says ([a-z0-9 ]+)"),
    re.compile(r"i see ([a-z]+) of your things"),
)
_ALSO: Mapping[str, tuple[str, ...]] = {
    "yes": ("yes", "yeah", "Yes", "yep"), "no": ("no", "nope", "No"),
    "nothing": ("nothing", "nothing", "none", "empty"),
    "keys": ("keys", "key", "bunch of keys"), "glasses": ("glasses", "spectacles"),
    "phone": ("phone", "cell phone", "a phone", "smartphone"), "cup": ("cup", "mug", "a cup"),
    "bag": ("bag", "backpack"), "coat": ("coat", "jacket"), "remote control": ("remote", "remote control"),
    "living room": ("living room", "lounge"), "desk": ("desk", "office"),
}  # fmt: skip
"""Answers that people give in place of one."""


def short(answered: TrueAnswer) -> str:
    """The answer in a few words, as people write it; "" for one that has no such form or is no answer."""
    text = answered.answer.lower().rstrip(".")
    if answered.kind == "cannot_tell" or cause_of(answered.answer):
        return ""
    if verdict := _VERDICT.match(text):
        return verdict.group(1)
    if answered.family == "colour":
        return text.rsplit(" ", 1)[-1]
    if text == "you are not holding anything":
        return "nothing"
    for pattern in _WHERE if answered.family == "find" else _NAMED:
        if found := pattern.fullmatch(text):
            return found.group(1).replace("in your hand", "in the hand").replace("your ", "")
    return ""


def answer_type(text: str) -> str:
    """Of a short answer: yes/no, number or other."""
    if text in ("yes", "no"):
        return "yes/no"
    return "number" if text in NUMBER_WORDS or text.isdigit() else "other"


def _by_one(text: str, rng: random.Random) -> str:
    if text in _ALSO and rng.random() < 0.3:
        return rng.choice(_ALSO[text])
    if text in NUMBER_WORDS and rng.random() < 0.6:
        return str(NUMBER_WORDS.index(text))
    if text == "in the hand":
        return rng.choice((text, "in my hand", "hand"))
    if text in COLOURS and rng.random() < 0.12:
        return f"{rng.choice(('dark', 'light', 'bright'))} {text}"
    if text.startswith("on the ") and rng.random() < 0.4:
        return text.removeprefix("on the ") if rng.random() < 0.6 else text.replace("the ", "")
    return text


def answers_of_people(text: str, others: Sequence[str], rng: random.Random) -> list[dict[str, object]]:
    """Ten answers with their confidence. text: the true short answer, "" where there is none; others: short
    answers of other questions, which a person gives by mistake.
    """
    clear = rng.random() < 0.85
    wrong, doubtful = (0.03, 0.08) if clear else (0.2, 0.4)
    found: list[dict[str, object]] = []
    for number in range(1, PEOPLE + 1):
        mistaken = rng.random() < wrong
        if not text:
            said = rng.choice(others) if mistaken and others else rng.choice(_UNANSWERABLE)
        else:
            said = rng.choice(others or [text]) if mistaken else _by_one(text, rng)
        sure = rng.choice(("maybe", "no")) if rng.random() < doubtful else "yes"
        found.append({"answer": said, "answer_confidence": sure, "answer_id": number})
    return found
