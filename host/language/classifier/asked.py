"""What a sentence asks that no template knows, where the classifier is sure enough and all that the sentence
must say can be read out of it.

How sure it must be depends on what a mistake costs. `LEAST` of questions to the memory was chosen with 447
sentences of fourteen people who are in no training (`just eval understood --tried`), of which none deletes,
keeps or sets anything unsaid; that of commands by leaving out a third of the speakers of
`commanded.txt` and `near_misses.txt` at a time, with what `commanded` refuses, and room to spare where
something is deleted, kept or set.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from host.language.awaited import TIME_OF_DAY
from host.language.classifier.ensemble import packed_ensemble
from host.language.classifier.readout import CHANGING, read, words_before_a_name
from host.language.classifier.words import full_words, things_in
from host.language.router import Decision, plain_words
from host.language.safety import SAFETY
from models.brick import UNKNOWN_WORD, Transcript

NONE = "none"
"""The kind of what is not for the headband."""
_TO_MEMORY = ("thing", "looked_at", "where_i_was", "sign", "before")
_SETTING = (
    "louder", "quieter", "volume", "slower", "faster", "stop", "save_power", "full_power", "own_power",
    "more_careful", "less_careful",
)  # fmt: skip
"""Kinds that change how the headband speaks or spares, which is heard and can be taken back at once."""
COMMANDS = frozenset((*CHANGING, *_SETTING)) - {"stop"}
"""Kinds that change, keep, delete or set something."""
LEAST = {
    "view": 0.4, "motion": 0.4, SAFETY: 0.2,
    **dict.fromkeys(_TO_MEMORY, 0.4),
    **dict.fromkeys(_SETTING, 0.5),
    **dict.fromkeys(CHANGING, 0.6),
    **dict.fromkeys(("keep", "forget", "memory_on"), 0.7),
}  # fmt: skip
"""Least probability of a kind; `LEAST_OTHER` of the others, which are questions to the device. A question of
safety need not be the likeliest kind (`_AFTER_SAFETY`), as to answer one costs more than to decline another.
Of 175 such questions of people who are in no training 119 are declined (101 if it must be the likeliest and
have 0.5), of 144 other requests with their words 21 (19), and of 447 other sentences 4 (2).
"""
LEAST_OTHER = 0.4
_AFTER_SAFETY = dict.fromkeys(("view", "motion", *_TO_MEMORY), 0.4) | {NONE: 0.5}
"""Kinds that a model or the memory answers: below this probability, a question of safety that is probable
enough comes first. Of 1,450 sentences to other assistants 84 are declined, many of them about food, medicine
or machines (98 with 1 for what is not for the headband, which declines one question of safety more of 175).
"""
LEAST_OF_VIEW, SAFETY_OF_VIEW = 0.5, 0.3
"""The same where a template takes the sentence for a question about the present view by its first words: of
other kinds, and of safety.
"""
LEAST_BESIDE_SAFETY = dict.fromkeys(
    (
        "keep", "repeat", "thing", "lasting", "memory_on", "memory_off", "recording_on", "recording_off",
        "slower", "faster", "louder", "quieter", "save_power", "full_power", "own_power", "more_careful",
        "less_careful",
    ),
    0.8,
)  # fmt: skip
"""The same of kinds that judge nothing, where words of safety are there: "keep this as my tuesday dose",
"where did i put my blood pressure pills".
"""
_FOLLOW_UP_WORDS = 6
"""Words of the longest sentence that takes its sense from the one before ("what about the big red one")."""
SURELY_HEARD = 0.7
"""Least probability of each word of a sentence that changes anything; of others, and of `_REPEATED`, a word
that is less probable must not decide what is asked or set.
"""
SURELY_NONE = 0.7
"""Least probability of what is not for the headband, where else it would be read for requests, or asked of
the view for its first words ("the label said dry clean only"): of a third of the speakers, left out of
training, 25 of 40 such sentences have it, and 2 of 160 questions about the view.
"""
_BESIDE_SAFETY = ("timer", "timer_off", "timer_left", "alarm", "alarm_off", "alarm_when", "used")
"""Kinds that ask nothing about safety, whatever words of it are there: "an alarm for my pills at eight"."""
_REMINDS = re.compile(
    r"(?:(?:in|after) (?:\w+ ){2,6})?(?:(?:please|can you|could you|would you|will you|just) )*"
    r"(?:remind|alert|nudge|buzz|ping) me (?!if|whether|what|which|how|when|why|who|where)\w"
)
"""Asks to be told at a time, and for no judgement: "remind me in two hours to take my drops"."""
_SOUGHT = re.compile(
    r"^(?!.*\b(?:take|taken|took|had my|swallow\w*)\b).*\b(?:where\w*|(?:can't|cannot|can not) find|"
    r"looking for|last s(?:aw|een|ee)|which (?:drawer|shelf|cupboard|pocket|room|bag|box))\b"
)
"""Asks where a thing is, and not whether it was taken, or is on."""
_OF_TIMES = ("timer", "timer_off", "alarm", "alarm_off")
"""Kinds that are told in nearly the same words."""
SURELY_EITHER = 0.8
"""Probability of several of them together from which it counts that they are read in the same way."""
_REPEATED = ("timer", "alarm")
"""Kinds that set a time, which is said at once and can be taken back."""
_KEEP = "keep"
LEAST_UNNAMED = 0.8
"""Least probability that a view is to be kept, where its name was not heard; that it has none is said."""


SHORTEST_IN_PART = 4
"""Words of the shortest transcript in doubt that the classifier reads."""
SURELY_NAMED = 0.3
"""Least probability of a word that names the thing."""
LEAST_IN_PART = {
    **dict.fromkeys((*_TO_MEMORY, SAFETY), 0.55),
    **dict.fromkeys(
        (
            "time", "date", "battery", "charging", "lasting", "used", "cost", "which_mode", "timer_left",
            "alarm_when", "repeat", "why", "why_short", "sure", *_SETTING,
        ),
        0.5,
    ),
    "volume": 0.8,
    **dict.fromkeys(_REPEATED, 0.6),
    **dict.fromkeys(("memory_off", "recording_off"), 0.8),
}  # fmt: skip
"""Kinds that a transcript in doubt may be of, as they change nothing, or what is heard at once, or end what
others may not want; and the least probability of each. Chosen with the same sentences in validation voices:
of what they let through, all is right but times that nothing can tell.
"""


def asked(heard: Transcript, decision: Decision) -> Decision:
    """The decision of a transcript that is not in doubt: `decision`, unless that comes of no template, or
    only of one that takes any words after the first, or of safety where a timer or an alarm is meant beside
    its words, and the classifier is sure of another.
    """
    text = plain_words(heard.text)
    if is_follow_up(decision, text):
        return decision
    of_safety = decision.intent == SAFETY
    if decision.route not in ("open", "now") and not _of_no_thing(decision) and not of_safety:
        return decision
    if not text or UNKNOWN_WORD in heard.text.split():
        return decision
    if _REMINDS.match(text) and min((*heard.words, heard.probability)) >= SURELY_HEARD:
        found = read("alarm", text)
        if found is not None or of_safety:
            certainty = sum(packed_ensemble().probability(each, text) for each in _REPEATED)
            return replace(found or Decision("device", TIME_OF_DAY), certainty=round(certainty, 3))
    kind, certainty = packed_ensemble().kind_but(SAFETY, text, LEAST[SAFETY], _AFTER_SAFETY)
    either = certainty + _same_by_another_kind(kind, text)
    certainty = either if either >= SURELY_EITHER else certainty
    least = LEAST.get(kind, LEAST_OTHER)
    if decision.route == "now":
        least = max(least, LEAST_OF_VIEW if kind != SAFETY else SAFETY_OF_VIEW)
    if of_safety and kind not in _BESIDE_SAFETY:
        least = LEAST_BESIDE_SAFETY.get(kind, math.inf)
        if kind == "thing" and not _SOUGHT.search(text):
            return decision
    known_already = decision.route == "now" and kind == "view"
    if kind == NONE or known_already or certainty < least or not _surely(kind, text, heard):
        return decision
    found = read(kind, text, any_thing=True)
    if found is None or (found.route, found.intent) == (decision.route, decision.intent):
        return decision
    if decision.route == "memory" and found.route != "memory":
        return decision
    return replace(found, certainty=round(certainty, 3))


def _same_by_another_kind(kind: str, text: str) -> float:
    """How probable other kinds are by which the sentence is read in the same way: "wake me in one and a half
    hours" as an alarm and as a timer.
    """
    found = read(kind, text) if kind in _OF_TIMES else None
    if found is None:
        return 0.0
    same = (each for each in _OF_TIMES if each != kind and read(each, text) == found)
    return sum(packed_ensemble().probability(each, text) for each in same)


def surely_none(text: str) -> bool:
    """Whether words (lower case, without punctuation) are surely not for the headband."""
    kind, certainty = packed_ensemble().kind(text)
    return kind == NONE and certainty >= SURELY_NONE


def is_follow_up(decision: Decision, text: str) -> bool:
    """Whether a sentence is so short that it takes its sense from the one before."""
    return decision.intent == "follow_up" and len(text.split()) <= _FOLLOW_UP_WORDS


def asked_in_part(heard: Transcript) -> Decision | None:
    """What a transcript in doubt asks all the same: a question to the memory or to the device, whose answer
    says what was understood; None where the classifier is not sure of one of these, or the thing that is
    sought was not heard. A word that the recogniser does not know is left out.
    """
    known = [index for index, word in enumerate(heard.text.split()) if word != UNKNOWN_WORD]
    words = [heard.text.split()[index] for index in known]
    if len(words) < SHORTEST_IN_PART:
        return None
    text = plain_words(" ".join(words))
    kind, certainty = packed_ensemble().kind(text)
    if kind == _KEEP and certainty >= LEAST_UNNAMED and _all_but_the_name_heard(heard):
        return Decision("memory", "keep", {"unheard": True}, certainty=round(certainty, 3))
    if certainty < LEAST_IN_PART.get(kind, math.inf):
        return None
    found = read(kind, text)
    if found is None or (kind == "thing" and not _thing_heard(heard)):
        return None
    if kind in _REPEATED and not _set_surely(found, kind, heard):
        return None
    return replace(found, certainty=round(certainty, 3))


def _thing_heard(heard: Transcript) -> bool:
    """Whether some word that names a thing is as probable as `SURELY_NAMED`."""
    words = heard.text.split()
    if len(heard.words) != len(words):
        return True
    named = (p for word, p in zip(words, heard.words, strict=True) if set(things_in(full_words(word))))
    return max(named, default=1.0) >= SURELY_NAMED


def _all_but_the_name_heard(heard: Transcript) -> bool:
    """Whether each word before the name was surely heard, and some word of the name was not."""
    words = heard.text.split()
    before = words_before_a_name(plain_words(heard.text)) if len(heard.words) == len(words) else 0
    if not before or UNKNOWN_WORD in words[:before]:
        return False
    named = zip(words[before:], heard.words[before:], strict=True)
    unheard = any(word == UNKNOWN_WORD or each < SURELY_HEARD for word, each in named)
    return unheard and min(heard.words[:before]) >= SURELY_HEARD


def _of_no_thing(decision: Decision) -> bool:
    """Whether it asks the memory about a thing that is none of those which people usually look for: the form
    may have taken other words for one ("where did i find myself before supper").
    """
    rest = str(decision.slots.get("rest", ""))
    return (decision.route, decision.intent) == ("memory", "memory") and not things_in(rest)


def _surely(kind: str, text: str, heard: Transcript) -> bool:
    """Whether the kind does not hang on a word that may have been another."""
    words = text.split()
    known = len(heard.words) == len(words)
    probable = heard.words if known else (heard.probability,) * len(words)
    if kind in _REPEATED:
        return _set_surely(read(kind, text), kind, heard)
    if kind in CHANGING:
        return min(probable) >= SURELY_HEARD
    doubtful = [index for index, each in enumerate(heard.words) if each < SURELY_HEARD] if known else []
    rest = (" ".join([*words[:index], *words[index + 1 :]]) for index in doubtful)
    return all(packed_ensemble().kind(each)[0] == kind for each in rest)


def _set_surely(found: Decision | None, kind: str, heard: Transcript) -> bool:
    """Whether the same is set without each word that may have been another; not with a word that the
    recogniser does not know, which may be a part of the time.
    """
    words = heard.text.split()
    if len(heard.words) != len(words):
        return heard.probability >= SURELY_HEARD
    if UNKNOWN_WORD in words:
        return False
    for index in (at for at, each in enumerate(heard.words) if each < SURELY_HEARD):
        text = plain_words(" ".join([*words[:index], *words[index + 1 :]]))
        if packed_ensemble().kind(text)[0] != kind or read(kind, text) != found:
            return False
    return True
