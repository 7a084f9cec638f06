"""What a sentence of a known kind says: its thing, time, name, length or number, as the slots of a
`Decision`; None where that cannot be read for sure, so that nothing is done.
"""

from __future__ import annotations

import re
from typing import Any

from host.language.classifier.amounts import (
    a_length_in,
    a_time_in,
    ends_of_clocks,
    ends_of_lengths,
    length_from_now_s,
    measured_from_something,
    only_clock,
    only_length_s,
    only_number,
)
from host.language.classifier.at_once import SWITCHES, for_a_time, later
from host.language.classifier.clause import telling, tells_timer, without_purpose
from host.language.classifier.commanded import commanded
from host.language.classifier.forgetting import forgetting
from host.language.classifier.meant import meant
from host.language.classifier.named import thing_named
from host.language.classifier.words import LAMP, full_words, things_in, usual_words
from host.language.further.steps import WAYS, step_percent
from host.language.number_words import NUMBER, UP_TO_99, digits_in_words
from host.language.of_clock import of_clock
from host.language.past.times import TIME
from host.language.politeness import without_politeness
from host.language.router import Decision
from host.language.timers.names import with_name
from host.language.usual.errand import sets_nothing
from host.language.usual.otherwise import is_anothers
from host.language.usual.view import SURFACES

