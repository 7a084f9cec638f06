"""What a transcript asks: its route, and the question in the words that the models are given."""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.awaited import without_its_time
from host.language.classifier.words import things_in
from host.language.follow_up import resolve
from host.language.further.steps import by_so_much
from host.language.past.time_marks import MARK, with_marks
from host.language.politeness import without_politeness
from host.language.router import CLIP, Decision, Router, plain_words
from host.language.safety import SAFETY
from host.language.usual.errand import is_errand
from host.language.usual.motion import usual_motion
from host.language.usual.small_talk import ABOUT_ITSELF, asks_for_help, usual_small_talk
from host.language.usual.view import usual_wording

_PRESENT = ("now", "frames", "open")
"""Routes of questions about the present view, or about what no template knows."""
_RECALLS = ("looked_at", "memory")
"""Intents of questions to the memory, which has nothing to tell while it is off."""
_FURTHER = re.compile(
    "((and|or|but|so) )?((what|how) about )?"
    "(now|here|there|it|me|him|her|them|us|(this|that|these|those)( [a-z]+)?)"
)
"""What asks nothing by itself, and takes its sense from the question before."""

_ASKED_AGAIN = re.compile("((and|or|but|so) )?((what|how) about )?(now|here)")
"""What asks the question before once more, of what is in view by now."""
_AND_MINE = re.compile("(and|or|what about|how about) my (?P<thing>[a-z]+( [a-z]+)?)")
_CORRECTS = re.compile(
    r"(?:(?:no|sorry|wait|actually|oh|i (?:meant|mean|said|asked)|not (?:that|the [a-z]+)(?: one)?)\b ?)+"
)
"""Before what was meant instead: "no i meant the blue one"."""
_SOUGHT_AGAIN = re.compile(
    r"(?P<asks>(?:and )?(?:where|when) (?:(?:did|have) (?:i|you|we) (?:last )?[a-z]+(?: last)?|was|were)) "
    rf"(?:it|them|they)(?P<rest>(?: last)?(?: {MARK})*)"
)
"""Asks when or where the thing of the question before was."""
_CANCEL = ("cancel", "abort")
"""By itself ends what was begun, such as the question how long a timer is to be."""
_OF_THE_HEADBAND = ("battery", "time")
"""Words that a template knows, and that ask nothing of the view."""


@dataclass(frozen=True)
class Understood:
    """`question`: what the models are asked; the transcript itself where nothing was changed. then: a second
    question of the same sentence, which is answered after it.
    """

    decision: Decision
    question: str
    then: Understood | None = None


def understand(
    transcript: str,
    router: Router,
    last_question: str = "",
    *,
    remembers: bool = False,
    clips: bool = False,
    usual: bool = False,
) -> Understood:
    """Polite words are left out, and a follow-up question, a correction of the question before, and one to
    the memory about "it" are completed from `last_question`. remembers and clips: as of `Router.decide`; with
    `clips` a question about the last seconds may be asked in any of the words of
    `host.language.usual.motion`. usual: the pack's language model knows usual wordings only, so a
    question about the present view is put into those.
    """
    transcript = _corrected(transcript, router) if last_question else transcript
    decision = router.decide(transcript, remembers=remembers, clips=clips)
    decision = by_so_much(decision, plain_words(transcript))
    sought = _sought_again(transcript, last_question) if remembers and decision.intent != "before" else ""
    if sought:
        return Understood(router.decide(sought, remembers=True, clips=clips), sought)
    question = without_politeness(transcript)
    said = plain_words(question)
    rest = str(decision.slots["rest"]).lower() if decision.intent == "follow_up" else ""
    if rest in _OF_THE_HEADBAND:  # "what about the battery", whatever was asked before
        return Understood(router.decide(rest), rest)
    heard = plain_words(transcript)
    mine, again = _AND_MINE.fullmatch(heard), _ASKED_AGAIN.fullmatch(heard)
    if rest or mine is not None or again is not None or _FURTHER.fullmatch(said):
        before = router.decide(last_question)
        if before.intent == SAFETY:  # "is it safe to cross", "and now": declined as well
            return Understood(before, last_question)
        further = rest or (mine["thing"] if mine is not None else "")
        whole = resolve(further, last_question) if further else None
        if again is not None and before.route in ("now", "frames"):
            whole = last_question
        if rest or whole:
            question = whole or transcript
        decision = router.decide(whole, remembers=remembers, clips=clips) if whole else decision
    decision = _without_a_picture(decision, heard, said)
    recalls = decision.intent in _RECALLS and not remembers
    if clips and (recalls or decision.route in _PRESENT) and not decision.intent.startswith(CLIP):
        happened = usual_motion(plain_words(question))
        if happened:
            return Understood(router.decide(happened, clips=True), happened)
    small_talk = usual_small_talk(heard) if usual and decision.route == "open" else ""
    if small_talk:
        question = small_talk
    elif usual and decision.route in ("now", "open") and not is_errand(heard):
        text = plain_words(question)
        other = usual_wording(text)
        if other != text:
            decision, question = router.decide(other), other
    return Understood(decision, question)


def _without_a_picture(decision: Decision, heard: str, said: str) -> Decision:
    """Another decision for what asks about the headband itself, though its first words may be those of a
    question about the view, and for a timer or an alarm without its time.
    """
    if decision.route not in ("open", "now"):
        return decision
    if asks_for_help(heard):
        return Decision("device", "help")
    if decision.route == "now":
        of_no_view = is_errand(heard) or usual_small_talk(heard) in ABOUT_ITSELF
        return Decision("open") if of_no_view else decision
    return Decision("device", "stop") if said in _CANCEL else without_its_time(said) or decision


def _corrected(transcript: str, router: Router) -> str:
    """What was meant instead of the question before, as a further question; the transcript where it is no
    correction.
    """
    said = plain_words(transcript)
    corrects = _CORRECTS.match(said)
    meant = said[corrects.end() :] if corrects is not None else ""
    if re.fullmatch(r"my [a-z]+( [a-z]+)?", meant):
        return f"and {meant}"
    return meant if meant and router.decide(meant).intent == "follow_up" else transcript


def _sought_again(transcript: str, last_question: str) -> str:
    """A question to the memory with the one thing of the question before in place of "it"; "" for others."""
    said, things = with_marks(plain_words(transcript)), list(things_in(last_question))
    asks = _SOUGHT_AGAIN.fullmatch(said.words)
    if asks is None or len(things) != 1:
        return ""
    return said.told(f"{asks['asks'].removeprefix('and ')} my {things[0]}{asks['rest']}")
