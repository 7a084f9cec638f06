"""The forms of sentences about shapes and signs, and what each claims."""

from __future__ import annotations

import re
from collections.abc import Callable

from host.answers.seen import shape_claims as claims
from host.answers.seen.layout import POSITIONS
from host.answers.seen.named import COLOURS, SHAPES, SIZES, one_of, several_of
from host.answers.seen.words import NUMBERS

_RELATIONS = "left of|right of|above|below|next to|bigger than|smaller than"
_COUNTS = "|".join((*NUMBERS, "an?"))
_A, _B = one_of("a"), one_of("b")
_AS, _BS = several_of("a"), several_of("b")
_ITEM = rf"(?:an? (?:{COLOURS}) (?:{SHAPES})|the sign|(?:{_COUNTS}) (?:{COLOURS}) (?:{SHAPES})e?s)"
_ITEMS = rf"(?:Nothing|{_ITEM}(?: and {_ITEM})?) (?:is|are)"
_WHERE = rf"(?P<position>{'|'.join(POSITIONS)})"
_ONE_OF_TWO = rf"an? (?:{COLOURS}|{SHAPES})(?: one)?"
_BESIDE_WORDS = "left of|right of|above|below|next to|nearest to"
_FORMS: tuple[tuple[str, Callable[[re.Match[str], str], claims.Claim | None]], ...] = (
    (rf"The sign is (?:{COLOURS})\.", claims.sign_coloured),
    (rf"The sign is {_WHERE}\.", claims.sign_placed),
    (rf"The {_A} is (?:{COLOURS})\.", claims.coloured),
    (rf"The {_A} is (?:{SIZES})\.", claims.sized),
    (rf"The {_A} is {_WHERE}\.", claims.placed),
    (rf"The (?P<colour>{COLOURS}) thing is an? (?:{SHAPES})\.", claims.shaped),
    (rf"There (?:is|are) (?:{_COUNTS}) {_AS}\.", claims.counted),
    (rf"(?:Yes|No), there (?:is|are) (?:{_COUNTS}) {_AS} and (?:{_COUNTS}) {_BS}\.", claims.more),
    (r"(?:Yes|No), there is (?:a|no) sign\.", lambda m, q: claims.sign_there),
    (rf"(?:Yes|No), there is (?:something|nothing) (?P<colour>{COLOURS})\.", claims.anything),
    (rf"(?:Yes|No), there (?:is|are) (?:{_COUNTS}) {_AS}\.", claims.exists),
    (rf"(?:Yes|No), it is (?:an? )?(?P<value>{COLOURS}|{SIZES}|{SHAPES})\.", claims.it_is),
    (rf"(?:No, t|T)he (?:{SHAPES}) is (?:bigger|smaller)\.", claims.compared),
    (r"(?:(?:Yes|No), t|T)hey are about the same size\.", claims.compared),
    (rf"The (?:{COLOURS}) (?:{SHAPES}) is the (?P<which>biggest|smallest)\.", claims.extreme),
    (rf"(?P<verdict>Yes|No), the {_A} is (?:not )?(?P<relation>{_RELATIONS}) the {_B}\.", claims.related),
    (rf"(?P<verdict>)The {_A} is (?P<relation>{_RELATIONS}) the {_B}\.", claims.related),
    (rf"{_ITEMS} {_WHERE}\.", claims.at),
    (rf"{_ITEMS} (?P<relation>{_BESIDE_WORDS}) the {_B}\.", claims.beside),
    (r"I see nothing else\.", lambda m, q: claims.nothing_else),
    (rf"I cannot see anything (?P<colour>{COLOURS})\.", claims.nothing_of),
    (r"I cannot see a sign\.", lambda m, q: claims.of_sign(claims.wrong)),
    (rf"I cannot see an? {_A}\.", claims.unseen),
    (rf"I see (?P<there>.+), no (?P<value>{COLOURS}|{SIZES}) one\.", claims.no_one),
    (rf"I see (?:two|three|four|five|six) {_AS}(?:, {_ONE_OF_TWO} and {_ONE_OF_TWO})?\.", claims.too_many_of),
    (rf"I see (?:\w+ things, among them )?(?:{_ITEM}|a sign)(?:(?:, | and )(?:{_ITEM}|a sign))*\.",
        lambda m, q: claims.description),
    (r"I do not see anything\.", lambda m, q: claims.description),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), made) for pattern, made in _FORMS)


def claim_of(sentence: str, question: str) -> claims.Claim | None:
    """What the sentence claims; None where it is none of these forms, or depends on more than the picture."""
    for pattern, made in _COMPILED:
        if found := pattern.fullmatch(sentence):
            return made(found, question)
    return None