CHANGING = (
    "forget", "keep", "memory_on", "memory_off", "recording_on", "recording_off", "timer", "timer_off",
    "alarm", "alarm_off",
)  # fmt: skip
"""Kinds that delete, keep, switch or set something."""
_SETS_A_TIME = ("timer", "alarm")
_KEEP = "keep"
"""Its name is kept as it was said."""
_NOT = re.compile(r"\b(?:not|never|no|nothing|neither|nor|without|unless|if|instead)\b")
_NEGATED = ("memory_off", "recording_off", "timer", "timer_off", "alarm", "alarm_off", "keep", "forget")
"""Of `CHANGING`, those that may be said with a negation, as long as it is not of what they do
(`host.language.classifier.commanded`).
"""
_BY = re.compile(
    rf"\bby\b|\b{NUMBER} per ?cents? (?:louder|quieter|softer|higher|lower|less|more(?! or less))\b|"
    rf"\b(?:increase|raise|decrease|reduce|lower)\b(?!.*\b(?:to|at)\b).*\b{NUMBER} per ?cents?\b"
)
"""A number by which the volume is to change, and not to which."""
_UP = re.compile(r"\b(?:up|louder|raise|increase|more|higher)\b")
_DOWN = re.compile(r"\b(?:down|quieter|lower|decrease|reduce|less|softer)\b")
_ASKED_UP = re.compile(r"\b(?:up|louder|raise|increase|higher|crank|pump|bump|all the way)\b")
_ASKED_DOWN = re.compile(rf"{_DOWN.pattern}|\b(?:drop|low|quiet|quietly|whisper)\b")
_ABOVE_ALL = re.compile(
    rf"\b(?:thousands?|(?!one ){UP_TO_99} hundred|hundred(?: and)? {UP_TO_99}|(?!100\b)[1-9]\d\d+)\b"
)
"""A number above a hundred."""
_SHARES = (
    (re.compile(r"\b(?:mute|muted|no sound|not a (?:peep|sound))\b"), 0),
    (re.compile(r"\bquarter\b"), 25),
    (re.compile(r"\b(?:half|middle)\b"), 50),
    (re.compile(r"\b(?:full|max|maximum|loudest|top volume|all the way up|as loud as)\b"), 100),
)
_OF_TEN = re.compile(r" (?:out )?of (?:your )?(?:ten|10)\b")
_PERCENT = re.compile(r"\bper ?cents?\b")
_ASKS = re.compile(
    r"^(?:and |so |but |then )?(?:did|do you|does|is|are|am|was|were|has|have(?! me\b)|had|what|when|where|"
    r"which|who|whose|why|how|should|shall|may|might|must|will it|would it)\b|"
    r"\b(?:did|have|has) (?:you|i|we)\b|\b(?:do|will|would) (?:i|we|they|he|she)\b"
)
"""A question, or a report, and no command."""
_OF_OTHERS = re.compile(
    r"^(?:and |but |so )?(?:he|she|they|nobody|somebody|everybody)\b(?!.*\b(?:so|please|you can)\b)"
)
"""A sentence about others ("he remembers nothing at all"), and no reason before a command."""
_RETOLD = re.compile(
    r"^(?!i )(?:[a-z]+ ){1,3}?(?:says|said|say|hollered|shouted|yelled)\b(?!.*\bso\b)|"
    r"\b(?:says|said) (?:he|she|they)\b|^i did not say\b"
)
"""What others say."""
_GIVEN_UP = re.compile(
    r"\b(?:oh|no|hm|wait|hang on|as) (?:no )?(?:do not|leave (?:it|that)|forget it|it is good)\b|\bas no\b"
)
"""A command that is taken back before its end: "cancel the timer oh no don't"."""
_FOR_IT = re.compile(r"\b(?:for|needs?|wants?|takes?) ")
"""With what a timer is for."""
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_PLACE_IN_ORDER = re.compile(rf"\b({'|'.join(_PLACES)}) (?:timer|alarm|one)\b")
_NO_TIME = ("before", "at all")
_TIME = re.compile(rf"\b{TIME}\b")
_OTHER_TIME = (
    (re.compile(r"\b(minutes?|hours?|days?) (?:back|before now)\b"), r"\1 ago"),
    (re.compile(r"\b(?:arvo)\b"), "afternoon"),
    (re.compile(r"\b(?:today morning|in the morning today|this mornin)\b"), "this morning"),
    (re.compile(r"\blast evening\b"), "yesterday evening"),
)  # fmt: skip
_IT = r"(?: it| this| that)?"
_LATER_NAMED = re.compile(
    rf"\b(?:as|call(?:ed)?{_IT}|name(?:d)?{_IT}(?: is)?|under(?: the)?(?: name| word| title)?(?: of)?|titled|"
    rf"label(?:led)?{_IT}|(?:with|by) the name(?: of)?|it is called|it will be|tag(?:ged)? it|like) "
    r"(?P<name>.+)$"
)
_NOT_NAMED = re.compile(r"\b(?:call|name|label|as|called|named|title|titled|tag|under)\b")
_BARE_KEEP = frozenset(
    (
        "a always am an and any away back be can can't could darling dear delete deleted do don't "
        "ever exactly fast file for forever forget frame friend from get going good hang have hen "
        "here hold i i'm image in is it its just keep keeping kept leave let like lock long look "
        "looking looks lose losing love mate me memory must my need never not now of okay on one "
        "out pal permanently photo picture place please put quick remember right save saved scene "
        "see seeing shot should sight so stay store stored sure that the there this to top up us "
        "view want what whatever will with would you your"
    ).split()
)
"""Words of a sentence that keeps a view without a name."""
_WHY_KEPT = re.compile(
    r"^(?P<kept>.*\b(?:forever|ever|always|life|good|picture|view|this|that|one|it)) "
    r"(?:it is|that is|this is|there is|because|cos) .+$"
)
"""What a view is, after it is to be kept."""
_PLACE = re.compile(
    r"\b(?:in|into|inside|at|to|through|visit(?:ed)?|on) (?P<place>(?:the|my|our|that|a) [a-z' ]+?)"
    r"(?: last| again| please| when)?$"
)
_LAST = re.compile(r"\blast\b|\bhow long\b")
_COUNTS = re.compile(r"\bhow (?:many|often)\b")
"""Asks for a number, which the memory cannot tell."""
_BEFORE_WORDS = 8
"""Of the longest "and what about before that"."""
_SIGN = re.compile(
    r"\b(?:sign|signs|label|poster|notice|board|screen|plate|banner|placard|display|plaque|menu|badge)\b"
)
_READING = re.compile(
    r"\b(?:say|says|said|saying|read|reads|reading|written|wrote|writing|spell|spelled|spelt|printed|"
    r"words?|wording|text|letters?|lettering|notes?|message|warning|instructions|posted|carved|engraved|"
    r"stamped|painted|price|caption|title|numbers?)\b"
)
"""Words of what stands on something, which is a sign where nothing else is named."""
_SURFACE = re.compile(rf"\b(?:{'|'.join(SURFACES.values())})\b")


