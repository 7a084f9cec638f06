"""Whether a command that switches something names a time: it is carried out at once, or not at all."""

from __future__ import annotations

import re

from host.language.classifier.amounts import a_length_in, clocks_in, length_from_now_s

SWITCHES = (
    "recording_on", "recording_off", "memory_on", "memory_off", "save_power", "full_power", "own_power",
)  # fmt: skip
"""Kinds that stay as they are until the next command."""
_UNTIL = re.compile(r"\b(?:until|till|for (?:a|the) (?:while|bit|moment)|for now)\b")
_FOR = re.compile(r"\bfor (?:the next |about |another )?(?P<length>.+)")
_LATER = re.compile(
    r"\b(?:tomorrow|tonight|later|next week|this (?:evening|afternoon)|(?:at|after|before|during) "
    r"(?:lunch|dinner|supper|breakfast|tea|work|school|bedtime|night))\b|"
    r"\b(?:if|when|whenever|(?<!at )once|as soon as)\b"
    r"(?! (?:you (?:can|could|would|will|may)|possible|again))"
)
_AT = ("at", "by", "after", "from", "around", "about")


def for_a_time(said: str) -> bool:
    """Whether it says for how long: "for an hour", "until noon"."""
    lasts = _FOR.search(said)
    return _UNTIL.search(said) is not None or (lasts is not None and a_length_in(lasts["length"]))


def later(said: str) -> bool:
    """Whether it is not for now: "at noon", "in ten minutes", "when i leave"."""
    at = (said[:start].split()[-1:] for start in clocks_in(said))
    return (
        _LATER.search(said) is not None
        or length_from_now_s(said) is not None
        or any(word and word[0] in _AT for word in at)
    )
