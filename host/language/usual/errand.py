"""Whether a sentence gives an errand to another kind of assistant, which books, sends, buys or plays: a
headband only looks, and no picture tells anything about it.
"""

from __future__ import annotations

import re

_ASKED = (
    r"(?:(?:please|can you|could you|would you|will you|can i|could i|may i|i need|i want|i would like|"
    r"i'd like|i wish|i have|i am going|i'm going|to|you|help me|let us|let's|let me|go ahead and|hey|okay|"
    r"ok|alexa|siri|google|olly|and|get me|just|also|now) )*"
)
_ERRAND = re.compile(
    rf"{_ASKED}(?:"
    r"(?:book|order) (?:me |us )?(?:a|an|the|my|our|some|more|another|two|three|four|tickets?|flights?)\b|"
    r"(?:reserve|schedule|arrange|buy|purchase|rent|email|e mail|dial|pay|transfer|wire|deposit|withdraw|"
    r"freeze|unfreeze|translate|tweet|play|shuffle|pair|sync|unsync|dim|brighten|subscribe|unsubscribe|"
    r"invite|rsvp|download|install|upload|vacuum|brew|preheat)"
    r"(?= (?!of\b|in\b|is\b|on\b|here\b|there\b)\w)|"
    r"(?:send|share|give|text|let) (?:\w+ ){0,4}(?:my|our|the|with) (?:\w+ ){0,2}(?:location|whereabouts|"
    r"coordinates)\b|"
    r"(?:set|send|make|create|add|put) (?:me )?(?:a|an|my) (?:\w+ )?(?:event|appointment|meeting)\b|"
    r"(?:send|write|compose|reply|forward) (?:\w+ ){0,3}(?:e ?mail|text|message|letter|invitation)\b|"
    r"(?:(?:call|get|hail) (?:me |us )?)?an? (?:taxi|cab|uber|lift|ambulance|plumber|table for)\b|"
    r"add (?:\w+ ){1,5}(?:to|on) (?:my|the|our) (?:\w+ )?(?:list|calendar|cart|basket|playlist)\b"
    r").*"
)
_REMINDER = re.compile(
    rf"{_ASKED}(?:remind (?:me|us)|"
    r"(?:set|send|make|create|add|put) (?:me )?(?:a|an|my) (?:\w+ )?reminder)\b.*"
)


def is_errand(text: str) -> bool:
    """Whether a sentence (lower case, without punctuation) gives such an errand, or asks to be reminded."""
    return sets_nothing(text) or _REMINDER.fullmatch(text) is not None


def sets_nothing(text: str) -> bool:
    """Whether it gives one in which a time is no timer's and no alarm's, unlike that of a reminder."""
    return _ERRAND.fullmatch(text) is not None
