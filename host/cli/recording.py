"""`headband recording`: shows whether recording is on, and switches it on boards without a button."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from host.app.open_board import chosen_board, open_board
from host.config import BoardConfig
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError, one_line, print_json
from host.wearer.recording_request import (
    OTHER_COMMAND_S,
    headband_runs,
    one_command,
    request_recording,
)
from host.wearer.recording_state import RecordingState, recording_requests_path, recording_state
from host.wearer.saved_settings import save_recording, saved_settings_path
from hw.device import DeviceError

PATIENCE_S = 5.0
"""How long to wait for a running headband, seconds; it checks every 0.1 s unless it is asleep."""
BY_HAND = (
    "On a headband only the wearer's hand switches recording on, at its button or its switch "
    "(where it has neither, by starting it anew); this command is for the emulated board and a laptop."
)
NOTHING_KEPT = "Nothing is kept here ([journal] path is empty), so every start listens and looks."


def recording(options: argparse.Namespace) -> int:
    """`headband recording [on|off]`; returns the exit code. Raises `UsageError`."""
    config = chosen_settings(options.config)
    where, path = chosen_board(config.board, options.board), saved_settings_path(config)
    if options.state is not None:
        if where.kind not in ("emulated", "laptop"):
            raise UsageError(BY_HAND)
        if path is None:
            raise UsageError(NOTHING_KEPT)
        if (problem := switch_recording(path, options.state == "on")) is not None:
            print(one_line(problem), file=sys.stderr)
            return 1
    state = asyncio.run(_state(where, path))
    if options.json:
        print_json({"recording": state.as_dict()})
    else:
        print(f"recording  {state}")
    return 0


def switch_recording(path: Path, on: bool) -> str | None:
    """Switches recording as kept in the settings `path`; returns a sentence if that failed."""
    lock = recording_requests_path(path)
    assert lock is not None
    try:
        with one_command(path.parent):
            runs = headband_runs(lock)
            if not runs:
                save_recording(path, on)
                runs = headband_runs(lock)  # one may have started, and read what was kept before
            if runs and not request_recording(lock, on, PATIENCE_S):
                return (
                    f"The headband that runs with these settings did not answer within {PATIENCE_S:.0f} "
                    "seconds: end it (Ctrl-C), then say this again."
                )
    except TimeoutError:
        return f"Another headband recording command has not ended within {OTHER_COMMAND_S:.0f} seconds."
    except OSError as error:
        return f"Recording cannot be switched: {error.filename or path}: {error.strerror}."
    return None


async def _state(where: BoardConfig, path: Path | None) -> RecordingState:
    board = open_board(where)
    try:
        return recording_state(board, path)
    finally:
        with suppress(DeviceError):
            await board.close()
