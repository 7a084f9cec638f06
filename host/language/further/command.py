"""Sentences that go on from the last command. Pure."""

from __future__ import annotations

from host.language.further.freely import freely
from host.language.further.said import Before, spoken
from host.language.further.steps import by_percent, stepped_on
from host.language.further.times import ALARM_BY, ALARM_TO, TIMER_BY, TIMER_TO, changed
from host.language.further.undone import UNDO, undone
from host.language.router import Decision
from host.language.safety import SAFETY
from host.language.timers.names import CALL, NAME, known_name, name_in, with_name
from host.language.timers.naming import about_named
from host.language.understanding import Understood

INTENTS = (TIMER_TO, TIMER_BY, ALARM_TO, ALARM_BY, CALL, UNDO)
"""Of what only such sentences ask."""


def gone_on(transcript: str, before: Before) -> Decision | None:
    """What a sentence asks that goes on from what was set before; None where it does not."""
    said = spoken(transcript)
    found = undone(said, before) or about_named(said, before) or stepped_on(said, before.last)
    found = found or changed(said, before) or by_percent(said)
    return None if found is None else with_name(found, said)


def gone_on_in_any_words(transcript: str, before: Before, otherwise: Understood) -> Decision | None:
    """The same where no rule finds it; None where the sentence has several requests, a template knows it as a
    command or as a question to the memory, or it names a timer of its own. otherwise: what it means by
    itself.
    """
    alone = otherwise.decision
    by_template = alone.route in ("device", "memory") and alone.certainty is None and alone.intent != SAFETY
    if by_template or alone.first or otherwise.then is not None:
        return None
    name = str(alone.slots.get(NAME, ""))
    ends_another = alone.intent == "timer_off" and not {NAME, "place", "span"}.isdisjoint(alone.slots)
    sets_another = alone.intent == "timer" and name and before.names and not known_name(name, before.names)
    if ends_another or sets_another or (alone.intent == "timer_left" and name):
        return None
    said = spoken(transcript)
    found = freely(said, before)
    if found is None or (found.intent == UNDO and before.names and name_in("timer_off", said)):
        return None
    return with_name(found, said)
