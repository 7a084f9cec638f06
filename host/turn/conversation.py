"""A conversation: woken, listening, answering, listening on; and what is said unasked."""

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
from host.turn.steps import announce as say_unasked
from host.turn.steps import play_earcon, take_turn
from host.wearer.timer_announcer import TimerAnnouncer
from hw.device import LightPattern
from power.account.ledger import Spent
from power.policy.plan import Mode


class Conversation:
    """One wearer's questions, one after the other. `join` before use."""

    interruptible_answer: InterruptibleAnswer
    timer_announcer: TimerAnnouncer

    def __init__(
        self,
        parts: Parts,
        endpointer: Endpointer,
        config: ListenConfig,
        journal: Journal,
        *,
        sign: Callable[[], None],
        update_power: Callable[[], Awaitable[None]],
        spent: Callable[[float], Awaitable[Spent | None]],
        over: Callable[[], bool],
        overhear: Callable[[], Awaitable[bool]],
    ) -> None:
        """`sign`: the wearer is there; `spent`: energy since then, at the end of a turn; `over`: the headband
        is stopping; `overhear`: hears one more chunk beside what is said, False where that can't be.
        """
        self._parts, self._endpointer, self._config, self._journal = parts, endpointer, config, journal
        self._sign, self._update_power, self._spent, self._over = sign, update_power, spent, over
        self._overhear = overhear
        self._early_look: EarlyLook | None = None
        self._reading: EarlyTranscript | None = None
        self._asked: Pcm = np.zeros(0, np.int16)
        """The sound of the present question."""
        self.tones: set[asyncio.Task[None]] = set()
        """Short tones that sound beside everything else."""

    def connect(self, interruptible_answer: InterruptibleAnswer, timer_announcer: TimerAnnouncer) -> None:
        """Those that call this conversation, and are called by it."""
        self.interruptible_answer, self.timer_announcer = interruptible_answer, timer_announcer

    async def hear(self, cut: SpeechEvent | None) -> None:
        """Does what a chunk of sound calls for."""
        if cut is None:
            return
        if cut.kind not in ("woken", "timeout") and self._parts.machine.interaction == "follow_up":
            self._woken("the wearer spoke on without the wake word")  # perhaps all of it over the answer
        if cut.kind == "woken":
            self.timer_announcer.acknowledge()
            self._woken("the wake word was heard")
        elif cut.kind in ("pause", "resumed", "unit"):
            await self.read(cut)
        elif cut.kind == "utterance" or (
            cut.kind == "timeout" and self._parts.machine.interaction == "listening"
        ):
            if self.interruptible_answer.possible:
                self.interruptible_answer.begin(self.answer(cut))
            else:
                await self.answer(cut)
        elif cut.kind == "timeout":
            self._parts.machine.interact("closed", "nobody asked on")
            self._parts.light.set(LightPattern.STANDBY)
            self._tone("closed")

    async def read(self, cut: SpeechEvent | None) -> None:
        """Has the recogniser work on what was said so far, or stop because more is being said."""
        if cut is None or self._reading is None:
            return
        if cut.kind == "pause" and cut.heard is not None:
            self._reading.attempt(cut.heard)
            if self._parts.speaker.loopback is None:
                await self._reading.settled()  # nothing here keeps the clock's pace
        elif cut.kind == "resumed":
            self._reading.drop()
        elif cut.kind == "unit" and cut.heard is not None:
            self._reading.unit(cut.heard)

    def listen(self) -> None:
        """Begins a question without the wake word."""
        self._endpointer.open()
        self._woken("the button was pressed")

    def _woken(self, cause: str, *, event: Literal["woken", "resumed"] = "woken", tone: bool = True) -> None:
        if not self._parts.machine.interact(event, cause):
            return
        self._sign()
        self._parts.light.set(LightPattern.LISTENING)
        if self._parts.plan.residency != "one_at_a_time" or self._parts.plan.prefetch:
            self._parts.bricks.prepare("stt")  # otherwise the picture comes first: `EarlyLook`
        if tone:
            self._tone("woken")
        self._early_look = self._early_look or EarlyLook(self._parts)
        self._reading = self._reading or EarlyTranscript(
            self._parts, self._endpointer.judge, self._early_look.make_way
        )
        self._parts.observe("woken", {"cause": cause, "mode": self._parts.plan.mode.value})

    def open_over_answer(self) -> None:
        """An utterance begins with the wake word's own sound in it."""
        listen = self._config
        self._endpointer.open(pre_roll_s=listen.pre_roll_s, tail_s=listen.wake_tail_s)

    def go_on(self, since: Sequence[Pcm]) -> None:
        """The question that seemed over was not: it is heard on, from its beginning."""
        asked = self._asked[len(self._asked) % CHUNK :]
        self._endpointer.open(spoken=[*asked.reshape(-1, CHUNK), *since])
        self._woken("the wearer went on with the question", event="resumed", tone=False)

    def woken_over_answer(self) -> None:
        """The wake word silenced an answer."""
        self.open_over_answer()
        self._woken("the wake word was heard over the answer")

    async def answer(self, cut: SpeechEvent) -> Turn:
        """Takes the turn that an utterance begins, to its end."""
        await self.interruptible_answer.settled_before()
        self._parts.silenced = False
        heard = cut.heard or RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)
        self._parts.machine.interact("utterance", "the utterance ended" if cut.heard else "nothing was said")
        self._parts.light.set(LightPattern.THINKING)
        self._asked = heard.pcm
        self._parts.observe("heard", {"seconds": round(len(heard.pcm) / 16000, 2)})
        early_look, self._early_look = self._early_look or EarlyLook(self._parts), None
        reading = self._reading or EarlyTranscript(self._parts, self._endpointer.judge, early_look.make_way)
        self._reading = None
        fruitless = Turn(heard, self._parts.timeline.clock(), self._parts.plan)
        turn = await self.interruptible_answer.take(
            take_turn(heard, early_look, reading, self._parts), fruitless
        )
        if turn.decision.route != "unclear":
            self.timer_announcer.acknowledge()
        silenced = self._parts.silenced or turn.decision.intent == "stop"
        if self.interruptible_answer.interruption != "rest of the question":  # which is the same turn still
            turn = replace(turn, spent=await self._spent(turn.started_s))
        if not self._asked_anew():
            await self._give_back(self._asked_anew)
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
        if not self._asked_anew():
            await self._after(turn)
        return turn

    def _asked_anew(self) -> bool:
        """The wake word was heard over the present answer, or while what follows on it was still done; or its
        question went on.
        """
        return self.interruptible_answer.interruption in ("wake word", "rest of the question")

    async def _give_back(self, wanted: Callable[[], bool] = lambda: False) -> None:
        """A cascade holds no model between questions."""
        if self._parts.plan.residency == "one_at_a_time":
            await self._parts.bricks.release_all(wanted)

    async def _after(self, turn: Turn) -> None:
        self._endpointer.close()
        await self._update_power()
        if self._over() or self._asked_anew():
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
            unsaid = self._parts.machine.interaction == "thinking"
            self._parts.machine.interact("dismissed" if unsaid else "closed", "the turn is over")
            self._parts.light.set(LightPattern.STANDBY)

    async def forget_question(self) -> None:
        """Ends the work ahead of a question that will not be asked."""
        early_look, reading, self._early_look, self._reading = self._early_look, self._reading, None, None
        if early_look is not None:
            early_look.leave()
        for ahead in (reading, early_look):
            if ahead is not None:
                await ahead.close()

    async def announce(self, sentence: str, tone: str = "") -> None:
        """Says something unasked, once nothing else is under way, and listens for the wake word meanwhile;
        after a tone it may be answered.
        """
        await self.interruptible_answer.settle()
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
            await self.interruptible_answer.beside(say_unasked(sentence, self._parts, tone), self._overhear)
        finally:
            self._parts.announcing = False
        if self.interruptible_answer.interruption is not None:
            self.timer_announcer.acknowledge()
        await self._give_back(self._asked_anew)
        if self._asked_anew():
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
