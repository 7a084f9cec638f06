"""The state machine: three regions side by side, one table of permitted transitions.

*Interaction* says what the headband is doing with the wearer; *power* says which mode the battery allows;
*recording* says whether anything is heard or seen.
Every transition carries its cause and is handed to a journal; one that the table does not permit is
refused, and the refusal is journalled too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

INTERACTION = "interaction"
POWER = "power"
RECORDING = "recording"
INITIAL: Mapping[str, str] = {INTERACTION: "standby", POWER: "performance", RECORDING: "on"}

_INTERACTION_TABLE = (
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
_POWER_TABLE = (
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
_RECORDING_TABLE = (
    ("on", "stop_recording", "off"),
    ("off", "start_recording", "on"),
)
POWER_EVENT: Mapping[str, str] = {
    "performance": "perform",
    "throttled": "throttle",
    "cascade": "cascade",
    "cutoff": "cut_off",
}
"""The event that asks for a power mode, by the mode's name."""

TABLE: Mapping[tuple[str, str, str], str] = {
    (region, source, event): target
    for region, rows in (
        (INTERACTION, _INTERACTION_TABLE),
        (POWER, _POWER_TABLE),
        (RECORDING, _RECORDING_TABLE),
    )
    for source, event, target in rows
}
"""(region, state, event) -> next state: everything that may happen."""


@dataclass(frozen=True)
class Transition:
    """One step of one region. `target` is None when the table refused the event."""

    region: str
    source: str
    event: str
    target: str | None
    cause: str


class StateMachine:
    """Holds the present state of all regions and lets only the table change it."""

    def __init__(self, record: Callable[[Transition], None] | None = None) -> None:
        self._state = dict(INITIAL)
        self._record = record or (lambda transition: None)

    @property
    def interaction(self) -> str:
        """Present state of the interaction region."""
        return self._state[INTERACTION]

    @property
    def power(self) -> str:
        """Present state of the power region."""
        return self._state[POWER]

    @property
    def recording(self) -> bool:
        """May anything be heard or seen?"""
        return self._state[RECORDING] == "on"

    def fire(self, region: str, event: str, cause: str) -> bool:
        """Takes the transition for `event` if the table permits it; says whether it did. `cause` is one
        plain sentence.
        """
        source = self._state[region]
        target = TABLE.get((region, source, event))
        if target is not None:
            self._state[region] = target
        self._record(Transition(region, source, event, target, cause))
        return target is not None

    def interact(self, event: str, cause: str) -> bool:
        """`fire` in the interaction region."""
        return self.fire(INTERACTION, event, cause)

    def set_power(self, mode: str, cause: str) -> bool:
        """Asks for a power mode; a mode that already holds is no transition."""
        return mode == self.power or self.fire(POWER, POWER_EVENT[mode], cause)

    def set_recording(self, on: bool, cause: str) -> bool:
        """Asks for recording on or off; says whether that was a change."""
        return on != self.recording and self.fire(
            RECORDING, "start_recording" if on else "stop_recording", cause
        )

    def as_dict(self) -> dict[str, Any]:
        """The states by region."""
        return dict(self._state)


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
