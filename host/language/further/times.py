"""Timers and alarms as sentences that go on from the last command change them: "make that forty five", "ten
more minutes on the loaf", "an hour later". Pure.
"""

from __future__ import annotations

import re
from typing import Any

from host.language.classifier.amounts import only_clock, only_length_s, only_number
from host.language.further.said import END, HESITATING, NO, UNIT, VALUE, Before, without_fillers
from host.language.number_words import NUMBER
from host.language.router import Decision
from host.language.timers.names import CALL, a_name, known_name, whole_name

TIMER_TO, TIMER_BY, ALARM_TO, ALARM_BY = "timer_to", "timer_by", "alarm_to", "alarm_by"
"""Intents: another length or time instead of that of the last one, and one that is longer or later by so
much. Slots: `seconds`, or `number` in the unit of the last timer; a clock time as of an alarm, or a `minute`
alone; `span`, `place` or `name` tells another one than the last; `or_new` sets one where none has that name.
"""
OF_TIMERS, OF_ALARMS = ("timer", TIMER_TO, TIMER_BY, CALL), ("alarm", ALARM_TO, ALARM_BY)
_TIMER = r"(?:timer|countdown)"
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_NAME = r"(?:[a-z']+ ){0,3}?"
_THE_TIMER = rf"(?:the|my|our|this|that) (?P<timer>{_NAME}){_TIMER}"
_THE_ALARM = r"(?:the|my|our|this|that) (?:(?:last|wake up|morning) )?alarm(?: clock)?"
_IT = r"(?:it|that|this|that one|the last one)"
_ASKED = r"(?:(?:can|could|would|will) you |please |just |let's |let us |i'd like to |i want to )*"
_TO_ANOTHER = (
    rf"{HESITATING}(?P<no>{NO})?{_ASKED}(?:(?P<made>make (?:it|that|that one|this)|"
    r"(?:set|put|move|turn) (?:it|that|this|that one) (?:to|for|at)|(?:it|that) should (?:be|have been)|"
    rf"rather|i (?:meant|mean|said)(?: to say)?|(?:change|switch|reset|correct|update) {_IT} to)|"
    rf"(?P<named>(?:change|switch|move|reset|correct|update) (?:{_THE_TIMER}|(?P<alarm>{_THE_ALARM})) "
    r"(?:to|for)))? ?"
    rf"(?:(?:for|to|at) )?(?P<value>{VALUE})(?P<instead>rather|i (?:meant|mean)|"
    rf"(?:instead of|(?:and )?not) (?:for |at )?(?:{VALUE})|instead)?"
)
_SET_TO = re.compile(rf"{_ASKED}(?:set|put|turn|make) {_THE_TIMER} (?:to|for|at) (?P<value>{VALUE}){END}")
_MADE = re.compile(
    rf"{_ASKED}make (?P<known>(?:the|my|our|that) [a-z']+(?: [a-z']+){{0,2}}?)(?: {_TIMER})? "
    rf"(?P<value>{VALUE}){END}"
)
_CORRECTED = re.compile(_TO_ANOTHER + END)
_NOT_BUT = re.compile(
    rf"{HESITATING}(?:{NO})?not (?:for |at )?(?:{VALUE})(?:but|i (?:meant|mean|said)) (?:for |at )?"
    rf"(?P<value>{VALUE}){END}"
)
_MOMENT = re.compile(r"(?:an?|one|two|half an?) (?:seconds?|minutes?)|one|a half")
"""What is no correction after "no" alone: "no one", "sorry one second"."""
_GIVE = (
    rf"(?:{_ASKED}(?:give (?:me|us|it|that)|(?:can|could) (?:i|we) (?:have|get)|i need|"
    r"let it (?:go|have|run|cook|bake|boil|simmer)(?: for)?|make (?:it|that)|put|stick|pop|whack) )?"
)
_LONGER, _SHORTER = r"(?:more|longer|extra)", r"(?:less|shorter|fewer)"
_ON = (
    rf"(?:(?:on|to|onto|for|with) (?:it|that one|{_THE_TIMER})|"
    r"(?:on|to|onto) (?P<thing>(?:the|my|our|that) [a-z]+(?: [a-z]+)?)|"
    r"for (?P<known>(?:the|my|our|that) [a-z']+(?: [a-z']+){0,2}?))"
)
"""For a thing without a running timer of its name a timer of its own is meant: "another eight minutes for
the rice".
"""
_OFF = (
    rf"(?:(?:off|from|of|on) (?:it|that one|{_THE_TIMER})|"
    r"(?:off|from) (?P<known>(?:the|my|our|that) [a-z']+(?: [a-z']+){0,2}?))"
)
_OBJECT = rf"(?:{_IT}|{_THE_TIMER})"
_BY = (
    (1, rf"{_GIVE}(?P<value>{VALUE}){_LONGER}(?: {_ON})?"),
    (1, rf"{_GIVE}(?P<another>another|an extra) (?P<value>{VALUE})(?:{_ON})?"),
    (1, rf"{_ASKED}add (?:on )?(?:another |an extra )?(?P<value>{VALUE})(?:{_LONGER}? ?(?:{_ON})?)"),
    (1, rf"{_ASKED}(?:give|allow) (?P<given>(?:the|my) [a-z]+(?: timer)?) (?P<value>{VALUE}){_LONGER}"),
    (1, rf"{_ASKED}(?:give|allow) (?P<given>(?:the|my) [a-z]+(?: timer)?) another (?P<value>{VALUE})"),
    (1, rf"(?:it|(?P<given>(?:the|my) [a-z]+)) needs (?P<value>{VALUE}){_LONGER}"),
    (1, rf"(?:it|(?P<given>(?:the|my) [a-z]+)) needs another (?P<value>{VALUE})"),
    (1, rf"{_ASKED}(?:extend|lengthen|increase|bump) {_OBJECT}(?: up)? (?:by|for) "
        rf"(?:another )?(?P<value>{VALUE})"),
    (1, rf"{_ASKED}make {_OBJECT} (?:longer by (?P<by>{VALUE})|(?P<value>{VALUE}){_LONGER})"),
    (-1, rf"{_GIVE}(?P<value>{VALUE}){_SHORTER}(?: {_ON})?"),
    (-1, rf"{_ASKED}(?:shorten|reduce|cut) {_OBJECT}(?: down)? by (?P<value>{VALUE})"),
    (-1, rf"{_ASKED}(?:knock|shave) (?P<value>{VALUE})off"),
    (-1, rf"{_ASKED}make {_OBJECT} (?:shorter by (?P<by>{VALUE})|(?P<value>{VALUE}){_SHORTER})"),
    (-1, rf"{_ASKED}(?:take|knock|shave|subtract|remove|cut) (?P<value>{VALUE}){_OFF}"),
)  # fmt: skip
_TIMER_BY = tuple((sign, re.compile(rf"(?:{NO})?{form}{END}")) for sign, form in _BY)
_WAKE = r"(?:wake (?:me|us)(?: up)?|get me up)"
_ALARM_BY = re.compile(
    rf"(?:{NO})?{_ASKED}(?:(?:make|move|set|put|change) (?:it|that) (?:to )?|(?P<wake>{_WAKE}) |"
    rf"(?P<alarm>(?:make|move|set|put|change|push|shift) {_THE_ALARM}) )?(?:by )?(?P<value>{VALUE})"
    rf"(?P<side>later|earlier|sooner)(?: than that)?{END}"
)
_ALARM_MOVED = re.compile(
    rf"{_ASKED}(?:(?:push|put|move) (?:it|that|(?P<alarm>{_THE_ALARM})) (?P<later>back)|"
    rf"bring (?:it|that|(?P<alarm2>{_THE_ALARM})) forward) (?:by )?(?P<value>{VALUE}){END}"
)
_CLOCK_WORDS = re.compile(
    r"\b(?:o'clock|noon|midday|midnight|past|to|morning|afternoon|evening|night|tonight|tomorrow|[ap] ?m|"
    r"per ?cent|at)\b"
)
_MINUTES = range(24, 60)
"""Numbers that are minutes of an hour, and no hour: "make that forty five" after "half past six"."""


