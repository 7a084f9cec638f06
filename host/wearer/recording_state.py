"""Whether recording is on, why not, and how to switch it on; for `status`, `doctor` and `recording`."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from host.terminal.usage import print_json
from host.wearer.recording_request import headband_runs
from host.wearer.saved_settings import saved_recording
from hw.absent import unread
from hw.board import Board
from hw.device import DeviceError
from hw.supply import EventSource

BY_COMMAND = "headband recording on"


@dataclass(frozen=True)
class RecordingState:
    """Recording as it is now, or as the next headband that starts here will have it."""

    on: bool
    why: str = ""
    """Why it is off; "" while it is on."""
    back: str = ""
    """How to switch it on, as an instruction; "" while it is on."""
    damaged: bool = False
    """True when it is off because the saved settings cannot be read."""

    def __str__(self) -> str:
        return "on" if self.on else f"off: {self.why}; {self.back}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        table = asdict(self)
        del table["damaged"]
        return table


def recording_requests_path(kept: Path | None) -> Path | None:
    """The file of `host.wearer.recording_request`, beside the saved settings."""
    return None if kept is None else kept.with_name("kept.lock")


def recording_state(board: Board, kept: Path | None) -> RecordingState:
    """The state of recording, by the hardware switch and then by the saved settings in `kept`."""
    switch = board.recording_off
    if switch is not None and switch.active:
        lost = unread(switch)
        why = "the switch can't be read" if lost else "the switch is at off"
        back = "see that it is free and wired" if lost else "move it to on"
        return RecordingState(False, why, f"{back}.")
    note = saved_recording(kept)
    if note == "on":
        return RecordingState(True)
    button = isinstance(board.gauge, EventSource)
    if board.native and switch is None and not button:
        lock = recording_requests_path(kept)
        if lock is None or not headband_runs(lock):
            return RecordingState(True)  # on this board a start switches it on
        back = "start the headband anew."
    elif board.native:
        back = "press the button." if button else "move the switch off and on."
    else:
        back = f"switch it on with: {BY_COMMAND}"
    if note == "damaged":
        return RecordingState(False, f"{kept} is damaged and may have said so", back, True)
    return RecordingState(False, f"kept so in {kept}", back)


def refuse_without_recording(board: Board, kept: Path | None) -> None:
    """Raises `DeviceError`, saying how to switch recording on, when it is off."""
    state = recording_state(board, kept)
    if not state.on:
        raise DeviceError(f"Nothing can be asked while recording is {state}")


def tell_recording(board: Board, kept: Path | None, json: bool) -> bool:
    """Prints why recording is off, as text or as JSON; returns whether it is on."""
    state = recording_state(board, kept)
    if not state.on and json:
        print_json({"recording": state.as_dict()}, indent=None)
    elif not state.on:
        print(f"Nothing is heard or seen: recording is {state}")
    sys.stdout.flush()
    return state.on
