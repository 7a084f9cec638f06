"""The state machine: three parallel regions and one table of permitted transitions.

*Interaction* is what the headband does with the wearer; *power* is the power mode; *recording* is whether
microphone and camera may be used. Each transition carries its cause. An event that the table does not permit
in the present state changes nothing; it is recorded as refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from power.policy.plan import Mode

Region = Literal["interaction", "power", "recording"]
InteractionState = Literal[
    "standby", "listening", "thinking", "speaking", "follow_up", "fault", "stopping"
]  # fmt: skip
PowerState = Literal["performance", "throttled", "cascade", "cutoff"]
RecordingState = Literal["on", "off"]
State = Literal[InteractionState, PowerState, RecordingState]
InteractionEvent = Literal[
    "woken", "announce", "utterance", "silence", "answer", "dismissed", "resumed", "failed", "spoken",
    "closed", "apology", "recovered", "stop",
]  # fmt: skip
PowerEvent = Literal["perform", "throttle", "cascade", "cut_off"]
RecordingEvent = Literal["start_recording", "stop_recording"]
Event = Literal[InteractionEvent, PowerEvent, RecordingEvent]

INTERACTION: Final = "interaction"
POWER: Final = "power"
RECORDING: Final = "recording"
INITIAL: Mapping[Region, State] = {INTERACTION: "standby", POWER: "performance", RECORDING: "on"}

_INTERACTION_TABLE: tuple[tuple[InteractionState, InteractionEvent, InteractionState], ...] = (
    # from         event           to
    ("standby", "woken", "listening"),
    ("standby", "announce", "speaking"),
    ("listening", "woken", "listening"),
    ("listening", "utterance", "thinking"),
    ("listening", "silence", "standby"),
    ("thinking", "answer", "speaking"),
    ("thinking", "dismissed", "standby"),
    ("thinking", "woken", "listening"),
    ("thinking", "resumed", "listening"),
    ("thinking", "failed", "fault"),
    ("speaking", "spoken", "follow_up"),
    ("speaking", "closed", "standby"),
    ("speaking", "woken", "listening"),
    ("speaking", "failed", "fault"),
    ("follow_up", "woken", "listening"),
    ("follow_up", "closed", "standby"),
    ("fault", "apology", "speaking"),
    ("fault", "recovered", "standby"),
    ("listening", "failed", "fault"),
    ("standby", "stop", "stopping"),
    ("listening", "stop", "stopping"),
    ("thinking", "stop", "stopping"),
    ("speaking", "stop", "stopping"),
    ("follow_up", "stop", "stopping"),
    ("fault", "stop", "stopping"),
)
_POWER_TABLE: tuple[tuple[PowerState, PowerEvent, PowerState], ...] = (
    ("performance", "throttle", "throttled"),
    ("performance", "cascade", "cascade"),
    ("throttled", "perform", "performance"),
    ("throttled", "cascade", "cascade"),
    ("cascade", "perform", "performance"),
    ("cascade", "throttle", "throttled"),
    ("performance", "cut_off", "cutoff"),
    ("throttled", "cut_off", "cutoff"),
    ("cascade", "cut_off", "cutoff"),
    ("cutoff", "perform", "performance"),
    ("cutoff", "throttle", "throttled"),
    ("cutoff", "cascade", "cascade"),
)
_RECORDING_TABLE: tuple[tuple[RecordingState, RecordingEvent, RecordingState], ...] = (
    ("on", "stop_recording", "off"),
    ("off", "start_recording", "on"),
)
POWER_EVENT: Mapping[Mode, PowerEvent] = {
    Mode.PERFORMANCE: "perform",
    Mode.THROTTLED: "throttle",
    Mode.CASCADE: "cascade",
    Mode.CUTOFF: "cut_off",
}
"""The event that requests each power mode."""

TABLE: Mapping[tuple[Region, State, Event], State] = {
    **{(INTERACTION, source, event): target for source, event, target in _INTERACTION_TABLE},
    **{(POWER, source, event): target for source, event, target in _POWER_TABLE},
    **{(RECORDING, source, event): target for source, event, target in _RECORDING_TABLE},
}
"""(region, state, event) -> next state: every permitted transition."""


@dataclass(frozen=True)
class Transition:
    """One event in one region. `target` is None when the table refused the event."""

    region: Region
    source: State
    event: Event
    target: State | None
    cause: str


@dataclass(frozen=True)
class Regions:
    """The present state of every region."""

    interaction: InteractionState = "standby"
    power: PowerState = "performance"
    recording: RecordingState = "on"


def take(regions: Regions, region: Region, event: Event, cause: str) -> tuple[Regions, Transition]:
    """The regions after `event` in `region`, and the transition to record; the regions stay as they are when
    the table does not permit the event. `cause` is one plain sentence for the journal.
    """
    source: State = getattr(regions, region)
    target = TABLE.get((region, source, event))
    after = regions if target is None else replace(regions, **{region: target})  # type: ignore[arg-type]
    return after, Transition(region, source, event, target, cause)


class StateMachine:
    """The regions as an object, for whoever has no session: each method takes one transition."""

    def __init__(self) -> None:
        self._regions = Regions()

    @property
    def interaction(self) -> InteractionState:
        """State of the interaction region."""
        return self._regions.interaction

    @property
    def power(self) -> PowerState:
        """State of the power region."""
        return self._regions.power

    def interact(self, event: InteractionEvent, cause: str) -> bool:
        """Takes a transition of the interaction region; returns whether the table permits it."""
        self._regions, transition = take(self._regions, INTERACTION, event, cause)
        return transition.target is not None

    def set_power(self, mode: Mode, cause: str) -> bool:
        """Requests a power mode; returns whether it holds afterwards. The present mode is no transition."""
        if mode.value == self.power:
            return True
        self._regions, transition = take(self._regions, POWER, POWER_EVENT[mode], cause)
        return transition.target is not None


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2"]
    for region in INITIAL:
        lines.append(f"    state {region} {{")
        lines.append(f"        [*] --> {INITIAL[region]}")
        rows = [(s, e, t) for (r, s, e), t in TABLE.items() if r == region]
        lines += [f"        {source} --> {target}: {event}" for source, event, target in rows]
        lines.append("    }")
    return "\n".join(lines) + "\n"