def changed(said: str, before: Before) -> Decision | None:
    """The decision of a sentence, as of `host.language.further.said.spoken`, that changes a timer or an
    alarm; None for others.
    """
    return (
        _corrected(said, before)
        or _set_anew(said, before)
        or _moved_alarm(said, before)
        or _timer_by(said, before)
    )


def _corrected(said: str, before: Before) -> Decision | None:
    found = _CORRECTED.fullmatch(said)
    if found is None:
        other = _NOT_BUT.fullmatch(said)
        return None if other is None else _to(_kind(before), other["value"], {})
    if found["named"]:
        if found["alarm"]:
            return _to("alarm", found["value"], {})
        name = which_timer(found["timer"])
        return None if name is None else _to("timer", found["value"], name)
    value = found["value"].strip()
    if not found["made"] and not found["instead"] and (not found["no"] or _MOMENT.fullmatch(value)):
        return None
    return _to(_kind(before), value, {})


def _set_anew(said: str, before: Before) -> Decision | None:
    """A timer that is named and may run already: "set the pasta timer to twelve minutes"; of one that runs
    also "make the pasta twelve minutes".
    """
    said = without_fillers(said)
    made, found = _MADE.fullmatch(said), _SET_TO.fullmatch(said)
    if made is not None and known_name(whole_name(made["known"]), before.names):
        return _to("timer", made["value"], {})
    if found is None or not before.timer or not a_name(found["timer"]):
        return None
    return _to("timer", found["value"], {"or_new": True})


