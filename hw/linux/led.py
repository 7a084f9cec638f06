"""The state light as a kernel LED."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hw.device import LightPattern

_BLINK_MS: dict[LightPattern, tuple[int, int]] = {
    LightPattern.OFF: (0, 1),
    LightPattern.STANDBY: (40, 4960),
    LightPattern.LISTENING: (1, 0),
    LightPattern.THINKING: (150, 150),
    LightPattern.SPEAKING: (600, 200),
    LightPattern.ERROR: (80, 80),
    LightPattern.CHARGING: (1000, 1000),
    LightPattern.LOW_BATTERY: (80, 1920),
    LightPattern.RECORDING_OFF: (80, 3920),
    LightPattern.REMEMBERING: (300, 2700),
}
"""Milliseconds on and off; steady where one of them is 0."""


class SysfsLight:
    """One LED under `/sys/class/leds`. Errors are ignored: the headband works without its light."""

    def __init__(self, sysfs_root: Path, name: str) -> None:
        self._folder = sysfs_root / "class/leds" / name

    @property
    def problem(self) -> str | None:
        """Why it shows nothing, one sentence; None when it can."""
        if not self._folder.is_dir():
            return f"There is no LED called {self._folder.name}."
        if not os.access(self._folder / "trigger", os.W_OK):
            return f"The LED {self._folder.name} may not be changed by this user."
        return None

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern; the kernel's timer trigger blinks."""
        on_ms, off_ms = _BLINK_MS[pattern]
        if on_ms and off_ms:
            files = {"trigger": "timer", "delay_on": str(on_ms), "delay_off": str(off_ms)}
        else:
            files = {"trigger": "none", "brightness": "1" if on_ms else "0"}
        with contextlib.suppress(OSError):
            for name, value in files.items():
                (self._folder / name).write_text(value)
