"""A sentence as the classifier reads it: short forms in full, and one mark for every thing that people look
for, every time in the past and every number, so that what is learned of one of them holds for all.

"where'd i put my reading specs an hour ago" -> "where did i put my THING TIME"
"""

from __future__ import annotations

import re

from host.language.number_words import VALUES
from host.language.past.times import TIME
from host.language.usual.view import THINGS

_ALSO = {
    "keys": "key|keychain|key fob",
    "glasses": "sun ?glasses|sunnies|shades|goggles",
    "phone": "cell phone|iphone|blower",
    "wallet": "purse|pocketbook|card ?holder",
    "bag": "hand bag|school ?bag|tote|briefcase|holdall|suitcase",
    "cup": "brew|cuppa|beaker",
    "book": "paperback|textbook|notebook|bible",
    "coat": "hoodie|parka|raincoat|anorak|blazer|fleece",
    "bottle": "thermos",
    "remote control": "remote|clicker|zapper|doofer|(?:tv|telly|television)(?:'s)? control(?:ler)?",
    "medicine box": "meds|tablet|pill|pill case|medicine case|box (?:of|with) medicines?|pill organi[sz]er",
    "lamp": "lamps?|lights?|lantern",
}
"""Further names of the things of `host.language.usual.view.THINGS`, and those of a lamp."""
_FORMS = {
    name: re.compile(rf"\b(?:{THINGS.get(name, '')}{'|' if name in THINGS and also else ''}{also})\b")
    for name, also in (dict.fromkeys(THINGS, "") | _ALSO).items()
}
LAMP = "lamp"
_USUAL = {
    "you": "ye|ya|thee|thou", "your": "yer|yuh|thy", "yourself": "yersel|yerself|thyself", "my": "ma",
    "that": "dat", "this": "dis", "them": "dem|'em", "because": "cos|coz|'cause", "let me": "lemme",
    "give me": "gimme|gie me|gie us|gies|gie's", "want to": "wanna", "got to": "gotta", "going to": "gonna",
    "do not": "dinnae|dinna|divn't|nuh", "can not": "cannae|canna", "will not": "willnae|winna",
    "give": "gie", "now": "noo", "out": "oot", "down": "doon", "about": "aboot|'bout", "from": "fae|frae",
    "more": "mair", "what": "whit", "with": "wi'|wi", "to": "tae", "and": "an'|n'", "of": "o'?(?! ?'?clock)",
    "something": "summat", "nothing": "nowt|nuthin", "anything": "owt", "for": "fer", "just": "jus|jist",
    "little": "wee|li'l", "take": "tek", "make": "mek", "going": "gaun|goin", "colour": "color",
    "evening": "evenin", "morning": "mornin", "afternoon": "arvo", "half": "hauf",
}  # fmt: skip
"""Words of everybody, and those of dialects that stand for them."""
_DIALECT = (
    *((re.compile(rf"(?<![\w'])(?:{forms})(?![\w'])"), word) for word, forms in _USUAL.items()),
    (re.compile(r"\b(is|was|does|did|have|has|had|would|could|should)nae?\b"), r"\1 not"),
)
_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
_LONG = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(where|what|how|when|who|why)'d\b"), r"\1 did"),
    (re.compile(r"'d\b"), " had"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"\b(it|what|where|that|there|how|who|when|why|here|he|she)'s\b"), r"\1 is"),
    (re.compile(r"in'(?= |$)"), "ing"),
    (re.compile(r"\bmins?\b"), "minutes"),
    (re.compile(r"\bsecs?\b"), "seconds"),
    (re.compile(r"\bfive and twenty\b"), "twenty five"),
    (re.compile(rf"\b(?:zero|oh) ({_DIGIT}) hundred\b"), r"\1 in the morning"),
    (re.compile(r"\bcouple(?: of)? (?=minutes|hours|seconds)"), "two "),
)  # fmt: skip
_TIME = re.compile(rf"\b{TIME}\b")
_KEPT = re.compile(
    r"^(?:before|at all)$|"
    r"\b(?:last|past) (?:[a-z ]+ )?(?:half hour|second|minute|hour|day)s?(?: and a half)?$"
)
"""Times that stay as they are: which time is asked of, or how much is to be forgotten."""
_NUMBER = re.compile(rf"\b(?:(?:{'|'.join(VALUES)}|hundred)(?: (?!ago)|$|\b))+")
_PRONOUN = re.compile(r"\b(?:this|that|which|the|last|first) one\b|\bone(?: [a-z]+)?$")


def full_words(text: str) -> str:
    """Lower case text with its short forms in full."""
    for form, whole in _LONG:
        text = form.sub(whole, text)
    return " ".join(text.split())


def usual_words(text: str) -> str:
    """Lower case text with the words of everybody for those of dialects: "lemme", "dinnae", "thy"."""
    for form, word in _DIALECT:
        text = form.sub(word, text)
    return text


def things_in(text: str) -> dict[str, tuple[int, int]]:
    """The things that a text names, by their usual names, with where each stands first; what stands within
    the name of another is none ("cup" in "coffee cup case").
    """
    found = [(each.span(), name) for name, form in _FORMS.items() for each in form.finditer(text)]
    spans: dict[str, tuple[int, int]] = {}
    for span, name in sorted(found, key=lambda each: (each[0][0] - each[0][1], each[0][0])):
        if not any(start < span[1] and span[0] < end for start, end in spans.values()):
            spans.setdefault(name, span)
    return spans


def marked(text: str) -> list[str]:
    """The words that the classifier counts."""
    text = full_words(usual_words(text))
    for name, (start, end) in sorted(things_in(text).items(), key=lambda each: -each[1][0]):
        text = f"{text[:start]}{'LAMP' if name == LAMP else 'THING'}{text[end:]}"
    text = _TIME.sub(lambda time: time[0] if _KEPT.search(time[0]) else "TIME", text)
    text = _PRONOUN.sub(lambda one: one[0].replace("one", "ONE"), text)
    return _NUMBER.sub("NUMBER ", text).split()