def _kind(before: Before) -> str:
    return "timer" if before.last in OF_TIMERS else "alarm" if before.last in OF_ALARMS else ""


def _to(kind: str, value: str, name: dict[str, Any]) -> Decision | None:
    value = value.strip()
    if kind == "timer":
        length = _length(value)
        return None if length is None else Decision("device", TIMER_TO, length | name)
    if kind == "alarm":
        minute = only_number(value) if re.fullmatch(NUMBER, value) else None
        clock = only_clock(value) or ({"minute": minute} if minute in _MINUTES else None)
        return Decision("device", ALARM_TO, clock) if clock else None
    return None


def _length(value: str) -> dict[str, Any] | None:
    """The slots of a length, or of a number without its unit."""
    value = re.sub(r"^in ", "", value.strip())
    value = f"one {value}" if re.match(UNIT, value) else value
    if _CLOCK_WORDS.search(value):
        return None
    seconds = only_length_s(value)
    if seconds:
        return {"seconds": seconds}
    number = only_number(value) if re.fullmatch(NUMBER, value) else None
    return {"number": number} if number else None


def which_timer(name: str | None) -> dict[str, Any] | None:
    """The slots that tell which timer is meant; {} for the last, or for one that has no such name; None where
    a length was said that is not read.
    """
    words = (name or "").strip()
    if words in _PLACES:
        return {"place": _PLACES[words]}
    if re.search(rf"\b{UNIT}\b", words):
        seconds = only_length_s(words)
        return {"span": seconds} if seconds else None
    return {}


def _timer_by(said: str, before: Before) -> Decision | None:
    bare = without_fillers(said)
    for sign, form in _TIMER_BY:
        found = form.fullmatch(bare)
        if found is None:
            continue
        parts = found.groupdict()
        length = _length(parts["value"] or parts["by"])
        name = which_timer(parts.get("timer"))
        known = parts.get("known")
        if known and not known_name(whole_name(known), before.names):
            return None
        of_thing = bool(parts.get("thing") or parts.get("given"))
        if length is None or name is None or ((of_thing or parts.get("another")) and not before.timer):
            return None
        if "number" in length and before.last not in OF_TIMERS and not parts.get("timer"):
            return None
        amount = {key: sign * value for key, value in length.items()}
        return Decision("device", TIMER_BY, amount | name)
    return None


def _moved_alarm(said: str, before: Before) -> Decision | None:
    """An alarm that is to be later or earlier; a timer where that was set last."""
    bare = without_fillers(said)
    found = _ALARM_BY.fullmatch(bare)
    later = found is not None and found["side"] == "later"
    named = found is not None and bool(found["alarm"])
    wakes = found is not None and bool(found["wake"])
    if found is None:
        found = _ALARM_MOVED.fullmatch(bare)
        if found is None:
            return None
        later, named = found["later"] is not None, bool(found["alarm"] or found["alarm2"])
    length = _length(found["value"])
    if length is None or "seconds" not in length:
        return None
    seconds = length["seconds"] if later else -length["seconds"]
    if not named and before.last in OF_TIMERS:
        return Decision("device", TIMER_BY, {"seconds": seconds})
    if named or wakes or before.last in OF_ALARMS:
        return Decision("device", ALARM_BY, {"seconds": seconds})
    return None
