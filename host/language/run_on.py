"""Requests that are said in one breath, with asides before, between and after them: "right i've got muck
going off here so stick twenty minutes on and is that bubble in the middle".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache

from host.language.classifier.asked import NONE
from host.language.classifier.ensemble import packed_ensemble
from host.language.classifier.parts import Division, divisions
from host.language.router import Decision
from host.language.safety import about_safety
from host.language.several import together
from host.language.understanding import Understood

_KIND_WEIGHT = 1.0
"""How much it counts that each part is surely of some kind, beside where parts seem to begin."""
_JOINTS = re.compile(
    r"(?:(?:and|then|also|plus|but|so|oh|um|uh|er|erm|well|okay|ok|right|wait|actually|anyway|och|ah|aye|yeah|"
    r"hey|listen|(?:but )?(?:after|before) that|first off)(?: |$))+"
)
"""Before a part: they join it, and ask nothing."""
_SAFETY_WEIGHT = 2.0
"""How much it counts that a question of safety stands apart, which is lost in the words of a command."""
_ASKS = re.compile(r"(?:is|are|am|can|could|may|should|shall|will|would|do|does|did|have|has)\b")
_QUESTIONS = ("view", "motion", "thing", "sign", "looked_at", "where_i_was")
_SURELY_A_QUESTION = 0.6
"""Probability of a question that has words which nobody knows, so that it cannot be answered."""


def run_on(text: str, classify: Callable[[str], Understood]) -> Understood | None:
    """The requests of a sentence (lower case, without punctuation) in its most probable division, each found
    by `classify`; what is probably for nobody is an aside, and what is surely a question that is not
    understood counts as one about the view. None where another part is none that `classify` finds, and for a
    sentence of one part.
    """
    kind = cache(packed_ensemble().kind)

    def score(division: Division) -> float:
        sure = (kind(part)[1] for part in division.parts)
        declined = len(division.parts) > 1 and any(map(_asks_of_safety, division.parts))
        kinds = _KIND_WEIGHT * sum(map(math.log, sure))
        return division.log_probability + kinds + _SAFETY_WEIGHT * declined

    def asked(part: str) -> Understood:
        found = classify(part)
        named, certainty = kind(part)
        if found.decision.route == "unclear" and named in _QUESTIONS and certainty >= _SURELY_A_QUESTION:
            return Understood(Decision("now", "now", certainty=certainty), part)
        return found

    best = max(divisions(text), key=score, default=None)
    if best is None or len(best.parts) == 1:
        return None
    said = map(_without_joint, best.parts)
    requests = [part for part in said if part and kind(part)[0] != NONE]
    return together(requests, asked) if requests else None


def _without_joint(part: str) -> str:
    joint = _JOINTS.match(part)
    return part if joint is None else part[joint.end() :]


def _asks_of_safety(part: str) -> bool:
    return about_safety(part) and _ASKS.match(_without_joint(part)) is not None
