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
NO_LABEL = re.compile(r"I (?:cannot|do not) see (?:a|any|the) label\b[^.]*\.?", re.I)
TOO_SMALL = re.compile(r"The letters are too small to read\b[^.]*\.?", re.I)
"""Said of labels."""
_NO_LABEL_BELOW, _LABEL_FROM, LEAST_LETTERS = 0.95, 0.95, 3
"""Of an answer that there is no label its probability, below which a word on a thing counts that is read with
the second, of so many letters at least; it counts too where letters are called too small. By
`python -m models.train.reader.denied` nineteen of twenty such words stand on a label. A sign that is denied
is none.
"""
_LETTERS_FROM = 0.1
"""Probability of a word, which may be misread, below which there are no letters that could be too small; so
of ten such answers eight are about no label, by the same views.
"""
NO_LABEL_SAID, _NO_SIGN_SAID = "I do not see a label.", "I cannot see a sign"
_NO_SIGN_BELOW = 0.05
"""Probability of the object detector's likeliest sign below which there is none, whatever an answer says: on
validation views in many manners no sign that can be read has less.
"""
_SIGN_FROM, _THING_FROM = 0.3, 0.2
"""Probability from which a candidate of the object detector is where a sign, and a thing, may be."""
_MARGIN = 0.8
"""Between a whole word and the picture's left or right border, in letters."""
_LIKE_FROM = 0.5
"""Share of their letters that two words have in common where one may be the other, misread."""


def asks_what_is_written(question: str) -> bool:
    """Whether the answer to this question may say what is written somewhere."""
    return _WRITTEN.search(question.lower()) is not None


def as_read(
    sentence: str,
    probability: float,
    reading: Reading,
    given_from: float,
    seen: Detection | None = None,
) -> Verdict | None:
    """The answer with the word that is read, which is surer where it is the answer's own. None where it says
    of nothing that it is written, or no word is read with the probability `given_from`, or several are and
    none is like the answer's, or the answer's is surer than another that is read. An answer that there is no
    label, or that its letters are too small, gives way to the word on a thing that is surely read; one that
    tells of a sign where none is seen, or of small letters where there are none, to that there is none.
    probability: the least of the answer's words; seen: where a sign is, so that a word on one is not taken
    for a label's.
    """
    if TOO_SMALL.fullmatch(sentence):
        letters = [word for word in on_things(reading.words, seen) if word.probability >= _LETTERS_FROM]
        if seen is not None and not letters:
            return Verdict(NO_LABEL_SAID, probability)
        return _label_after_all(reading, seen)
    if NO_LABEL.fullmatch(sentence) and probability < _NO_LABEL_BELOW:
        return _label_after_all(reading, seen)
    says, number = _SAYS.fullmatch(sentence), _NUMBER.fullmatch(sentence)
    found = says or number
    if found is None:
        return None
    said = letters_of(found["word"])
    of_sign = _of_sign(says)
    if of_sign and seen is not None and not _signs(seen, _NO_SIGN_BELOW):
        return _no_sign(reading, given_from, seen)
    words = on_that(reading.words, of_sign, seen) or reading.words
    sure = [word for word in words if word.probability >= given_from and _is_whole_there(word, seen)]
    sure = [word for word in sure if len(word.text) > 1 or (said.isdigit() and len(said) == 1)]
    if not sure:
        return None
    word = max(sure, key=lambda each: (_alike(each.text, said), each.probability))
    if word.text == said:
        return Verdict(sentence, max(word.probability, probability))
    if word.probability <= probability or (len(sure) > 1 and _alike(word.text, said) < _LIKE_FROM):
        return None
    return Verdict(_told(found, number is not None, of_sign, word.text), word.probability)


def _of_sign(says: re.Match[str] | None) -> bool:
    """Whether the answer is about a sign; a number is taken for one on a sign."""
    return says is None or says["subject"].lower() == "the sign"


def is_cut_off(sentence: str, reading: Reading, given_from: float, seen: Detection | None = None) -> bool:
    """Whether the largest word that is read with the probability `given_from` may go on beyond the border,
    and is no part of the word that the answer says. False where it says of nothing that it is written.
    """
    says, number = _SAYS.fullmatch(sentence), _NUMBER.fullmatch(sentence)
    found = says or number
    if found is None:
        return False
    words = on_that(reading.words, _of_sign(says), seen) or reading.words
    sure = [word for word in words if word.probability >= given_from and len(word.text) > 1]
    largest = max(sure, key=lambda word: word.width * word.height, default=None)
    if largest is None or _is_whole_there(largest, seen):
        return False
    return largest.text not in letters_of(found["word"])


def _label_after_all(reading: Reading, seen: Detection | None) -> Verdict | None:
    """What the label says of which the answer says that there is none, or that nobody can read it: the one
    word on a thing that is surely read.
    """
    words = on_things(reading.words, seen)
    sure = [word for word in words if word.probability >= _LABEL_FROM and is_whole(word)]
    if len(sure) != 1 or len(sure[0].text) < LEAST_LETTERS:
        return None
    return Verdict(f"The label says {_spoken(sure[0].text)}.", sure[0].probability)


def _no_sign(reading: Reading, given_from: float, seen: Detection) -> Verdict:
    """That there is no sign, with the one word that is read on a thing."""
    words = [
        word for word in on_things(reading.words, seen) if word.probability >= given_from and is_whole(word)
    ]
    if len(words) != 1:
        return Verdict(f"{_NO_SIGN_SAID}.", 1.0 - _NO_SIGN_BELOW)
    return Verdict(f"{_NO_SIGN_SAID}, but a label says {_spoken(words[0].text)}.", words[0].probability)


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


def _is_whole_there(word: Word, seen: Detection | None) -> bool:
    """The same of a word that may stand on a sign which is in view from border to border."""
    return is_whole(word) or any(
        sign.half_width <= sign.x <= 1 - sign.half_width
        and 2 * sign.half_width >= word.width
        and _within(word, sign)
        and len(word.text) > 1
        for sign in _signs(seen)
    )


def on_that(words: Sequence[Word], of_sign: bool, seen: Detection | None) -> Sequence[Word]:
    """The words on signs, or on other things; all of them where nobody knows where signs are."""
    if seen is None:
        return words
    on_signs = [word for word in words if any(_within(word, sign) for sign in _signs(seen))]
    return on_signs if of_sign else [word for word in words if word not in on_signs]


def on_things(words: Sequence[Word], seen: Detection | None) -> Sequence[Word]:
    """The words of more than one letter on things that are no signs; all where nobody knows what is there."""
    several = [word for word in words if len(word.text) > 1]
    if seen is None:
        return several
    things = [
        each
        for each in seen.candidates
        if sum(chance for name, chance in each.what if name in seen.things) >= _THING_FROM
    ]
    return [word for word in on_that(several, False, seen) if any(_within(word, each) for each in things)]


def _signs(seen: Detection | None, least: float = _SIGN_FROM) -> Sequence[Candidate]:
    if seen is None:
        return ()
    return [each for each in seen.candidates if dict(each.what).get(seen.sign, 0.0) >= least]


def _within(word: Word, sign: Candidate) -> bool:
    return (
        abs(word.x - sign.x) <= 1.2 * sign.half_width
        and abs(word.y - sign.y) <= 1.2 * sign.half_height + 0.02
    )


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
