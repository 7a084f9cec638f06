"""A question about "it" in the last seconds is about the thing of the question before: "did the cup move",
and then "which way did it go". Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from host.language.router import CLIP, UNKNOWN_THING, Router
from host.language.understanding import Understood

_OF_IT = (f"{CLIP} direction", f"{CLIP} speed")
"""Intents of questions about one thing, which may call it "it"."""


def of_the_same_thing(understood: Understood, last_question: str, router: Router) -> Understood:
    """The same question, with the one thing of `last_question` (lower case without punctuation) in place of
    "it" where both are about the last seconds; `understood` itself otherwise.
    """
    decision = understood.decision
    if decision.intent not in _OF_IT or {"item", UNKNOWN_THING} & {*decision.slots} or not last_question:
        return understood
    before = router.decide(last_question, clips=True)
    if not before.intent.startswith(CLIP) or "item" not in before.slots or "item2" in before.slots:
        return understood
    question = re.sub(r"\bit\b", f"the {before.slots['item']}", understood.question, count=1)
    asks = router.decide(question, clips=True)
    return replace(understood, decision=replace(asks, certainty=decision.certainty), question=question)
