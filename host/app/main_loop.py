"""The main loop: processes the microphone chunk by chunk, and serves everything else between two chunks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from host.energy.power_loop import PowerLoop
from host.hearing.endpointer import Endpointer, SpeechEvent
from host.hearing.own_voice_removed import EchoFreeChunk
from host.observe.timeline import seconds_since_launch
from host.session.parts import Parts, Turn
from host.system.device_faults import DeviceHealth
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from host.turn.conversation import Conversation
from host.turn.interruptible import InterruptibleAnswer
from host.wearer.button import ButtonRequests
from host.wearer.recording_switch import RecordingSwitch
from host.wearer.timer_announcer import QUIET, TimerAnnouncer
from hw.device import DeviceError, Microphone
from models.process.rss import unmap_idle_code

DEAF_STEP_S = 0.1
"""Period of the main loop while nothing is recorded, seconds."""
DEAF = "I cannot hear anything, because the microphone does not answer."


@dataclass(kw_only=True)
class Loop:
    """The main loop of one headband. Call `ask` once, or `run` until stopped."""

    parts: Parts
    microphone: Microphone
    hearing: DeviceHealth
    """Health of the microphone."""
    cutter: Endpointer
    talk: Conversation
    duplex: InterruptibleAnswer
    nap: Suspender
    upkeep: PowerLoop
    guard: WatchdogClient
    recording: RecordingSwitch
    wishes: ButtonRequests
    rings: TimerAnnouncer
    on_chunk: Callable[[float], None]
    """Called after each chunk with the seconds of sound heard so far."""
    _stopped: bool = field(default=False, init=False)
    _deaf_s: float = field(default=0.0, init=False)

    def stop(self, cause: str) -> None:
        """Makes `run` end after the current chunk or turn."""
        self._stopped = True
        self.parts.machine.interact("stop", cause)

    def over(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped

    async def ask(self) -> Turn:
        """Listens to one question, as after a press of the button, and answers it."""
        self.talk.listen()
        async for pcm in self.microphone:
            cut = self.cutter.feed(pcm)
            if cut is not None and cut.kind in ("utterance", "timeout"):
                return await self.talk.answer(cut)
            await self.talk.read(cut)
        return await self.talk.answer(SpeechEvent("timeout"))

    async def run(self) -> None:
        """Listens and answers until the stream ends or `stop` is called."""
        try:
            await self._listen_and_answer()
            await self.duplex.settle()
        finally:
            await self.duplex.close()

    async def overhear(self) -> bool:
        """Processes one chunk during an announcement; returns False if the microphone delivers nothing."""
        if self.hearing.broken or self.over():
            return False
        try:
            pcm = await anext(aiter(self.microphone))
        except (DeviceError, StopAsyncIteration):
            return False  # the next read of the microphone reports it
        self._heard_beside(self.duplex.ear.hear(pcm, self.parts.clock.monotonic()))
        return True

    async def _listen_and_answer(self) -> None:
        announced = announced_off = False
        while not self.over():
            try:
                if not self.recording.on:
                    if not announced_off:
                        announced_off = True
                        self.parts.observe("recording_off", {})
                    await self._without_recording()
                    continue
                async for pcm in self.microphone:
                    self.hearing.works()
                    if self.nap.asleep:
                        await self._wake_up()
                    if not announced:
                        announced = True
                        unmap_idle_code()
                        self.parts.observe("listening", {"after_s": seconds_since_launch()})
                    sounding = self.duplex.ear.hear(pcm, self.parts.clock.monotonic())
                    if self.duplex.answering:
                        self._heard_beside(sounding)
                        continue
                    self.guard.made_progress()
                    if self.duplex.word_sounds(sounding):
                        self.talk.open_over_answer()
                    await self.talk.hear(self.cutter.feed(sounding.pcm))
                    self.on_chunk(self.cutter.now_s)
                    await self._serve()
                    if self._quiet():
                        await self.upkeep.poll(self._passed_s())
                    if self.over() or not self.recording.on:
                        break
                    await self._rest()
                else:
                    return
            except DeviceError as error:
                if not self.recording.on:
                    continue  # expected: the recording switch closed the microphone
                news = self.hearing.failed(str(error))
                self.guard.made_progress()  # the loop makes progress without a microphone
                await self.duplex.settle()
                await self._serve()
                if self.over():
                    return
                if news:
                    await self.talk.announce(DEAF)
                await self.parts.clock.sleep(self.hearing.pause_s)
                await self.upkeep.update()

    def _heard_beside(self, sounding: EchoFreeChunk) -> None:
        """Processes a chunk while the headband speaks."""
        self.cutter.remember(sounding.pcm)
        self.duplex.overhear(sounding)
        self.on_chunk(self.cutter.now_s)

    async def _without_recording(self) -> None:
        """One step of the loop while recording is off: nothing is heard or seen, everything else is
        served.
        """
        self.guard.made_progress()
        if self.nap.asleep:
            with contextlib.suppress(DeviceError):
                await anext(aiter(self.microphone))  # the sleep itself
            await self._wake_up()
        else:
            await self.parts.clock.sleep(DEAF_STEP_S)
            self._deaf_s += DEAF_STEP_S
        await self._serve()
        if self.duplex.answering:
            return
        if self._quiet():
            await self.upkeep.poll(self._passed_s())
        if not self.over():
            await self._rest()

    def _passed_s(self) -> float:
        """Seconds of sound heard, plus seconds without recording."""
        return self.cutter.now_s + self._deaf_s

    async def _serve(self) -> None:
        await self.recording.serve()
        await self.wishes.serve()
        await self.rings.serve()

    async def _rest(self) -> None:
        """Lets the computer sleep if the plan says so and nothing has been in progress for a while."""
        plan = self.parts.plan
        if not plan.suspend_between_events or self.parts.machine.interaction != "standby" or self.talk.tones:
            self.nap.restart_quiet_time()
        elif await self.nap.begin(plan.sleep_within_s):
            await self.upkeep.rest()
            self.parts.observe("asleep", {})

    async def _wake_up(self) -> None:
        self.parts.observe("awake", {"slept_s": self.nap.end()})
        self.upkeep.watch()
        await self.upkeep.update()

    def _quiet(self) -> bool:
        return self.parts.machine.interaction in QUIET
