"""Reads an answer: its clauses, the things that it names, its numbers, times and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.eval.stranger.truth import COLOURS, KINDS

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SIZES = {"large": "large", "big": "large", "small": "small", "little": "small"}
_NAMES = {form: kind for kind in KINDS for form in (kind, kind + ("es" if kind == "cross" else "s"))}
_NO = re.compile(
    r"\b(no|not|none|nothing|never|without|cannot|cant|dont|doesnt|isnt|arent|didnt|neither|nor)\b"
)
_UNCAUGHT = re.compile(
    r"\b(did not|didnt|could not|couldnt|do not|dont|cannot|cant) (catch|understand|hear|get|follow)\b"
    r"|\bsay (it|that) again\b|\brephrase\b"
)
_PICTURE = re.compile(r"\b(dark|blurred|light|still|picture)\b")
_UNABLE = re.compile(
    r"\b(cannot|can not|cant|am not able to|do not|dont) "
    r"(say|tell|answer|know|judge|help|decide|promise|be sure|advise)\b"
    r"|\bam not sure\b|\bwas not made for\b"
)
_ABSENT = re.compile(
    r"\b(cannot|can not|cant|do not|dont|could not|couldnt|did not|didnt) (see|find|spot)\b"
    r"|\b(there is|there are|there was|i see|see|is|are|but|and|and there is) (no|none)\b"
    r"|^(no|none)\b|\bsee nothing\b|\bnot (here|there|in view|in (the|this) picture|in front of you)\b"
    r"|\b(isnt|arent|is not|are not) (a|an|any)\b|\bnot (a|an) \w+"
)


def number_in_words(number: int) -> str:
    """A number from 0 to 99 in words, without a hyphen."""
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10 - 2] + (f" {_ONES[number % 10]}" if number % 10 else "")


def plain(text: str) -> str:
    """Lower case without apostrophes and "I think"; hyphens are spaces."""
    text = text.lower().replace("'", "").replace("’", "").replace("-", " ")
    return re.sub(r"^i think (?!so\b|not\b)", "", re.sub(r"\bcan not\b", "cannot", text))


def words(text: str) -> list[str]:
    """The words and numbers of a sentence."""
    return re.findall(r"[a-z]+|\d+", plain(text))


def _numbers_at(found: list[str]) -> Iterator[tuple[int, int, int]]:
    """(first word, word after, value) of each number; "forty two" is one number."""
    at = 0
    while at < len(found):
        word, start = found[at], at
        at += 1
        if word.isdigit():
            yield start, at, int(word)
        elif word in _TENS:
            value = 10 * (_TENS.index(word) + 2)
            if at < len(found) and found[at] in _ONES[1:10]:
                value += _ONES.index(found[at])
                at += 1
            yield start, at, value
        elif word in _ONES:
            yield start, at, _ONES.index(word)


def numbers(text: str) -> list[int]:
    """All numbers of a sentence, in words or digits; "no" is 0."""
    found = ["zero" if word in ("no", "none") else word for word in words(text)]
    return [value for _, _, value in _numbers_at(found)]


def duration_s(text: str) -> int | None:
    """The duration that a sentence names, in seconds; None without one."""
    units = {"second": 1, "minute": 60, "hour": 3600}
    found = words(text)
    total, known = 0, False
    for _, after, value in _numbers_at(found):
        unit = found[after].removesuffix("s") if after < len(found) else ""
        if unit in units:
            total, known = total + value * units[unit], True
    return total if known else None


@dataclass(frozen=True)
class ClockTime:
    """A time of day: hour 0 to 11, minute, and "am", "pm" or "" where the sentence does not say."""

    hour: int
    minute: int
    part: str = ""


def clock_time(text: str) -> ClockTime | None:
    """The time of day that a sentence names: "four oh five in the afternoon", "7:30 pm", "noon"."""
    said = plain(text)
    part = ""
    if re.search(r"\bin the morning\b|(?<!\bi )\bam\b|\ba m\b", said):
        part = "am"
    elif re.search(r"\b(afternoon|evening|pm|p m)\b", said):
        part = "pm"
    if re.search(r"\bnoon\b", said):
        return ClockTime(0, 0, "pm")
    if "midnight" in said:
        return ClockTime(0, 0, "am")
    found = [word for word in words(said) if word not in ("oh", "o")]
    values = [value for _, _, value in _numbers_at(found)]
    if not values:
        return None
    hour, minute = values[0], values[1] if len(values) > 1 else 0
    if "at night" in said:
        part = "pm" if 6 <= hour % 12 < 12 else "am"
    if hour > 12:
        part = "pm"
    return ClockTime(hour % 12, minute, part)


@dataclass(frozen=True)
class Named:
    """A thing that a clause names: "" where it says nothing of size or colour; `count` of "two red stars"."""

    kind: str
    colour: str = ""
    size: str = ""
    count: int = 1


@dataclass(frozen=True)
class Clause:
    """A part of a sentence between commas and conjunctions. denied: it says that something is not so."""

    text: str
    denied: bool

    @property
    def kinds(self) -> set[str]:
        """Kinds that it names, in singular."""
        return {_NAMES[word] for word in words(self.text) if word in _NAMES}

    @property
    def colours(self) -> set[str]:
        """Colours that it names."""
        return {word for word in words(self.text) if word in COLOURS}

    @property
    def sizes(self) -> set[str]:
        """Sizes that it names."""
        return {_SIZES[word] for word in words(self.text) if word in _SIZES}


def clauses(text: str) -> list[Clause]:
    """The clauses of an answer, in order. A leading "Yes" or "No" is a clause."""
    split = re.split(r"[.,;:!?]|\bbut\b|\band\b", plain(text))
    return [Clause(part.strip(), bool(_NO.search(part))) for part in split if part.strip()]


def named(text: str) -> list[Named]:
    """The things with a kind that a text names, in order: "two small red stars", "the heart"."""
    found, out = words(text), []
    for at, word in enumerate(found):
        if word not in _NAMES:
            continue
        colour = size = ""
        count, back = 1, at - 1
        while back >= 0:
            before = found[back]
            if before in COLOURS and not colour:
                colour = before
            elif before in _SIZES and not size:
                size = _SIZES[before]
            elif before in _ONES:
                count = _ONES.index(before)
                break
            else:
                break
            back -= 1
        out.append(Named(_NAMES[word], colour, size, count))
    return out


def uncaught(text: str) -> bool:
    """True where it says that it did not understand, or asks back."""
    return bool(_UNCAUGHT.search(plain(text))) or text.strip().endswith("?")


def unable(text: str) -> bool:
    """True where it says that it cannot tell, judge or help, whatever the picture is like."""
    return bool(_UNABLE.search(plain(text))) and not _PICTURE.search(plain(text))


def tells_absence(text: str) -> bool:
    """True where it says that something is not in view."""
    return bool(_ABSENT.search(plain(text)))
