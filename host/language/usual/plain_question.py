"""Makes a plain question of one that is negated or said as a statement: "you can't see my cup, can you" and
"my cup is there, right" ask whether the cup is in view. An answer that says what is there is the same for
all three; a bare yes or no is not, and no model here gives one.

A negation inside a thing's description ("a star that is not red") or beside another clause ("no star but a
heart") stays, and so does what is asked with what, where or how.
"""

from __future__ import annotations

import re

_WHOLE_WORDS = (
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"\bain't\b", "is not"),
    (r"n't\b", " not"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"\bi'm\b", "i am"),
    (r"\b(that|there|it|here)'s\b", r"\1 is"),
    (r"\bno longer\b", "not"),
    (r" (?:any ?more|any longer|at all|even|really|actually)\b", ""),
    (r"\b(?:a|one) single\b", "a"),
    (r"\b(?:around|over) (?=here\b|there\b)", ""),
    (r"\b(is|are) never\b", r"\1 not"),
)
"""Short forms written out, and what changes nothing left out."""
_ASIDE = (
    " right| correct| yes| yeah| huh| am i right| is that (?:right|correct|so|true)| or not| or what"
    "| or elsewhere| do you agree"
)
_TAG = (
    " (?:is|are|do|does|can|could|have|has|am|would|did) (?:not )?"
    "(?:it|there|they|you|i|that|this|one)(?: not)?"
)
_VERB = re.compile(r"\b(?:is|are|am|do|does|can|could|have|has|would|see|spot|find)\b")
_OPENING = re.compile(
    r"^(?:(?:surely|so|but|oh|i (?:think|guess|believe|suppose|hope)(?: that)?|am i wrong or"
    r"|(?:i )?do not suppose(?: that)?"
    r"|what(?= (?:no|not)\b| (?:the|my) (?:\w+ )+(?:is|are) not\b)) )+"
)
"""What makes a question of a statement, at its end or its beginning."""
_NEGATION = re.compile(r"\b(?:not|no|nothing|nowhere|none|without|missing|absent|gone|lacking)\b")
_NOT_CHANGED = re.compile(
    r"\b(?:what|which|where|why|who|whose|when|how|but|or|except|only|just|than|instead|rather|as|more|fewer|"
    r"less|neither|nor|never|nobody|other|another|else|want|need|like|care|mean|remember|forget|mind)\b|"
    r"^do not (?!you\b|i\b|we\b|they\b)|^no (?:i|it|is|are|the|this|that|wait|you|do|can|not|my|there)\b|"
    r"\w (?:that|who|things?|ones?) (?:is|are|do|does|has|have|can) not\b|\b(?:some|any)thing not\b|"
    r"\b(?:a|an|the|any) not\b"
)
"""What may ask something else in other words."""
_WITHOUT = (
    (r"\bno sign of\b", "any sign of"),
    (r"\b(?:no|none)\b", "any"),
    (r"\bnot\b", " "),
    (r"\bnothing\b", "anything"),
    (r"\bnowhere\b", "anywhere"),
    (r"\bwithout\b", "with"),
    (r"\b(?:missing|absent|gone|lacking)\b", "there"),
)


def plain_question(text: str) -> str:
    """A question, with "if" before it, that has the same answer as `text`, which has one negation or is a
    statement; "" where `text` is neither, or may mean something else.

    text: lower case without punctuation, as of `host.language.router.plain_words`.
    """
    for short, whole in _WHOLE_WORDS:
        text = re.sub(short, whole, text)
    bare = _OPENING.sub("", _without_tag(text))
    negations = len(_NEGATION.findall(bare))
    if negations > 1 or (negations == 0 and bare == text) or _NOT_CHANGED.search(bare):
        return ""
    for form, other in _WITHOUT:
        bare = re.sub(form, other, bare)
    bare = re.sub("^any ", "there is any ", " ".join(bare.split()))
    return f"if {bare}"


def _without_tag(text: str) -> str:
    """A statement without "isn't it" and the like; without "right" alone, where that is its only verb."""
    bare = re.sub(f"(?:{_TAG}|{_ASIDE})+$", "", text)
    return bare if _VERB.search(bare) else re.sub(f"(?:{_ASIDE})+$", "", text)