def read(kind: str, text: str, *, any_thing: bool = False) -> Decision | None:
    """The decision of a sentence (lower case, without punctuation) of that kind. any_thing: a thing that is
    sought may be none of those that people usually look for.
    """
    return None if (found := _read(kind, text, any_thing)) is None else with_name(found, usual_words(text))


def _read(kind: str, text: str, any_thing: bool) -> Decision | None:
    said = digits_in_words(text)
    said = full_words(without_politeness(said if kind == _KEEP else usual_words(said)))
    kind = meant(kind, said)
    if kind in SWITCHES:
        said = without_purpose(said)
    negated = kind not in _NEGATED and _NOT.search(said)
    if kind in CHANGING and (negated or _asks(said) or _is_none(said)):
        return None
    if not commanded(kind, said) or (kind in _SETS_A_TIME and sets_nothing(text)):
        return None
    if kind in SWITCHES:
        return _switched(kind, said)
    match kind:
        case "view":
            return Decision("now", "now")
        case "motion":
            return Decision("frames", "frames")
        case "thing":
            return _thing(said, any_thing)
        case "looked_at" | "where_i_was" | "sign" | "before":
            return _past(kind, said)
        case "keep":
            return _keep(said)
        case "forget":
            return forgetting(said)
        case "timer":
            return _timer(said)
        case "timer_off":
            return _timer_off(said)
        case "alarm":
            return _alarm(said)
        case "alarm_off":
            place = _place(said) or only_clock(said)
            if place:
                return Decision("device", kind, place)
            return None if a_time_in(said) else Decision("device", kind, _all(said, "alarms"))
        case "volume":
            return _volume(said)
        case "time" | "date":
            return of_clock(kind, said)
    return _stepped(kind, step_percent(said)) if kind in WAYS else Decision("device", kind)


def _stepped(kind: str, step: int | None) -> Decision:
    return Decision("device", kind, {"by": step} if step else {})


def _switched(kind: str, said: str) -> Decision:
    if for_a_time(said):
        return Decision("device", kind, {"for_a_time": True})
    return Decision("device", "not_later" if later(said) else kind)


def _timer(said: str) -> Decision | None:
    """None also for a thing and then a length of time, without a word for a timer: where it was so long ago
    may have been asked, and the last word not heard.
    """
    lost = things_in(said) and not _FOR_IT.search(said) and not tells_timer(said)
    if lost or measured_from_something(said):
        return None
    length_s = only_length_s(said)
    if not length_s:
        lengths = {only_length_s(each) for each in telling("timer", said, ends_of_lengths(said))}
        length_s = lengths.pop() if len(lengths) == 1 else None
    return Decision("device", "timer", {"span": length_s}) if length_s else None


def _alarm(said: str) -> Decision | None:
    clock = only_clock(said)
    if not clock:
        clocks = [only_clock(each) for each in telling("alarm", said, ends_of_clocks(said))]
        clock = clocks[0] if clocks and all(each == clocks[0] for each in clocks) else None
    if clock:
        return Decision("device", "alarm", clock)
    length_s = length_from_now_s(said)
    return Decision("device", "timer", {"span": length_s}) if length_s else None


def _timer_off(said: str) -> Decision | None:
    """None where a timer is named by a length that is not read, as of two timers: another may be running; and
    for what is to be done later, "in two minutes".
    """
    if length_from_now_s(said) is not None:
        return None
    length_s, place = only_length_s(said), _place(said)
    if length_s or place:
        return Decision("device", "timer_off", {"span": length_s} if length_s else place)
    return None if a_length_in(said) else Decision("device", "timer_off", _all(said, "timers"))


def _place(said: str) -> dict[str, Any]:
    """The slot of a sentence that names one by its place in their order: "the second timer"."""
    place = _PLACE_IN_ORDER.search(said)
    return {"place": _PLACES[place[1]]} if place is not None else {}


