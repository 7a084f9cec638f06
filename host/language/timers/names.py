"""The name of a timer in a sentence that is known to be about one: "set a timer for the pasta for ten
minutes", "a ten minute egg timer", "five more minutes on the pasta". Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from host.language.number_words import VALUES, digits_in_words
from host.language.router import Decision

NAME = "name"
"""The slot of a timer's name, as it was said."""
CALL, CALLED = "timer_call", "called"
"""Intent of a sentence that gives a timer a name, and the slot of that name. The slots `span`, `place` or
`NAME` tell another timer than the last.
"""
ALONE = "alone"
"""The slot of a sentence that says nothing but the name, which answers the question which timer to cancel."""
MOST_LETTERS = 24
"""Of a name, blanks included."""
_MOST_WORDS = 3
_SETS, _ASKS, _ENDS = "timer", "timer_left", "timer_off"
_CHANGES = ("timer_to", "timer_by")
_WITHOUT_LENGTH = "timer_length"
_OF_TIMERS = (_SETS, _WITHOUT_LENGTH, _ASKS, _ENDS, *_CHANGES)
"""Intents of sentences about a timer, which may name it."""
_TIMERS = ("timer", "timers", "countdown", "countdowns")
_LENGTHS = frozenset(
    (*VALUES, *"hundred half quarter quarters couple few a an and of "
     "second seconds sec secs minute minutes min mins hour hours hr hrs".split())
)  # fmt: skip
"""Words between a name and "timer": "the pasta ten minute timer"."""
_ARTICLES = frozenset(
    "the my our your his her their a an some any another this that these those both ma yer di de dat dis "
    "thon t'".split()
)
_NO_NAMES = _LENGTHS | _ARTICLES | frozenset(_TIMERS) | frozenset(
    (
        # who, and what stands for anything
        "i me we us you he him she it they them mine yours ours myself yourself itself who what which "
        "when where why how one ones other others thing things stuff something anything everything all "
        "each every none no nothing same whole rest end start beginning lot bit while moment go "
        # times
        "now later soon then today tonight tomorrow yesterday morning afternoon evening night noon "
        "midday midnight day days week weeks month months year years oclock o'clock past am pm time "
        "times ago once again already still yet ever always first third fourth fifth last next previous "
        "latest "
        # manners
        "please thanks thank ta cheers okay ok oh um uh er erm hm well so right yes yeah no nope sorry "
        "actually really maybe perhaps just only even too also as well instead quick quickly quickie "
        "new old wee tiny little small big short long longer shorter less more extra fewer much many "
        "left up down over under about around exactly roughly nearly almost approximately precisely "
        "like say good simple normal usual regular proper separate different current running kitchen "
        "cooking silent loud single double love dear darling mate pal friend pet sweetheart hun buddy "
        "man babe hen "
        # what joins
        "and or but nor plus if unless because cos cause since until till before after to too from of "
        "off on onto in into at for with without by than there here not never "
        # what is done
        "is are was were be been being am do does did done doing have has had having got get gets "
        "getting give gives given set sets setting start starts starting stop stops stopping put puts "
        "make makes making made run runs create begin add adds cancel clear delete kill end ends forget "
        "remove turn switch reset restart pause resume change move correct update extend shorten "
        "lengthen reduce increase need needs needed want wants would could should shall will can cannot "
        "can't may might must let lets call called name named title titled label labelled labeled "
        "rename ready finished finish finishes ring rings ringing beep beeps goes going gone remind "
        "tell ping buzz shout wake know check checking show ask count timing stick pop whack bung fire "
        "take takes keep use quits abort scrap drop skip bin remain remains remaining beeping bleeping "
        "ticking annoying stupid bloody damn "
        # the headband itself
        "headband device clock stopwatch alarm alarms reminder phone watch head "
    ).split()
)  # fmt: skip
"""Words that are in no name."""
_SHORT_FORM = re.compile(
    r".*(?:n't|'m|'ve|'ll|'d|'re)|"
    r"(?:it|that|this|there|here|what|who|where|when|how|why|he|she|let|one|everything)'s"
)
"""Of a word that is in no name with another one."""
_CALLED = re.compile(
    r"\b(?:called|named|titled|labelled|labeled|by the name(?: of)?|"
    r"(?:call|name|label|title) (?:(?:the|that|this|my|our) (?:[a-z']+ ){0,4}?timer|"
    r"(?:that|this|the last) one|it|that|this|them)) (?P<name>.+)$"
)
_NO_ARTICLE_AFTER = frozenset("for about".split())
"""Words after which a name may stand without an article: "for pasta"."""
_BEFORE: dict[str, frozenset[str]] = {
    _SETS: frozenset("for about on time make".split()),
    _WITHOUT_LENGTH: frozenset("for about on".split()),
    _ASKS: frozenset("for about on of with until till before have has do does is are will".split()),
    _ENDS: frozenset("for about on of".split()),
    **dict.fromkeys(
        _CHANGES, frozenset("for on onto to off from with give allow make let time need needs".split())
    ),
}
"""Words before a name, by the intent."""
_ENDED = (*_TIMERS, "count", "counting", "clock", "one")
"""What stands before these words where a timer ends: "cancel the one for the pasta"."""
_NEEDS = re.compile(r"^(?P<name>.+?) (?:needs?|wants?)\b")
"""Who needs more time."""


