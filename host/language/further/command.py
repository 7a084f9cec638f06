"""Sentences that go on from the last command. Pure."""

from __future__ import annotations

from host.language.further.said import Before, spoken
from host.language.further.steps import by_percent, stepped_on
from host.language.further.times import ALARM_BY, ALARM_TO, TIMER_BY, TIMER_TO, changed
from host.language.further.undone import UNDO, undone
from host.language.router import Decision

INTENTS = (TIMER_TO, TIMER_BY, ALARM_TO, ALARM_BY, UNDO)
"""Of what only such sentences ask."""


def gone_on(transcript: str, before: Before) -> Decision | None:
    """What a sentence asks that goes on from what was set before; None where it does not."""
    said = spoken(transcript)
    return undone(said, before) or stepped_on(said, before.last) or changed(said, before) or by_percent(said)
