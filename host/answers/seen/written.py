"""Puts what the text reader reads in place of the word that an answer says is written somewhere. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from host.answers.seen.check import Verdict
from host.language.number_words import UP_TO_99, in_words, value_of
from models.detection import Candidate, Detection
from models.reading import Reading, Word

_WRITTEN = re.compile(
    r"\b(signs?|signpost|labels?|labelled|words?|letters?|texts?|reads?|(?<!you )says?|saying|written|"
    r"writing|printed|spells?|number on)\b"
)
_SAYS = re.compile(r"(?P<subject>(?:The|Your) [a-z ]+?) (?P<verb>says|reads) (?P<word>[a-z0-9' -]+)\.?", re.I)
_NUMBER = re.compile(r"The number on the (?P<of>[a-z ]+) is (?P<word>[a-z0-9 -]+)\.?", re.I)
_SIGN_FROM = 0.3
"""Probability from which a candidate of the object detector is where a sign may be."""
_MARGIN = 0.8
"""Between a whole word and the picture's left or right border, in letters."""
_LIKE_FROM = 0.5
"""Share of their letters that two words have in common where one may be the other, misread."""


def asks_what_is_written(question: str) -> bool:
    """Whether the answer to this question may say what is written somewhere."""
    return _WRITTEN.search(question.lower()) is not None


def as_read(
    sentence: str, reading: Reading, given_from: float, seen: Detection | None = None
) -> Verdict | None:
    """The answer with the word that is read; None where it says of nothing that it is written, or no word is
    read with the probability `given_from`, or several are and none is like the answer's. seen: where a sign
    is, so that a word on one is not taken for a label's.
    """
    says, number = _SAYS.fullmatch(sentence), _NUMBER.fullmatch(sentence)
    found = says or number
    if found is None:
        return None
    said = letters_of(found["word"])
    of_sign = number is not None or found["subject"].lower() == "the sign"
    words = _on_that(reading.words, of_sign, seen)
    sure = [word for word in words if word.probability >= given_from and is_whole(word)]
    sure = [word for word in sure if len(word.text) > 1 or said.isdigit()]
    if not sure:
        return None
    word = (
        sure[0] if len(sure) == 1 else max(sure, key=lambda each: (_alike(each.text, said), each.probability))
    )
    if len(sure) > 1 and _alike(word.text, said) < _LIKE_FROM:
        return None
    return Verdict(_told(found, number is not None, of_sign, word.text), word.probability)


def _told(found: re.Match[str], as_number: bool, of_sign: bool, text: str) -> str:
    if text.isdigit() and (as_number or of_sign):
        where = found["of"] if as_number else "sign"
        return f"The number on the {where} is {_spoken(text)}."
    subject, verb = (f"The {found['of']}", "says") if as_number else (found["subject"], found["verb"])
    return f"{subject} {verb} {_spoken(text)}."


def _spoken(text: str) -> str:
    if text.isdigit():
        return in_words(int(text)).replace("-", " ") if len(text) <= 2 else text
    return text.lower()


def letters_of(word: str) -> str:
    """As the text reader writes it."""
    plain = word.lower().replace("-", " ").strip()
    if re.fullmatch(UP_TO_99, plain):
        return str(value_of(plain))
    return re.sub(r"[^A-Z0-9]", "", plain.upper())


def is_whole(word: Word) -> bool:
    """Whether it may be a whole word: not a single letter, as an edge or an ornament may look like one, nor
    so near the border that a further letter may lie there.
    """
    across, down = word.width / 2 + _MARGIN * word.width / len(word.text), word.height / 2
    inside = across <= word.x <= 1 - across and down <= word.y <= 1 - down
    return inside and (len(word.text) > 1 or word.text.isdigit())


def _on_that(words: Sequence[Word], of_sign: bool, seen: Detection | None) -> Sequence[Word]:
    """The words on signs, or on other things; all of them where none is there."""
    if seen is None:
        return words
    signs = [each for each in seen.candidates if dict(each.what).get(seen.sign, 0.0) >= _SIGN_FROM]
    on_signs = [word for word in words if any(_within(word, sign) for sign in signs)]
    wanted = on_signs if of_sign else [word for word in words if word not in on_signs]
    return wanted or words


def _within(word: Word, sign: Candidate) -> bool:
    return (
        abs(word.x - sign.x) <= 1.2 * sign.half_width
        and abs(word.y - sign.y) <= 1.2 * sign.half_height + 0.02
    )


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
