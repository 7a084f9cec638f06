"""The wearer's "recording off": nothing is heard or seen until they switch it on again.

Off goes by voice ("stop recording") or by the switch, on by the button or the switch, and never by what is
heard. A headband with neither is switched on by starting anew; where the computer is no headband, but an
emulated one or a laptop, the command `headband recording` does both. It is done at the devices themselves:
the recorder has ended and the camera is closed before the answer to "stop recording" begins, and a sleeping
computer's microcontroller does not listen either. A switch that can't be read counts as off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from host.answers.device import not_recording
from host.session.parts import Parts
from host.wearer.recording_request import RecordingRequests
from host.wearer.timer_announcer import QUIET
from hw.absent import AbsentLine
from hw.device import Camera, Light, LightPattern, Line, Microphone

RECORDING_AGAIN = "I listen and look again."
SWITCHED_OFF = "I do not listen or look until you move the switch."
SWITCHED_OFF_BY_HAND = (SWITCHED_OFF, "the switch is at off")
SWITCH_UNREAD = "I do not listen or look, because I cannot read my recording switch."
_READY = (LightPattern.STANDBY, LightPattern.LISTENING)


class RecordingLight:
    """The state light, on which "recording off" stands where "ready" would."""

    def __init__(self, light: Light, recording: Callable[[], bool]) -> None:
        self._light = light
        self._recording = recording

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern until the next call."""
        off = not self._recording() and pattern in _READY
        self._light.set(LightPattern.RECORDING_OFF if off else pattern)


class RecordingSwitch:
    """Takes microphone and camera to what the wearer has set."""

    def __init__(
        self,
        parts: Parts,
        microphone: Microphone,
        camera: Camera,
        switch: Line | None,
        button: bool,
        orders: RecordingRequests,
        native: bool,
        *,
        changed: Callable[[bool], None],
        announce: Callable[[str], Awaitable[None]],
    ) -> None:
        """`button`: this board tells of its presses. `orders`: what the command line asks, obeyed
        unless this computer is the headband (`native`). `changed` hears of every change, once it is done.
        """
        self._parts, self._microphone, self._camera = parts, microphone, camera
        self._switch, self._button = switch, button
        self._changed, self._announce = changed, announce
        self._recording_requests = orders
        self._alone = asyncio.Lock()
        unread = isinstance(switch, AbsentLine)
        self._off = (SWITCH_UNREAD, "the switch can't be read") if unread else SWITCHED_OFF_BY_HAND
        self._switched_off = False
        self._cause = "it was so before the restart"
        self._to_say: str | None = None
        alone = "you start me again" if native else "you type headband recording on"
        recording_resumes_when = alone if switch is None else "you move the switch off and on"
        parts.device = replace(
            parts.device, recording_resumes_when="you press the button" if button else recording_resumes_when
        )
        self._native = native
        parts.apply_recording = self._said

    @property
    def on(self) -> bool:
        """May anything be heard or seen?"""
        return self._parts.machine.recording

    async def start(self) -> None:
        """Take on what was kept; before the first chunk is asked for."""
        if self._native and not self._button and self._switch is None:
            self._set(True)
        await self.apply()

    async def serve(self) -> None:
        """The main loop calls it often: follows the switch, and says what it did."""
        asked = None if self._native else self._recording_requests.read()
        if asked is not None and not self._switched_off:
            self._set(asked)
            self._cause = "the command line asked for it"
        await self.apply()
        if asked is not None:
            await self._parts.save_settings()
            self._recording_requests.done()
        if self._to_say is not None and self._parts.machine.interaction in (*QUIET, "listening"):
            sentence, self._to_say = self._to_say, None
            await self._announce(sentence)

    def pressed(self) -> bool:
        """A short press of the button; True when it was about recording, which is then all it does."""
        if self.on:
            return False
        if self._switched_off:
            self._to_say = self._off[0]
        else:
            self._set(True)
            self._cause = "the button was pressed"
        return True

    async def apply(self) -> None:
        """Returns when the devices do what is set."""
        async with self._alone:
            await self._apply()

    async def _apply(self) -> None:
        off = self._switch is not None and self._switch.active
        if off is not self._switched_off:
            self._switched_off = off
            self._cause = self._off[1] if off else "the switch was moved to on"
            self._set(self._parts.device.recording or not off)
        on = self._parts.device.recording and not off
        if on is self.on:
            if not on:
                await self._microphone.record(False)  # a microcontroller that did not answer is told again
            return
        self._to_say = RECORDING_AGAIN if on else self._off[0] if off else not_recording(self._parts.device)
        self._parts.machine.set_recording(on, self._cause)
        await self._microphone.record(on)
        await self._camera.record(on)
        self._changed(on)

    async def _said(self) -> None:
        if self.on and not self._parts.device.recording:
            self._cause = "the wearer said so"
            await self.apply()
            self._to_say = None  # the answer says it

    def _set(self, on: bool) -> None:
        self._parts.device = replace(self._parts.device, recording=on)
