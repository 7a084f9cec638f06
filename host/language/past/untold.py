"""Times that nobody but the speaker can tell, "when the vicar called", and those that are not counted here,
"on the third of june", "between two and four". Pure.
"""

from __future__ import annotations

import re

from host.language.past.times import TIME, times_of

_CLAUSE = re.compile(
    r"\b(?:when(?! (?:did|was|were|do|does|is|are|has|have|had|(?:i|you|we) (?:last|first))\b)|while|during|"
    r"until|before|after|since) (?!(?:that|this|it|then|now|here|there|dark|ago|back)(?: |$))[a-z][a-z' ]+$"
)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = (
    r"first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|twentie|thirtie)th|(?:twenty|thirty) (?:first|second|third|[a-z]+th)"
)
_NOT_COUNTED = re.compile(
    r" (?:"
    r"(?:between|from) (?!the |my |our |a )[a-z' ]+ (?:and|to|until) (?!the |my |our |a )[a-z' ]+|"
    rf"(?:on )?the (?:{_DAYS}) of (?:{_MONTHS})|on the (?:{_DAYS})|"
    rf"(?:in|since|last|on|early in|late in) (?:{_MONTHS})"
    rf"(?: the (?:{_DAYS}))?|"
    r"(?:the )?(?:previous|other) (?:day|morning|afternoon|evening|night|week|month)|this (?:month|year)|"
    r"the (?:day|morning|afternoon|evening|night|week) before|the [a-z]+ before last|"
    r"(?:(?:many|some|a|(?:a|one) hundred) )?(?:minutes|hours|days|weeks|months|years?|ages|long time) ago)$"
)
"""At the end of a question; no form of `host.language.past.times` reads it."""
_NO_TIME = re.compile(r"when (?:i|we) (?:left|leave|went out|go out)\b|when .*\b(?:last|first)\b")
"""When the wearer left is told by the last view; the other asks when something was."""
_HOW_LONG = re.compile(r"\b(?:how long|been ages)\b")
_A_TIME = re.compile(rf"\b{TIME}\b")
_LEAST_WORDS = 4
"""Of a question before such a time."""


def _clause(text: str) -> re.Match[str] | None:
    found = _CLAUSE.search(text)
    return None if found is None or _NO_TIME.match(found[0]) or _HOW_LONG.search(text) else found


def _not_counted(text: str) -> re.Match[str] | None:
    found = _NOT_COUNTED.search(text)
    if found is None or _HOW_LONG.search(text):
        return None
    counted = (each for each in _A_TIME.finditer(text) if each[0] != "before")
    return None if any(each.end() > found.start() for each in counted) else found


def without_untold(text: str) -> str:
    """The question without such a time at its end."""
    found = _clause(text)
    if found is None or _A_TIME.search(found[0]):
        found = _not_counted(text)
    if found is None:
        return text
    rest = text[: found.start()].strip()
    return rest if len(rest.split()) >= _LEAST_WORDS else text


def untold_time(text: str, now_s: float) -> bool:
    """Whether a question (lower case, without punctuation) names a time by what happened then, which is not
    remembered, or one that is not counted, and no time that is.
    """
    found = _clause(text) or _not_counted(text)
    return found is not None and times_of(text, now_s)[:2] == (None, None)