def with_name(decision: Decision, said: str) -> Decision:
    """The decision with the name of the timer as a slot, where the sentence has one. said: lower case,
    without punctuation.
    """
    name = "" if decision.route != "device" or NAME in decision.slots else name_in(decision.intent, said)
    return replace(decision, slots={**decision.slots, NAME: name}) if name else decision


def name_in(intent: str, said: str) -> str:
    """The name of the timer in a sentence (lower case, without punctuation) of that intent; "" where it says
    none, and for intents of anything else.
    """
    if intent not in _OF_TIMERS:
        return ""
    said = digits_in_words(said)
    return next((name for name in _names(intent, said) if name), "")


def a_name(said: str) -> str:
    """The name that some words begin with, after an article; "" for none and for one that is too long."""
    return _joined(_leading(_without_article(said)))


def whole_name(said: str) -> str:
    """The name that some words are, after an article; "" where they are none."""
    name = a_name(said)
    return name if name.split() == _without_article(said) else ""


def is_name(name: str) -> bool:
    """Whether a text may be the name of a timer."""
    words = name.split(" ")
    return name != "" and all(map(_may_be_named, words)) and _joined(words) == name


def same_name(one: str, two: str) -> bool:
    """Whether both name the same timer: "egg" and "the eggs"."""
    return _plain(one) == _plain(two)


def short_for(short: str, name: str) -> bool:
    """Whether a name is a part of the other: "soup" of "chicken soup"."""
    return set(_plain(short)) <= set(_plain(name))


def known_name(name: str, names: Iterable[str]) -> bool:
    """Whether a name is, or is short for, one of some others."""
    return bool(name) and any(short_for(name, each) for each in names)


def _names(intent: str, said: str) -> Iterator[str]:
    """The names that its forms find, the surest first."""
    called = _CALLED.search(said)
    if called is not None:
        yield a_name(called["name"])
    words = said.split()
    before_timer = {name for name in map(_joined, _before_timers(words)) if name}
    if len(before_timer) > 1:
        return
    yield from before_timer
    if intent in _CHANGES:
        needs = _NEEDS.match(said)
        if needs is not None and needs["name"].split()[0] in _ARTICLES:
            yield a_name(needs["name"])
    for index, word in enumerate(words[:-1]):
        article = words[index + 1] in _ARTICLES
        ended = intent != _ENDS or (index > 0 and words[index - 1] in _ENDED)
        if word in _BEFORE[intent] and ended and (article or word in _NO_ARTICLE_AFTER):
            yield a_name(" ".join(words[index + 1 :]))


def _before_timers(words: Sequence[str]) -> Iterator[list[str]]:
    """What stands before each "timer"."""
    for index, word in enumerate(words):
        if word not in _TIMERS:
            continue
        first = index
        while first and words[first - 1] in _LENGTHS - _ARTICLES:
            first -= 1
        start = first
        while start and _may_be_named(words[start - 1]):
            start -= 1
        yield list(words[start:first])


def _leading(words: Sequence[str]) -> list[str]:
    """The words up to the first that is in no name."""
    end = next((index for index, word in enumerate(words) if not _may_be_named(word)), len(words))
    name = list(words[:end])
    if name and end < len(words):  # "the pasta's done"
        name[-1] = name[-1].removesuffix("'s")
    return name


def _may_be_named(word: str) -> bool:
    bare = word.removesuffix("'s")
    return bare not in _NO_NAMES and re.fullmatch("[a-z']+", word) is not None and not _SHORT_FORM.match(word)


def _without_article(said: str) -> list[str]:
    words = said.split()
    first = next((index for index, word in enumerate(words) if word not in _ARTICLES), len(words))
    return words[first:]


def _joined(words: Sequence[str]) -> str:
    name = " ".join(words)
    return name if len(words) <= _MOST_WORDS and len(name) <= MOST_LETTERS else ""


def _plain(name: str) -> tuple[str, ...]:
    """Its words in the singular, which need not be right as long as that of the plural is the same."""
    return tuple(map(_singular, name.split()))


def _singular(word: str) -> str:
    word = re.sub(r"'s?$", "", word)
    word = word if word.endswith("ss") else word.removesuffix("s")
    return re.sub(r"ie$", "y", re.sub(r"(?<=o|x|z)e$|(?<=ch|sh|ss)e$", "", word))
