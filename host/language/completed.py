"""Completes a part of a sentence that takes its verb or its thing from the request before it: "another for
five", "the alarm too", "switch it off". Pure.
"""

from __future__ import annotations

import re

from host.language.number_words import NUMBER
from host.language.timers.names import whole_name

SETS = {"timer": "set a timer", "alarm": "set an alarm"}
"""What sets each of the two that ring."""
_OF = {
    "timer": "timer", "timer_off": "timer", "timer_left": "timer",
    "alarm": "alarm", "alarm_off": "alarm", "alarm_when": "alarm",
}  # fmt: skip
_ADDED = (
    r"(?: (?:too|as well|also|instead|after that|just in case|please|for me|now|right now|right away|again|"
    r"for good measure|while (?:you are|you're) at it))*"
)
"""After a request: it changes nothing where others come before."""
_ONE_MORE = re.compile(
    r"(?:(?:set|start|make|give me|put|do|have|add|get me|then) )?"
    r"(?:(?:an?|another|one more|a second|a third) (?P<kind>timer|alarm)(?: on)?|another(?: one)?(?: on)?|"
    r"a (?:new|second|third|fresh) one|(?:a )?one(?: more)?(?: on)?|again)"
    rf"(?P<when> (?:for|at|of|in) .+?){_ADDED}"
)
_AS_MANY = re.compile(
    r"(?:(?:set|start|make|give me|put|do|have|add|then) )?(?:another|(?:one|another one) (?:for|of)|for)? ?"
    rf"(?!one\b)(?P<number>{NUMBER})(?P<what> (?:for|on) (?:the|my|our|his|her) .+)"
)
"""A number without its unit after a timer, with what it is for."""
_UNIT = re.compile(r"\b(?:seconds?|minutes?|hours?)\b")
_AT = re.compile(rf"(?P<when>(?:for|at|in) .+?){_ADDED}")
_MADE = re.compile(
    rf"(?:make (?:it|that)|do|start|put|set|have|try)(?: (?:it|one))?(?: on)? (?P<when>.+?){_ADDED}"
)
"""A time after something was cancelled or asked about."""
_NUMBER = re.compile(rf"\b(?:{NUMBER}|half|quarter|noon|midnight|an hour|a minute|[0-9]+)\b")
_DURATION = re.compile(r"\b(?:seconds?|minutes?|hours?)\b")
_THAT_TOO = re.compile(
    r"(?:(?P<all>(?:all |both )?(?:of )?(?:the |my )?(?:timers|alarms))|(?P<one>(?:the|my) (?:timer|alarm)))"
    r"(?: too| as well| also)?"
)
_NAMED_TOO = re.compile(r"(?P<one>(?P<name>(?:the|my|our) (?:[a-z']+ ){1,3})timer)(?: too| as well| also)?")
_ASKED_TO = r"(?:(?:please|just|do|would|could|can|will|you|i want you to) )*"
_END = (
    r"(?:cancel|stop|delete|kill|scrap|bin|drop|end|clear|remove|ditch|forget about|get rid of|turn off|"
    r"switch off|call off|shut off)"
)
_ENDS_IT = re.compile(
    rf"{_ASKED_TO}(?:{_END} (?:it|that|that one|(?:the|my) (?:other|old|previous) one)|"
    rf"(?:turn|switch|take|call|shut) (?:it|that) off){_ADDED}"
)
_THE_ONE = re.compile(
    rf"(?:{_ASKED_TO}{_END} )?(?:the|my) (?:one (?:for|at|of|in) (?P<when>.+?)|(?P<named>.+?) one){_ADDED}"
)
"""One of those that ring, by its time."""
_SPEECH = ("louder", "quieter", "volume", "slower", "faster", "repeat")
_SPOKEN = re.compile(
    r"(?:(?:a bit|a little|little|much|way) )?"
    r"(?P<how>more (?:slowly|quickly)|slow(?:er|ly)?|fast(?:er)?|quick(?:er|ly)|louder|quieter|softer)"
    rf"{_ADDED}"
)
_ASKED = re.compile(
    r"(?:(?:what|what is|what's|tell me|also) )?(?:(?:is )?(?:the|your) )?"
    r"(?P<what>time|battery|charge|date|day|day of the week|weekday)(?: today| now| level| please)*"
)
_WHOLE = {
    "time": "what time is it", "battery": "how is the battery", "charge": "how is the battery",
    "date": "what is the date",
}  # fmt: skip
_DAY = "what day is it"
_TELLS = ("time", "date", "battery", "charging", "lasting", "timer_left", "alarm_when")


def completed(part: str, before: str, said: str = "") -> str:
    """A request in words that stand by themselves; "" where `part` takes nothing from the intent `before`, or
    from the words `said` of that.
    """
    kind = _OF.get(before, "")
    many, units = _AS_MANY.fullmatch(part), _UNIT.findall(said)
    if many is not None and before == "timer" and units:
        return f"{SETS['timer']} for {many['number']} {units[-1]}{many['what']}"
    more = _ONE_MORE.fullmatch(part)
    if more is not None and (more["kind"] or kind):
        return SETS[more["kind"] or kind] + more["when"]
    at = _AT.fullmatch(part)
    if at is not None and before in SETS:
        return f"{SETS[before]} {at['when']}"
    too = _THAT_TOO.fullmatch(part)
    if too is not None and before in ("timer_off", "alarm_off"):
        return f"cancel all {too['all'].split()[-1]}" if too["all"] else f"cancel {too['one']}"
    named = _NAMED_TOO.fullmatch(part)
    if named is not None and before == "timer_off" and whole_name(named["name"]):
        return f"cancel {named['one']}"
    if kind and before != f"{kind}_off" and _ENDS_IT.fullmatch(part):
        return f"cancel the {kind}"
    one = _THE_ONE.fullmatch(part)
    if one is not None and (before.endswith("_off") or re.match(rf"{_ASKED_TO}{_END} ", part)):
        return _ended(kind, one["when"] or one["named"])
    made = _MADE.fullmatch(part)
    if made is not None and before == f"{kind}_off" and _NUMBER.search(made["when"]):
        return _set_anew(kind, made["when"])
    spoken = _SPOKEN.fullmatch(part)
    if spoken is not None and before in _SPEECH:
        return f"speak {spoken['how']}"
    asked = _ASKED.fullmatch(part)
    return _WHOLE.get(asked["what"], _DAY) if asked is not None and before in _TELLS else ""


def _ended(kind: str, when: str) -> str:
    """What ends the timer or alarm of that time; "" where the time is none that such a one has."""
    named = re.sub(r"^(?:for|at|in) ", "", when)
    if not kind or not _NUMBER.search(named) or bool(_DURATION.search(named)) != (kind == "timer"):
        return ""
    return f"cancel the {kind} for {named}"


def _set_anew(kind: str, when: str) -> str:
    """What sets a timer or an alarm in the place of a cancelled one."""
    bare = re.sub("^(?:for|at|in) ", "", when)
    if _DURATION.search(bare):
        return f"{SETS['timer']} for {bare}"
    return f"{SETS['alarm']} for {bare}" if kind == "alarm" else ""
