"""Asks systemd to power the computer off once the service has ended.

The service itself has no right to: it leaves a file in its runtime folder, and the unit's `ExecStopPost`,
which runs as root, finds it. The kernel then stops everything and lets the RK8xx switch off its supplies in
their order, before the microcontroller cuts the rail (`firmware.pmu.guard.SAVED_MS`).
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MARK = "power-off"
"""Name of the file."""


def request_power_off() -> None:
    """Without effect where no service manager runs the program, or where the file cannot be written: the
    microcontroller cuts the power all the same.
    """
    folder = os.environ.get("RUNTIME_DIRECTORY")
    if folder:
        with contextlib.suppress(OSError):
            (Path(folder) / MARK).touch()
