"""What the headband makes of a sentence that was heard word for word, and whether that is what was meant."""

from __future__ import annotations

import re
import time
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

from host.answers.memory_replies import thing_of
from host.config import AnswerConfig
from host.language.classifier.forgetting import BY_TIME
from host.language.further.said import NOTHING, Before
from host.language.past.times import times_of
from host.language.router import Decision, Router
from host.language.understanding import understand
from host.language.usual.view import usual_names
from host.turn.steps import decide
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import Transcript
from tests.eval.understood.sayings import MEMORY, THINGS, Saying

CERTAINTY = 0.97
"""With which each word is heard."""
NOW_S = time.mktime((2026, 6, 10, 20, 0, 0, 0, 0, -1))
"""The evening on which all is asked, so that every time that is named lies before it."""
CHANGING = (
    "forget_everything", "forget_today", "forget_last", "forget_times", "keep", "memory_on", "memory_off",
    "alarm", "alarm_off", "timer", "timer_off", "recording_off",
)  # fmt: skip
"""Intents that delete, keep, switch or set something."""
_NAMED = {"said": "sign", "looked_at": "looked_at", "where_i_was": "where_i_was", "before": "before"}
_NAMED |= {"keep": "keep", "memory": "thing"}


def understood(text: str, router: Router, *, usual: bool = True) -> Decision:
    """The decision where every word was heard."""
    return heard(Transcript(text, CERTAINTY, words=(CERTAINTY,) * len(text.split())), router, usual=usual)


def all_understood(text: str, router: Router) -> tuple[Decision, ...]:
    """The decisions about all requests of a sentence of which every word was heard."""
    turn = turn_of(Transcript(text, CERTAINTY, words=(CERTAINTY,) * len(text.split())), router, usual=True)
    return (*turn.decision.first, turn.decision, *([turn.then.decision] if turn.then is not None else []))


def by_rules(text: str, router: Router, *, usual: bool = True) -> Decision:
    """The decision by templates, rules of usual wordings and the words of safety, without the classifier."""
    return understand(text, router, remembers=True, clips=True, usual=usual).decision


def heard(transcript: Transcript, router: Router, *, usual: bool = True) -> Decision:
    """The decision of a headband, as of `turn_of`."""
    return turn_of(transcript, router, usual=usual).decision


def turn_of(transcript: Transcript, router: Router, *, usual: bool, before: Before = NOTHING) -> Turn:
    """What is decided by a headband that remembers and whose pack has a motion brick. usual: the pack's
    language model knows usual wordings only, as the micro pack's; one of public weights knows all words.
    """
    pack = SimpleNamespace(bricks={"motion": None}, usual_wording=usual)
    tools = SimpleNamespace(
        router=router,
        timeline=SimpleNamespace(span=lambda *_: nullcontext()),
        memory=SimpleNamespace(on=True),
        has_motion=True,
        bricks=SimpleNamespace(pack=pack),
        config=SimpleNamespace(answer=AnswerConfig()),
    )
    turn = Turn(  # neither its sound nor its plan is read
        cast(Any, None),
        0.0,
        cast(Any, None),
        transcript=transcript.text,
        probability=transcript.probability,
        doubtful=transcript.doubtful,
        words=transcript.words,
    )
    return decide(turn, "", cast(Tools, tools), before=before)


def taken_for(found: Decision) -> str:
    """The kind of a decision, as of `Saying`; "open" is asked without a picture, "unclear" is asked again."""
    if found.intent == BY_TIME:  # nothing is done, and the wearer is told how to say it
        return "unclear"
    if found.route == "memory":
        return "forget" if found.intent.startswith("forget") else _NAMED.get(found.intent, found.intent)
    if found.route == "device":
        return found.intent
    return {"now": "view", "frames": "motion"}.get(found.route, found.route)


def of_memory(found: Decision) -> bool:
    """Whether the memory answers or is switched."""
    return found.route == "memory" or found.intent in MEMORY


def right(said: Saying, found: Decision) -> bool:
    """Whether kind, thing, time, name and value are those that were meant; what is not for the headband
    ("none") is not understood, or asked without a picture.
    """
    if said.kind == "none":
        return taken_for(found) in ("open", "unclear")
    if taken_for(found) != said.kind:
        return False
    rest = str(found.slots.get("rest", ""))
    match said.kind:
        case "thing":
            return names(rest, said.thing) and same_time(rest, said.time)
        case "looked_at" | "sign" | "where_i_was":
            return same_time(rest, said.time)
        case "keep":
            return bare(rest) == bare(said.thing)
        case "forget":
            wanted = f"forget_{said.time or 'last'}"
            return found.intent == wanted and (said.value is None or value(found) == said.value)
    return said.value is None or value(found) == said.value


def names(rest: str, thing: str) -> bool:
    """Whether what is sought names the thing, and no other of `THINGS` ("lamp" also means its light)."""
    words = set(re.findall(r"[a-z]+", thing_of(rest)))
    return {each for each, called in THINGS.items() if words & set(called.split())} == {thing}


def usual(rest: str, thing: str) -> bool:
    """Whether the thing is sought by its usual name, which the language model knows."""
    return thing.split()[0] in usual_names(thing_of(rest)).split()


def same_time(rest: str, wanted: str) -> bool:
    """Whether the time that is looked through is that of the plain words; one that was named is not any."""
    span = times_of(rest, NOW_S)[:2]
    return span == times_of(wanted, NOW_S)[:2] and (span != (None, None)) == bool(wanted)


def value(found: Decision) -> int | None:
    """The number of a command, as of `Saying`; None without one."""
    slots = found.slots
    if found.intent == "alarm":
        return 60 * int(slots["hour"]) + int(slots.get("minute", 0)) + int(slots.get("offset", 0))
    for span in ("span", "span_one"):
        if span in slots:
            return int(slots[span]) + int(slots.get("number2", 0)) * int(slots.get("unit2", 0))
    if "number" not in slots:
        return None
    return int(slots["number"]) * int(slots.get("unit", 1)) + int(slots.get("number2", 0)) * int(
        slots.get("unit2", 0)
    )


def bare(name: str) -> str:
    """A name without the article."""
    return re.sub(r"^the ", "", name.strip())
