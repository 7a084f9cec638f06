"""The world around an emulated headband: carries out a day script on its board as time passes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from host.app.day_script import Press, Script, ScriptEvent
from host.app.headband import Headband
from host.app.narrator import SCRIPT_OVER
from host.session.state import ANSWERING
from host.states import INTERACTION
from hw.emulated.board import EmulatedBoard
from hw.emulated.bus import Fault

BOOT_S = 15.0
"""From power-on to a running program; an estimate for Debian on an eMMC."""
_LOOK_S = 0.1
"""Period of the script's clock while the headband reads no sound."""
_DROP_S = 25.0
"""Longest time until a headband that has switched off loses its power, if it does."""
_RISE_S = 20.0
"""Longest time from an event that may restore power until the power is on."""
_PRESSES: dict[Press, tuple[float, int]] = {
    "press": (0.1, 1),
    "double": (0.1, 2),
    "long": (2.2, 1),
    "hold": (10.2, 1),
}
"""Press -> seconds for which the button is down, and number of presses."""


@dataclass
class _DuringAnswer:
    """An event during an answer; `at_s` is set when the answer begins."""

    event: ScriptEvent
    at_s: float | None = None


class ScriptedWorld:
    """Carries out a script. Register `observe` as an observer of the headband, and run `pass_unheard_time` as
    a task.
    """

    def __init__(
        self,
        script: Script,
        board: EmulatedBoard,
        heading: Callable[[str], None],
        power: Callable[[bool], None] = lambda on: None,
    ) -> None:
        """`heading` gets the script's notes; `power` is called when the headband gets (True) or
        loses power.
        """
        self.board = board
        self.headband: Headband | None = None
        """The running headband; None while it has no power."""
        self.over = asyncio.Event()
        """Set when the day has ended."""
        self.skipped_events: list[ScriptEvent] = []
        """Events that did not happen; set at the end of the day."""
        self._script = script
        self._events = list(script.events)
        self._during_answer: list[_DuringAnswer] = []
        self._heading, self._power = heading, power
        self._end_s = script.end_s
        self._answer_sounds = False
        self._power_possible_until_s = 0.0
        self._cut_power: Callable[[], object] = lambda: None

    @property
    def now_s(self) -> float:
        """Time of day in seconds: the length of the sound so far."""
        return self.board.microphone.position_s

    def set_up(self) -> None:
        """Carries out the events of second 0 before the headband starts."""
        first = takewhile(lambda e: e.at_s is not None and e.at_s <= 0 and not e.say, tuple(self._events))
        for event in first:
            self._events.remove(event)
            self._carry_out(event)

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """An observer of the headband that finds out when an answer begins to sound."""
        if event == "transition" and fields["region"] == INTERACTION and fields["to"]:
            self._answer_sounds = self._answer_sounds and fields["to"] in ANSWERING
        elif event == "speaking" and not self._answer_sounds:
            self._answer_sounds = True
            for each in self._during_answer:
                if each.at_s is None:
                    each.at_s = self.now_s + (each.event.into_answer_s or 0.0)

    def step(self, now_s: float) -> None:
        """Carries out the events that are due at `now_s`."""
        self.board.pmu.catch_up()
        due = [each for each in self._during_answer if each.at_s is not None and each.at_s <= now_s]
        for each in due:
            self._during_answer.remove(each)
            self._carry_out(each.event)
        self._next_events(now_s)
        answering = self._answering
        started = any(each.at_s is not None for each in self._during_answer)
        if now_s >= self._end_s and not started and not (answering and self._events + self._during_answer):
            self._end()

    def on_sound(self, _: float) -> None:
        """Call it after each chunk of sound that the headband has read."""
        self.step(self.now_s)

    async def pass_unheard_time(self) -> None:
        """Lets time pass while the headband reads no sound. Never returns."""
        while True:
            await self.board.clock.sleep(_LOOK_S)
            if self.board.microphone.deaf:
                self.board.microphone.skip_elapsed()
                self.step(self.now_s)
            if self.headband is not None and not self._has_power():
                self._cut_power()

    async def run_headband(self, headband: Headband) -> None:
        """Runs the headband until it ends or its power is cut."""
        self.headband = headband
        running = asyncio.create_task(headband.run())
        self._cut_power = running.cancel
        try:
            await asyncio.wait([running])
        finally:
            running.cancel()
            await asyncio.wait([running])
            self.headband, self._answer_sounds = None, False
        if not running.cancelled():
            running.result()

    async def wait_for_power(self) -> bool:
        """Lets time pass while the headband is off. Returns True when it has power again and has booted,
        False when the day is over or no event can restore power.
        """
        clock = self.board.clock
        self.board.microphone.asleep = True
        dropped_by_s = clock.monotonic() + _DROP_S
        while self._has_power() and clock.monotonic() < dropped_by_s:
            await clock.sleep(_LOOK_S)
        if self._has_power():
            return False
        self._power(False)
        while not self.over.is_set() and (self._has_power() or self._power_may_return):
            if self._has_power():
                self._power(True)
                await clock.sleep(BOOT_S)
                if self._has_power():
                    return not self.over.is_set()
                self._power(False)
            await clock.sleep(_LOOK_S)
        self.skipped_events = self.skipped_events or [
            *self._events,
            *(each.event for each in self._during_answer),
        ]
        return False

    def _has_power(self) -> bool:
        return self.board.pmu.lines.rail_on

    @property
    def _answering(self) -> bool:
        return self.headband is not None and self.headband.state.interaction in ANSWERING

    @property
    def _power_may_return(self) -> bool:
        soon = self.now_s < self._power_possible_until_s
        return soon or self.board.pmu.cell.powered or any(event.may_restore_power for event in self._events)

    def _next_events(self, now_s: float) -> None:
        while self._events:
            event = self._events[0]
            if event.at_s is None:
                self._during_answer.append(_DuringAnswer(self._events.pop(0)))
                continue
            if event.at_s > now_s or (event.say and self._answering):
                return
            if event.say:
                self._end_s = self._script.end_s + now_s - event.at_s
            self._carry_out(self._events.pop(0))

    def _end(self) -> None:
        if not self.over.is_set():
            self.over.set()
            self.skipped_events = [*self._events, *(each.event for each in self._during_answer)]
            if self.headband is not None:
                self.headband.stop(SCRIPT_OVER)
        if self.headband is not None and self.board.microphone.asleep:
            self.board.wake.set(True)  # a touch wakes it

    def _carry_out(self, event: ScriptEvent) -> None:
        board = self.board
        if event.may_restore_power:
            self._power_possible_until_s = self.now_s + _RISE_S
        if event.note:
            self._heading(event.note)
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
