"""The main loop: processes the microphone chunk by chunk, and polls every other source between two chunks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from host.energy.power_manager import PowerManager
from host.event_queue import EventQueue, Performs
from host.observe.observer import Observer
from host.observe.timeline import seconds_since_launch
from host.session import actions, events
from host.session.state import State
from host.system.device_faults import DeviceHealth
from host.system.reminder import Reminder
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from host.turn.answering import Answering
from host.turn.listening import Listening
from host.turn.turn import Turn
from host.wearer.recording_switch import RecordingSwitch
from host.wearer.settings_store import SettingsStore
from hw.device import Clock, DeviceError, Microphone
from models.process.rss import trim_heap, unmap_idle_code

DEAF_STEP_S = 0.1
"""Period of the main loop while nothing is recorded or it waits for work, seconds."""
SWITCHED_OFF = "The question was not answered, because recording was switched off."
"""Why `ask` has no turn."""


@dataclass(kw_only=True)
class MainLoop:
    """The main loop of one headband: `ask` once or `run` until stopped."""

    queue: EventQueue
    microphone: Microphone
    microphone_health: DeviceHealth
    listening: Listening
    answering: Answering
    suspender: Suspender
    power_manager: PowerManager
    guard: WatchdogClient
    recording: RecordingSwitch
    settings: SettingsStore
    reminder: Reminder
    clock: Clock
    live: bool
    """Sound comes in real time and is gone if nobody reads it; otherwise the next chunk waits for the end of
    an answer.
    """
    interruptible: bool
    """The speaker plays in real time and interruptions are switched on, so the microphone is heard during
    answers; otherwise what it records meanwhile is read and dropped.
    """
    observe: Observer
    on_chunk: Callable[[float], None]
    """Called after each chunk with the seconds of sound heard so far."""
    _deaf_s: float = field(default=0.0, init=False)
    _announced_off: bool = field(default=False, init=False)

    @property
    def performs(self) -> Performs:
        """Action -> method. The loop ends by the session's state."""
        return {actions.End: self._end}

    def stop(self, cause: str) -> None:
        """Makes `run` end after the current chunk or turn."""
        self.queue.post(events.StopAsked(cause))

    async def ask(self) -> Turn:
        """Answers one question, as if the button had been pressed, after what has to be announced. Raises
        `DeviceError` when recording goes off before there is an answer.
        """
        await self._wait_until(_idle)
        before = self.answering.last_turn
        self.queue.post(events.QuestionOpened("the button was pressed"))
        async for pcm in self.microphone:
            self.listening.hear(pcm)
            if self._listening():
                await self._wait_for_work()
                await self.recording.poll()
            if not self._listening():
                break
        else:
            self.queue.post(events.NothingSaid())
        await self._wait_until(_idle)
        turn = self.answering.last_turn
        if turn is None or turn is before or (turn.ended_s is None and not self._recording()):
            raise DeviceError(SWITCHED_OFF)
        return turn

    async def run(self) -> None:
        """Listens and answers until the stream ends or the session is to stop."""
        await self._listen_and_answer()
        await self._wait_until(_idle)

    async def _listen_and_answer(self) -> None:
        announced = False
        while not self._stopping():
            try:
                if not self._recording():
                    await self._without_recording()
                    continue
                await self.recording.applied()
                async for pcm in self.microphone:
                    self.microphone_health.works()
                    self._awake()
                    if not announced:
                        announced = True
                        trim_heap()
                        unmap_idle_code()
                        self.observe("listening", {"after_s": seconds_since_launch()})
                    if self.queue.state.speech is None:
                        self.guard.made_progress()  # an answer makes progress of its own
                    if self.interruptible or _silent(self.queue.state):
                        self.listening.hear(pcm)
                    await self._wait_for_work()
                    self.on_chunk(self.listening.heard_s)
                    await self._poll()
                    if self._stopping() or not self._recording():
                        break
                else:
                    return
            except DeviceError as error:
                if self._recording():  # otherwise the recording switch closed the microphone
                    await self._without_microphone(str(error))

    def _awake(self) -> None:
        """Ends a sleep, which was the last thing that the microphone was asked for."""
        if self.suspender.asleep:
            self.suspender.end()
            self.listening.stream_restarts()

    async def _without_microphone(self, problem: str) -> None:
        """One pause before the microphone is tried again; all else is served. If the computer is to sleep
        meanwhile, it does so at once.
        """
        self._awake()
        self.listening.stream_restarts()
        if self.microphone_health.failed(problem):
            self.queue.post(events.MicrophoneFailed())
        end_s = self.clock.monotonic() + self.microphone_health.pause_s
        while self.clock.monotonic() < end_s and not self._stopping() and not self.suspender.asleep:
            self._give_up_question()
            self.guard.made_progress()  # the loop makes progress without a microphone
            await self.clock.sleep(min(DEAF_STEP_S, end_s - self.clock.monotonic()))
            self._deaf_s += DEAF_STEP_S
            await self._wait_for_work()
            await self._poll()

    def _give_up_question(self) -> None:
        """Nobody hears a question that is asked without a microphone, by the button or as a follow-up: it
        would have no end, and nothing else would begin meanwhile.
        """
        if self._listening():
            self.queue.post(events.MicrophoneFailed())
        elif self.queue.state.interaction == "follow_up":
            self.queue.post(events.NothingSaid())

    async def _without_recording(self) -> None:
        """One step of the loop while recording is off: nothing is heard or seen, all else is served."""
        self.listening.stream_restarts()
        if not self._announced_off:
            self._announced_off = True
            self.observe("recording_off", {})
        self.guard.made_progress()
        if self.suspender.asleep:
            with contextlib.suppress(DeviceError):
                await anext(aiter(self.microphone))  # the sleep itself
            self.suspender.end()
        else:
            await self.clock.sleep(DEAF_STEP_S)
            self._deaf_s += DEAF_STEP_S
        await self._wait_for_work()
        await self._poll()

    async def _wait_for_work(self) -> None:
        """Returns when the next chunk may be read: at once in real time, unless the plan changes or the
        computer falls asleep; otherwise when nothing is under way that the chunk would overtake.
        """
        await self._wait_until(_ready if self.live else _settled)

    async def _wait_until(self, holds: Callable[[State], bool]) -> None:
        """Returns when `holds` is true of the state. Meanwhile the recording switch and the command line are
        obeyed, and timers are told of; not while the computer falls asleep, which asks the switch itself.
        """
        self.queue.check()
        while not holds(self.queue.state):
            waits = asyncio.create_task(self.queue.until(holds))
            sleeps = asyncio.create_task(self.clock.sleep(DEAF_STEP_S))
            try:
                await asyncio.wait((waits, sleeps), return_when=asyncio.FIRST_COMPLETED)
            finally:
                waits.cancel()
                sleeps.cancel()
            if waits.done():
                waits.result()
            elif self.queue.state.falling_asleep is None:
                await self.recording.poll()
                self.settings.poll()

    async def _poll(self) -> None:
        """Lets every source look for news."""
        await self.recording.poll()
        self.settings.poll()
        self.reminder.poll()
        if self.queue.state.quiet:
            await self.power_manager.poll(self.listening.heard_s + self._deaf_s)
        await self._wait_for_work()

    def _listening(self) -> bool:
        return self.queue.state.interaction == "listening"

    def _recording(self) -> bool:
        return self.queue.state.recording

    def _stopping(self) -> bool:
        return self.queue.state.interaction == "stopping"

    def _end(self, action: actions.End) -> None:
        """`_listen_and_answer` sees that the session is stopping."""


def _ready(state: State) -> bool:
    return state.applying is None and state.falling_asleep is None


def _silent(state: State) -> bool:
    return state.speech is None and not state.cancelled


def _idle(state: State) -> bool:
    return _silent(state) and _ready(state)


def _settled(state: State) -> bool:
    return _idle(state) and not state.trying
