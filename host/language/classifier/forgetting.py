"""How much a sentence wants forgotten: a length of time up to now, a stretch of time, today, or everything.
Of anything else, as of a place or a person, nothing is deleted, so that it is never more than was said; the
wearer is told what can be. Pure.
"""

from __future__ import annotations

import re

from host.language.classifier.amounts import last_length_s, length_from_now_s
from host.language.number_words import HOURS
from host.language.past.clock import PARTS
from host.language.past.days import WEEK
from host.language.past.time_marks import MARK, with_marks
from host.language.router import Decision

BY_TIME = "what_to_forget"
"""Intent of a sentence after which nothing is forgotten, and the wearer is told what can be."""
_EVERYTHING = re.compile(
    r"\b(?:everything|all|whole|lot|entire|entirely|entirety|totally|memory|memories|completely)\b"
)
_OTHER_EXTENT = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|morning|afternoon|evening|night|yesterday|last)\b"
)
"""How much is forgotten was said, but not in words that are read."""
_ANOTHER_DAY = re.compile(
    r"\b(?:yesterday|[a-z]+sday|monday|friday|saturday|sunday|weekend|weeks?|morning|afternoon|evening|night)\b"
)
"""Beside a length of time: it may not be the last one before now ("the last ten minutes of yesterday")."""
_LONG_AGO = re.compile(r"\bago\b(?! (?:till|until|to|up to) now)")
_LATELY_S = 300
"""What was so long ago at most is among the last that was seen; what was an hour ago is not the last hour."""
_TODAY = re.compile(r"\b(?:today|today's|(?:this|the)(?: whole| entire)? day|whole day)\b")
_OF_TODAY = re.compile(rf"\b(?:(?:from|of|in|on|for|about|all) )*{_TODAY.pattern}")
MONTHS = "january|february|march|april|june|july|august|september|october|november|december"
_WHEN = re.compile(rf"\b(?:since|until|till|during|while|when(?:ever)?|between|{MONTHS})\b")
_NO_TIME = frozenset(("at all", "before"))
_WHOLE = re.compile(r"\b(?P<this>this|the) (?:whole|entire) (?P<part>morning|afternoon|evening|week)\b")
_ALL_THAT = re.compile(r"\b(?:(?:everything|all|anything) that|all of (?:it|that))\b")
_ALL_SEEN = frozenset(
    (
        "forget delete erase wipe clear remove scrub drop dump purge everything all anything what "
        "whatever you i we have had saw seen see looked at recorded remembered stored filmed watched "
        "happened from of in on for during about the please now just also and so can could would "
        "your my memory memories pictures views images footage recordings"
    ).split()
)
"""Words of a sentence that wants all of one time forgotten, beside the time."""
_CLEAR_TIME = re.compile(
    rf"(?:(?:on |last )?(?:{'|'.join(WEEK)})|(?:the )?(?:day before )?yesterday)(?: (?:{'|'.join(PARTS)}))?|"
    r"this (?:morning|afternoon|evening|week)|last (?:night|evening)|(?:last|past) (?:[a-z]+ )?days?|"
    rf"(?:over|at|on|during) the weekend|since (?:{'|'.join(HOURS)})(?: o'clock)?"
)
"""Times of which everybody can tell how far they go, unlike lunch or two hours ago."""
_MEMORY = r"(?:(?:your|the|my|any) )?(?:memory|memories|mind|head|brain|records?|storage|disk)"
_NO_PLACE = "there|it|you|to|a (?:blank|clean|fresh)|scratch|the start|once|hand|purpose"
_SOME_OF_IT = re.compile(
    r"\b(?:(?:you|i|we) (?:have |had )?just (?:now )?(?:saw|seen|see|looked)|where|"
    rf"(?:from|in|inside|at|on|near) (?!(?:{_MEMORY}|{_NO_PLACE})\b)|"
    rf"of (?!(?:{_MEMORY}|it|that|them|you|yours?|what|everything)\b))"
)
"""Only a part of what is remembered is meant: that of a place, a thing or a person."""


def forgetting(said: str) -> Decision | None:
    """The decision of a sentence (lower case, without punctuation and short forms) that wants something
    forgotten: `BY_TIME` where it is not read how much. None where it is to be forgotten later.
    """
    if length_from_now_s(said) is not None:
        return None
    return _how_much(said) or Decision("memory", BY_TIME)


def _how_much(said: str) -> Decision | None:
    """The decision of a sentence that says how much; None where that is not a time, or not read."""
    length_s = last_length_s(said)
    if length_s is not None:
        long_ago = length_s > _LATELY_S and _LONG_AGO.search(said) and not re.search(r"\bsince\b", said)
        if long_ago or _ANOTHER_DAY.search(said):
            return _stretch(said)
        return Decision("memory", "forget_last", {"span_one": length_s})
    stretch = _stretch(said)
    if stretch is not None or _OTHER_EXTENT.search(said):
        return stretch
    if _TODAY.search(said):
        return None if _of_some_time(_OF_TODAY.sub(" ", said)) else Decision("memory", "forget_today")
    if not _EVERYTHING.search(said) or _of_some_time(said) or _SOME_OF_IT.search(said):
        return None
    return Decision("memory", "forget_everything")


def _stretch(said: str) -> Decision | None:
    """The decision of a sentence that says no more than that all of one time is to be forgotten: "forget this
    morning", "delete everything you saw since lunch".
    """
    marked = with_marks(_WHOLE.sub(r"\g<this> \g<part>", _ALL_THAT.sub("everything", said)))
    if len(marked.times) != 1 or _TODAY.search(marked.times[0]):
        return None
    beside = re.sub(MARK, " ", marked.words).split()
    if not _ALL_SEEN.issuperset(beside) or not _CLEAR_TIME.fullmatch(marked.times[0]):
        return None
    return Decision("memory", "forget_times", {"rest": marked.times[0]})


def _of_some_time(said: str) -> bool:
    """Whether only what was seen at some time is meant, or it is told when."""
    return _WHEN.search(said) is not None or not _NO_TIME.issuperset(with_marks(said).times)
