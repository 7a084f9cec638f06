"""The forms of sentences about shapes and signs, and what each claims."""

from __future__ import annotations

from host.answers.seen import count_claims
from host.answers.seen import shape_claims as claims
from host.answers.seen.forms import Form, claim_by_form
from host.answers.seen.layout import POSITIONS
from host.answers.seen.named import COLOURS, SHAPES, SIZES, one_of, several_of
from host.answers.seen.words import NUMBERS

_RELATIONS = "left of|right of|above|below|next to|bigger than|smaller than"
_COUNTS = "|".join((*NUMBERS, "an?"))
_A, _B = one_of("a"), one_of("b")
_AS, _BS = several_of("a"), several_of("b")
_ITEM = rf"(?:an? (?:{COLOURS}) (?:{SHAPES})|the sign|(?:{_COUNTS}) (?:{COLOURS}) (?:{SHAPES})e?s)"
_ITEMS = rf"(?:Nothing|{_ITEM}(?: and {_ITEM})?) (?:is|are)"
_ANY = rf"(?:{_ITEM}|a sign)"
_WHERE = rf"(?P<position>{'|'.join(POSITIONS)})"
_ONE_OF_TWO = rf"an? (?:{COLOURS}|{SHAPES})(?: one)?"
_BESIDE_WORDS = "left of|right of|above|below|next to|nearest to"
_ITEM_STARTS = ("nothing ", "a ", "an ", "the sign", *(f"{each} " for each in NUMBERS))
_FORMS: tuple[Form[claims.Claim], ...] = (
    ("the sign is", rf"The sign is (?:{COLOURS})\.", claims.sign_coloured),
    ("the sign is", rf"The sign is {_WHERE}\.", claims.sign_placed),
    ("the ", rf"The {_A} is (?:{COLOURS})\.", claims.coloured),
    ("the ", rf"The {_A} is (?:{SIZES})\.", claims.sized),
    ("the ", rf"The {_A} is {_WHERE}\.", claims.placed),
    ("the ", rf"The (?P<colour>{COLOURS}) thing is an? (?:{SHAPES})\.", claims.shaped),
    ("there ", rf"There (?:is|are) (?:{_COUNTS}) {_AS}\.", count_claims.counted),
    (("yes, there ", "no, there "),
        rf"(?:Yes|No), there (?:is|are) (?:{_COUNTS}) {_AS} and (?:{_COUNTS}) {_BS}\.", count_claims.more),
    (("yes, there is a sign", "no, there is no sign"),
        r"(?:Yes|No), there is (?:a|no) sign\.", lambda m, q: claims.sign_there),
    (("yes, there is something", "no, there is nothing"),
        rf"(?:Yes|No), there is (?:something|nothing) (?P<colour>{COLOURS})\.", count_claims.anything),
    (("yes, there ", "no, there "),
        rf"(?:Yes|No), there (?:is|are) (?:{_COUNTS}) {_AS}\.", count_claims.exists),
    (("yes, it is ", "no, it is "),
        rf"(?:Yes|No), it is (?:an? )?(?P<value>{COLOURS}|{SIZES}|{SHAPES})\.", claims.it_is),
    (("the ", "no, the "), rf"(?:No, t|T)he (?:{SHAPES}) is (?:bigger|smaller)\.", claims.compared),
    (("they are about", "yes, they", "no, they"),
        r"(?:(?:Yes|No), t|T)hey are about the same size\.", claims.compared),
    ("the ", rf"The (?:{COLOURS}) (?:{SHAPES}) is the (?P<which>biggest|smallest)\.", claims.extreme),
    (("yes, the ", "no, the "),
        rf"(?P<verdict>Yes|No), the {_A} is (?:not )?(?P<relation>{_RELATIONS}) the {_B}\.", claims.related),
    ("the ", rf"(?P<verdict>)The {_A} is (?P<relation>{_RELATIONS}) the {_B}\.", claims.related),
    (_ITEM_STARTS, rf"{_ITEMS} {_WHERE}\.", claims.at),
    (_ITEM_STARTS, rf"{_ITEMS} (?P<relation>{_BESIDE_WORDS}) the {_B}\.", claims.beside),
    ("i see nothing else", r"I see nothing else\.", lambda m, q: claims.nothing_else),
    ("i cannot see anything", rf"I cannot see anything (?P<colour>{COLOURS})\.", claims.nothing_of),
    ("i cannot see a sign", r"I cannot see a sign\.", lambda m, q: claims.of_sign(claims.wrong)),
    ("i cannot see a", rf"I cannot see an? {_A}\.", claims.unseen),
    ("i see ", rf"I see (?P<there>.+), no (?P<value>{COLOURS}|{SIZES}) one\.", claims.no_one),
    ("i see ",
        rf"I see (?:two|three|four|five|six) {_AS}(?:, {_ONE_OF_TWO} and {_ONE_OF_TWO})?\.",
        claims.too_many_of),
    ("i see ", rf"I see (?:\w+ things, among them )?{_ANY}(?:(?:, | and ){_ANY})*\.",
        lambda m, q: claims.description),
    ("i do not see anything", r"I do not see anything\.", lambda m, q: claims.description),
)  # fmt: skip


def claim_of(sentence: str, question: str) -> claims.Claim | None:
    """What the sentence claims; None where it is none of these forms, or depends on more than the picture."""
    return claim_by_form(_FORMS, sentence, question)
