"""Questions with a negation, from questions without: "is there no red star", "is my phone not here".

The true answer stays: it says what is there. Who answers by a word of the question alone is found out by
them.
"""

from __future__ import annotations

import random
import re

from models.train.world import grammar
from models.train.world.truth import TrueAnswer

FAMILIES = frozenset(("exist", "here", "where", "in hand", "check"))
"""Families of yes-or-no questions that can be negated."""
_MY = r"(?P<my>(?:my|the) (?:(?!anywhere).)+?)"
_THAT = r"(?P<one>(?:the|that|this) .+)"
_COLOUR = "|".join(grammar.COLOURS)
_SPOT = r"(?P<spot>here|there|in .+|on .+)"
_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("train", r"is there an? (?P<one>.+)",
     ("is there no {one}", "isn't there a {one}", "there is no {one} is there",
      "there isn't a {one} is there")),
    ("train", r"are there (?:any )?(?P<one>.+)",
     ("are there no {one}", "aren't there any {one}", "there are no {one} are there",
      "are there no {one} anywhere", "there aren't any {one} are there")),
    ("train", r"do you see (?:an?|any) (?P<one>.+)", ("do you see no {one}",)),
    ("train", r"do you see (?P<one>an? .+)", ("don't you see {one}", "is {one} nowhere to be seen")),
    ("train", r"can you see an? (?P<one>.+)", ("can you not see a {one}", "you can't see a {one} can you")),
    ("train", r"(?:can|could) you (?P<do>find|spot|make out) (?P<one>(?:an?|my|the) .+)",
     ("can't you {do} {one}", "you can't {do} {one} can you")),
    ("train", r"is (?P<one>an? .+) there",
     ("is {one} not there", "is {one} missing", "{one} isn't there is it")),
    ("train", r"is there (?P<one>an? .+) in the picture", ("is the picture without {one}",)),
    ("train", r"(?:is|is there|do you see) (?:any|some)thing (?P<one>.+)",
     ("is there nothing {one}", "isn't there anything {one}", "there is nothing {one} is there")),
    ("train", r"(?P<ask>.+ (?:if|that)) there(?: is|'s) an? (?P<one>.+)", ("{ask} there is no {one}",)),
    ("train", r"(?P<ask>.+ if) there(?: is|'s) anything (?P<one>.+)", ("{ask} there is nothing {one}",)),
    ("train", r"(?P<ask>.+ if) you see (?P<one>.+)",
     ("{ask} you do not see {one}", "{ask} you can't see {one}")),
    ("train", r"do you (?P<do>notice|spot|have|make out) (?P<one>(?:an?|my|the) .+)",
     ("don't you {do} {one}", "do you not {do} {one}", "you don't {do} {one} do you")),
    ("train", rf"(?P<be>is|are) {_MY} {_SPOT}", ("{be} {my} not {spot}", "{be}n't {my} {spot}")),
    ("train", rf"is {_MY} {_SPOT}", ("{my} isn't {spot} is it", "{my} is not {spot} is it")),
    ("train", rf"are {_MY} {_SPOT}", ("{my} aren't {spot} are they", "{my} are not {spot} are they")),
    ("train", rf"(?P<be>is|are) {_MY} here", ("{be} {my} not here any more",)),
    ("train", rf"(?P<be>is|are) {_MY} on (?P<spot>.+)", ("{be} {my} gone from {spot}",)),
    ("train", rf"(?P<be>is|are) {_MY} any(?P<spot>where.*)",
     ("{be} {my} no{spot}", "{be} {my} not any{spot}")),
    ("train", rf"(?P<ask>.+ if) {_MY} (?P<be>is|are) (?P<spot>here|on .+)", ("{ask} {my} {be} not {spot}",)),
    ("train", r"do you see (?P<one>(?:my|the) .+)",
     ("do you not see {one}", "don't you see {one}", "you don't see {one} do you")),
    ("train", r"can you see (?P<one>(?:my|the) .+)", ("can't you see {one}", "you can't see {one} can you")),
    ("train", r"(?P<have>did|have|do) i (?P<one>(?:leave|left|have|hold|pick up) (?:my|the) .+)",
     ("{have} i not {one}", "i {have} not {one} {have} i")),
    ("train", r"am i holding (?P<one>.+)",
     ("am i not holding {one}", "i'm not holding {one} am i", "is {one} not in my hand")),
    ("train", rf"is {_THAT} (?P<colour>{_COLOUR})",
     ("isn't {one} {colour}", "{one} isn't {colour} is it", "{one} is not {colour} is it")),
    ("train", rf"(?P<ask>.+ (?:if|whether)) {_THAT} is (?P<colour>{_COLOUR})",
     ("{ask} {one} isn't {colour}", "{ask} {one} is not {colour}")),
    ("train", rf"do you think {_THAT} is (?P<colour>{_COLOUR})",
     ("don't you think {one} is {colour}", "do you think {one} is not {colour}")),
    ("held", r"can you see any (?P<one>.+)", ("can you see no {one}",)),
    ("held", r"is there any (?P<one>.+)", ("is there not any {one}",)),
    ("held", r"can you see (?P<one>(?:my|the) .+)", ("can you not see {one}",)),
)  # fmt: skip
"""Split, pattern of a whole question, and negated questions. Wordings of "held" are in no training."""
WORDS = (
    "no", "not", "isn't", "aren't", "don't", "can't", "nothing", "nowhere", "without", "missing", "gone",
)  # fmt: skip
"""A negated question has at least one of them; no training question of `FAMILIES` has one otherwise, but in
a final "isn't it".
"""


def negated(answer: TrueAnswer, rng: random.Random, split: str) -> TrueAnswer | None:
    """The question with a negation, in a wording of `split`, and the same answer; None where it has none. For
    "held" it is a wording that is in no training wherever the question has one.
    """
    if answer.family not in FAMILIES:
        return None
    bare = grammar.without_polite_word(answer.question)
    before, _, after = answer.question.partition(bare)
    made = (split == "held" and _made(bare, "held")) or _made(bare, "train")
    if not made:
        return None
    text = before + re.sub(r"\ba (?=[aeiou])", "an ", rng.choice(made)) + after
    return TrueAnswer(text, answer.answer, answer.family, answer.kind)


def _made(question: str, split: str) -> list[str]:
    """The negations of a question in the wordings of one split."""
    matches = [(re.fullmatch(pattern, question), texts) for where, pattern, texts in _RULES if where == split]
    return [text.format(**match.groupdict()) for match, texts in matches if match for text in texts]
