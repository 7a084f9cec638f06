"""Tells everybody who observes a headband what happens in it, and its watchdog that the session goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from host.observe.observer import Observer
from host.observe.purpose import purpose
from host.observe.timeline import Span, Timeline
from host.system.watchdog import WatchdogClient
from models.process.residency import BrickEvent

_BESIDE = ("battery", "pmu", "frame", "encoded", "memory", "deepened")
"""Events that go on while the session hangs."""
KEPT_BRICK_EVENTS = 2_000
"""About 200 turns have that many."""


class Observers:
    """The observers of one headband, and the newest events of its bricks."""

    def __init__(self, timeline: Timeline, guard: WatchdogClient, beside: Callable[[str], bool]) -> None:
        """`beside`: whether a brick works for something that goes on while the session hangs."""
        self._timeline, self._guard, self._beside = timeline, guard, beside
        self.told: list[Observer] = []
        """In this order."""
        self.brick_events: deque[BrickEvent] = deque(maxlen=KEPT_BRICK_EVENTS)

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """Tells the observers of an event."""
        beside = event == "brick" and self._beside(fields["event"].brick)
        if event not in _BESIDE and not beside:
            self._guard.made_progress()
        for observer in self.told:
            observer(event, fields)

    def brick_event(self, event: BrickEvent) -> None:
        """Keeps an event of a brick, adds it to the timeline and tells the observers of it."""
        self.brick_events.append(event)
        details = {
            "pid": event.pid,
            "place": event.place.value,
            **({"why": event.detail} if event.detail else {}),
            **({"for": purpose()} if purpose() else {}),
        }
        self._timeline.add(Span(event.brick, event.kind, event.start_s, event.end_s, details))
        self.observe("brick", {"event": event})
