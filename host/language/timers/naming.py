"""Sentences that only a name makes ones about a timer: "call it pasta" after it was set; "cancel the pasta"
and "when are the eggs done" while a timer of that name runs. Pure.
"""

from __future__ import annotations

import re

from host.language.further.said import END, HESITATING, NO, Before, without_fillers
from host.language.further.times import OF_TIMERS, which_timer
from host.language.router import Decision
from host.language.timers.names import ALONE, CALL, CALLED, NAME, a_name, known_name, whole_name

_ASKED = r"(?:(?:can|could|would|will) (?:you|we) |please |just |let's |i'd like to |i want to )*"
_WORDS = r"[a-z']+(?: [a-z']+){0,3}?"
_TIMER = r"(?:timer|countdown)"
_CALL = re.compile(
    rf"{HESITATING}(?:{NO})?{_ASKED}(?:call|name|label|title|rename) "
    rf"(?:(?:the|my|our|that|this) (?P<timer>(?:[a-z']+ ){{0,4}}?){_TIMER}|"
    rf"it|that one|this one|that|this|the last one)(?: to| as)? (?P<called>{_WORDS})(?: {_TIMER})?{END}"
)
_IT_IS = r"(?:(?:it|that|this)(?:'s| is| was)|that one(?:'s| is))"
_IS_FOR = re.compile(
    rf"{HESITATING}(?:{NO})?{_IT_IS} (?:for (?:the|my|our) (?P<thing>{_WORDS})|"
    rf"(?:the|my|our|an?) (?P<called>{_WORDS}) {_TIMER}){END}"
)
_ENDS = re.compile(
    rf"{_ASKED}(?:cancel|stop|end|delete|kill|scrap|drop|clear|remove|turn off|switch off|get rid of|"
    rf"forget about) (?:the|my|our) (?:(?:one|timer) for (?:the|my|our) )?(?P<name>{_WORDS})(?: one)?{END}"
)
_DONE = r"(?:done|ready|finished|due|up|over)"
_ASKS = re.compile(
    rf"(?:when(?:'s| is| are| will) (?:the|my|our) (?P<name>{_WORDS})(?: be)? {_DONE}|"
    rf"(?:is|are) (?:the|my|our) (?P<ready>{_WORDS})(?: nearly| almost)? {_DONE}|"
    rf"(?:what|how) about (?:the|my|our) (?P<about>{_WORDS})(?: {_TIMER}| one)?)(?: yet)?{END}"
)
_ALONE = re.compile(rf"(?:the|my|our) (?P<name>{_WORDS})(?: {_TIMER}| one)?{END}")
_EACH = re.compile(
    r"(?:what|which|how many) timers (?:do i have|have i got|are there|are)(?: running| set| going| on)*|"
    rf"(?:list|tell me|read me|read out|name|what are) (?:all )?(?:of )?(?:the|my) timers{END}"
)


def about_named(said: str, before: Before) -> Decision | None:
    """The decision of a sentence, as of `host.language.further.said.spoken`, that gives a timer a name, or
    that ends one or asks about one by its name alone; None for others.
    """
    return _call(said, before) or _of_running(without_fillers(said), before.names)


def _call(said: str, before: Before) -> Decision | None:
    found = _CALL.fullmatch(said) or _IS_FOR.fullmatch(said)
    if found is None or not before.timer:
        return None
    parts = found.groupdict()
    named, words = parts.get("timer"), parts.get("called") or parts.get("thing") or ""
    name = whole_name(words)
    which, other = which_timer(named), a_name(named or "")
    if not name or which is None or (named is None and before.last not in OF_TIMERS):
        return None
    return Decision("device", CALL, {CALLED: name} | (which or ({NAME: other} if other else {})))


def _of_running(said: str, names: tuple[str, ...]) -> Decision | None:
    if _EACH.fullmatch(said):
        return Decision("device", "timer_left")
    for intent, form in (("timer_off", _ENDS), ("timer_left", _ASKS), ("timer_left", _ALONE)):
        found = form.fullmatch(said) if names else None
        if found is not None:
            name = whole_name(next(filter(None, found.groups())))
            if known_name(name, names):
                return Decision("device", intent, {NAME: name} | ({ALONE: True} if form is _ALONE else {}))
    return None
