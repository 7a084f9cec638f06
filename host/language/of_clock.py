"""Whether a question for the time or the date is one for those of here and today: a headband knows no other.
Pure.
"""

from __future__ import annotations

import re

from host.language.classifier.forgetting import MONTHS
from host.language.router import Decision

_ELSEWHERE = re.compile(
    r"\b(?:time|hour|late|clock)\b(?: (?:of|day|is|it|now|right|just|currently|at|the|moment|over|there|be|"
    r"say|says))* (?:in|for(?= .*\bzone\b)) (?!(?:the )?(?:morning|afternoon|evening|night|moment|room|house|"
    r"kitchen|hall|minute|me|us|you|here|now|this|words?|hours?)\b)"
)
"""Asks for the time of another place: "what time is it in tokyo"."""
_ANOTHER_DATE = re.compile(
    rf"\b(?:next|last|coming|tomorrow(?:'s)?|yesterday(?:'s)?|falls?|due|birth\w*|holidays?|christmas|easter|"
    rf"thanksgiving|halloween|valentine's?|new year\w*|pay ?day|pay ?check|paid|bills?|weekend|{MONTHS}|"
    r"(?:twenty |thirty )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\w+teenth)|"
    r"eleventh|twelfth|twentieth|thirtieth)\b"
)
"""Asks for the day or the date of something else than today."""


def of_clock(kind: str, said: str) -> Decision:
    """The decision of a question for the "time" or the "date" (lower case, without punctuation)."""
    if kind == "time" and _ELSEWHERE.search(said):
        return Decision("device", "time_elsewhere")
    if kind == "date" and _ANOTHER_DATE.search(said):
        return Decision("device", "another_date")
    return Decision("device", kind)
