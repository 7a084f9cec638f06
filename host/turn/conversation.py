"""The course of a conversation: wake word, question, answer, follow-up; and announcements."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK, Endpointer, Pcm, RecordedQuestion, SpeechEvent
from host.observe.journal import Journal
from host.session.parts import Parts, Turn
from host.turn.early_look import EarlyLook
from host.turn.early_transcript import EarlyTranscript
from host.turn.interruptible import InterruptibleAnswer
from host.turn.steps import announce as speak_announcement
from host.turn.steps import play_earcon, take_turn
from host.wearer.timer_announcer import TimerAnnouncer
from hw.device import MICROPHONE_RATE_HZ, LightPattern
from power.account.ledger import Spent
from power.policy.plan import Mode


class Conversation:
    """Questions one after the other, and announcements between them. Call `connect` before use."""

    interruptible_answer: InterruptibleAnswer
    timer_announcer: TimerAnnouncer

    def __init__(
        self,
        parts: Parts,
        endpointer: Endpointer,
        config: ListenConfig,
        journal: Journal,
        *,
        note_presence: Callable[[], None],
        update_power: Callable[[], Awaitable[None]],
        spent: Callable[[float], Awaitable[Spent | None]],
        stopping: Callable[[], bool],
        hear_chunk: Callable[[], Awaitable[bool]],
    ) -> None:
        """`note_presence` is called when the wearer wakes the headband; `update_power` between turns; `spent`
        returns the energy since the wake word; `stopping` is true when the headband is to stop; `hear_chunk`
        processes one more chunk of sound during an announcement and returns False when nothing can be heard.
        """
        self._parts, self._endpointer, self._config, self._journal = parts, endpointer, config, journal
        self._note_presence, self._update_power, self._spent = note_presence, update_power, spent
        self._stopping, self._hear_chunk = stopping, hear_chunk
        self._early_look: EarlyLook | None = None
        self._early_transcript: EarlyTranscript | None = None
        self._question_pcm: Pcm = np.zeros(0, np.int16)
        """The present question, int16 [n] at 16 kHz."""
        self.tones: set[asyncio.Task[None]] = set()
        """Earcons that are being played."""

    def connect(self, interruptible_answer: InterruptibleAnswer, timer_announcer: TimerAnnouncer) -> None:
        """Sets the objects that this one calls and that call it."""
        self.interruptible_answer, self.timer_announcer = interruptible_answer, timer_announcer

    async def hear(self, event: SpeechEvent | None) -> None:
        """Acts on what the endpointer found in a chunk."""
        if event is None:
            return
        if event.kind not in ("woken", "timeout") and self._parts.machine.interaction == "follow_up":
            # The question may have begun during the answer.
            self._woken("the wearer spoke on without the wake word")
        if event.kind == "woken":
            self.timer_announcer.acknowledge()
            self._woken("the wake word was heard")
        elif event.kind in ("pause", "resumed", "unit"):
            await self.transcribe_early(event)
        elif event.kind == "utterance" or (
            event.kind == "timeout" and self._parts.machine.interaction == "listening"
        ):
            if self.interruptible_answer.possible:
                self.interruptible_answer.begin(self.answer(event))
            else:
                await self.answer(event)
        elif event.kind == "timeout":
            self._parts.machine.interact("closed", "nobody asked on")
            self._parts.light.set(LightPattern.STANDBY)
            self._tone("closed")

    async def transcribe_early(self, event: SpeechEvent | None) -> None:
        """At a pause or a unit of speech, starts an early transcript; cancels it when speech goes on."""
        if event is None or self._early_transcript is None:
            return
        if event.kind == "pause" and event.heard is not None:
            self._early_transcript.attempt(event.heard)
            if self._parts.speaker.loopback is None:
                await self._early_transcript.settled()  # sound is fed faster than real time
        elif event.kind == "resumed":
            self._early_transcript.drop()
        elif event.kind == "unit" and event.heard is not None:
            self._early_transcript.unit(event.heard)

    def listen(self) -> None:
        """Begins a question without the wake word."""
        self._endpointer.open()
        self._woken("the button was pressed")

    def _woken(self, cause: str, *, event: Literal["woken", "resumed"] = "woken", tone: bool = True) -> None:
        if not self._parts.machine.interact(event, cause):
            return
        self._note_presence()
        self._parts.light.set(LightPattern.LISTENING)
        if self._parts.plan.residency != "one_at_a_time" or self._parts.plan.prefetch:
            self._parts.bricks.prepare("stt")  # otherwise `EarlyLook` runs first
        if tone:
            self._tone("woken")
        self._early_look = self._early_look or EarlyLook(self._parts)
        self._early_transcript = self._early_transcript or EarlyTranscript(
            self._parts, self._endpointer.judge, self._early_look.yield_to_recogniser
        )
        self._parts.observe("woken", {"cause": cause, "mode": self._parts.plan.mode.value})

    def open_at_wake_word(self) -> None:
        """Begins an utterance whose first sound is the rest of the wake word."""
        listen = self._config
        self._endpointer.open(pre_roll_s=listen.pre_roll_s, tail_s=listen.wake_tail_s)

    def resume_question(self, since: Sequence[Pcm]) -> None:
        """Goes on with the last question, which was not over. `since`: chunks, int16 [512], after its
        endpoint.
        """
        earlier = self._question_pcm[len(self._question_pcm) % CHUNK :]
        self._endpointer.open(spoken=[*earlier.reshape(-1, CHUNK), *since])
        self._woken("the wearer went on with the question", event="resumed", tone=False)

    def woken_over_answer(self) -> None:
        """Begins a question after the wake word silenced an answer."""
        self.open_at_wake_word()
        self._woken("the wake word was heard over the answer")

    async def answer(self, event: SpeechEvent) -> Turn:
        """Runs the turn of an utterance to its end."""
        await self.interruptible_answer.wait_for_previous()
        self._parts.silenced = False
        heard = event.heard or RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)
        self._parts.machine.interact(
            "utterance", "the utterance ended" if event.heard else "nothing was said"
        )
        self._parts.light.set(LightPattern.THINKING)
        self._question_pcm = heard.pcm
        self._parts.observe("heard", {"seconds": round(len(heard.pcm) / MICROPHONE_RATE_HZ, 2)})
        early_look, self._early_look = self._early_look or EarlyLook(self._parts), None
        early_transcript = self._early_transcript or EarlyTranscript(
            self._parts, self._endpointer.judge, early_look.yield_to_recogniser
        )
        self._early_transcript = None
        unanswered = Turn(heard, self._parts.timeline.clock(), self._parts.plan)
        turn = await self.interruptible_answer.run_turn(
            take_turn(heard, early_look, early_transcript, self._parts), unanswered
        )
        if turn.decision.route != "unclear":
            self.timer_announcer.acknowledge()
        silenced = self._parts.silenced or turn.decision.intent == "stop"
        if self.interruptible_answer.interruption != "rest of the question":  # then the turn continues
            turn = replace(turn, spent=await self._spent(turn.started_s))
        if not self._superseded():
            await self._release_bricks(self._superseded)
        self._journal.write(
            "turn",
            route=turn.decision.route,
            mode=turn.plan.mode.value,
            reason=turn.plan.reason,
            failure=turn.failure,
            silenced=silenced,
            response_ms=None if turn.response_s is None else round(turn.response_s * 1000, 1),
            energy_mwh=None if turn.spent is None else round(turn.spent.total_mwh, 4),
            energy_kind=None if turn.spent is None else turn.spent.kind,
        )
        self._parts.observe("turn", {"turn": turn})
        if not self._superseded():
            await self._finish_turn(turn)
        return turn

    def _superseded(self) -> bool:
        """True when another question replaces the present answer: the wake word came, or the question went
        on.
        """
        return self.interruptible_answer.interruption in ("wake word", "rest of the question")

    async def _release_bricks(self, wanted: Callable[[], bool] = lambda: False) -> None:
        """With room for one brick only, releases all bricks unless `wanted` becomes true meanwhile."""
        if self._parts.plan.residency == "one_at_a_time":
            await self._parts.bricks.release_all(wanted)

    async def _finish_turn(self, turn: Turn) -> None:
        self._endpointer.close()
        await self._update_power()
        if self._stopping() or self._superseded():
            return
        follow_up_s = self._config.follow_up_s
        stays = self._parts.machine.recording and (
            turn.decision.intent != "stop" and self._parts.plan.mode is not Mode.CASCADE and follow_up_s > 0
        )
        if stays and not self._parts.silenced and turn.failure is None and turn.decision.route != "unclear":
            self._parts.machine.interact("spoken", "the answer is over and a further question may follow")
            self._parts.light.set(LightPattern.LISTENING)
            self._endpointer.open(timeout_s=follow_up_s, spoken=self.interruptible_answer.unfinished_speech())
        else:
            unspoken = self._parts.machine.interaction == "thinking"
            self._parts.machine.interact("dismissed" if unspoken else "closed", "the turn is over")
            self._parts.light.set(LightPattern.STANDBY)

    async def forget_question(self) -> None:
        """Cancels the early look and the early transcript of a question that will not be asked."""
        early_look, self._early_look = self._early_look, None
        early_transcript, self._early_transcript = self._early_transcript, None
        if early_look is not None:
            early_look.abandon()
        for ahead in (early_transcript, early_look):
            if ahead is not None:
                await ahead.close()

    async def announce(self, sentence: str, tone: str = "") -> None:
        """Speaks an announcement when no answer is under way, and listens for the wake word meanwhile. After
        one with a tone the wearer may reply without the wake word.
        """
        await self.interruptible_answer.wait_until_idle()
        if self._parts.machine.interaction != "standby":
            self._endpointer.close()
            await self.forget_question()
            listening = self._parts.machine.interaction == "listening"
            self._parts.machine.interact(
                "silence" if listening else "closed", "something has to be announced"
            )
        self._parts.machine.interact("announce", sentence)
        self._parts.announcing = True
        try:
            await self.interruptible_answer.run_announcement(
                speak_announcement(sentence, self._parts, tone), self._hear_chunk
            )
        finally:
            self._parts.announcing = False
        if self.interruptible_answer.interruption is not None:
            self.timer_announcer.acknowledge()
        await self._release_bricks(self._superseded)
        if self._superseded():
            return
        follow_up_s = self._config.follow_up_s
        answerable = tone and self._parts.machine.recording and not self._parts.silenced
        if answerable and self._parts.plan.mode is not Mode.CASCADE and follow_up_s > 0:
            self._parts.machine.interact("spoken", "the announcement may be answered")
            self._parts.light.set(LightPattern.LISTENING)
            self._endpointer.open(timeout_s=follow_up_s)
            return
        self._parts.machine.interact("closed", "the announcement is over")
        self._parts.light.set(LightPattern.STANDBY)

    def _tone(self, name: str) -> None:
        task = asyncio.create_task(play_earcon(name, self._parts))
        self.tones.add(task)
        task.add_done_callback(self.tones.discard)
