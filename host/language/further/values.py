"""The length of time or the time of day that a sentence says instead of another, however it is put: "nay give
it a quarter of an hour", "one hour is too much no keep fifty". Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from host.language.classifier.amounts import only_clock, only_length_s, only_number
from host.language.further.said import UNIT
from host.language.number_words import NUMBER

_WORD = (
    rf"(?:{NUMBER}|{UNIT}|half|quarters?|an?|and|of|past|to|oh?|o'clock|noon|midday|midnight|[ap] ?m|"
    r"in the morning|in the afternoon|in the evening|at night|tomorrow)"
)
_SPAN = re.compile(rf"\b{_WORD}(?: {_WORD})*\b")
_NOT = re.compile(
    r"\b(?:not|isn't|instead of|rather than|than|was|said|no longer|never) (?:at |for |exactly )?$"
)
"""Before a value that is not meant."""
_NOT_AFTER = re.compile(
    r"^ (?:is|was|are|'s)? ?(?:far |way |a bit |much )?too (?:much|long|short|early|late|soon)\b"
)
_HOUR_AND = re.compile(
    rf"(?P<hours>(?:{NUMBER} |an |a )?hours?) (?:and )?(?P<minutes>{NUMBER})(?: minutes?)?"
)
_HALF_HOUR_OF_DAY = re.compile(
    r"\bhalf (?=(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)"
)
_QUARTER = {"half past": 30, "a quarter past": 15, "quarter past": 15}
_MINUTES = range(13, 60)
"""Numbers that are minutes of an hour, and no hour: "make that forty five" after "half past six"."""
_TO_MINUTES = (("ten past", 10), ("twenty past", 20), ("five past", 5), ("twenty five past", 25))
_Value = TypeVar("_Value")
Slots = dict[str, Any]


def length_in(text: str, old_s: int = 0) -> Slots | None:
    """The slots of the length of time, or of the number without its unit, that a text (as of `spoken`) says;
    of several that which is meant in place of another. old_s: the length that it replaces, which is not.
    """
    lengths = [each for each in _values(text, _length) if each.get("seconds") != old_s]
    whole = [each for each in lengths if "seconds" in each]
    found = whole or lengths
    return found[-1] if found else None


def clock_in(text: str) -> Slots | None:
    """The same of a time of day: the slots of an alarm, or a `minute` alone."""
    found = list(_values(_HALF_HOUR_OF_DAY.sub("half past ", text), _clock))
    return found[-1] if found else None


def _values(text: str, read: Callable[[str], _Value | None]) -> Iterator[_Value]:
    """Those that are meant, in their order."""
    for span in _SPAN.finditer(text):
        if _NOT.search(text[: span.start()]) or _NOT_AFTER.search(text[span.end() :]):
            continue
        found = _longest(span[0].split(), read)
        if found is not None:
            yield found


def _longest(words: list[str], read: Callable[[str], _Value | None]) -> _Value | None:
    """What the longest part of some words says, of several the last."""
    for length in range(len(words), 0, -1):
        for first in range(len(words) - length, -1, -1):
            found = read(" ".join(words[first : first + length]))
            if found is not None:
                return found
    return None


def _length(text: str) -> Slots | None:
    of_two = _HOUR_AND.fullmatch(text)
    if of_two is not None:
        minutes = only_number(of_two["minutes"])
        hours = only_length_s(of_two["hours"] if " " in of_two["hours"] else f"one {of_two['hours']}")
        return {"seconds": hours + 60 * minutes} if hours and minutes else None
    if re.search(
        r"\b(?:past|to|o'clock|noon|midday|midnight|morning|afternoon|evening|night|[ap] ?m)\b", text
    ):
        return None
    seconds = only_length_s(f"one {text}" if re.match(UNIT, text) else text)
    if seconds:
        return {"seconds": seconds}
    number = only_number(text) if re.fullmatch(NUMBER, text) else None
    return {"number": number} if number else None


def _clock(text: str) -> Slots | None:
    for said, minute in (*_QUARTER.items(), *_TO_MINUTES):
        if text == said:
            return {"minute": minute}
    if re.match(
        r"(?:and|of|a|an|to|past) |.* (?:and|of|an?|to|past)$|.*\b(?:minutes?|seconds?|hours?)\b", text
    ):
        return None if re.match(r"a quarter (?:to|past) ", text) is None else only_clock(text[2:])
    number = only_number(text) if re.fullmatch(NUMBER, text) else None
    if number is not None and number in _MINUTES:
        return {"minute": number}
    return only_clock(text)
