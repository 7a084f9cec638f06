"""The world around the emulated headband: plays a day script on its board as time passes in the room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from host.app.day_script import Press, Script, ScriptEvent
from host.app.headband import Headband
from host.app.narrator import SCRIPT_OVER
from host.states import INTERACTION
from host.wearer.button import ANSWERING
from hw.emulated.board import EmulatedBoard
from hw.emulated.bus import Fault

BOOT_S = 15.0
"""From power to a running program; an estimate, Debian on an eMMC."""
_LOOK_S = 0.1
"""Between two looks at the script while the headband hears nothing."""
_DROP_S = 10.0
"""A headband that has switched off loses its power within so many seconds, or not at all."""
_RISE_S = 20.0
"""Whatever may give a headband its power does so within so many seconds."""
_PRESSES: dict[Press, tuple[float, int]] = {
    "press": (0.1, 1),
    "double": (0.1, 2),
    "long": (2.2, 1),
    "hold": (10.2, 1),
}
"""Seconds for which the button is down, and how often."""


@dataclass
class _Over:
    """An event that waits for an answer to begin; then for `at_s`."""

    event: ScriptEvent
    at_s: float | None = None


class World:
    """Plays a script; `watch` hears what the headband tells, `go_on` is to be a task."""

    def __init__(
        self,
        script: Script,
        board: EmulatedBoard,
        tell: Callable[[str], None],
        power: Callable[[bool], None] = lambda on: None,
    ) -> None:
        """`tell` hears the script's headings, `power` whenever the headband loses or gets its power."""
        self.board = board
        self.headband: Headband | None = None
        """Who wears the board's devices; None while it has no power."""
        self.over = asyncio.Event()
        """The day has ended."""
        self.unlived: list[ScriptEvent] = []
        """What could not happen, once the day is over."""
        self._script = script
        self._events = list(script.events)
        self._armed: list[_Over] = []
        self._tell, self._power = tell, power
        self._end_s = script.end_s
        self._sounding = False
        self._powers_until_s = 0.0
        self._cut: Callable[[], object] = lambda: None

    @property
    def now_s(self) -> float:
        """Seconds of the day: of sound in the room so far."""
        return self.board.microphone.position_s

    def set_up(self) -> None:
        """What the script shows from second 0 on is there before the headband looks."""
        first = takewhile(lambda e: e.at_s is not None and e.at_s <= 0 and not e.say, tuple(self._events))
        for event in first:
            self._events.remove(event)
            self._act(event)

    def watch(self, event: str, fields: dict[str, Any]) -> None:
        """An observer of the headband: notes when an answer begins to sound."""
        if event == "transition" and fields["region"] == INTERACTION and fields["to"]:
            self._sounding = self._sounding and fields["to"] in ANSWERING
        elif event == "speaking" and not self._sounding:
            self._sounding = True
            for each in self._armed:
                if each.at_s is None:
                    each.at_s = self.now_s + (each.event.into_answer_s or 0.0)

    def step(self, now_s: float) -> None:
        """Does what is due at `now_s` seconds of the sound in the room."""
        self.board.pmu.catch_up()
        due = [each for each in self._armed if each.at_s is not None and each.at_s <= now_s]
        for each in due:
            self._armed.remove(each)
            self._act(each.event)
        self._next_events(now_s)
        answering = self._answering
        started = any(each.at_s is not None for each in self._armed)
        if now_s >= self._end_s and not started and not (answering and self._events + self._armed):
            self._end()

    def on_sound(self, _: float) -> None:
        """The headband heard something."""
        self.step(self.now_s)

    async def go_on(self) -> None:
        """Lets the world go on while the headband hears nothing; never returns."""
        while True:
            await self.board.clock.sleep(_LOOK_S)
            if self.board.microphone.deaf:
                self.board.microphone.skip_elapsed()
                self.step(self.now_s)
            if self.headband is not None and not self._has_power():
                self._cut()

    async def live(self, headband: Headband) -> None:
        """Runs the headband until it ends, or at once when its power is cut."""
        self.headband = headband
        running = asyncio.create_task(headband.run())
        self._cut = running.cancel
        try:
            await asyncio.wait([running])
        finally:
            running.cancel()
            await asyncio.wait([running])
            self.headband, self._sounding = None, False
        if not running.cancelled():
            running.result()

    async def powered_again(self) -> bool:
        """Lives on while the headband is off; True once it has power again and has booted, False when the day
        is over before, or nothing in it gives power.
        """
        clock = self.board.clock
        self.board.microphone.asleep = True
        dropped_by_s = clock.monotonic() + _DROP_S
        while self._has_power() and clock.monotonic() < dropped_by_s:
            await clock.sleep(_LOOK_S)
        if self._has_power():
            return False
        self._power(False)
        while not self.over.is_set() and (self._has_power() or self._may_wake):
            if self._has_power():
                self._power(True)
                await clock.sleep(BOOT_S)
                if self._has_power():
                    return not self.over.is_set()
                self._power(False)
            await clock.sleep(_LOOK_S)
        self.unlived = self.unlived or [*self._events, *(each.event for each in self._armed)]
        return False

    def _has_power(self) -> bool:
        return self.board.pmu.lines.rail_on

    @property
    def _answering(self) -> bool:
        return self.headband is not None and self.headband.machine.interaction in ANSWERING

    @property
    def _may_wake(self) -> bool:
        soon = self.now_s < self._powers_until_s
        return soon or self.board.pmu.cell.powered or any(event.powers for event in self._events)

    def _next_events(self, now_s: float) -> None:
        while self._events:
            event = self._events[0]
            if event.at_s is None:
                self._armed.append(_Over(self._events.pop(0)))
                continue
            if event.at_s > now_s or (event.say and self._answering):
                return
            if event.say:
                self._end_s = self._script.end_s + now_s - event.at_s
            self._act(self._events.pop(0))

    def _end(self) -> None:
        if not self.over.is_set():
            self.over.set()
            self.unlived = [*self._events, *(each.event for each in self._armed)]
            if self.headband is not None:
                self.headband.stop(SCRIPT_OVER)
        if self.headband is not None and self.board.microphone.asleep:
            self.board.wake.set(True)  # somebody taps on it

    def _act(self, event: ScriptEvent) -> None:
        board = self.board
        if event.powers:
            self._powers_until_s = self.now_s + _RISE_S
        if event.note:
            self._tell(event.note)
        if event.battery is not None or event.charging is not None:
            percent = board.pmu.firmware.gauge.percent if event.battery is None else event.battery
            charging = board.pmu.cell.powered if event.charging is None else event.charging
            board.set_battery(percent, charging=charging)
            if self.headband is not None:
                self.headband.expect_power_change()
        if event.image is not None:
            board.camera.show(event.image)
        if event.button is not None:
            board.pmu.press(*_PRESSES[event.button])
        if event.recording_switch is not None:
            board.recording_off.set(event.recording_switch == "off")
        for device, state in ((board.microphone, event.microphone), (board.camera, event.camera)):
            if state is not None:
                (device.plug_in if state == "plugged" else device.unplug)()
        if event.pmu is not None:
            board.bus.inject(Fault.NAK if event.pmu == "silent" else None)
        for clip in event.say:
            board.microphone.say(clip)
