"""Recorded steps, fed to the rules again: do the same events lead to the same actions?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from host.session.as_json import step_fields
from host.session.events import Event, Started
from host.session.state import State
from host.session.step import step


@dataclass(frozen=True)
class RecordedStep:
    """A step as the journal has it."""

    place: str
    """File and line."""
    event: Event
    actions: list[dict[str, Any]]


@dataclass(frozen=True)
class ReplayedStep:
    """A recorded event, and what it leads to by the rules of this program."""

    recorded: RecordedStep
    event: dict[str, Any]
    """The event as JSON."""
    actions: list[dict[str, Any]]
    interaction: str
    """State of the interaction region after it."""

    @property
    def same(self) -> bool:
        """True when the actions are those that were recorded."""
        return self.actions == self.recorded.actions


@dataclass
class Run:
    """One run of the headband, from its `Started` on."""

    steps: list[ReplayedStep] = field(default_factory=list)

    @property
    def actions(self) -> int:
        """Number of actions, without transitions."""
        return sum(len(each.actions) for each in self.steps)

    @property
    def difference(self) -> ReplayedStep | None:
        """The first step whose actions are others than recorded."""
        return next((each for each in self.steps if not each.same), None)


def replayed(recorded: Iterable[RecordedStep | None]) -> tuple[list[Run], int]:
    """The runs, and the number of steps that belong to none because their beginning is missing. None stands
    for a line that is damaged: what follows it belongs to no run until the next start.
    """
    runs: list[Run] = []
    left_out = 0
    state: State | None = None
    for each in recorded:
        if each is None:
            state = None
            continue
        if isinstance(each.event, Started):
            state = State()
            runs.append(Run())
        if state is None:
            left_out += 1
            continue
        state, actions = step(state, each.event)
        told = step_fields(each.event, actions)
        runs[-1].steps.append(ReplayedStep(each, told["in"], told["out"], state.interaction))
    return runs, left_out
