"""Kinds of sentence that have nearly the same words, and the words by which one of them is meant. Pure."""

from __future__ import annotations

import re

from host.language.classifier.commanded import ends, surely_ends

_ENDED = {"timer": "timer_off", "alarm": "alarm_off"}
"""Kinds that set something, with those that end it."""
_PACE, _LOUDNESS, _POWER = ("slower", "faster"), ("louder", "quieter", "volume"), ("save_power", "full_power")
_SAVING = r"(?:power (?:saving|saver)|saving (?:power|the battery)|low power|battery saver|saver)"
_MEANT = (
    (_PACE, re.compile(r"\b(?:too|so|awfully) (?:fast|quick|quickly|rapid|rapidly)\b"), "slower"),
    (_PACE, re.compile(r"\b(?:too|so|awfully) (?:slow|slowly)\b"), "faster"),
    (
        _LOUDNESS,
        re.compile(r"\btoo (?:loud|loudly|noisy)\b(?!.*\b(?:raise your voice|louder|speak up)\b)"),
        "quieter",
    ),
    (_LOUDNESS, re.compile(r"\btoo (?:quiet|quietly|soft|softly|faint|low)\b"), "louder"),
    (_POWER, re.compile(rf"\b{_SAVING}(?: mode)? off\b"), "full_power"),
    (_POWER, re.compile(rf"\b(?:off|stop|end|disable|quit|no more) (?:the |your )?{_SAVING}"), "full_power"),
    (("less_careful",), re.compile(r"\b(?:guess(?:ing)? less|fewer guesses)\b"), "more_careful"),
)
"""What is too much, or is to end, says what is wanted."""


def meant(kind: str, said: str) -> str:
    """The kind that the words decide for; `kind` where they decide nothing. said: lower case, without
    punctuation, politeness and short forms.
    """
    for kinds, form, wanted in _MEANT:
        if kind in kinds and form.search(said):
            return wanted
    for sets, off in _ENDED.items():
        if kind == sets and surely_ends(said):
            return off
        if kind == off and not ends(said):
            return sets
    return kind
