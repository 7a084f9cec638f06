"""The clause of a sentence that commands: its reason may name other times ("my train goes at nine so wake me
at seven"). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_TELLS = {
    "alarm": re.compile(
        r"\b(?:alarms?|wak(?:e|ing|en)|get(?:ting)? me (?:\w+ )?(?:up|out)|have me (?:up|awake)|"
        r"(?:be|need) (?:up|awake|waking)|up (?:at|for|by)|go off|"
        r"(?:ring|call|buzz|shake|rouse|rattle|poke|nudge|prod) me|"
        r"let me (?:sleep|lie|kip|nap)|sleep (?:till|until)|"
        r"(?:another|one more|a second)(?: one)? (?:for|at))\b"
    ),
    "timer": re.compile(
        r"\b(?:timers?|count(?:down| down)?|let (?:me|us) know|"
        r"(?:another|one more|a second)(?: one)? (?:for|of)|"
        r"(?:set|start|put|stick|do|make|give|time) "
        r"(?:me|us|yourself|it|another|on|up|for|an?|[a-z]+ (?:seconds?|minutes?|hours?))|"
        r"(?:ping|remind|nudge|alert|call|buzz|ring|shout|warn|prod|poke|tap|tell) (?:me|us|at me|when|in))\b"
    ),
}  # fmt: skip
"""What tells each of them its time."""
_REASON = re.compile(
    r" (?:so|because|cos|cause|coz|since|as|but|or else|otherwise|my|our|the|i|we|she|he|they|"
    r"there is|it is|that is|for my|before my|when my)\b"
)
"""Begins what follows a command."""
_PURPOSE = (
    re.compile(r" so (?:that )?(?:(?:i|we|he|she|they|nobody|no one)\b|you can (?:tell|show|remind|say)).*$"),
    re.compile(r" (?:in case|because|cos|cause|coz)\b.*$"),
    re.compile(r"^.*(?<!\bsay )(?<!\bthink )(?<!\bdo )\bso (?=[a-z])"),
    re.compile(
        r"(?<=[a-z]) (?:i|we) (?:want|need|have|will want|would like|am going|might want|may want) .*$"
    ),
)
"""Why something is to be switched, after or before it is said."""
_SWITCHES = re.compile(
    r"\b(?:stop|start|begin|end|remember\w*|memor\w+|record\w*|film\w*|camera|mic|microphone|power|battery|juice|"
    r"sav(?:e|ing)|switch|turn|keep|watch\w*|look\w*|see|track|note)\b"
)
"""What is left of a command has one of these."""


def telling(kind: str, said: str, ends: Sequence[int]) -> Iterator[str]:
    """Each clause of `said` that tells an alarm or a timer (`kind`) when to ring, from the words that tell it
    up to the reason that follows the time. ends: where the times end in `said`.
    """
    starts = [each.start() for each in _TELLS[kind].finditer(said)]
    for start, following in zip(starts, [*starts, len(said)][1:], strict=True):
        first = next((end for end in ends if start < end <= following), None)
        if first is not None:
            reason = _REASON.search(said, first, following)
            yield said[start : following if reason is None else reason.start()].strip()


def tells_timer(said: str) -> bool:
    """Whether a sentence has words that tell a timer to run, beside its length of time."""
    return _TELLS["timer"].search(said) is not None


def without_purpose(said: str) -> str:
    """A command to switch something without what it is for: "... so that i can look later"."""
    for form in _PURPOSE:
        rest = form.sub("", said)
        said = rest if _SWITCHES.search(rest) else said
    return said
