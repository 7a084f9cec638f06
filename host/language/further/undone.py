"""What takes the last command back: "undo that", "cancel it". Pure."""

from __future__ import annotations

import re

from host.language.further.said import END, HESITATING, Before, without_fillers
from host.language.router import Decision

UNDO = "undo"
"""Intent. Slot `whole`: a timer that was changed ends, and does not become what it was."""
_ENDED = ("timer_off", "alarm_off")
_ASKED = (
    rf"{HESITATING}(?:(?:can|could|would|will) you |please |just |let's |i want to |i'd like to |sorry |"
    r"actually |no |never ?mind )*"
)
_LAST = r"(?:the|my|that) last (?:one|thing|command)"
_AS_BEFORE = r"(?:(?:to )?(?:how|what|the way|like) it was(?: before)?|as it was(?: before)?)"
_UNDO = re.compile(
    rf"{_ASKED}(?:undo(?: (?:it|that|this|that one|{_LAST}|what you just did))?|"
    rf"take (?:it|that) back|i take (?:it|that) back|(?:put|change|set) (?:it|that) back(?: {_AS_BEFORE})?|"
    rf"revert(?: (?:it|that))?){END}"
)
_CANCEL = re.compile(
    rf"{_ASKED}(?:(?:cancel|abort|scrap) (?P<it>it|this one|that one)|"
    rf"(?:cancel|abort|scrap|get rid of) (?:that|this|{_LAST})|never ?mind that(?: one)?|scratch that|"
    rf"i (?:don't|didn't) (?:want|mean) that){END}"
)


def undone(said: str, before: Before) -> Decision | None:
    """The decision of a sentence, as of `host.language.further.said.spoken`, that takes back what was set
    last; None for others. Only "undo" may ask for it where there is nothing, and brings back what was ended.
    """
    bare = without_fillers(said)
    if _UNDO.fullmatch(bare):
        return Decision("device", UNDO)
    cancel = _CANCEL.fullmatch(bare)
    if cancel is None or not before.last or before.last in _ENDED:
        return None
    return Decision("device", UNDO, {"whole": True} if cancel["it"] else {})
