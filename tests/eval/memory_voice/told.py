"""Reads an answer of the memory: the times that it names, whether it says "not seen", what it describes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.eval.stranger.sentences import plain
from tests.eval.stranger_home import said

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty".split()
_NUMBER = rf"(?:(?:{'|'.join(_TENS)})(?: (?:{'|'.join(_ONES[1:10])}))?|{'|'.join(reversed(_ONES))})"
_PART = r"in the morning|in the afternoon|in the evening|at night"
_TIME = re.compile(
    rf"\b(?P<now>just now|i see (?:your|the) [a-z ]+? now)\b|\b(?P<ago>{_NUMBER}) minutes? ago\b"
    rf"|\b(?P<noon>noon)\b|\b(?P<hour>{_NUMBER}) (?:oclock|(?:oh )?(?P<minute>{_NUMBER})) (?P<part>{_PART})\b"
)
_NOT_SEEN = re.compile(
    r"\bi (have not|havent|did not|didnt|never) (seen|see|saw)\b|\bnothing from then\b"
    r"|\b(do not|dont) remember (seeing|anything)\b"
)
_SURE = re.compile(
    r"\bi am (quite|fairly|not very) sure\b\.?"
    r"|(, but )?\bi have not looked at (that picture|those pictures) again,? so i am not sure\b\.?"
)


@dataclass(frozen=True)
class Told:
    """A time that is told, from and to, seconds after midnight, and the words until the next one."""

    least_s: float
    most_s: float
    words: str


def not_seen(answer: str) -> bool:
    """Whether it says that it has not seen this."""
    return _NOT_SEEN.search(plain(answer)) is not None


def unlooked(answer: str) -> bool:
    """Whether it says that it has not looked at the picture again."""
    return "have not looked" in plain(answer)


def placeless(answer: str) -> bool:
    """Whether it has not looked at the picture again, and names no place."""
    return (
        unlooked(answer) and not said.tops(answer) | said.places(answer) and "your hand" not in plain(answer)
    )


def body(answer: str) -> str:
    """The answer without how sure it is, which judges of what is in view would take for a refusal."""
    return _SURE.sub("", plain(answer)).strip()


def times(answer: str, now_s: float) -> list[Told]:
    """The times in it, in order. now_s: of the question, seconds after midnight."""
    said = plain(answer)
    found = list(_TIME.finditer(said))
    ends = [*(match.start() for match in found[1:]), len(said)]
    return [
        Told(*_span(match, now_s), said[match.end() : end]) for match, end in zip(found, ends, strict=False)
    ]


def _span(match: re.Match[str], now_s: float) -> tuple[float, float]:
    if match["now"]:
        return now_s - 60, now_s
    if match["ago"]:
        minutes = _value(match["ago"])
        return now_s - 60 * (minutes + 1), now_s - 60 * minutes
    if match["noon"]:
        return 43_200.0, 43_260.0
    hour, minute = _value(match["hour"]) % 12, _value(match["minute"] or "zero")
    late = match["part"] in ("in the afternoon", "in the evening") or (
        match["part"] == "at night" and hour > 5
    )
    begin_s = 3600.0 * (hour + 12 * late) + 60.0 * minute
    return begin_s, begin_s + 60


def _value(words: str) -> int:
    return sum(_ONES.index(each) if each in _ONES else 10 * (_TENS.index(each) + 2) for each in words.split())
