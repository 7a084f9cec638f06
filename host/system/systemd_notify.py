"""Notifies systemd of the service's state: ready, status text, watchdog heartbeat, stopping (sd_notify(3)).

Each message is a datagram to the Unix socket that $NOTIFY_SOCKET names; without it nothing is sent.
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
    """Sends the notifications. A failing socket is ignored."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._socket = environment.get("NOTIFY_SOCKET", "")
        self._monotonic = monotonic
        mine = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.deadline_s = int(environment.get("WATCHDOG_USEC", "0")) / 1e6 if mine else 0.0
        """systemd restarts the service after that long without a heartbeat; 0: never."""
        self._next_beat_s = monotonic()
        self._ready = False
        self._microphone, self._off = "about to listen", RECORDING_OFF

    def beat(self) -> None:
        """Sends a heartbeat, at most `BEATS_PER_DEADLINE` per deadline. Call it whenever the main loop makes
        progress.
        """
        now_s = self._monotonic()
        if self.deadline_s and now_s >= self._next_beat_s:
            self._next_beat_s = now_s + self.deadline_s / BEATS_PER_DEADLINE
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Sets the text that `systemctl status` shows; the first call also reports the service as started."""
        self._send(f"STATUS={text}" if self._ready else f"READY=1\nSTATUS={text}")
        self._ready = True

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """An observer of the headband. The service has started when the headband listens, or when a fault or
        the recording switch keeps it from listening.
        """
        if event == "listening":
            self._microphone_status("listening")
        elif event == "recording_off":
            self.status(self._off)
        elif event == "device" and fields["device"] == "microphone":
            self._microphone_status(
                "listening" if fields["problem"] is None else f"deaf: {fields['problem']}"
            )
        elif event == "transition" and fields["region"] == RECORDING:
            off = fields["to"] == "off"
            self._off = f"{RECORDING_OFF}: {fields['cause']}" if off else RECORDING_OFF
            if self._ready:
                self.status(self._off if off else self._microphone)

    def _microphone_status(self, text: str) -> None:
        self._microphone = text
        self.status(text)

    def stopping(self) -> None:
        """Reports that the service ends on request."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._socket:
            return
        address = "\0" + self._socket[1:] if self._socket.startswith("@") else self._socket
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(0.5)
            sender.sendto(message.encode(), address)
