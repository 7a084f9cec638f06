"""Tells where a question about things of the home asks something that no usual wording does: of another
person's thing, of how a thing is rather than whether it is here, or with a word that turns the question round
("anything but my keys", "the other table", "outside the kitchen").
"""

from __future__ import annotations

import re

_NO_OWNER = (
    "what|which|where|when|how|that|this|there|here|it|let|one|(?:some|any|every|no)(?:thing|one|body)"
)
_BETWEEN = "the|my|our|a|an|on|in|at|by|near|under|behind|beside|next|to|from|of|got|with|and|or|not|is|are"
_OWNER = rf"(?:his|her|their|your|(?!(?:{_NO_OWNER})'s)[a-z]+(?:'s|s'))"
_ANOTHERS = re.compile(rf"\b{_OWNER} (?:(?!(?:{_BETWEEN}) )[a-z]+ ){{0,2}}$")
"""At the end of what stands before a name: "my wife's", "their old"."""
_HAND = "(?:hands?|palms?|fingers?|fist)"
_HOLDING = "(?:holding|carrying|gripping|grasping|clutching)"
_BY_ANOTHER = re.compile(
    r"\b(?:he|she)\b(?!$| (?:right|wrong|correct|says?|said|thinks?|knows?)\b)|\bwhose\b|"
    rf"\bwho(?:'s| is) (?:in|on|at|by|near|next|beside|behind|here|there|that|this|{_HOLDING})\b|"
    rf"\b(?:man|woman|boy|girl|child|lady|guy|person|people|somebody|someone) {_HOLDING}\b|"
    rf"\b(?:is|are|isn't|aren't) (?:you|they|(?:my|our|the) (?!{_HAND}\b|left\b|right\b)[a-z]+) {_HOLDING}\b|"
    rf"\b(?:man|woman|boy|girl|child|lady|guy|person|somebody|someone) (?:is )?{_HOLDING}\b|"
    rf"\b{_OWNER} (?:left |right )?{_HAND}\b|\ban? THING of (?!mine\b|ours\b|my\b|the\b)[a-z]"
)
"""Somebody else is meant than the wearer, or nothing of theirs: "a cup of coffee"."""
_ANY = "(?:any|every|no|anything|everything|nothing|anywhere|everywhere|nowhere)"
_NUMBER = "(?:one|two|three|four|five)"
_TURNED_ROUND = re.compile(
    rf"\b(?:apart from|besides|except|other than|(?:an)?other (?:[a-z]+ )?(?:THING|PLACE)|"
    rf"{_ANY}(?: [a-z]+){{0,2}} but (?:my|our|the|a|an)|(?:exactly|just|only) {_NUMBER}|"
    r"(?<!if )only (?:my|our|the|a|an|THING)|(?:in front of|in|inside) (?:my|our|the|a) (?:[a-z]+ )?THING|"
    r"(?:outside(?: of)?|out of|far|far from|leaving|entering|in front of|near|close to|next to|beside|"
    r"get to|go to|reach|way to) (?:my|our|the|a) PLACE)\b"
)
"""THING and PLACE stand for any of their names."""
_NOT_OPENLY = re.compile(
    r"\b(?:what|which|where)(?:'s)?"
    r"(?: (?:is|are|am|do|does|can|could|i|you|we|there|things?|ones?|of|the|them))*"
    r"(?: not| (?:is|are|do|does|ca|could)n't)\b"
)
"""What is *not* so, which has another answer than what is."""
_OF_ONE = re.compile(
    r"(?:^|\b(?:if|whether|that) )(?:is|are|does|do|isn't|aren't|doesn't|don't) "
    r"(?:my|our|the|this|that|these|those) (?:[a-z]+ )?$"
)
_IS = re.compile(r" (?:is|are|looks?|seems?|feels?)(?= |$)")
_BY_THE_WAY = (
    "now|still|just|actually|really|right|even|also|already|ever|all|maybe|perhaps|possibly|not|be|being|"
    "currently|by any chance|at all|then|well|like|sort of|kind of"
)
_WHERE_IT_IS = re.compile(
    rf"(?: (?:{_BY_THE_WAY}))*(?:$| (?:(?:in|on|at|near|among|within|with|by|beside|before|under|below|"
    r"behind|above|over|up|down|next|to|part|one|inside) [a-z]|(?:here|there|nearby|around|about|anywhere|"
    r"somewhere|visible|present|seen|spotted|found|close|lying|sitting|standing|hanging|hiding|lurking|"
    r"placed|located|missing|gone|absent|lacking|shown|showing|appear|and|or|can|do|did|have|has|please|yes|"
    r"no|what|where|you|i|today|that|which|this|whatever|as|if|for|ahead|is|are|am|it|they)\b))"
)
"""What follows a thing that is asked after: where it may be, or nothing of its own."""


def asks_otherwise(text: str, things: re.Pattern[str], places: re.Pattern[str]) -> bool:
    """Whether no question in usual words asks the same. things, places: their names, furniture among the
    things; text: lower case without punctuation, as of `host.language.router.plain_words`.
    """
    marked = places.sub("PLACE", things.sub("THING", text))
    if any(form.search(marked) for form in (_BY_ANOTHER, _TURNED_ROUND, _NOT_OPENLY)):
        return True
    return any(is_anothers(text[: named.start()]) for named in things.finditer(text))


def is_anothers(before: str) -> bool:
    """Whether a name belongs to somebody else than the wearer, by what stands before it."""
    return _ANOTHERS.search(before) is not None


def asks_how_it_is(before: str, after: str) -> bool:
    """Whether a question asks how a thing is ("is my bag open") and not whether it is here, by what stands
    before and after its name.
    """
    told = _IS.match(after)
    if told is None and _OF_ONE.search(before) is None:
        return False
    return _WHERE_IT_IS.match(after[told.end() :] if told else after) is None
