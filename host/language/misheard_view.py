"""Recognises a question about the view of which only words before it were missed: "would you ?? me where my
wallet is" asks "where is my wallet".

A question with a gap in it stays unclear, as what is missing may be the thing that it asks about; and so does
one that is doubtful without a gap, as its things are taken for others too often.
"""

from __future__ import annotations

import re

from host.language.router import plain_words
from host.language.safety import about_safety
from host.language.usual_wording import known_wording
from models.brick import UNKNOWN_WORD

_NAMES_NOTHING = ("what do you see", "what changed")
"""Questions that follow from a single word, which other speech has as well."""
_ASKS_ANOTHER_THING = re.compile(r"\b(when|why|who|whose|not|no|never|did)\b")
_BEFORE_A_NAME = re.compile(r"\b(the|my|your|our|this|that|these|those|which|what|any)$")
"""Before a gap: the word that is missing may be a thing of the question itself."""

_SHORTEST = 3
"""Words of a question; "?? holding" asks nothing."""


def misheard_view(transcript: str) -> str:
    """The question in its usual words (lower case); "" where a transcript, with `UNKNOWN_WORD` where a word
    is not known, asks nothing known about the view after the last such word, or has none.
    """
    before, gap, after = transcript.lower().rpartition(UNKNOWN_WORD)
    lead, question = plain_words(before), plain_words(after)
    if not gap or _BEFORE_A_NAME.search(lead) or _ASKS_ANOTHER_THING.search(lead):
        return ""
    if len(question.split()) < _SHORTEST or about_safety(lead) or about_safety(question):
        return ""
    asked = known_wording(question)
    return "" if asked in _NAMES_NOTHING else asked
