"""What was heard, to what it means: from a transcript with its probabilities to a route and a question."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from host.language.classifier.asked import SAFETY_OF_VIEW, asked, asked_in_part, is_follow_up, surely_none
from host.language.classifier.ensemble import packed_ensemble
from host.language.classifier.parts import packed_parts
from host.language.classifier.readout import CHANGING
from host.language.classifier.view import SURE, AskedOfView, asked_of_view, view_model, where_now
from host.language.corrected import corrected
from host.language.doubt import asked_in_doubt, sure_enough
from host.language.further.command import gone_on
from host.language.further.freely import further_model
from host.language.further.said import NOTHING, Before
from host.language.last_seconds.classified import asked_of_clip, clip_model
from host.language.last_seconds.same_thing import of_the_same_thing
from host.language.past.questions import of_the_world
from host.language.past.times import TIME, without_time
from host.language.router import UNKNOWN_THING, Decision, Router, plain_words
from host.language.run_on import run_on
from host.language.safety import SAFETY, about_safety
from host.language.several import several
from host.language.taken_back import asks_nothing, command_taken_back, commands
from host.language.timers.names import ALONE
from host.language.understanding import Understood, understand
from host.language.usual.errand import is_errand
from host.language.usual.lengths import with_usual_lengths
from host.language.usual.small_talk import is_small_talk, usual_small_talk
from host.language.usual.view import known_wording
from host.language.usual.words import is_answerable, known_only, known_words, unknown_in
from models.brick import Transcript

_IN_HAND = re.compile(r"^(?:so |and )?what did i (?:just )?pick up$")
_HERE = re.compile(rf"\b(?:here|now|show me)\b|{_IN_HAND.pattern}")
"""A question about what is in view, or in the hand."""
_TIME = re.compile(rf"\b{TIME}\b")
_JUST_NOW = re.compile(
    r"(?:just )?a (?:moment|minute) ago|just now|before|at all|lately|recently|.*\bseconds? ago|"
    r".*\b(?:last|past) (?:[a-z]+ )?(?:seconds?|minutes?)"
)
"""Times that the last pictures may tell of, or that are none."""
_UNNAMED = re.compile(
    r"(?:(?:i|you|we) (?:last )?[a-z]+ )?(?:it|that|this|them|these|those|one)?|you|me|us|him|her"
)
_ASKS_ON = re.compile(r"\b(?:where|when|what|who|why) (?:is|are|was|were|did)\b")
"""A second question, and no name of a thing."""
_GONE_BY = re.compile(r"\b(?:was|were|did|had|been|yesterday|ago|last (?:night|week))\b")
_SHORTEST_PART = 2
"""Words of the shortest part of a sentence that the classifier reads."""
THE_REST = "rest"
"""Intent of what is unclear beside other requests of the same sentence."""
_MAY_BE_VIEW = ("open", "now", "unclear")
"""Routes of what may be a question about the view in any words."""


@dataclass(frozen=True)
class Abilities:
    """What the headband can do just now, on which the meaning of words depends."""

    least: float
    """Transcripts less probable than this are not understood."""
    remembers: bool = False
    """The memory is on."""
    clips: bool = False
    """The pack understands several pictures in order."""
    usual: bool = False
    """The pack's language model knows usual wordings only."""


@lru_cache(maxsize=2)  # asked at the pause that may end the question, and once it has ended; in two ways
def meaning(
    heard: Transcript, router: Router, can: Abilities, last_question: str = "", before: Before = NOTHING
) -> Understood:
    """Text to route: of a sentence of several requests, each of which means what it would mean by itself, or
    of a single one; "unclear" where the speaker takes back what it commands, and silence where nothing else
    is said. before: what was set before, from which requests beside others may go on.
    """
    heard = corrected(with_usual_lengths(heard))
    text = plain_words(heard.text)
    if asks_nothing(text) and not heard.doubtful and heard.probability >= can.least:
        return Understood(Decision("device", "stop"), heard.text)
    command = command_taken_back(text)
    first = _first_words(heard, len(command.split())) if command else heard
    if command and commands(_of_all(first, router, can, last_question, before)):
        return Understood(Decision("unclear"), heard.text)
    return _of_all(heard, router, can, last_question, before)


def _first_words(heard: Transcript, number: int) -> Transcript:
    words = heard.words[:number] if len(heard.words) == len(heard.text.split()) else ()
    return replace(heard, text=" ".join(plain_words(heard.text).split()[:number]), words=words)


