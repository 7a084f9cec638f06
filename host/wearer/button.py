"""What the wearer wants by the button, and the microcontroller for want of charge, done at the right moment:
silence at once, the rest when the main loop comes by.
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
    """At most one wish waits; switching off is never replaced by another."""

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
        self._waiting: WearerRequest | None = None
        guard.on_wish = self.take

    def take(self, wish: WearerRequest) -> None:
        """Take a wish, in the event loop. During an answer a double press silences it and a short one counts
        for nothing; any press silences what is said unasked.
        """
        if wish != "off" and self._timer_announcer.pressed():
            return
        if wish != "off" and self._parts.announcing:
            self._parts.silence()
            return
        answering = self._parts.machine.interaction in ANSWERING
        if answering and wish != "listen":
            self._parts.silence()
        if wish == "off" or (not answering and self._waiting != "off"):
            self._waiting = wish

    async def serve(self) -> None:
        """Does what waits; the main loop calls it between two chunks of sound."""
        wish, self._waiting = self._waiting, None
        quiet = self._parts.machine.interaction in QUIET
        if wish == "off":
            # When all is closed after the stop, the power goes: `WatchdogClient.leave`.
            farewell = f"{self._guard.farewell or ''} {self._timer_announcer.farewell()}"
            await self._announce(farewell.strip())
            self._stop(self._guard.cause)
        elif wish == "choice" and quiet:
            await self._announce(self._parts.device.last_answer or NOTHING_SAID)
        elif wish == "listen" and not self._recording.pressed() and quiet:
            self._listen()
