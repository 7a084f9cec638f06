"""Which questions about one picture are closed, which of them are read from two pictures, and how an answer
that is not sure is said. Pure.

A closed question has one short answer: yes or no, a colour, a number, a place, a word. The reflex brick of a
pack answers those without the language model, and judges by the picture which of them it can.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from host.answers.seen.check import Checked
from host.language.router import plain_words
from models.closed_question import ClosedAnswer
from models.detection import Detection
from models.sensing.looking_again import claims_nothing

AnsweredBy = Literal["", "device", "reflex", "motion", "language model"]
"""Who answered a question. "": nobody, because it was not understood or the answer failed."""
_HERE = (
    r"(here|there|now|in front of (me|us|you)|(in|on) (the|this) (picture|image|view|photo)|around (me|us))"
)
_POLITELY = "^((please|can|could|would|will|you|tell|me) )*"
_OPEN = re.compile(
    r"\bdescribe\b|\bwhat is (going on|happening)\b"
    rf"|{_POLITELY}(list|explain|summari[sz]e|say what (you|i|is (here|there|in front))|why|about|more)\b"
    rf"|{_POLITELY}name (all|every|everything|the things)\b"
    r"|\bhow (do|does|did|can|could|should|would) (i|we|you|it|they|this|that)\b"
    rf"|{_POLITELY}what (do|can|could) (you|i|we) (see|notice)( {_HERE})?$"
    rf"|{_POLITELY}what (are you|you are) (seeing|looking at)( {_HERE})?$"
)
"""Questions whose answer is a description, a list or a reason."""
_ASKS = (
    "what|whats|which|where|wheres|who|whose|how|why|is|are|am|do|does|did|could|has|have|tell me|read|count"
)
_COMPOUND = re.compile(
    rf"\b(and|then|also|or) ({_ASKS})\b"
    r"|\b(colou?r|shape|size|place|number|word) and (the )?(colou?r|shape|size|place|number|word)\b"
)
"""Two questions in one."""
_MATTERS = re.compile(
    r"\b(signs?|signpost|labels?|labelled|words?|letters?|texts?|reads?|(?<!you )says?|saying|written|"
    r"writing|printed|digits?|numbers?(?! of)|prices?|costs?|euros?|dollars?|pounds?|cents?|money|coins?|"
    r"banknotes?|expir\w+|best before|medicines?|medication|syringes?|thermometers?|displays?|crossings?|"
    r"traffic|platforms?|bus|tram|train|exit)\b"
)
"""Words of questions whose wrong answer may do harm: what is written, numbers on things, medicine, money,
crossings.
"""
TOLD_EXACTLY = "false premise"
"""A cause that the language model tells better: "I see a yellow star, no black one", and not only that there
is none exactly like that.
"""
_WRITTEN = "word"
"""The blank of an answer that holds what is written on something."""


@dataclass(frozen=True)
class ClosedResult:
    """What became of a closed question that the reflex brick was asked."""

    answer: ClosedAnswer | None = None
    """Its answer; None when it failed or was too slow."""
    matters: bool = False
    """A wrong answer may do harm, so that it is said as sure only where a second picture or the text reader
    agrees.
    """
    agreed: bool | None = None
    """Whether a second picture gave the same answer; None: there was no second picture."""
    read_alike: bool = False
    """Whether the text reader read the answer's word in the picture."""
    problem: str = ""
    """Why there is no answer, one sentence."""
    seconds: float = 0.0
    """Time that it took, of both pictures."""
    detection: Detection | None = None
    """What the object detector found in the first picture."""
    checked: Checked | None = None
    """What that makes of the answer, or of the guess where there is none."""

    @property
    def sentence(self) -> str:
        """What is said; "" when the question is handed over to the language model."""
        if self.answer is None or not self.answer.text:
            return ""
        if self.answer.advice and self.answer.cause == TOLD_EXACTLY:
            return ""
        unsure = self.matters and not (self.agreed or self.read_alike or self.answer.advice)
        return thinking(self.answer.text) if unsure else self.answer.text


def closed(question: str) -> bool:
    """Whether a question about the present view may have one short answer."""
    words = plain_words(question)
    return bool(words) and not _OPEN.search(words) and not _COMPOUND.search(words)


def matters(question: str) -> bool:
    """Whether a wrong answer to this question may do harm, so that it is read from two pictures."""
    return _MATTERS.search(plain_words(question)) is not None


def matters_by_answer(values: Mapping[str, str]) -> bool:
    """The same by the values of an answer: it says what is written somewhere."""
    return any(name.rstrip("0123456789") == _WRITTEN for name in values)


def thinking(sentence: str) -> str:
    """The sentence as one that is not sure: "It is red." -> "I think it is red."; as it is where it claims
    nothing.
    """
    for said, instead in (("Yes", "so"), ("No", "not")):
        if sentence == f"{said}.":
            return f"I think {instead}."
        if sentence.startswith(f"{said}, "):
            return f"I think {instead}: {sentence.removeprefix(f'{said}, ')}"
    if claims_nothing(sentence) or re.match(r"I (see no|think)\b", sentence):
        return sentence
    first, space, rest = sentence.partition(" ")
    kept = (
        first.rstrip(".,") == "I"
        or first.startswith("I'")
        or (len(first.rstrip(".")) > 1 and first.isupper())
    )
    return f"I think {first if kept else first[:1].lower() + first[1:]}{space}{rest}"
