"""What the words of a question that is still spoken ask about the last seconds. Pure."""

from __future__ import annotations

from host.answers.motion import ClipAsked, clip_asked
from host.language.last_seconds.classified import asked_of_clip
from host.language.router import Decision, Router
from host.language.understanding import understand
from models.brick import Transcript

_NO_OTHER_QUESTION = ("open", "unclear", "frames")
"""Routes of words of which no template says what else they ask."""


def asked_so_far(heard: Transcript, router: Router, least: float) -> tuple[ClipAsked | None, bool]:
    """The question about the last seconds, None for none or for one about a thing that is not known by sight;
    and whether the words are a question about something else. least: probability of a transcript that is
    understood.
    """
    decision = understand(heard.text, router, clips=True).decision
    asked = clip_asked(decision)
    if asked is None and decision.route in _NO_OTHER_QUESTION:
        unknown = decision.route in ("open", "unclear")
        found = asked_of_clip(heard, Decision("unclear") if unknown else decision, least)
        if found is not None and not found.unknown:
            asked = clip_asked(router.decide(found.question, clips=True))
    return asked, asked is None and decision.route not in ("open", "unclear")
