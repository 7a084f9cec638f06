"""Recording off: neither microphone nor camera is used until the wearer switches recording on again.

It goes off by voice ("stop recording") or by the switch, and on by the button or the switch, never by voice.
A headband without button and switch is switched on by a restart; on an emulated board or a laptop the command
`headband recording` switches it on and off. The devices themselves are stopped: the recorder has ended and
the camera is closed before the answer to "stop recording" begins, and the microcontroller of a sleeping
computer does not listen. A switch that cannot be read counts as off.
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
    """The state light; shows "recording off" instead of standby and listening while recording is off."""

    def __init__(self, light: Light, recording: Callable[[], bool]) -> None:
        self._light = light
        self._recording = recording

    def set(self, pattern: LightPattern) -> None:
        """Shows the pattern until the next call."""
        off = not self._recording() and pattern in _READY
        self._light.set(LightPattern.RECORDING_OFF if off else pattern)


class RecordingSwitch:
    """Switches microphone and camera as the wearer's setting and the hardware switch say."""

    def __init__(
        self,
        parts: Parts,
        microphone: Microphone,
        camera: Camera,
        switch: Line | None,
        button: bool,
        requests: RecordingRequests,
        native: bool,
        *,
        on_change: Callable[[bool], None],
        announce: Callable[[str], Awaitable[None]],
    ) -> None:
        """`button`: the board reports presses of a button. `requests`: those of the command line, ignored
        when this computer is the headband (`native`). `on_change` is called after every change.
        """
        self._parts, self._microphone, self._camera = parts, microphone, camera
        self._switch, self._button = switch, button
        self._on_change, self._announce = on_change, announce
        self._recording_requests = requests
        self._lock = asyncio.Lock()
        unread = isinstance(switch, AbsentLine)
        self._off = (SWITCH_UNREAD, "the switch can't be read") if unread else SWITCHED_OFF_BY_HAND
        self._switched_off = False
        self._cause = "it was so before the restart"
        self._pending: str | None = None
        alone = "you start me again" if native else "you type headband recording on"
        recording_resumes_when = alone if switch is None else "you move the switch off and on"
        parts.device = replace(
            parts.device, recording_resumes_when="you press the button" if button else recording_resumes_when
        )
        self._native = native
        parts.apply_recording = self._apply_spoken

    @property
    def on(self) -> bool:
        """True while microphone and camera may be used."""
        return self._parts.machine.recording

    async def start(self) -> None:
        """Applies the saved setting; call it before the first chunk is read."""
        if self._native and not self._button and self._switch is None:
            self._set(True)
        await self.apply()

    async def serve(self) -> None:
        """Applies changes of the switch and requests of the command line, and announces them; the main loop
        calls it between two chunks of sound.
        """
        asked = None if self._native else self._recording_requests.read()
        if asked is not None and not self._switched_off:
            self._set(asked)
            self._cause = "the command line asked for it"
        await self.apply()
        if asked is not None:
            await self._parts.save_settings()
            self._recording_requests.done()
        if self._pending is not None and self._parts.machine.interaction in (*QUIET, "listening"):
            sentence, self._pending = self._pending, None
            await self._announce(sentence)

    def handle_press(self) -> bool:
        """Handles a short press of the button; returns True when it concerned recording and so has no further
        effect.
        """
        if self.on:
            return False
        if self._switched_off:
            self._pending = self._off[0]
        else:
            self._set(True)
            self._cause = "the button was pressed"
        return True

    async def apply(self) -> None:
        """Switches the devices; returns when they are in the state that is set."""
        async with self._lock:
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
                await self._microphone.record(False)  # repeated for a microcontroller that did not answer
            return
        self._pending = RECORDING_AGAIN if on else self._off[0] if off else not_recording(self._parts.device)
        self._parts.machine.set_recording(on, self._cause)
        await self._microphone.record(on)
        await self._camera.record(on)
        self._on_change(on)

    async def _apply_spoken(self) -> None:
        if self.on and not self._parts.device.recording:
            self._cause = "the wearer said so"
            await self.apply()
            self._pending = None  # the answer to the question says so

    def _set(self, on: bool) -> None:
        self._parts.device = replace(self._parts.device, recording=on)
