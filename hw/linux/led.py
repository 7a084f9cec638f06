"""The state light as a kernel LED."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from hw.device import LightPattern
from hw.light_thread import LightThread

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


RULES_S = 1.0
"""Within this time udev has given the timer's files, which the kernel makes as that is chosen, to the service
(`host/service/70-headband.rules`).
"""
_AGAIN_S = 0.02


class SysfsLight:
    """One LED under `/sys/class/leds`. `set` returns at once: a thread writes the latest pattern. Errors are
    ignored: the headband works without its light.
    """

    def __init__(self, sysfs_root: Path, name: str, pause: Callable[[float], None] = time.sleep) -> None:
        """`pause` waits seconds, in the thread."""
        self._folder = sysfs_root / "class/leds" / name
        self._pause = pause
        self._thread = LightThread(self._show)

    @property
    def problem(self) -> str | None:
        """Why it shows nothing, or every pattern in one rhythm, one sentence; None when it can."""
        if not self._folder.is_dir():
            return f"There is no LED called {self._folder.name}."
        if not os.access(self._folder / "trigger", os.W_OK):
            return f"The LED {self._folder.name} may not be changed by this user."
        blinks = self._chosen("timer")
        if blinks and not all(os.access(self._folder / name, os.W_OK) for name in ("delay_on", "delay_off")):
            return f"The rhythm of the LED {self._folder.name} may not be changed by this user."
        return None

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern; the kernel's timer trigger blinks."""
        self._thread.set(pattern)

    def settled(self) -> None:
        """Return when the last pattern has been written, or could not be."""
        self._thread.settled()

    def _show(self, pattern: LightPattern) -> None:
        on_ms, off_ms = _BLINK_MS[pattern]
        with contextlib.suppress(OSError):
            if on_ms and off_ms:
                self._choose("timer")
                self._set_rhythm(on_ms, off_ms)
            else:
                self._choose("none")
                self._write("brightness", self._brightest() if on_ms else "0")

    def _set_rhythm(self, on_ms: int, off_ms: int) -> None:
        """Raises `OSError` when it cannot be set within `RULES_S`."""
        for left in reversed(range(round(RULES_S / _AGAIN_S))):
            try:
                self._write("delay_on", str(on_ms))
                self._write("delay_off", str(off_ms))
                return
            except OSError:
                if not left or self._thread.superseded:
                    raise
            self._pause(_AGAIN_S)

    def _chosen(self, trigger: str) -> bool:
        try:
            return f"[{trigger}]" in (self._folder / "trigger").read_text().split()
        except OSError:
            return False

    def _choose(self, trigger: str) -> None:
        """A trigger that is chosen stays: chosen anew, it gets new files, of which root is the owner."""
        if not self._chosen(trigger):
            self._write("trigger", trigger)

    def _brightest(self) -> str:
        try:
            return (self._folder / "max_brightness").read_text().strip()
        except OSError:
            return "1"

    def _write(self, name: str, value: str) -> None:
        (self._folder / name).write_text(value)
