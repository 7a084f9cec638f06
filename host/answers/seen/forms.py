"""Finds the form of a sentence among many. A form's expression is compiled when a sentence first begins like
it, as all of them together would take a start a tenth of a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

Claim = TypeVar("Claim")
Form = tuple[str | tuple[str, ...], str, Callable[[re.Match[str], str], Claim | None]]
"""How such sentences begin, in small letters; the expression; what makes a claim of match and question."""


def claim_by_form(forms: Sequence[Form[Claim]], sentence: str, question: str) -> Claim | None:
    """What the first form that fits makes of the sentence; None where none does."""
    lower = sentence.lower()
    for starts, pattern, made in forms:
        if lower.startswith(starts) and (found := compiled(pattern).fullmatch(sentence)):
            return made(found, question)
    return None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """An expression that takes capital and small letters alike."""
    return re.compile(pattern, re.IGNORECASE)
