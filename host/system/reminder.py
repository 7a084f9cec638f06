"""The session's reminder: posts an event when its time has come."""

from __future__ import annotations

from host.event_queue import EventQueue, Performs
from host.session import actions, events
from hw.device import Clock


class Reminder:
    """Performs `Remind`; `poll` it between two chunks of sound."""

    def __init__(self, queue: EventQueue, clock: Clock) -> None:
        self._queue, self._clock = queue, clock
        self._next: actions.Remind | None = None

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.Remind: self._remind}

    def poll(self) -> None:
        """Posts the reminder if it is due."""
        due = self._next
        if due is not None and self._clock.monotonic() >= due.at_s:
            self._next = None
            self._queue.post(events.Reminded(due.number))

    def _remind(self, action: actions.Remind) -> None:
        self._next = action
