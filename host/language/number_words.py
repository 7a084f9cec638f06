"""Numbers in words: their values, and regular expressions that find them. Pure."""

from __future__ import annotations

import re

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
"""Each at its value."""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
TENS = dict(zip(_TENS, range(20, 100, 10), strict=True))
VALUES = {word: value for value, word in enumerate(SMALL)} | TENS
HOURS = tuple(SMALL[1:13])
"""Of a clock's face."""
_ONES, _UP_TO_19 = "|".join(SMALL[1:10]), "|".join(sorted(SMALL, key=len, reverse=True))
UP_TO_99 = rf"(?:(?:{'|'.join(_TENS)})(?: (?:{_ONES}))?|{_UP_TO_19})"
NUMBER = rf"(?:(?:a|one) hundred|{UP_TO_99})"
"""From zero to a hundred; neither has a group."""
_DIGITS = re.compile(r"\b\d{1,2}\b")


def value_of(words: str) -> int:
    """The value of a `NUMBER`."""
    return 100 if words.endswith("hundred") else sum(VALUES[word] for word in words.split())


def in_words(number: int) -> str:
    """A number from 0 to 99 in words: "twenty-three"."""
    if number < 20:
        return SMALL[number]
    tens = _TENS[number // 10 - 2]
    return tens + (f"-{SMALL[number % 10]}" if number % 10 else "")


def digits_in_words(text: str) -> str:
    """The text with its numbers of one or two digits in words, without hyphens: "for 45 minutes"."""
    return _DIGITS.sub(lambda digits: in_words(int(digits[0])).replace("-", " "), text)
