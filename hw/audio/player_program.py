"""Plays sound through a program of the system: ALSA's aplay, PulseAudio's paplay or PipeWire's pw-play."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from threading import Thread

from hw.device import Pcm

_PROGRAMS = {
    "paplay": ("--raw", "--format=s16le", "--channels=1", "--rate={rate}"),
    "aplay": ("-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", "{rate}", "-"),
    "pw-play": ("--raw", "--format=s16", "--channels=1", "--rate={rate}", "-"),
}
_CARDS = Path("/proc/asound/cards")
WRITE_LIMIT_S = 0.25
"""A player that accepts no data for this long counts as failed; who writes to it stands still meanwhile."""
END_LIMIT_S = 3.0
"""A player that runs for so long after the end of its sound counts as failed and is killed."""


def has_sound_card() -> bool:
    """Does the kernel list a sound card, or is a (possibly remote) PulseAudio server configured?"""
    if os.environ.get("PULSE_SERVER"):
        return True
    try:
        return any(line[:3].strip().isdigit() for line in _CARDS.read_text().splitlines())
    except OSError:
        return False


def find_player() -> str | None:
    """Path of a program that plays raw sound, None without one or without a sound card."""
    if not has_sound_card():
        return None
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), None)


class Player:
    """One playing program, fed with int16 mono samples."""

    def __init__(self, program: str, rate_hz: int, *options: str) -> None:
        """`options` come before the format, such as `-D plughw:0,0`. Raises `OSError` if it cannot start."""
        self.rate_hz = rate_hz
        self._sounds_until_s = 0.0
        arguments = [part.format(rate=rate_hz) for part in _PROGRAMS[Path(program).name]]
        self._process = subprocess.Popen(
            [program, *options, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches only the headband, which ends its players itself
        )

    @property
    def runs(self) -> bool:
        """Has the program not ended yet?"""
        return self._process.poll() is None

    @property
    def failed(self) -> bool:
        """Has the program ended with an error, or been killed because it did not end?"""
        return self._process.poll() not in (None, 0)

    def write(self, pcm: Pcm, patience_s: float = WRITE_LIMIT_S) -> bool:
        """Writes samples to the program; False when it has ended (as when its card disappears), or accepts
        nothing for `patience_s`.
        """
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        os.set_blocking(pipe, False)
        data = memoryview(pcm.astype("<i2").tobytes())
        self._sounds_until_s = max(self._sounds_until_s, time.monotonic()) + pcm.size / self.rate_hz
        try:
            while data:
                if not select.select([], [pipe], [], patience_s)[1]:
                    return False
                data = data[os.write(pipe, data) :]
        except OSError:
            return False
        return True

    def end(self, cut: bool = False) -> None:
        """Ends the input. Samples written before are still played, unless `cut`. Does not wait for the sound
        to end; a program that has not ended `END_LIMIT_S` after it is killed. May be called again to cut.
        """
        if cut:
            self._process.kill()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if cut:
            self._process.wait()
        else:
            left_s = max(0.0, self._sounds_until_s - time.monotonic())
            Thread(target=self._reap, args=(left_s + END_LIMIT_S,), name="player", daemon=True).start()

    def _reap(self, patience_s: float) -> None:
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
