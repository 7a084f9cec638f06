"""Puts a question about the past into plainer words, so that the forms of `host.language.past.questions` fit.
Pure.

"didn't i leave my keys in the hall" -> "did i leave my keys in the hall"
"the taxi is here where did i leave my bag" -> "where did i leave my bag"
"my book where did i put it" -> "where did i put my book"
"i am looking for my phone that i had an hour ago" -> "where did i leave my phone an hour ago"
"in the kitchen an hour ago did i see my cup" -> "did i see my cup an hour ago"
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from host.language.past.time_marks import MARK
from host.language.usual.view import PLACES, THINGS

_WHO = "(?:i|you|we)"
_NAMES = "|".join(sorted(THINGS.values(), key=len, reverse=True))
_THING = rf"(?:(?:my|our|the) (?:{_NAMES}))"
_PLACE = f"(?:the|my) (?:{'|'.join(PLACES.values())})"
_SIGN = r"(?:sign|label|poster|notice|board|screen|plate)"
_DID = "did|have|had|has|was|were|is|are"
_SHORT = re.compile(r"\b(?P<who>i|you|we)'ve\b|\b(?P<may>may|might|could)'ve\b")
_NOT = re.compile(
    rf"\b(?:(?P<short>{_DID})n't|(?P<long>{_DID})(?P<who> (?:{_WHO}|it|somebody|{_THING})) not)\b"
)
_TAIL = re.compile(
    r"(?: (?:yes or no|or not|or (?:have|did) (?:i|you) not|do you think|(?:have|did|had) (?:i|you)(?: not)?|"
    r"i think|is (?:it|that)(?: not| right| so)?|isn't it|right|please (?:say|tell)(?: me)?|tell me|"
    r"can you help(?: me)?|help me|any more|right now|again|already|then|(?<!just )now|please|somewhere))+$"
)
_ASKS = (
    rf"(?:where|when|whereabouts) (?:did|have|had|was|were)\b|where {_WHO}\b|how long ago did {_WHO}\b|"
    rf"(?:have|did) (?:{_WHO}|somebody|someone|anybody|nobody)\b|what did the {_SIGN}\b|"
    rf"what did {_WHO} (?:see|look)\b|was the (?:lamp|lights?)\b"
)
_ASKED_LATER = re.compile(
    r"(?<!\bwhat )(?<!\bwhich )(?<!\bhow )(?<!\bthing )(?<!\bwho )"
    rf"(?<!\bsee )(?<!\bnotice )(?<!\bout )(?<= )(?:{_ASKS}).*$"
)
_TIME_FIRST = re.compile(rf"^(?P<time>(?:{MARK} )+)(?P<asks>(?:{_ASKS}).*)$")
_PLACE_FIRST = re.compile(rf"^(?:in|at|on) {_PLACE}(?P<time>(?: {MARK})*) (?P<asks>(?:{_ASKS}).*)$")
_TIME_WITHIN = re.compile(rf"^(?P<asks>(?:have|did|had) {_WHO}) (?P<time>(?:{MARK} )+)(?P<rest>.*)$")
_NAMED_BEFORE = re.compile(
    rf"^(?:.* )?(?P<thing>{_THING})\b(?: (?:[a-z]+|{MARK}))*? "
    rf"(?P<asks>(?:where|when) (?:did|have|had|was|were) .*?)\b(?:it|them|they|that)\b(?P<rest>.*)$"
)
_SIGN_BEFORE = re.compile(
    rf"^(?:.* )?(?P<sign>{_SIGN}(?: (?:at|in|on|of|by) (?:the|my) [a-z]+(?: (?!and )[a-z]+)?)?) "
    rf"(?:and )?what did (?:it|that) say(?P<time>(?: {MARK})*)$"
)
_LOST = re.compile(
    rf"^(?:[a-z']+ ){{0,3}}?i (?:have |had |am )?(?:just |only |now )*"
    rf"(?:lost|cannot find|looking for|miss|missing) (?P<thing>{_THING}) (?:that {_WHO} .*?|(?={MARK}))"
    rf"(?P<time>(?: ?{MARK})*)$"
)
_STATED = re.compile(
    rf"^(?:i think )?(?:in {_PLACE} )?i (?:may have |might have |have |had )?"
    rf"(?:left|put|forgotten|dropped|kept) (?P<thing>{_THING})(?: (?:in|on|at) .*)?$"
)
_IT_WAS_THERE = re.compile(
    r"^(?:[a-z]+ )?(?:is|was) it (?:on|in|at) (?P<spot>.+?) (?:that|where) (?P<did>i (?:left|put|had) .*)$"
)
_THING_LAST = re.compile(
    rf"^(?P<thing>{_THING}) (?:last seen where|last seen|where last|i (?:put|left) where|"
    rf"where (?:was|were) (?:it|they))(?P<time>(?: {MARK})*)$"
)
_LAST_PLACE = re.compile(
    rf"^(?:the )?last (?:place|time)(?: where| when| that)? (?P<did>{_WHO} (?:saw|had|left) .*)$"
)
_STILL_KNOW = re.compile(
    rf"^do you (?:still|perhaps) (?:know|remember) where (?P<thing>{_THING}) (?:is|are|was|were)$"
)
_LAMP = re.compile(
    rf"^(?:(?:[a-z]+|{MARK}) )*?(?:the |my )?(?P<lamp>lamp|lights?) (?:(?:was|were) )?"
    r"(?:on|off)(?: or (?:was it )?(?:off|on))?(?: or not)?"
    rf"(?P<when> when i (?:left|went)(?: (?:[a-z]+|{MARK}))*?|(?: {MARK})+)(?: or not)?$"
)
_SEEN = re.compile(
    r"^(?:just |please )*(?:(?:say|tell me|show me|list|remind me) )?"
    r"(?:what|everything)(?: (?:was|is) it that| all)? "
    rf"(?:(?:did|have) )?{_WHO} (?:was |were )?(?:saw|see|seen|looking at|looked at)(?: all)?"
    rf"(?P<time>(?: {MARK})+)$"
)


def plainer(text: str) -> Iterator[str]:
    """The question (lower case, without punctuation, with marks for its times) as it stands and in plainer
    words, the likeliest first.
    """
    longer = _SHORT.sub(lambda found: f"{found['who'] or found['may']} have", text)
    said = _NOT.sub(lambda found: found["short"] or f"{found['long']}{found['who']}", longer)
    yield from dict.fromkeys((_TAIL.sub("", text), text, *_versions(said, _TAIL.sub("", said))))


def _versions(said: str, shorter: str) -> Iterator[str]:
    yield shorter
    yield said
    for one in dict.fromkeys((shorter, said)):
        for form in (_LOST, _STATED, _THING_LAST, _STILL_KNOW):
            found = form.fullmatch(one)
            if found is not None:
                said_time = (found.groupdict().get("time") or "").strip()
                yield f"where did i leave {found['thing']} {said_time}".strip()
        for form, whole in (
            (_NAMED_BEFORE, "{asks}{thing}{rest}"),
            (_SIGN_BEFORE, "what did the {sign} say{time}"),
            (_PLACE_FIRST, "{asks}{time}"),
            (_TIME_FIRST, "{asks} {time}"),
            (_TIME_WITHIN, "{asks} {rest} {time}"),
            (_IT_WAS_THERE, "was it on {spot} where {did}"),
            (_LAST_PLACE, "where {did}"),
            (_LAMP, "was the {lamp} on{when}"),
            (_SEEN, "what did i see{time}"),
        ):
            found = form.fullmatch(one)
            if found is not None:
                yield whole.format(**{name: value or "" for name, value in found.groupdict().items()}).strip()
        later = _ASKED_LATER.search(one)
        if later is not None:
            yield later[0]
            yield _TAIL.sub("", later[0])
