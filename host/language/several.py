"""Several requests in one sentence: "set a timer for ten minutes and stop remembering"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from host.language.alarms_together import of_one_day
from host.language.classifier.words import usual_words
from host.language.completed import SETS, completed
from host.language.router import Decision, plain_words
from host.language.timers.names import NAME
from host.language.understanding import Understood

_Ways = tuple[Callable[[str], Understood], ...]

_MOST = 4
"""Largest number of requests."""
_JOINT = re.compile(
    r" (?:oh |um |uh |er |well )*(?:and(?! (?:a )?(?:half|quarter)\b)|then|plus|but|also)(?: (?:then|also|"
    r"after that|afterwards|(?:when|once) that is done|while (?:you are|you're) (?:at it|there)|oh|um|uh|er|"
    r"finally|lastly|maybe|anyway|if so|in that case|on second thoughts|go ahead and|go on and|"
    r"do me a favou?r and|be a dear and))* "
    r"| (?=(?:what's|when's|where's|how's) |what (?:time|day|date) is |how (?:much|many|long) |"
    r"(?:what|when|where|how) (?:is|are|am|was|were|did|do|does|have|has) )"
    r"|(?<=\bthe time) (?=the (?:date|day|battery)\b)|(?<=\bthe date) (?=the (?:time|day|battery)\b)"
    r"| (?=(?:one more|another(?: one)?) (?:for|at|in|of) )"
)
"""Between two requests: a word that joins, or none before one that asks, or in a list."""
_BESIDES = re.compile(r"(?:(?:go on|go ahead|do me a favou?r|be a dear|try) and )+")
"""At the beginning: it asks nothing."""
_NAMELESS = 3
"""Words of the shortest request after a view that is kept by a name: a shorter one may belong to the name."""
_IS_SET = re.compile(
    r"\b(?:timer|alarm|another|wake|set|start|remind|time me|count|give|get|call|tell|put)\b"
)
"""What a timer or an alarm after something else has beside its time: "an hour and then twenty minutes" is
one time.
"""
_CHANGING = ("keep", "forget_everything", "forget_today", "forget_last", "forget_times")
_HALVES = ("follow_up", "ask_")
"""Beginnings of intents of what is no whole question."""
_ASKS = re.compile(
    r"(?:please |so |well |just )*(?:(?:can|could|would|will) you (?:please |just )?)?(?:remind me )?"
    r"(?:what|which|where|when|who|how|is|are|was|were|did|does|do|have|has|tell|read|look|see|describe|"
    r"count|find|show|check|am|any)\b"
)
_ANY_WORDS = ("now",)
"""Routes of templates that take any words after the first, of which the classifier may know better."""
_REPEAT_LEAST = 0.5
"""Least certainty of the classifier that a part asks for the answer again: "the mic up again" does not."""
SURELY_ASKED = 0.6
"""Probability of a question to the view or the memory that may begin in any way, where nothing joins it to
the request before.
"""
_OPPOSITE = (
    {"louder", "quieter", "volume"}, {"slower", "faster"}, {"save_power", "full_power", "own_power"},
    {"more_careful", "less_careful"}, {"memory_on", "memory_off"}, {"recording_on", "recording_off"},
)  # fmt: skip
"""Of each only one can be meant."""
_ENDING = {"timer_off", "alarm_off"}
_BY_TIME = frozenset(("hour", "number", "span", NAME))
"""Slots of a timer or an alarm that is told by its time or its name, and not by its place among them."""
_OTHER_ONE = re.compile(r"\b(?:other|old|previous|earlier|existing)\b")
"""What is ended is not what the same sentence sets."""
_GOES_ON = re.compile(r"\b(?:it|its|they|them|their|he|she|him|her|that|those|there|one|ones)\b")
"""Words by which a second question may go on about what the first is about."""


def several(
    transcript: str, understand: Callable[[str], Understood], classify: Callable[[str], Understood]
) -> Understood | None:
    """The requests of a sentence that is made of nothing else: commands and questions to the device, and at
    most two of other routes, which are answered last; nothing is to be done at "stop" beside others. None for
    any other sentence. What one of them asks is found by `understand`, by templates alone, and where that
    finds nothing in some part, by `classify` as well: in as many parts as possible, as it takes two requests
    for one, too. Two questions about the view are one to the language
    model.
    """
    text = plain_words(transcript)
    text = text[begins.end() :] if (begins := _BESIDES.match(text)) else text
    if _JOINT.search(text) is None:
        return None
    whole = understand(text).decision
    if whole.route == "device" and not {"rest", "rest2"} & set(whole.slots):
        return None

    def by_template(part: str) -> Understood:
        found = understand(part)
        if found.decision.route not in _ANY_WORDS or _JOINT.search(part):
            return found
        return classify(part)

    ways = cache(by_template), cache(classify)
    fewest_first = list(_divided(text))
    for tried, divided in ((ways[:1], fewest_first), (ways, reversed(fewest_first))):
        for parts in divided:
            found = _requests(parts, tried)
            if found is not None:
                return found
    return None


def together(parts: Sequence[str], classify: Callable[[str], Understood]) -> Understood | None:
    """The requests that these parts are, if each is one by `classify`, as of `several`."""
    return _requests(parts, (classify,), surely=SURELY_ASKED)


def _divided(text: str) -> Iterator[list[str]]:
    """The sentence in two and more parts, the fewest first."""
    joints = list(_JOINT.finditer(text))[:_MOST]
    ways = range(1, 1 << len(joints))
    for way in sorted(ways, key=int.bit_count):
        if way.bit_count() >= _MOST:
            return
        parts, start = [], 0
        for number, joint in enumerate(joints):
            if way >> number & 1:
                parts.append(text[start : joint.start()])
                start = joint.end()
        yield [*parts, text[start:]]


def _requests(parts: Sequence[str], ways: _Ways, surely: float = math.inf) -> Understood | None:
    """The requests, if each part is one and none goes on about "it"; unclear where a view is to be kept and
    then something forgotten, which might be that view. surely: probability of a question that may begin in
    any way.
    """
    found: list[Understood] = []
    for part_before, part in zip(("", *parts), parts, strict=False):
        before = found[-1].decision.intent if found else ""
        asked = _asked(part, before, part_before, ways, surely)
        if asked is None:
            return None
        if found and _named(found[-1].decision) and len(part.split()) < _NAMELESS:
            return None
        before_it = asked.decision.intent in _ENDING and _OTHER_ONE.search(part) is not None
        found.insert(0 if before_it else len(found), asked)
    same_day = of_one_day([each.decision for each in found])
    found = [replace(each, decision=decision) for each, decision in zip(found, same_day, strict=True)]
    others = [each for each in found if each.decision.route != "device"]
    if _said_twice([each.decision for each in found if each not in others]):
        return None
    if len(others) > 1:
        if others[0].decision.intent == "keep" and "forget" in others[1].decision.intent:
            return Understood(Decision("unclear"), " and ".join(parts))
        of_view = all(each.decision.route in ("now", "frames") for each in others)
        if len(others) > 2 or of_view or _GOES_ON.search(" ".join(parts[1:])):
            return None
    heeded = [each for each in found if each.decision.intent != "stop"] or found
    last = (others[:1] or [each for each in heeded if each.decision.intent == "repeat"] or heeded)[-1]
    first = tuple(each.decision for each in found if each is not last and each not in others)
    question = last.question if others else " and ".join(parts)
    then = others[1] if len(others) > 1 else None
    return Understood(replace(last.decision, first=first), question, then)


def _asked(part: str, before: str, part_before: str, ways: _Ways, surely: float) -> Understood | None:
    """What one part asks, completed by the part before it, which has the intent `before`, where it is none by
    itself.
    """
    for understand in ways:
        for said in filter(None, (part, completed(part, before, part_before))):
            found = understand(said)
            sets = before and found.decision.intent in SETS
            if _is_request(said, found.decision, surely) and not (
                sets and not _IS_SET.search(usual_words(said))
            ):
                return found
    return None


def _is_request(said: str, decision: Decision, surely: float) -> bool:
    """Whether a part of a sentence is one, and no half of one and no chat."""
    if decision.route in ("open", "unclear") or decision.intent.startswith(_HALVES):
        return False
    if decision.route == "device":
        return decision.intent != "repeat" or (decision.certainty or 1.0) >= _REPEAT_LEAST
    sure = (decision.certainty or 0.0) >= surely
    return sure or decision.intent in _CHANGING or _ASKS.match(said) is not None


def _said_twice(decisions: list[Decision]) -> bool:
    """Whether one thing is said in two ways, or two things of which only one can be meant."""
    intents = [each.intent for each in decisions if each.intent != "stop"]
    again = {intent for intent in intents if intents.count(intent) > 1}
    values = [(each.intent, str(each.slots)) for each in decisions]
    opposite = any(len(kinds & set(intents)) > 1 for kinds in _OPPOSITE)
    named = {each.intent for each in decisions if not _BY_TIME.isdisjoint(each.slots)}
    unnamed = {each.intent for each in decisions if _BY_TIME.isdisjoint(each.slots)}
    may_come_again = {*SETS, *(_ENDING & named - unnamed)}
    return opposite or not again <= may_come_again or len(set(values)) < len(values)


def _named(decision: Decision) -> bool:
    return decision.intent == "keep" and "rest" in decision.slots
