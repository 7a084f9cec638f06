"""A step in progress: the state so far and the actions so far. Lives within one call of `step`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from host.answers.timers import Now
from host.session.actions import (
    RELEASES_BRICKS,
    USES_BRICKS,
    Action,
    Record,
    RequestMode,
    SetVolume,
    TimersNoticed,
    WriteSettings,
)
from host.session.state import Speech, State
from host.session.values import WearerSettings
from host.states import InteractionEvent, PowerEvent, RecordingEvent, Region, take


class Draft:
    """The rules change `state` with these methods and append to `actions`."""

    def __init__(self, state: State, now: Now) -> None:
        self.state = state
        self.now = now
        self.actions: list[Action] = []

    def act(self, *actions: Action) -> None:
        """Appends actions that need no end."""
        self.actions += actions
        for action in actions:
            if isinstance(action, USES_BRICKS):
                self.set(bricks_used=True)
            elif isinstance(action, RELEASES_BRICKS):
                self.set(bricks_used=False)

    def set(self, **changes: Any) -> None:
        """Changes fields of the state."""
        self.state = replace(self.state, **changes)

    def set_speech(self, **changes: Any) -> None:
        """Changes fields of what is being said."""
        assert self.state.speech is not None
        self.set(speech=replace(self.state.speech, **changes))

    def number(self) -> int:
        """A new number."""
        self.set(last_number=self.state.last_number + 1)
        return self.state.last_number

    def begin(self, action: Callable[[int], Action]) -> int:
        """Appends an action that ends with an event; returns its number."""
        number = self.number()
        self.set(running=self.state.running | {number})
        self.act(action(number))
        return number

    def interact(self, event: InteractionEvent, cause: str) -> bool:
        """Takes a transition of the interaction region; returns whether the table permits it."""
        return self._take("interaction", event, cause)

    def switch_power(self, event: PowerEvent, cause: str) -> None:
        """Takes a transition of the power region."""
        self._take("power", event, cause)

    def switch_recording(self, event: RecordingEvent, cause: str) -> None:
        """Takes a transition of the recording region."""
        self._take("recording", event, cause)

    def change(self, settings: WearerSettings) -> frozenset[int]:
        """Replaces the wearer's settings and saves them; returns the numbers of the actions to wait for."""
        before = self.state.settings
        self.set(settings=settings)
        if settings.volume_percent != before.volume_percent:
            self.act(SetVolume(settings.volume_percent))
        if settings.request is not before.request:
            self.act(RequestMode(None if settings.request is None else settings.request.value))
        if replace(settings, request=before.request) == before:
            return frozenset()
        return frozenset({self.begin(lambda number: WriteSettings(number, settings))})

    def acknowledge_timers(self) -> None:
        """Removes the announced timers, because the wearer reacted."""
        timers = self.state.settings.timers.acknowledged(self.now)
        if timers is not self.state.settings.timers:
            self.act(TimersNoticed(tuple(timer.number for timer in timers.off)))
            self.change(replace(self.state.settings, timers=timers))

    def answer_to(self, number: int) -> Speech | None:
        """What is being said, if it has this number."""
        speech = self.state.speech
        return speech if speech is not None and speech.number == number else None

    def give_way_ended(self, number: int) -> bool:
        """Forgets an answer or announcement that gave way to a question; returns whether `number` did."""
        gave_way = number in self.state.cancelled
        if gave_way:
            running = self.state.running - {number}
            self.set(cancelled=self.state.cancelled - {number}, running=running)
        return gave_way

    def _take(
        self, region: Region, event: InteractionEvent | PowerEvent | RecordingEvent, cause: str
    ) -> bool:
        regions, transition = take(self.state.regions, region, event, cause)
        self.set(regions=regions)
        self.act(Record(transition))
        return transition.target is not None
