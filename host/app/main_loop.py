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
    """The main loop of one headband: `ask` once or `run` until stopped."""

    parts: Parts
    microphone: Microphone
    microphone_health: DeviceHealth
    """Health of the microphone."""
    endpointer: Endpointer
    conversation: Conversation
    interruptible_answer: InterruptibleAnswer
    suspender: Suspender
    power_loop: PowerLoop
    guard: WatchdogClient
    recording: RecordingSwitch
    button_requests: ButtonRequests
    timer_announcer: TimerAnnouncer
    on_chunk: Callable[[float], None]
    """Called after each chunk with the seconds of sound heard so far."""
    _stopped: bool = field(default=False, init=False)
    _deaf_s: float = field(default=0.0, init=False)

    def stop(self, cause: str) -> None:
        """Makes `run` end after the current chunk or turn."""
        self._stopped = True
        self.parts.machine.interact("stop", cause)

    def stopped(self) -> bool:
        """True after `stop`."""
        return self._stopped

    async def ask(self) -> Turn:
        """Answers one question, as if the button had been pressed."""
        self.conversation.listen()
        async for pcm in self.microphone:
            event = self.endpointer.feed(pcm)
            if event is not None and event.kind in ("utterance", "timeout"):
                return await self.conversation.answer(event)
            await self.conversation.transcribe_early(event)
        return await self.conversation.answer(SpeechEvent("timeout"))

    async def run(self) -> None:
        """Listens and answers until the stream ends or `stop` is called."""
        try:
            await self._listen_and_answer()
            await self.interruptible_answer.wait_until_idle()
        finally:
            await self.interruptible_answer.close()

    async def hear_chunk(self) -> bool:
        """Processes one more chunk during an announcement; returns False when nothing can be heard."""
        if self.microphone_health.broken or self.stopped():
            return False
        try:
            pcm = await anext(aiter(self.microphone))
        except (DeviceError, StopAsyncIteration):
            return False  # the next read of the microphone raises it again
        self._hear_over_answer(
            self.interruptible_answer.own_voice_remover.hear(pcm, self.parts.clock.monotonic())
        )
        return True

    async def _listen_and_answer(self) -> None:
        announced = announced_off = False
        while not self.stopped():
            try:
                if not self.recording.on:
                    if not announced_off:
                        announced_off = True
                        self.parts.observe("recording_off", {})
                    await self._without_recording()
                    continue
                async for pcm in self.microphone:
                    self.microphone_health.works()
                    if self.suspender.asleep:
                        await self._wake_up()
                    if not announced:
                        announced = True
                        unmap_idle_code()
                        self.parts.observe("listening", {"after_s": seconds_since_launch()})
                    chunk = self.interruptible_answer.own_voice_remover.hear(
                        pcm, self.parts.clock.monotonic()
                    )
                    if self.interruptible_answer.answering:
                        self._hear_over_answer(chunk)
                        continue
                    self.guard.made_progress()
                    if self.interruptible_answer.wake_word_continues(chunk):
                        self.conversation.open_at_wake_word()
                    await self.conversation.hear(self.endpointer.feed(chunk.pcm))
                    self.on_chunk(self.endpointer.now_s)
                    await self._serve()
                    if self._quiet():
                        await self.power_loop.poll(self._passed_s())
                    if self.stopped() or not self.recording.on:
                        break
                    await self._rest()
                else:
                    return
            except DeviceError as error:
                if not self.recording.on:
                    continue  # expected: the recording switch closed the microphone
                news = self.microphone_health.failed(str(error))
                self.guard.made_progress()  # the loop makes progress without a microphone
                await self.interruptible_answer.wait_until_idle()
                await self._serve()
                if self.stopped():
                    return
                if news:
                    await self.conversation.announce(DEAF)
                await self.parts.clock.sleep(self.microphone_health.pause_s)
                await self.power_loop.update()

    def _hear_over_answer(self, chunk: EchoFreeChunk) -> None:
        """Processes a chunk while an answer or announcement is played."""
        self.endpointer.remember(chunk.pcm)
        self.interruptible_answer.feed(chunk)
        self.on_chunk(self.endpointer.now_s)

    async def _without_recording(self) -> None:
        """One step of the loop while recording is off: nothing is heard or seen, all else is served."""
        self.guard.made_progress()
        if self.suspender.asleep:
            with contextlib.suppress(DeviceError):
                await anext(aiter(self.microphone))  # the sleep itself
            await self._wake_up()
        else:
            await self.parts.clock.sleep(DEAF_STEP_S)
            self._deaf_s += DEAF_STEP_S
        await self._serve()
        if self.interruptible_answer.answering:
            return
        if self._quiet():
            await self.power_loop.poll(self._passed_s())
        if not self.stopped():
            await self._rest()

    def _passed_s(self) -> float:
        """Seconds of sound heard, plus seconds without recording."""
        return self.endpointer.now_s + self._deaf_s

    async def _serve(self) -> None:
        await self.recording.serve()
        await self.button_requests.serve()
        await self.timer_announcer.serve()

    async def _rest(self) -> None:
        """Lets the computer sleep if the plan says so and nothing has been in progress for a while."""
        plan = self.parts.plan
        if (
            not plan.suspend_between_events
            or self.parts.machine.interaction != "standby"
            or self.conversation.tones
        ):
            self.suspender.restart_quiet_time()
        elif await self.suspender.begin(plan.sleep_within_s):
            await self.power_loop.rest()
            self.parts.observe("asleep", {})

    async def _wake_up(self) -> None:
        self.parts.observe("awake", {"slept_s": self.suspender.end()})
        self.power_loop.watch()
        await self.power_loop.update()

    def _quiet(self) -> bool:
        return self.parts.machine.interaction in QUIET
