"""What becomes of a route where the transcript is in doubt."""

from __future__ import annotations

from host.language.misheard_past import misheard_past
from host.language.router import Decision
from host.language.unknown_words import asked_back
from models.brick import Transcript


def sure_enough(decision: Decision, heard: Transcript, least: float, *, remembers: bool) -> Decision:
    """The route of a transcript, or "unclear" where it is doubtful, less probable than `least`, or has words
    that the recogniser does not know. Of a question to the memory, while that is on, it is enough that its
    form and its thing were heard.
    """
    improbable = heard.doubtful or heard.probability < least
    unclear = improbable or asked_back(heard.text) is not None
    if remembers and heard.probability >= least and (unclear or decision.route in ("now", "open")):
        past = misheard_past(heard.text, timeless=unclear or decision.route != "now")
        if past is not None:
            return Decision("memory", past.intent, {"rest": past.rest})
    return Decision("unclear") if unclear else decision
