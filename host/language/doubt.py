"""What becomes of a route where the transcript is in doubt."""

from __future__ import annotations

import re
from collections.abc import Callable

from host.language.misheard.motion import misheard_motion
from host.language.misheard.past import misheard_past
from host.language.misheard.unknown_words import asked_back
from host.language.misheard.view import misheard_view
from host.language.past.cues import SURELY_HEARD, past_by_cues, without_what_follows
from host.language.router import CLIP, Decision, plain_words
from host.language.understanding import Understood
from models.brick import UNKNOWN_WORD, Transcript

_MAY_BE_MOTION = ("now", "frames", "open")
_ABOUT_AN_ANSWER = (("device", "why"), ("device", "sure"), ("memory", "before"))
"""Routes and intents of whole sentences about the last answer, which change nothing: that each word of one
was heard is enough, however doubtful it is.
"""
_SHORTEST = 3
"""Words of such a sentence: a single one is heard in other speech as well."""
_WHY = re.compile(r"(?:why do you|what makes you) (?:[a-z]+ ){0,2}?[a-z]+")
"""Asks for a reason, whatever its other words were."""
_NAMED = re.compile(
    r"(?P<before>(?:[a-z]+ ){0,2}remember (?:this|that)(?: view| place| picture)? (?:as|is|of)) (?P<name>.+)"
)
"""Keeps the present view by a name; "of" is one of the words for which "as" is mistaken."""


def sure_enough(
    decision: Decision,
    heard: Transcript,
    least: float,
    *,
    remembers: bool,
    clips: Callable[[str], Decision] | None = None,
) -> Decision:
    """The route of a transcript, or "unclear" where it is doubtful, less probable than `least`, or has words
    that the recogniser does not know. Of a question to the memory, while that is on, and of one about the
    last seconds it is enough that its form and its things were heard, and of one about the last answer that
    all its words were; a view is kept without its name where only the name was not heard. clips: the route of
    a question about the last seconds in its usual words; None where the pack does not answer any.
    """
    improbable = heard.doubtful or heard.probability < least
    unclear = improbable or asked_back(heard.text) is not None
    if remembers and heard.probability >= least and _with_unheard_name(heard, improbable=improbable):
        return Decision("memory", "keep", {"unheard": True})
    if remembers and heard.probability >= least and (unclear or decision.route in ("now", "open")):
        timeless = unclear or decision.route != "now"
        past = misheard_past(heard.text, timeless=timeless)
        past = past or past_by_cues(heard.text, heard.words, timeless=timeless)
        if past is not None:
            past = without_what_follows(past, plain_words(heard.text))
            return Decision("memory", past.intent, {"rest": past.rest})
    if decision.intent.startswith(CLIP) and not unclear:
        return decision
    if heard.probability >= least and UNKNOWN_WORD not in heard.text.split():
        if (decision.route, decision.intent) in _ABOUT_AN_ANSWER and len(heard.text.split()) >= _SHORTEST:
            return decision
        if decision.route == "open" and _WHY.fullmatch(plain_words(heard.text)):
            return Decision("device", "why")
    if clips is not None and heard.probability >= least and (unclear or decision.route in _MAY_BE_MOTION):
        found = _of_the_last_seconds(heard.text, clips)
        if found is not None:
            return found
    return Decision("unclear") if unclear else decision


def asked_in_doubt(heard: Transcript, least: float, decide: Callable[[str], Decision]) -> Understood | None:
    """What an unclear transcript asks about the view all the same, for a pack whose language model knows
    usual wordings; None where it asks nothing, or is less probable than `least`. decide: the route of a
    question.
    """
    if heard.probability < least or decide(heard.text).route not in ("now", "open"):
        return None
    usual = misheard_view(heard)
    return Understood(decide(usual), usual) if usual else None


def _with_unheard_name(heard: Transcript, *, improbable: bool) -> bool:
    """Whether it keeps a view by a name that was not understood, and all before the name was: the name has a
    word that is not known, or the transcript is `improbable` for another word than those before the name.
    """
    named = _NAMED.fullmatch(heard.text.lower())
    if named is None:
        return False
    surely = heard.words[: len(named["before"].split())]
    doubted = improbable or named["before"].endswith(" of")
    return UNKNOWN_WORD in named["name"] or (doubted and bool(surely) and min(surely) >= SURELY_HEARD)


def _of_the_last_seconds(transcript: str, clips: Callable[[str], Decision]) -> Decision | None:
    """What is asked of them; an unknown word before or after a question is noise."""
    whole = transcript.strip(f"{UNKNOWN_WORD} ")
    asks = clips(whole)
    if asks.intent.startswith(CLIP) and UNKNOWN_WORD not in whole:
        return asks
    usual = misheard_motion(transcript)
    return clips(usual) if usual else None
