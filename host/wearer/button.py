"""Requests by the button, and the microcontroller's request to switch off on an empty battery.

Silencing happens at once; everything else waits for `serve`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from host.answers.device import NOTHING_SAID
from host.session.parts import Parts
from host.system.watchdog import WatchdogClient, WearerRequest
from host.wearer.recording_switch import RecordingSwitch
from host.wearer.timer_announcer import QUIET, TimerAnnouncer

ANSWERING = ("thinking", "speaking")


class ButtonRequests:
    """Holds at most one pending request; a request to switch off is never replaced."""

    def __init__(
        self,
        parts: Parts,
        guard: WatchdogClient,
        timer_announcer: TimerAnnouncer,
        recording: RecordingSwitch,
        announce: Callable[[str], Awaitable[None]],
        listen: Callable[[], None],
        stop: Callable[[str], None],
    ) -> None:
        self._parts = parts
        self._guard = guard
        self._timer_announcer = timer_announcer
        self._recording = recording
        self._announce = announce
        self._listen = listen
        self._stop = stop
        self._pending: WearerRequest | None = None
        guard.on_request = self.accept

    def accept(self, request: WearerRequest) -> None:
        """Accepts a request; call it in the event loop. During an answer, a double press silences it and a
        short press is ignored; any press silences an announcement.
        """
        if request != "off" and self._timer_announcer.handle_press():
            return
        if request != "off" and self._parts.announcing:
            self._parts.silence()
            return
        answering = self._parts.machine.interaction in ANSWERING
        if answering and request != "listen":
            self._parts.silence()
        if request == "off" or (not answering and self._pending != "off"):
            self._pending = request

    async def serve(self) -> None:
        """Carries out the pending request; the main loop calls it between two chunks of sound."""
        request, self._pending = self._pending, None
        quiet = self._parts.machine.interaction in QUIET
        if request == "off":
            # `WatchdogClient.leave` cuts the power after everything is closed.
            farewell = f"{self._guard.farewell or ''} {self._timer_announcer.farewell()}"
            await self._announce(farewell.strip())
            self._stop(self._guard.cause)
        elif request == "choice" and quiet:
            await self._announce(self._parts.device.last_answer or NOTHING_SAID)
        elif request == "listen" and not self._recording.handle_press() and quiet:
            self._listen()