def _all(said: str, several: str) -> dict[str, bool]:
    """The slot of a sentence that ends each of them: "my timers", "every timer"."""
    of_them = rf"(?:all|every|each|both)(?: of)?(?: the| my| your| those| these)? (?:{several}?|them)"
    each = rf"\b(?:{of_them}|them all|them both|{several})\b"
    return {"all": True} if re.search(each, said) else {}


def _volume(said: str) -> Decision | None:
    step = step_percent(said)
    if step or _BY.search(said):
        up, down = _UP.search(said), _DOWN.search(said)
        return _stepped("louder" if up else "quieter", step) if bool(up) != bool(down) else None
    if _ABOVE_ALL.search(said):
        return _percent_of_volume(100)
    of_ten = _OF_TEN.search(said)
    number = only_number(said[: of_ten.start()] if of_ten is not None else said)
    if number is not None and of_ten is not None:
        return _percent_of_volume(min(100, 10 * number))
    if number is not None and _PERCENT.search(said):
        return _percent_of_volume(number)
    if number is not None:
        up, down = _ASKED_UP.search(said), _ASKED_DOWN.search(said)
        way = {"up" if up else "down": True} if bool(up) != bool(down) else {}
        return Decision("device", "volume", {"number": number} | way)
    shares = [share for form, share in _SHARES if form.search(said)]
    return _percent_of_volume(shares[0]) if len(shares) == 1 else None


def _percent_of_volume(percent: int) -> Decision:
    return Decision("device", "volume", {"number": percent, "percent": True})


def _is_none(said: str) -> bool:
    return any(form.search(said) is not None for form in (_OF_OTHERS, _RETOLD, _GIVEN_UP))


def _asks(said: str) -> bool:
    return _ASKS.search(re.sub(r"^(?:can|could|would|will) you ", "", said)) is not None


def _times(said: str) -> str:
    for form, usual in _OTHER_TIME:
        said = form.sub(usual, said)
    return " ".join(dict.fromkeys(each[0] for each in _TIME.finditer(said) if each[0] not in _NO_TIME))


def _thing(said: str, any_thing: bool) -> Decision | None:
    things = things_in(said)
    named = thing_named(said) if any_thing and not things else ""
    if named:
        return Decision("memory", "memory", {"rest": f"{named} {_times(said)}".strip()})
    if len(things) != 1:
        return None
    ((thing, (start, _)),) = things.items()
    if is_anothers(said[:start]):
        return None
    owner = "the" if thing == LAMP else "my"
    return Decision("memory", "memory", {"rest": f"{owner} {thing} {_times(said)}".strip()})


def _past(kind: str, said: str) -> Decision | None:
    times = _times(said)
    if _COUNTS.search(said):
        return None
    if kind == "before":
        if len(said.split()) > _BEFORE_WORDS:
            return None
        return Decision("memory", "before", {"rest": ""})
    if kind == "sign":
        sign = _SIGN.search(said)
        if sign is None and not _READING.search(said):
            seen = times and _SURFACE.search(said)
            return Decision("memory", "looked_at", {"rest": times}) if seen else None
        return Decision("memory", "said", {"rest": f"{sign[0] if sign else 'sign'} {times}".strip()})
    if kind == "where_i_was" and not times:
        place = _PLACE.search(said)
        if place is None or not _LAST.search(said):
            return None
        return Decision("memory", "where_i_was", {"rest": place["place"]})
    return Decision("memory", kind, {"rest": times})


def _keep(said: str) -> Decision | None:
    said = said.rsplit(" so ", 1)[-1]
    named = _LATER_NAMED.search(said)
    if named is not None:
        name = named["name"].strip()
        known = re.sub(r"^(?:the name |it |is )+", "", name)
        return Decision("memory", "keep", {"rest": known}) if known else None
    said = _WHY_KEPT.sub(r"\g<kept>", said)
    if _NOT_NAMED.search(said) or not set(said.split()) <= _BARE_KEEP:
        return None
    return Decision("memory", "keep")


def words_before_a_name(text: str) -> int:
    """How many words of a sentence that keeps a view stand before its name; 0 where it has none, or asks, or
    says that nothing is to be kept.
    """
    named = None if _asks(text) or _OF_OTHERS.search(text) else _LATER_NAMED.search(text)
    return len(text[: named.start("name")].split()) if named else 0
