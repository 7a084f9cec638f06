"""Where a question about a home goes that is asked as text: to the eye and the decoder, or elsewhere."""

from __future__ import annotations

from host.language.meaning import Abilities, meaning
from host.language.router import Decision, Router
from host.language.understanding import Understood, understand
from host.turn.steps import NOT_CAUGHT
from models.brick import Transcript
from models.pack.catalogue import Pack

NOT_OF_THE_VIEW = "That was taken for another question."
"""Stands for the answer of whatever else answers: a part of the headband, its memory, or a model without the
picture.
"""


def as_understood(text: str, router: Router, pack: Pack, *, rules_alone: bool = False) -> Understood:
    """What a headband with that pack makes of words that it heard surely. rules_alone: without the classifier
    of questions about the view, by the rules of usual wordings only.
    """
    clips = "motion" in pack.bricks
    if rules_alone:
        return understand(text, router, clips=clips, usual=pack.usual_wording)
    return meaning(Transcript(text, 1.0), router, Abilities(0.0, clips=clips, usual=pack.usual_wording))


def without_view(decision: Decision, *, rules_alone: bool = False) -> str:
    """What stands for the answer where the present view is not looked at; "" where it is. rules_alone: what
    no rule knows is taken for a question about the view, as nothing else could tell.
    """
    if decision.route == "now" or (rules_alone and decision.route == "open"):
        return ""
    return NOT_CAUGHT if decision.route == "unclear" else NOT_OF_THE_VIEW
