"""Leaves out a number or a time that the speaker takes back at once: "for ten no fifteen minutes" is "for
fifteen minutes". Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from host.language.number_words import NUMBER
from models.brick import Transcript

_UNIT = r"(?:seconds?|minutes?|hours?|days?|percent|o'clock|a\.?m\.?|p\.?m\.?|[ap] m)"
_FIRST = rf"(?:{NUMBER}|half|quarter|noon|midnight|an hour|a minute|[0-9][0-9:]*)"
_TIME = rf"{_FIRST}(?: (?:(?:past|to|and|a) )*(?:{_FIRST}|{_UNIT}))*"
_NOBODY = rf"(?! one\b(?! (?:{_UNIT}|{NUMBER})\b| please\b|$))"
"""After "no": no number follows in "no one else is up"."""
_TAKEN_BACK = re.compile(
    rf"\b(?P<first>{_TIME})(?: (?:oh|uh|um|er|erm))*"
    r" (?:no(?: (?:wait|sorry|i mean|i meant|hang on|hold on|not that))*|now|wait(?: no)?|sorry(?: no)?|"
    r"or rather|i mean|i meant|scratch that|make that|actually)"
    r"(?: (?:actually|i mean|i meant|let's say|say|better|make (?:it|that)|rather))*"
    rf"(?: (?:for|at|to|in|of))?{_NOBODY} (?P<second>{_TIME})\b"
)
"""Said between two numbers; a recogniser hears "now" for "no"."""
_OF_A_TIME = re.compile(rf"\b{_UNIT}$")


def corrected(heard: Transcript) -> Transcript:
    """The transcript without what was taken back; a unit that was said with it alone goes to what is said
    instead: "ten minutes no fifteen" is "fifteen minutes".
    """
    words = heard.text.split()
    text = " ".join(words)
    while match := _TAKEN_BACK.search(text.lower()):
        before, after = text[: match.start()].split(), text[match.end() :].split()
        start = len(text[: match.start("second")].split())
        kept = [*range(len(before)), *range(start, len(words))]
        unit = _OF_A_TIME.search(match["first"])
        if unit is not None and not _OF_A_TIME.search(match["second"]) and " " not in unit[0]:
            moved = len(before) + len(match["first"].split()) - 1
            kept.insert(kept.index(len(words) - len(after) - 1) + 1, moved)
        if len(heard.words) == len(words):
            heard = replace(heard, words=tuple(heard.words[index] for index in kept))
        words = [words[index] for index in kept]
        text = " ".join(words)
        heard = replace(heard, text=text)
    return heard
