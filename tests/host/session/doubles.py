"""Stand-ins on the two sides of the event queue: a queue that only notes, and a performer that ends every
action at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from host.event_queue import EventQueue, Performer, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.session.actions import Action
from host.session.events import Event
from hw.device import Clock


class NotingQueue(EventQueue):
    """Notes the events of performers and sources; no rule applies."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock, Journal(None, clock))
        self.posted: list[Event] = []

    def post(self, event: Event) -> None:
        self.posted.append(event)

    def taken(self) -> list[Event]:
        """The events since the last call."""
        taken, self.posted = self.posted, []
        return taken


def perform(performer: Performer, action: Action) -> None:
    """Begins an action as the queue does."""
    performer.performs[type(action)](action)


ENDINGS: Mapping[type[Action], Callable[[Any], Event]] = {
    actions.ForgetQuestion: lambda action: events.QuestionForgotten(action.question),
    actions.TryTranscript: lambda action: events.TranscriptTried(action.number),
    actions.Understand: lambda action: events.Understood(action.number, "now"),
    actions.Answer: lambda action: events.AnswerEnded(action.number),
    actions.Apologise: lambda action: events.AnswerEnded(action.number),
    actions.Announce: lambda action: events.AnnouncementEnded(action.number),
    actions.PlayTone: lambda action: events.TonePlayed(action.number),
    actions.ReleaseBricks: lambda action: events.BricksReleased(action.number),
    actions.WriteSettings: lambda action: events.SettingsWritten(action.number),
    actions.SetRecording: lambda action: events.RecordingApplied(action.number),
    actions.ApplyPlan: lambda action: events.PlanApplied(action.number),
    actions.PrepareSleep: lambda action: events.ReadyToSleep(action.number),
}
"""Action -> the event that ends it well."""


class EndsAtOnce:
    """Performs every action that none of `others` performs: notes it, and ends it at once, well."""

    def __init__(self, queue: EventQueue, others: Iterable[Performer] = ()) -> None:
        self.noted: list[Action] = []
        self._queue = queue
        taken = {kind for performer in others for kind in performer.performs}
        self._kinds = [kind for kind in Action.__subclasses__() if kind not in taken]

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return dict.fromkeys(self._kinds, self._end)

    def _end(self, action: Action) -> None:
        self.noted.append(action)
        if isinstance(action, actions.ReadBattery):
            self._queue.post(events.PlanDecided(self._queue.state.plan, action.number))
        elif type(action) in ENDINGS:
            self._queue.post(ENDINGS[type(action)](action))