def _of_all(
    heard: Transcript, router: Router, can: Abilities, last_question: str, before: Before
) -> Understood:
    """What all of a sentence means, as of `meaning`."""

    def template(part: str) -> Understood:
        goes_on = gone_on(part, before)
        if goes_on is not None and ALONE not in goes_on.slots:
            return Understood(goes_on, part)
        found = understand(
            part, router, last_question, remembers=can.remembers, clips=can.clips, usual=can.usual
        )
        return _told_of(found, part) or Understood(Decision("unclear"), part)

    def alone(part: str) -> Understood:
        words = part.split()
        if len(words) < _SHORTEST_PART or surely_none(part):
            return Understood(Decision("unclear"), part)
        surely = (min(heard.words),) * len(words) if heard.words else ()
        found = _of_one(replace(heard, text=part, words=surely), router, can, last_question)
        if found.decision.route == "unclear" and can.usual and unknown_in(part):
            asked = template(part)  # a question all the same, of which the wearer is told
            return asked if asked.decision.route == "now" else found
        return found

    if not heard.doubtful and heard.probability >= can.least:
        together = several(heard.text, template, alone)
        found = None if together is None else _answerable_part(together, can)
        found = found or _of_one(heard, router, can, last_question)
        return _in_one_breath(plain_words(heard.text), found, alone, can) or found
    return _of_one(heard, router, can, last_question)


def _in_one_breath(
    text: str, known: Understood, alone: Callable[[str], Understood], can: Abilities
) -> Understood | None:
    """The requests of a sentence that has more of them than are `known`, or one where none is; None where a
    template knows all its words, it is for somebody else, or the question of safety in it would be lost.
    """
    decided = known.decision
    by_template = decided.route == "device" and decided.certainty is None and not decided.first
    all_its_words = by_template and decided.intent != SAFETY and "rest" not in decided.slots
    if all_its_words or surely_none(text):
        return None
    found = run_on(text, alone)
    found = None if found is None else _answerable_part(found, can)
    if found is None or (_declines(known) and not _declines(found)):
        return None
    if not found.decision.first and found.then is None:
        command = found.decision.route == "device" or found.decision.intent in CHANGING
        return found if command and not _requests_in(known) else None
    return found if _requests_in(found) > _requests_in(known) else None


def _requests_in(understood: Understood) -> int:
    then = understood.then
    route = understood.decision.route
    own = len(understood.decision.first) + (route not in ("open", "unclear"))
    return own + (0 if then is None else _requests_in(then))


def _declines(understood: Understood) -> bool:
    """Whether something in it is declined as a question of safety."""
    decisions = (*understood.decision.first, understood.decision)
    then = understood.then
    return any(each.intent == SAFETY for each in decisions) or (then is not None and _declines(then))


def _answerable_part(together: Understood, can: Abilities) -> Understood | None:
    """Several requests, of which a question with words that nobody knows is unclear; None without others."""
    then = together.then
    if then is not None and not _is_answerable(then, can):
        then = Understood(Decision("unclear", THE_REST), then.question)
    if _is_answerable(together, can):
        return replace(together, then=then)
    unclear = Decision("unclear", THE_REST, first=together.decision.first)
    nothing_left = not unclear.first and (then is None or then.decision.route == "unclear")
    return None if nothing_left else Understood(unclear, together.question, then)


def _is_answerable(understood: Understood, can: Abilities) -> bool:
    return not can.usual or is_answerable(understood.decision, understood.question)


def _of_one(heard: Transcript, router: Router, can: Abilities, last_question: str) -> Understood:
    """What was heard, as of `_meaning`; "unclear" where the memory is asked about a thing that is not named,
    and where a time is asked about of which neither the memory nor what is or just was in view can tell.
    """
    understood = _meaning(heard, router, can, last_question)
    if can.clips:
        understood = of_the_same_thing(understood, last_question, router)
    told_of = _told_of(understood, heard.text)
    if told_of is None and not can.remembers and not _of_no_thing(understood.decision):
        remembered = _meaning(heard, router, replace(can, remembers=True), last_question)
        if remembered.decision.route == "memory":  # what is sought may still be where it was
            return understood
    return told_of or Understood(Decision("unclear"), understood.question)


def _told_of(understood: Understood, said: str) -> Understood | None:
    """None for a question of which neither memory nor view can tell anything."""
    if _of_no_thing(understood.decision) or _of_earlier(understood.decision, plain_words(said)):
        return None
    return understood


def _of_no_thing(decision: Decision) -> bool:
    """Whether it asks the memory about a thing, and names none: "how many cups did i see today"."""
    if (decision.route, decision.intent) != ("memory", "memory"):
        return False
    thing = without_time(plain_words(str(decision.slots.get("rest", ""))))
    return _UNNAMED.fullmatch(thing) is not None or _ASKS_ON.search(thing) is not None


def _of_earlier(decision: Decision, text: str) -> bool:
    """Whether a question about the view or the last seconds names a time that was long before them."""
    if decision.route not in ("now", "frames"):
        return False
    times = (time for time in _TIME.finditer(text) if not text.startswith("'", time.end()))
    earlier = any(not _JUST_NOW.fullmatch(time[0]) for time in times)
    return earlier and (decision.route == "frames" or _GONE_BY.search(text) is not None)


