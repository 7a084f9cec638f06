"""What a timer or an alarm was asked for without: the wearer is asked for it, and says only that: "for ten
minutes", "half past six please". Pure.
"""

from __future__ import annotations

import re

from host.language.classifier.amounts import length_from_now_s, only_clock, only_length_s, only_number
from host.language.number_words import NUMBER
from host.language.politeness import without_politeness
from host.language.router import Decision, plain_words
from host.language.timers.names import NAME, name_in, with_name

LENGTH, TIME_OF_DAY = "timer_length", "alarm_time"
"""Intents of requests for a timer that say no length, and for an alarm that say no time."""
_WITHOUT = (
    r"(?=.*\b(?:set|setting|start|starting|create|make|add|get|give|put|begin|run|need|want|have|use|fire|wake|"
    r"like|an?|another|new|please)\b)"
    r"(?:(?:i|i'd|i'll|we|you|want|need|like|would|will|could|can|use|have|may|let|let's|us|me|go|ahead|and|"
    r"help|to|a|an|the|my|new|another|quick|kitchen|cooking|please|set|setting|start|starting|create|make|"
    r"add|get|give|put|turn|switch|on|up|begin|run|fire|for|now|right|just|there|one|that|so|okay) )*"
    r"(?:{what})(?: (?:set|started|going|running|on|up|please|now|right now|quick|quickly|thanks|thank you|"
    r"would you|will you|can you|if you can|here|then|{when}))*(?: for (?:(?!{numbers})[a-z']+ ?){{1,3}})?"
)
_NUMBERS = rf"(?:{NUMBER}|half|quarter|an?|noon|midday|midnight)\b"
_TIMER_ALONE = re.compile(_WITHOUT.format(what="timer|countdown|stopwatch", when="today", numbers=_NUMBERS))
_NAMED_ALONE = re.compile(
    r"(?:(?:can|could|would|will) you |please |just )*"
    r"(?:(?:set|start|create|make|add|begin|run|give)(?: me| us)?(?: up)?|"
    r"(?:i|we)(?: need| want| would like|'d like)(?: to (?:set|start))?) (?:an?|another|my|the) "
    r"(?:(?P<name>[a-z']+(?: [a-z']+){0,2}) (?:timer|countdown)|"
    r"(?:timer|countdown) (?:called|named) [a-z' ]+)"
    r"(?: (?:please|now|for me|going))*"
)
"""With a name before it: "set an egg timer"."""
_ALARM_ALONE = re.compile(
    _WITHOUT.format(
        what="alarm|alarm clock|wake up call|wake me|wake me up",
        when="tomorrow|tonight|today|in the morning|tomorrow morning|early",
        numbers=_NUMBERS,
    )
)
_LEAST_PROBABILITY = 0.7
"""Of each word of the answer, which sets something."""
_NUMBER_WORDS = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|"
    r"fifty|sixty|seventy|eighty|ninety|hundred|half|quarters?|hours?|minutes?|seconds?|an?|and|past|to|"
    r"after|before|oh?|o'clock|noon|midday|midnight|am|pm|in|the|this|morning|afternoon|evening|night|"
    r"tonight|tomorrow|today|from|now|at)\b"
)
_BESIDE = frozenset(
    "about ah as er erm for get give go i i'd it it'll just let let's like long make maybe me mine need of "
    "oh okay on please put round say set so that that's think timer alarm um us want wake up will would "
    "yeah yes you could can do with uh well hm right then one it's is be should".split()
)
"""Words that say nothing of the time."""


def without_its_time(text: str) -> Decision | None:
    """The decision of a request (lower case, without punctuation) that names no length and no time of day, or
    one that was not heard; None for any other sentence.
    """
    said = without_politeness(text)
    for intent, form in ((LENGTH, _TIMER_ALONE), (TIME_OF_DAY, _ALARM_ALONE)):
        if form.fullmatch(said):
            return with_name(Decision("device", intent), said)
    alone = _NAMED_ALONE.fullmatch(said)
    name = "" if alone is None else name_in(LENGTH, said)
    known = alone is not None and name and alone["name"] in (None, name)
    return Decision("device", LENGTH, {NAME: name}) if known else None


def told(awaited: str, text: str, name: str = "") -> Decision | None:
    """The request that a sentence (lower case, without punctuation) completes with the length or the time of
    day; None where it says anything else. A bare number is so many minutes. name: of the timer, "" for none.
    """
    said = without_politeness(plain_words(text))
    if not set(_NUMBER_WORDS.sub(" ", said).split()) <= _BESIDE:
        return None
    if awaited == TIME_OF_DAY:
        clock = only_clock(said)
        if clock:
            return Decision("device", "alarm", clock)
        length_s = length_from_now_s(said)
    else:
        number = (
            None if re.search(r"\b(?:hours?|minutes?|seconds?|half|quarters?)\b", said) else only_number(said)
        )
        length_s = only_length_s(said) or (60 * number if number else None)
    called = {NAME: name} if name else {}
    return Decision("device", "timer", {"span": length_s} | called) if length_s else None


def surely_told(words: tuple[float, ...], probability: float) -> bool:
    """Whether each word was heard surely enough to set something. words: the probability of each."""
    return min((*words, probability)) >= _LEAST_PROBABILITY
