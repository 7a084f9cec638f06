"""Journals the session's transitions and tells the observers."""

from __future__ import annotations

from host.event_queue import Performs
from host.observe.journal import Journal
from host.observe.observer import Observer
from host.session import actions


class Recorder:
    """Performs `Record`."""

    def __init__(self, journal: Journal, observe: Observer) -> None:
        self._journal, self._observe = journal, observe

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.Record: self._record}

    def _record(self, action: actions.Record) -> None:
        taken = action.transition
        fields = {
            "region": taken.region,
            "from": taken.source,
            "on": taken.event,
            "to": taken.target,
            "cause": taken.cause,
        }
        self._journal.write("transition" if taken.target else "refused", **fields)
        self._observe("transition", fields)
