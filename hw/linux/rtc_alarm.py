"""The real-time clock's wake-up alarm: it ends a suspend at a set time.

The kernel shows `wakealarm` only for a clock that can wake the computer (`rtc_does_wakealarm` in
drivers/rtc/sysfs.c); "+N" means N seconds from now by that clock, independent of the system clock; 0 clears
the alarm, which has to come first, because a set alarm cannot be replaced. On an RK3566 board it is the clock
of the RK817 power chip, with a resolution of one second.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hw.device import DeviceError

_WHOLE_MINUTES = ("hym8563",)  # their alarm has no seconds; older drivers round it up
_MINUTE_S = 60.0


class RtcAlarm:
    """`hw.device.WakeAlarm` over one clock under `class/rtc`."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "wakealarm"
        name = folder / "name"
        coarse = name.exists() and any(chip in name.read_text() for chip in _WHOLE_MINUTES)
        self.late_s = _MINUTE_S if coarse else 0.0

    @property
    def writable(self) -> bool:
        """May this user set the alarm?"""
        return os.access(self._file, os.W_OK)

    def set(self, seconds: int) -> None:
        """Wake the computer in `seconds`. Raises `DeviceError`."""
        try:
            self._file.write_text("0")
            self._file.write_text(f"+{seconds}")
        except OSError as error:
            raise DeviceError(
                f"The real-time clock takes no wake-up alarm: {error.strerror or error}."
            ) from None

    def clear(self) -> None:
        """Clear the alarm. An error is ignored: it causes one needless wake-up."""
        with contextlib.suppress(OSError):
            self._file.write_text("0")


def find_alarm(sysfs_root: Path) -> RtcAlarm | None:
    """The most exact clock that can wake this computer; None where there is none."""
    alarms = [RtcAlarm(file.parent) for file in sorted(sysfs_root.glob("class/rtc/rtc*/wakealarm"))]
    return min(alarms, key=lambda alarm: alarm.late_s, default=None)
