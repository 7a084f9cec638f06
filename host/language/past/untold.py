"""Times that nobody but the speaker can tell: "when the vicar called", "before handover". Pure."""

from __future__ import annotations

import re

from host.language.past.times import TIME, times_of

_CLAUSE = re.compile(
    r"\b(?:when(?! (?:did|was|were|do|does|is|are|has|have|had|(?:i|you|we) (?:last|first))\b)|while|during|"
    r"until|before|after|since) (?!(?:that|this|it|then|now|here|there|dark|ago|back)(?: |$))[a-z][a-z' ]+$"
)
_NO_TIME = re.compile(r"when (?:i|we) (?:left|leave|went out|go out)\b|when .*\b(?:last|first)\b")
"""When the wearer left is told by the last view; the other asks when something was."""
_HOW_LONG = re.compile(r"\b(?:how long|been ages)\b")
_A_TIME = re.compile(rf"\b{TIME}\b")
_LEAST_WORDS = 4
"""Of a question before such a time."""


def _clause(text: str) -> re.Match[str] | None:
    found = _CLAUSE.search(text)
    return None if found is None or _NO_TIME.match(found[0]) or _HOW_LONG.search(text) else found


def without_untold(text: str) -> str:
    """The question without such a time at its end."""
    found = _clause(text)
    if found is None or _A_TIME.search(found[0]):
        return text
    rest = text[: found.start()].strip()
    return rest if len(rest.split()) >= _LEAST_WORDS else text


def untold_time(text: str, now_s: float) -> bool:
    """Whether a question (lower case, without punctuation) names a time by what happened then, which is not
    remembered, and no time that a clock or a calendar tells.
    """
    return _clause(text) is not None and times_of(text, now_s)[:2] == (None, None)
