"""Recognises a question about the past of which the recogniser missed a word or took one for another, while
the memory is on. That somebody did something, when or where, and to which thing must have been heard. The
answer names the thing, so that a wearer who meant another one hears it.

"where did i ?? my keys" -> `memory`, "my keys"
"can you remember i where i left my cup" -> `memory`, "my cup"
"do you see my coat yesterday" -> `memory`, "my coat yesterday"
"tell me what i ?? this morning" -> `looked_at`, "this morning"
"""

from __future__ import annotations

import re

from host.language.past.questions import HANDLED, SAW, WHO, PastQuestion
from host.language.past.time_marks import MARK, with_marks
from host.language.safety import about_safety
from models.brick import UNKNOWN_WORD

_GAP = "unheard"
"""Stands for an unknown word."""
_PAST = "(?:yesterday|earlier(?: today)?|last night|this morning)"
_PERIOD = rf"(?:{_PAST}|today|this (?:afternoon|evening|week)|lately|recently)"
_DID = "(?:did|have|has|had)"
_DONE = f"(?:left|lost|put|dropped|laid|had|kept|saw|seen|found|noticed|used|{_GAP})"
_AFTER = rf"(?:last|down|away|is|was|were|then|right now|now|please|again|{HANDLED}|{_GAP})"
_THING = rf"(?P<thing>(?:my|our|the) [a-z]+(?: (?!{_AFTER}\b)[a-z]+)?)"
_ANY = rf"(?:(?:[a-z]+|{MARK}) ){{0,6}}?"
_NAMED_WHEN = "(?:which|what) (?:time|place|room|spot)|how long"
_RECALLS = "(?:you|not|cannot) (?:remember|recall)"
_WHERE_OR_WHEN = rf"(?:where|when|{_NAMED_WHEN}|{_RECALLS})\b"
_VERB = rf"(?:(?:(?!(?:in|on|at|of|to|with|from)\b)[a-z]+|{MARK}) )"
_DOER = rf"(?:{_DID} {WHO} {_VERB}{{0,6}}?|{WHO} {_VERB}{{0,6}}?{_DONE} {_VERB}?|was the last {_VERB}{{0,3}})"
"""Who: with any verb after an auxiliary of the past, or with a verb in the past tense; or the last time."""
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_ANY}{_WHERE_OR_WHEN} {_ANY}{_DOER}{_THING}(?: {_AFTER})*(?P<time>(?: {MARK})*)",
        rf"(?:{_GAP}|(?:do|can|could) you {_GAP})(?: me)? where {_THING}(?: {_AFTER})*(?P<time>(?: {MARK})*)",
        rf"{_DID} (?:you|we|the) {_GAP} (?:of )?{_THING}(?P<time>(?: {MARK})+)",
        rf"do {WHO} (?:ever )?{SAW} {_THING}(?P<time>(?P<past> {MARK}))",
        # What became of something of one's own. "Where did the star ??" may ask how it moved.
        rf"(?:where )?(?:did|has|have) (?=my|our){_THING}(?: {_GAP})?(?P<time>(?: {MARK})+)",
        rf"where (?:did|has|have) (?=my|our){_THING}(?: {_GAP})?(?P<time>)",
    )
)
_SOMETHING = rf"(?: (?:look|looking|looked|{SAW}|{_GAP}))?(?: at)?(?: {_GAP})?"
_LOOKED_AT = tuple(
    re.compile(rf"(?:tell me |describe )?what (?:things )?{form}")
    for form in (
        rf"(?:(?:was|were|did|have|had|{_GAP}) )?{WHO}{_SOMETHING} (?P<time>{_PERIOD})",
        rf"do {WHO}{_SOMETHING} (?P<time>{_PAST})",
    )
)
_PRESENT = re.compile(rf"\b(?:can|do|could) {WHO} (?:still )?(?:see|find|hold|use)\b")


def misheard_past(transcript: str, *, timeless: bool = True) -> PastQuestion | None:
    """What a transcript (lower case, with `UNKNOWN_WORD` where a word is not known) asks of the memory all
    the same; None where it asks nothing of it, or too little was heard. timeless: False where it may be
    about the present view, so that a time in the past must be named.
    """
    said = " ".join(_GAP if word == UNKNOWN_WORD else word for word in transcript.lower().split())
    for form in _LOOKED_AT:
        looked = form.fullmatch(said)
        if looked is not None:
            return PastQuestion("looked_at", looked["time"])
    marked = with_marks(said)
    found = next(filter(None, (form.fullmatch(marked.words) for form in _FORMS)), None)
    if found is None or _GAP in found["thing"].split():
        return None
    time = marked.told(found["time"]).strip()
    if "past" in found.groupdict() and not re.fullmatch(_PAST, time):
        return None
    if not time and (not timeless or _PRESENT.search(said)):
        return None
    if not re.search(_WHERE_OR_WHEN, said) and about_safety(said):
        return None
    return PastQuestion("memory", f"{found['thing']} {time}".strip())
