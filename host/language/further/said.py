"""What sentences that go on from the last command have in common: the words beside what they say. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.number_words import NUMBER, digits_in_words
from host.language.politeness import without_politeness
from host.language.router import plain_words

UNIT = r"(?:seconds?|minutes?|hours?)"
_FILLERS = (
    r"(?:oh|um|uh|er|erm|ah|hm|well|so|okay|ok|and|but|please|right|yeah|yes|maybe|just|no|then|actually)"
)
_BEFORE = re.compile(rf"(?:{_FILLERS} )+")
HESITATING = r"(?:(?:oh|um|uh|er|wait|hang on|hold on|well|yeah|on second thoughts?) )*"
NO = (
    r"(?:(?:oh|um|uh|er|well|ah) )*"
    r"(?:(?:no|nope|sorry|oops|actually|i mean|i meant)(?: wait| hang on| hold on)? )+"
)
"""Before what is said instead of what was said before."""
VALUE = (
    rf"(?:(?:{NUMBER}|{UNIT}|half|quarters?|an?|and|of|past|to|oh?|o'clock|noon|midday|midnight|[ap] ?m|in|"
    r"at|the|this|morning|afternoon|evening|night|tonight|tomorrow|per ?cent)(?: |$))+"
)
"""Words of a number, a length of time or a time of day, with the blank after each; without a group."""
END = r"(?: ?(?:please|then|now|thanks|thank you|instead|rather|for me|if you can|okay|again)\b)*"
"""After what is said."""
_SHORT_FORMS = (
    (re.compile(r"\bmins?\b"), "minutes"),
    (re.compile(r"\bsecs?\b"), "seconds"),
    (re.compile(r"\b(?:a )?couple(?: of)? (?=(?:more |extra )?(?:minutes|hours)\b)"), "two "),
)
_MORE = r"(?:more|extra|further|additional)"
_MORE_BEFORE_ITS_UNIT = re.compile(rf"\b((?:{NUMBER}|half an?|an?)) {_MORE} ({UNIT})\b")


@dataclass(frozen=True)
class Before:
    """What a sentence may go on from."""

    last: str = ""
    """The intent of the last command that set something, if that was a moment ago; "" for none."""
    timer: bool = False
    """A timer runs, or has just ended."""
    length_s: int = 0
    """Seconds of the timer that was set last; 0 for none."""
    names: tuple[str, ...] = ()
    """Of the timers that run and of those that have just ended."""


NOTHING = Before()


def spoken(transcript: str) -> str:
    """Lower case, without punctuation and polite words, numbers in words; "ten more minutes" as "ten minutes
    more".
    """
    said = digits_in_words(without_politeness(plain_words(transcript)))
    for form, whole in _SHORT_FORMS:
        said = form.sub(whole, said)
    return _MORE_BEFORE_ITS_UNIT.sub(r"\1 \2 more", said)


def without_fillers(said: str) -> str:
    """The sentence without the words that begin it and say nothing."""
    begins = _BEFORE.match(said)
    return said if begins is None else said[begins.end() :]
