"""Lengths of time, times of day and numbers that a sentence says anywhere in it, in words."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from host.language.number_words import HOURS, NUMBER, TENS, UP_TO_99, value_of

_UNIT_S = {"second": 1, "minute": 60, "hour": 3600}
_UNIT = rf"(?:{'|'.join(_UNIT_S)})"
_TENS = rf"(?:{'|'.join(TENS)}|fifteen)(?: five)?"
"""Minutes after an hour, or seconds after minutes, whose unit goes without saying: "one hour twenty"."""
_SHARE = "a half|a quarter|three quarters"
_LENGTH = re.compile(
    rf"\b(?:(?P<quarters>three quarters|(?:a )?quarter)(?: of)?(?: an)? hour|"
    rf"(?:a )?half (?:an |a )?(?P<half>{_UNIT})|"
    rf"(?:(?P<one>an?|one) (?P<oneunit>{_UNIT})|(?P<number>{NUMBER}) (?P<unit>{_UNIT})s?)"
    rf"(?: and (?P<more>{_SHARE})(?! (?:an? |of )?{_UNIT})|"
    rf"(?: and)? (?P<number2>{NUMBER}) (?P<unit2>{_UNIT})s?|"
    rf"(?:(?<=hour)|(?<=hours)) and (?P<minutes>five|ten|{_TENS})(?= go\b| please\b| now\b| for\b|$)|"
    rf" (?P<smaller>{_TENS})(?= go\b| please\b| now\b| for\b|$))?|"
    rf"(?P<halves>{NUMBER}) and (?P<share>{_SHARE}) (?P<halfunit>{_UNIT})s?)\b"
)
_SHARES = {"a half": 0.5, "a quarter": 0.25, "three quarters": 0.75}
_POINT = re.compile(rf"\bpoint {NUMBER}\b")
"""Of a number that is not read: "one point five"."""
_TELL_ME = re.compile(
    r"\b(?:(?:tell|remind|call|ring|buzz|warn|ping|wake|nudge|alert|poke|prod|shake) (?:me|us)|"
    r"let (?:me|us) know|get (?:me|us) up|shout|bell|ring|nudge|buzz|call|heads up|warning|reminder|alarm|"
    r"timer)\b(?!.* (?:for|in|of|to|at|after|about|another|an?)$)"
)
"""Before a length of time, without a word that says that it begins at once: "remind me five minutes"."""
_FROM_THEN = re.compile(r"^ (?:before(?:hand)?|earl(?:y|ier)|prior|ahead|in advance|later than|after|into)\b")
"""After it: it is measured from something else."""
_LAST = re.compile(rf"\b(?P<last>last|past|the) (?P<unit>{_UNIT})\b")
_HOUR = rf"(?:{'|'.join(HOURS)})"
_PARTS = {"am": r"(?:in the |this )?morning|a ?m", "pm": r"(?:in the |this )?(?:afternoon|evening)|p ?m",
          "night": "(?:at|in the|of the) night|tonight"}  # fmt: skip
_AT = rf"(?P<hour>{UP_TO_99})(?: o'clock| hours?)?(?: (?:oh |o )?(?P<minute>{UP_TO_99}))?"
_CLOCK = re.compile(
    rf"\b(?:(?P<noon>noon|midday|midnight)|(?:(?:a )?(?P<offset>half|quarter|five|ten|twenty(?: five)?)(?: "
    rf"minutes)? (?P<side>past|to|after|before)|(?P<halfsaid>half)) "
    rf"(?P<whole>{_HOUR}|noon|midday|midnight)|{_AT})\b"
)
_CLOCK_UNITS = re.compile(
    rf"\bminutes (?:past|to|after|before) (?={_HOUR}\b|noon\b|midday\b|midnight\b)|"
    rf"\b(?:hundred|at {UP_TO_99}) hours\b"
)
_UNITS = re.compile(rf"\b{_UNIT}s?\b")
_NO_CLOCK = re.compile(r"\b(?:half|quarters?|\d+)\b|\b(?:past|to)$")
"""What is left of a sentence whose time of day was not understood in full."""
_THAT_ONE = re.compile(
    rf"\b((?:the|that|my) (?:{_AT.replace('?P<hour>', '?:').replace('?P<minute>', '?:')})) one\b"
)
"""An alarm by its time: "the six forty five one"."""
_AM = re.compile(r"\b(?:i|what|where|who|how|why|when) am\b|\bam i\b")
"""The verb, and no part of a day."""
_OFFSETS = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty five": 25}
_EARLY = range(1, 12)


def only_number(text: str) -> int | None:
    """The one number that a text says, once or more, 0 to 100; None for none or several."""
    found = list(dict.fromkeys(re.findall(rf"\b{NUMBER}\b", text)))
    return value_of(found[0]) if len(found) == 1 else None


def only_length_s(text: str) -> int | None:
    """The seconds of the one length of time that a text says; None for none or several, or where a number
    beside it may belong to it.
    """
    found = list(_LENGTH.finditer(text))
    if not found or _POINT.search(text):
        return None
    if re.search(rf"\b(?:{NUMBER}|\d+|hundreds?|half|quarter|couple|few|days?)\b", _LENGTH.sub(" ", text)):
        return None
    between = [text[one.end() : two.start()].strip() for one, two in pairwise(found)]
    parts = [_length_s(each) for each in found]
    shorter = all(one is not None and two is not None and one > two for one, two in pairwise(parts))
    if parts[0] is None or not shorter or not {"", "and"}.issuperset(between):
        return None
    return sum(filter(None, parts))


def _length_s(length: re.Match[str]) -> int | None:
    """None where its second part is of no smaller unit: "five minutes and ten minutes" are two."""
    said = length.groupdict()
    if said["quarters"]:
        return 2700 if said["quarters"].startswith("three") else 900
    if said["half"]:
        return _UNIT_S[said["half"]] // 2
    if said["halves"]:
        return round((value_of(said["halves"]) + _SHARES[said["share"]]) * _UNIT_S[said["halfunit"]])
    unit_s = _UNIT_S[said["oneunit"] or said["unit"]]
    total_s = unit_s if said["one"] else value_of(said["number"]) * unit_s
    if said["more"]:
        total_s += round(unit_s * _SHARES[said["more"]])
    if said["number2"]:
        if _UNIT_S[said["unit2"]] >= unit_s:
            return None
        total_s += value_of(said["number2"]) * _UNIT_S[said["unit2"]]
    smaller = said["smaller"] or said["minutes"]
    if smaller and unit_s == 1:
        return None
    return total_s + (value_of(smaller) * unit_s // 60 if smaller else 0)


def measured_from_something(text: str) -> bool:
    """Whether the wearer is to be told something a length of time before or after something else: "remind me
    five minutes before the film".
    """
    lengths = _LENGTH.finditer(text)
    return any(
        _FROM_THEN.search(text[at.end() :]) and _TELL_ME.search(text[: at.start()].strip()) for at in lengths
    )


def a_length_in(text: str) -> bool:
    """Whether a text says one length of time or more, whether they can be read or not."""
    return _LENGTH.search(text) is not None


def a_time_in(text: str) -> bool:
    """The same for times of day: "seven", "the alarms at six and at eight"."""
    return any(each[0] not in ("one", "two") for each in _CLOCK.finditer(text))


def clocks_in(text: str) -> list[int]:
    """Where the times of day begin that a text says."""
    return [each.start() for each in _CLOCK.finditer(text)]


def ends_of_clocks(text: str) -> list[int]:
    """Where they end."""
    return [each.end() for each in _CLOCK.finditer(text)]


def ends_of_lengths(text: str) -> list[int]:
    """Where the lengths of time end that a text says."""
    return [each.end() for each in _LENGTH.finditer(text)]


def last_length_s(text: str) -> int | None:
    """The same for how much of the time that is over: also "the last hour", "the last hour and a half"."""
    return only_length_s(_LAST.sub(r"\g<last> one \g<unit>", text))


def length_from_now_s(text: str) -> int | None:
    """The same for "in two hours", "after an hour" and "an hour from now"."""
    found = _LENGTH.search(text)
    if found is None:
        return None
    after = text[: found.start()].split()[-1:] in (["in"], ["after"])
    return only_length_s(text) if after or text[found.end() :].startswith(" from now") else None


def only_clock(text: str) -> dict[str, Any] | None:
    """The one time of day that a text says, as the slots of an alarm: hour, and where said minute, offset
    (minutes) and part, and tomorrow. "Tomorrow" without a part is the morning. None for none or several, and
    for a length of time ("in two hours", "half an hour before seven").
    """
    text = _AM.sub("", _THAT_ONE.sub(r"\1", text))
    part = next((name for name, form in _PARTS.items() if re.search(rf"\b(?:{form})\b", text)), "")
    found = list(_CLOCK.finditer(text))
    if len(found) != 1:
        return None
    rest = f"{text[: found[0].start()]}{text[found[0].end() :]}".strip()
    if _NO_CLOCK.search(rest) or _UNITS.search(_CLOCK_UNITS.sub(" ", text)):
        return None
    said = found[0].groupdict()
    slots: dict[str, Any] = {}
    if said["halfsaid"]:
        slots["offset"] = 30
    elif said["offset"]:
        minutes = _OFFSETS[said["offset"]]
        slots["offset"] = minutes if said["side"] in ("past", "after") else -minutes
    elif said["minute"]:
        slots["minute"] = value_of(said["minute"])
    whole = said["noon"] or said["whole"] or said["hour"]
    if whole == "midnight":
        slots["hour"], part = 0, ""
    elif whole in ("noon", "midday"):
        slots["hour"], part = 12, "am" if slots.get("offset", 0) < 0 else "pm"
    else:
        slots["hour"] = value_of(whole)
    if slots["hour"] > 23 or slots.get("minute", 0) > 59:
        return None
    if "tomorrow" in text.split():
        slots["tomorrow"] = True
        if not part and slots["hour"] in _EARLY:
            part = "am"
    return slots | {"part": part} if part else slots
