"""Answers as the official evaluations compare them: lower case, without articles and punctuation, small
numbers as digits, contractions with their apostrophes (visualqa.org/evaluation.html).

The order of the steps and their odd corners follow that evaluation, because figures are compared with
published ones: where a text has a space beside one occurrence of a punctuation mark, or a comma between
digits anywhere, all occurrences of the mark are removed; otherwise they become spaces.
"""

from __future__ import annotations

import re

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
"""Apostrophes and colons stay: they tell possessives and times."""
_COMMA_IN_NUMBER = re.compile(r"\d,\d")
_PERIOD = re.compile(r"\.(?!\d)")
_ARTICLES = ("a", "an", "the")
_DIGITS = {"none": "0"} | {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_NOT = (
    "ai are ca could did does do had has have is might must need ought sha should was were wo would"
).split()
_ENDINGS = {
    "ve": "could might must not should they we what where who would you".split(),
    "d": "he how it someone something there they where who you".split(),
    "ll": "how it somebody someone something they what who why you".split(),
    "re": "there they what why you".split(),
    "s": "he how somebody someone that there what when where who why".split(),
}
_NOT_HAVE = "could had might should would".split()
_WOULD_HAVE = "he it she somebody someone something there they we who yall you".split()


def _contractions() -> dict[str, str]:
    """Spelling without (all) apostrophes -> with them."""
    found = {"maam": "ma'am", "oclock": "o'clock", "twas": "'twas", "yall": "y'all"}
    found |= {f"{stem}nt": f"{stem}n't" for stem in _NOT}
    found |= {f"{stem}{end}": f"{stem}'{end}" for end, stems in _ENDINGS.items() for stem in stems}
    for first, second in [(f"{stem}n", "t") for stem in _NOT_HAVE] + [(stem, "d") for stem in _WOULD_HAVE]:
        right = f"{first}'{second}'ve".replace("yall'", "y'all'")
        found |= {f"{first}{second}'ve": right, f"{first}'{second}ve": right}
    return found


_CONTRACTIONS = _contractions()


def normalised(answer: str) -> str:
    """An answer in the form in which two of them are compared."""
    text = answer.replace("\n", " ").replace("\t", " ").strip()
    joined = bool(_COMMA_IN_NUMBER.search(text))
    plain = text
    for mark in _MARKS:
        beside_space = f"{mark} " in text or f" {mark}" in text
        plain = plain.replace(mark, "" if beside_space or joined else " ")
    words = (_DIGITS.get(word, word) for word in _PERIOD.sub("", plain).lower().split())
    return " ".join(_CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)
