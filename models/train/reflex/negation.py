"""Questions with a negation, from questions without: "is there no red star", "is my phone not here".

The true answer stays: it says what is there. Who answers by a word of the question alone is found out by
them.
"""

from __future__ import annotations

import random
import re

from models.train.world.truth import TrueAnswer

FAMILIES = frozenset(("exist", "here", "where", "in hand"))
"""Families of yes-or-no questions that can be negated."""
_RULES: tuple[tuple[str, str, str], ...] = (
    ("train", r"is there an? (?P<one>.+)", r"is there no \g<one>"),
    ("train", r"are there (?:any )?(?P<one>.+)", r"are there no \g<one>"),
    ("train", r"do you see (?:an?|any) (?P<one>.+)", r"do you see no \g<one>"),
    ("train", r"can you see an? (?P<one>.+)", r"can you not see a \g<one>"),
    ("train", r"(is|are) ((?:my|the) .+?) (here|in .+|on .+)", r"\1 \2 not \3"),
    ("train", r"do you see (?P<one>(?:my|the) .+)", r"do you not see \g<one>"),
    ("train", r"am i holding (?P<one>.+)", r"am i not holding \g<one>"),
    ("held", r"can you see any (?P<one>.+)", r"can you see no \g<one>"),
    ("held", r"is there any (?P<one>.+)", r"is there not any \g<one>"),
    ("held", r"can you see (?P<one>(?:my|the) .+)", r"can you not see \g<one>"),
)  # fmt: skip
"""Split, pattern of a whole question, and the negated question. Wordings of "held" are in no training."""
WORDS = ("no", "not")


def negated(answer: TrueAnswer, rng: random.Random, split: str) -> TrueAnswer | None:
    """The question with a negation, in a wording of `split`, and the same answer; None where it has none."""
    if answer.family not in FAMILIES:
        return None
    allowed = ("train", "held") if split == "held" else ("train",)
    made = [
        re.sub(f"^{pattern}$", negative, answer.question)
        for where, pattern, negative in _RULES
        if where in allowed and re.fullmatch(pattern, answer.question)
    ]
    if not made:
        return None
    text = re.sub(r"\ba (?=[aeiou])", "an ", rng.choice(made))
    return TrueAnswer(text, answer.answer, answer.family, answer.kind)
