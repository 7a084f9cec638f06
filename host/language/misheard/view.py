"""Recognises a question about the view in a transcript that is in doubt.

Words missed before a question do not matter: "would you ?? me where my wallet is" asks "where is my wallet".
A question with a gap in it stays unclear, as what is missing may be the thing that it asks about. Without a
gap it is enough that the words that make it this question were surely heard: "could you set what colour my
wallet is" asks "what colour is my wallet", however doubtful "set" is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from host.language.politeness import without_politeness
from host.language.router import plain_words
from host.language.safety import about_safety
from host.language.usual.view import known_wording
from models.brick import UNKNOWN_WORD, Transcript

SURELY_HEARD = 0.7
"""Least probability of each word that makes a question this one. Of 2,640 spoken validation questions none
that was in doubt was heard so surely and wrongly.
"""
_NAMES_NOTHING = ("what do you see", "what changed")
"""Questions that follow from a single word, which other speech has as well."""
_ASKS_ANOTHER_THING = re.compile(r"\b(when|why|who|whose|not|no|never|did)\b")
_BEFORE_A_NAME = re.compile(r"\b(the|my|your|our|this|that|these|those|which|what|any)$")
"""Before a gap: the word that is missing may be a thing of the question itself."""
_AFTER_A_QUESTION_WORD = re.compile(
    r"^(is|are|am|was|were|did|do|does|has|have|had|can|could|will|would|should|may|might|i|you|we)\b"
)
"""After a gap: the word that is missing may be "where", "why", "how many" or "can"."""
_IS_IT_HERE = "do you see "
_LOOKS = re.compile(
    r"\b(see|seen|here|there|any|anywhere|have|got|find|spot|my|your|look|looking|show|visible|view|sight|"
    r"around|is|are)\b"
)
"""A thing after a gap is asked about where a word looks for it; none does in "?? jacket without thinking"."""
_SHORTEST = 3
"""Words of a question after a gap; "?? holding" asks nothing."""


def misheard_view(heard: Transcript) -> str:
    """The question in its usual words (lower case); "" where a transcript in doubt asks nothing known about
    the view, or too little was heard.
    """
    text = heard.text.lower()
    if about_safety(plain_words(text.replace(UNKNOWN_WORD, " "))):
        return ""
    asked = _after_the_gap(text) if UNKNOWN_WORD in text else _surely(text.split(), heard.words)
    return "" if asked in _NAMES_NOTHING else asked


def _after_the_gap(text: str) -> str:
    before, _, after = text.rpartition(UNKNOWN_WORD)
    lead, question = plain_words(before), plain_words(after)
    if _BEFORE_A_NAME.search(lead) or _ASKS_ANOTHER_THING.search(lead):
        return ""
    if _AFTER_A_QUESTION_WORD.search(question) or len(question.split()) < _SHORTEST:
        return ""
    asked = known_wording(question)
    return "" if asked.startswith(_IS_IT_HERE) and not _LOOKS.search(question) else asked


def _surely(words: Sequence[str], probabilities: Sequence[float]) -> str:
    """What the words ask, where each was surely heard without which they ask something else."""
    asked = _asked(words)
    if not asked or len(words) != len(probabilities):
        return ""
    for index, probability in enumerate(probabilities):
        if probability < SURELY_HEARD and _asked([*words[:index], *words[index + 1 :]]) != asked:
            return ""
    return asked


def _asked(words: Sequence[str]) -> str:
    return known_wording(plain_words(without_politeness(" ".join(words))))
