"""Names what an answer of the reflex brick says is not to be seen, in the language model's words. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from host.answers.reflex import ClosedResult
from host.language.router import plain_words
from host.language.usual.shapes import COLOURS, shapes_in
from host.language.usual.view import SURFACES, THINGS

_ABSENT = "absent"
"""The cause of such an answer."""
_NO_SIGN = {"sign": "I cannot see a sign.", "label": "I do not see a label."}
_SIGN = re.compile(r"\b(sign|label)s?\b")
_READS = re.compile(r"\b(?:read|says?|written|spells?)\b")
"""Asks what is written on the only thing that may be."""
_COLOUR = "|".join(COLOURS)
_ANYTHING = re.compile(rf"\b(?P<colour>{_COLOUR}) (?:things?|objects?|ones?|shapes?)\b")


def naming_what_is_absent(result: ClosedResult, question: str) -> ClosedResult:
    """The result; where it says that something is not to be seen, with its name, if the question asks about
    one thing, surface, shape, sign or label alone: whoever was misheard notices it. Where it asks about
    several, the language model is asked, which says which of them it is.
    """
    answer = result.answer
    if answer is None or not answer.advice or answer.cause != _ABSENT:
        return result
    absences = absent_things(plain_words(question))
    if not absences:
        return result
    return replace(result, answer=replace(answer, text=absences[0] if len(absences) == 1 else ""))


def absent_things(question: str) -> list[str]:
    """For each thing that a question asks about, the sentence that it is not to be seen."""
    shapes, rest = shapes_in(question)
    named = [
        *(f"I do not see your {each} here." for each in _things(question)),
        *(f"I cannot see {_some(each.words)}." for each in shapes),
        *(_NO_SIGN[each] for each in dict.fromkeys(_SIGN.findall(question))),
    ]
    if not named:
        surfaces = [name for name, forms in SURFACES.items() if re.search(rf"\b(?:{forms})\b", question)]
        named += [f"I do not see {_some(each)} here." for each in surfaces]
        named += [f"I cannot see anything {each['colour']}." for each in _ANYTHING.finditer(rest)]
    if not named and _READS.search(question):
        named.append(_NO_SIGN["sign"])
    return named


def _things(question: str) -> list[str]:
    """Each thing of the home that is named, by its usual name, with the colour that is said before it."""
    found = []
    for name, forms in THINGS.items():
        match = re.search(rf"\b(?:(?P<colour>{_COLOUR}) )?(?:{forms})\b", question)
        if match:
            found.append(f"{match['colour']} {name}" if match["colour"] else name)
    return found


def _some(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"
