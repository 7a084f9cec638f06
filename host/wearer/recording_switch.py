"""Recording off: neither microphone nor camera is used until the wearer switches recording on again.

A headband without button and switch is switched on by a restart; on an emulated board or a laptop the command
`headband recording` switches it on and off. The devices themselves are stopped: the recorder has ended and
the camera is closed before the answer to "stop recording" begins, and the microcontroller of a sleeping
computer does not listen. A switch that cannot be read counts as off.
"""

from __future__ import annotations

import asyncio

from host.event_queue import EventQueue, Performs
from host.session import actions, events
from host.wearer.recording_request import RecordingRequests
from hw.absent import unread
from hw.device import Camera, Line, Microphone


def resumes_when(switch: Line | None, *, button: bool, native: bool) -> str:
    """What the wearer does to switch recording on again; completes the sentence "... until". `native`: this
    computer is the headband.
    """
    if button:
        return "you press the button"
    if switch is not None:
        return "you move the switch off and on"
    return "you start me again" if native else "you type headband recording on"


class RecordingSwitch:
    """Reads the hardware switch and the command line's requests, and switches microphone and camera."""

    def __init__(
        self,
        queue: EventQueue,
        microphone: Microphone,
        camera: Camera,
        switch: Line | None,
        requests: RecordingRequests | None,
    ) -> None:
        """`requests`: those of the command line; None when this computer is the headband."""
        self._queue, self._microphone, self._camera = queue, microphone, camera
        self._switch, self._requests = switch, requests
        self._lock = asyncio.Lock()
        self._switched_off = False
        self._unread = False
        self._requested: bool | None = None
        """The request that is being carried out; None without one."""
        self._on = True
        self._switching: asyncio.Task[None] | None = None
        """Microphone and camera are being switched, or were."""

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.SetRecording: self._set, actions.AcknowledgeRequest: self._acknowledge}

    @property
    def moved(self) -> bool:
        """Does the hardware switch stand elsewhere than the session was told?"""
        return self._off() is not self._switched_off

    def _off(self) -> bool:
        return self._switch is not None and self._switch.active

    async def poll(self) -> None:
        """Tells the session when the switch was moved, and what a command asks for. While recording is off,
        switches the microphone off again, for a microcontroller that did not answer.
        """
        off = self._off()
        lost = off and self._switch is not None and unread(self._switch)
        if (off, lost) != (self._switched_off, self._unread):
            self._switched_off, self._unread = off, lost
            self._queue.post(events.SwitchMoved(off, lost))
        requested = None if self._requests is None else self._requests.read()
        if requested is not None and self._requested is None:
            self._requested = requested
            self._queue.post(events.RecordingRequested(requested))
        if not self._on:
            async with self._lock:
                if not self._on:
                    await self._microphone.record(False)

    async def poll_and_apply(self) -> None:
        """As `poll`; returns when microphone and camera are switched."""
        await self.poll()
        async with self._lock:
            pass

    async def applied(self) -> None:
        """Returns when microphone and camera are switched as the session says."""
        while self._switching is not None and not self._switching.done():
            await asyncio.wait([self._switching])

    def _set(self, action: actions.SetRecording) -> None:
        async def switch() -> None:
            async with self._lock:
                await self._microphone.record(action.on)
                await self._camera.record(action.on)
            self._queue.post(events.RecordingApplied(action.number))

        self._on = action.on
        self._switching = self._queue.spawn(switch())

    def _acknowledge(self, action: actions.AcknowledgeRequest) -> None:
        requested, self._requested = self._requested, None
        if self._requests is not None and requested is not None:
            self._requests.done(requested)