def _meaning(heard: Transcript, router: Router, can: Abilities, last_question: str) -> Understood:
    """Text to route, as `understand` does; a transcript in doubt is "unclear", with the exceptions of
    `sure_enough` and `asked_in_doubt`, and what no template knows is asked of the classifier. Where the pack
    knows usual wordings only, a word that nothing behind the recogniser knows counts as unheard, and what no
    template knows is unclear unless it is small talk. What happens in the world is not asked of the memory.
    """
    if of_the_world(heard.text):
        can = replace(can, remembers=False)
    understanding = partial(
        understand,
        router=router,
        last_question=last_question,
        remembers=can.remembers,
        clips=can.clips,
        usual=can.usual,
    )
    clips = partial(router.decide, clips=True) if can.clips else None
    surely = partial(sure_enough, least=can.least, remembers=can.remembers, clips=clips)
    whole, understood = heard, understanding(heard.text)
    decision = surely(understood.decision, heard)
    decision = _by_classifier(heard, decision, understood.question, can) or decision
    about_view = _about_the_view(heard, decision, understood.question, can)
    if about_view is not None:
        asks = router.decide(about_view.question, remembers=can.remembers, clips=can.clips)
        return Understood(replace(asks, certainty=about_view.certainty), about_view.question)
    last_seconds = asked_of_clip(heard, decision, can.least) if can.clips else None
    if last_seconds is not None and (can.usual or not last_seconds.unknown):
        asks = router.decide(last_seconds.question, clips=True)
        if last_seconds.unknown:
            asks = replace(asks, slots={**asks.slots, UNKNOWN_THING: True})
        return Understood(replace(asks, certainty=last_seconds.certainty), last_seconds.question)
    if can.usual and not is_answerable(decision, understood.question):
        heard = known_only(heard)
        understood = understanding(heard.text)
        decision = surely(understood.decision, heard)
    if can.usual and decision.route == "open" and not is_small_talk(understood.question):
        decision = Decision("unclear")
    if decision.route == "unclear" and heard.probability >= can.least:
        in_part = asked_in_part(whole)
        if in_part is not None and (can.remembers or in_part.route != "memory"):
            decision = in_part
    if decision.route == "unclear" and can.usual:
        found = asked_in_doubt(heard, can.least, router.decide)
        if found is not None:
            return found
    return Understood(decision, understood.question)


def warm(router: Router) -> None:
    """Reads what the first question would wait for: templates, weights and words."""
    router.warm()
    packed_ensemble()
    packed_parts()
    view_model()
    clip_model()
    further_model()
    known_words()


def _about_the_view(
    heard: Transcript, decision: Decision, question: str, can: Abilities
) -> AskedOfView | None:
    """A question about the view in usual words, where no rule finds any and the classifier of such questions
    is sure; None otherwise. One that goes to the memory is asked of the view while the memory is off, and so
    is where a thing is that would be sought there.
    """
    sought = decision.certainty if decision.route == "memory" and not can.remembers else None
    if not can.usual or heard.probability < can.least:
        return None
    small_talk = decision.route == "open" and is_small_talk(question)
    seconds = decision.certainty if decision.route == "frames" else None
    doubted = decision.intent == SAFETY and (decision.certainty or 1.0) < SAFETY_OF_VIEW
    may_be = doubted or decision.route in _MAY_BE_VIEW
    if sought is None and seconds is None and (not may_be or small_talk):
        return None
    text = plain_words(heard.text)
    if is_follow_up(decision, text) or about_safety(text) or is_errand(text):
        return None
    known = known_wording(plain_words(question))
    if known and decision.route != "unclear":
        return None
    in_part = asked_in_part(heard)
    if in_part is not None and (in_part.intent == SAFETY or (can.remembers and in_part.route == "memory")):
        return None
    found = asked_of_view(heard)
    if found is not None and known and found.question != known:
        return None
    if found is not None and seconds is not None and found.certainty < max(seconds, SURE):
        return None
    if found is not None and doubted and found.certainty < SURE:
        return None
    if found is None and sought is not None and decision.intent == "memory" and where_now(text):
        return AskedOfView(where_now(text), "find", sought)
    return found


def _by_classifier(heard: Transcript, decision: Decision, question: str, can: Abilities) -> Decision | None:
    """Another decision, where the classifier is sure of it; None for small talk, and where a question about
    the view may be about what is here or in the hand, or cannot be asked of the memory because that is off.
    Where the pack knows all words, what is surely said to somebody else is not asked of the view for its
    first words; but what takes its sense from the question before is. question: in whole words.
    """
    if decision.route == "open" and (is_small_talk(heard.text) or usual_small_talk(plain_words(heard.text))):
        return None
    whole = plain_words(question) == plain_words(heard.text)
    if decision.route == "now" and not can.usual and whole and surely_none(plain_words(heard.text)):
        return Decision("open")
    found = asked(heard, decision)
    here = not can.remembers or _HERE.search(heard.text) is not None
    if found.route == "memory" and ((here and decision.route == "now") or of_the_world(heard.text)):
        return None
    if found.route == "frames" and decision.route == "now" and _IN_HAND.search(heard.text):
        return None
    return found
