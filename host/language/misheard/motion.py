"""Recognises a question about the last seconds of which the recogniser missed a word or took one for another,
for packs that understand several pictures in order. What happened, and the things that the question names,
must have been heard. Answers name the thing, so that a wearer who meant another one hears it.

"was the light ??" -> "did the light blink"
"did the cup go ?? or slowly" -> "how fast did the cup move"
"what did ?? put down" -> "what was put down"
"""

from __future__ import annotations

import re

from models.brick import UNKNOWN_WORD

_GAP = "unheard"
"""Stands for an unknown word."""
_NAMES = "keys|glasses|phone|wallet|bag|cup|book|coat|umbrella|bottle|remote control|remote|medicine box"


def _thing(name: str) -> str:
    return rf"(?P<{name}>(?:the|my) (?:{_NAMES}))"


_ONE, _TWO = _thing("one"), rf"{_thing('one')} (?:and|or) {_thing('two')}"
_LIGHT = "(?:it|(?:the|that) (?:light|lamp))"
_MOVE, _FLASH = "(?:move|moved|moving)", "(?:blink|blinked|blinking|flash|flashed|flashing)"
_CHANGE = "(?:change|changed|swap|swapped|trade|traded|exchange|exchanged)"
_SOMETHING = rf"(?:{_GAP}|anything|something|any [a-z]+)"
_SOME = r"(?:[a-z]+ ){0,3}?"
_WAY = "way|side|direction"
_ABOUT = {
    "did anything move": (
        rf"(?:did|do|has) {_SOMETHING} {_MOVE}", rf"was {_SOMETHING} (?:{_GAP} )?{_MOVE}",
    ),
    "did {one} move": (rf"(?:is it )?(?:true|{_GAP}) that {_ONE} {_MOVE}",),
    "did the light blink": (rf"(?:did|do|was|has) {_LIGHT} (?:{_FLASH}|{_GAP})",),
    "how often did the light flash": (rf"how (?:often|many times) (?:did )?(?:{_LIGHT} )?{_FLASH}",),
    "what was put down": (rf"what did [a-z]+ (?:put|{_GAP}) down",),
    "what was taken away": (
        rf"what (?:did|was) [a-z]+ (?:take|taken|{_GAP}) away", rf"what was {_SOME}and is gone",
    ),
    "what was on the sign": (
        rf"(?:what|which) (?:words?|{_GAP}) (?:were |was )?on the (?:sign|label)",
        rf"what was (?:written )?on the {_GAP}",
    ),
    "did {one} and {two} change places": (
        rf"(?:have|did|are|has) {_TWO} {_SOME}{_CHANGE}(?: places?| now)?",
        rf"are {_TWO} the {_SOME}(?:way|round)(?: round)?(?: now)?",
    ),
    "how fast did {one} move": (
        rf"did {_ONE} {_SOME}or (?:slow|slowly|fast|quickly)",
        rf"{_SOME}(?:how fast|how quickly|speed) (?:did|was) {_ONE}(?: [a-z]+)?",
    ),
    "what came first {one} or {two}": (
        rf"{_SOME}(?:came|come|was|did) {_SOME}{_TWO} (?:first|(?:that )?came(?: [a-z]+)*)",
    ),
    "what was in front of me first": (rf"what was in front of me(?: for)? (?:four|first|{_GAP})",),
    "which way did {one} go": (
        rf"(?:(?:to|in) )?which (?:{_WAY}|{_GAP}) (?:did|was|has) {_ONE}(?: [a-z]+)?",
        rf"(?:in )?what (?:way|direction) (?:did|was|has) {_ONE}(?: [a-z]+)?",
    ),
}  # fmt: skip
"""Usual words of a question -> forms in which it may be heard."""
_FORMS = tuple((re.compile(form), usual) for usual, forms in _ABOUT.items() for form in forms)


def misheard_motion(transcript: str) -> str:
    """The question in its usual words (lower case); "" where a transcript, with `UNKNOWN_WORD` where a word
    is not known, asks for nothing of the last seconds, or too little was heard.
    """
    said = " ".join(_GAP if word == UNKNOWN_WORD else word for word in transcript.lower().split())
    for form, usual in _FORMS:
        found = form.fullmatch(said)
        if found is not None:
            things = found.groupdict()
            alike = "two" in things and things["one"].split(" ", 1)[1] == things["two"].split(" ", 1)[1]
            return "" if alike else usual.format(**things)
    return ""
