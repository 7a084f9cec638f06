"""What systemd is told about the service: that it is ready, how it is, and that its main loop gets on.

The protocol is one datagram to a Unix socket whose name is in the environment (sd_notify(3)); started by hand
there is no such name, and nothing is sent.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from host.states import RECORDING

BEATS_PER_DEADLINE = 4
RECORDING_OFF = "recording is off"


class Notifier:
    """Tells systemd. Never raises for a socket that nobody reads: the service goes on."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._where = environment.get("NOTIFY_SOCKET", "")
        self._monotonic = monotonic
        mine = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.deadline_s = int(environment.get("WATCHDOG_USEC", "0")) / 1e6 if mine else 0.0
        """systemd restarts the service after so long without a beat; 0: never."""
        self._next_beat_s = monotonic()
        self._ready = False
        self._hearing, self._off = "about to listen", RECORDING_OFF

    def beat(self) -> None:
        """The main loop got on; may be called at any rate."""
        now_s = self._monotonic()
        if self.deadline_s and now_s >= self._next_beat_s:
            self._next_beat_s = now_s + self.deadline_s / BEATS_PER_DEADLINE
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """What `systemctl status` shows; the first one also says that the service has started."""
        self._send(f"STATUS={text}" if self._ready else f"READY=1\nSTATUS={text}")
        self._ready = True

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """The headband's observer: it has started once it listens, or knows why it can't or must not."""
        if event == "listening":
            self._hears("listening")
        elif event == "recording_off":
            self.status(self._off)
        elif event == "device" and fields["device"] == "microphone":
            self._hears("listening" if fields["problem"] is None else f"deaf: {fields['problem']}")
        elif event == "transition" and fields["region"] == RECORDING:
            off = fields["to"] == "off"
            self._off = f"{RECORDING_OFF}: {fields['cause']}" if off else RECORDING_OFF
            if self._ready:
                self.status(self._off if off else self._hearing)

    def _hears(self, text: str) -> None:
        self._hearing = text
        self.status(text)

    def stopping(self) -> None:
        """It ends because it was asked to."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._where:
            return
        address = "\0" + self._where[1:] if self._where.startswith("@") else self._where
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(0.5)
            sender.sendto(message.encode(), address)
