"""Answers questions: finds the answer to a question that has ended, and says it. What is done while it is
spoken is in `early.work`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from host.answers.device import answer_device
from host.answers.energy_replies import Outlook
from host.answers.motion import clip_asked
from host.answers.timers import Now
from host.event_queue import EventQueue, Performs
from host.language.router import plain_words
from host.language.safety import SAFETY
from host.observe.journal import Journal
from host.session import actions, events
from host.turn.answer_player import AnswerPlayer
from host.turn.answer_source import answer_of
from host.turn.dialogue import DialogueMemory, after_answer, device_state, wearer_settings
from host.turn.early.work import EarlyWork
from host.turn.question import Question
from host.turn.recalling.kept_names import by_kept_name
from host.turn.recordings import Recordings
from host.turn.reflex_answer import as_fields
from host.turn.steps import (
    APOLOGY,
    NO_ANSWER,
    Thought,
    collected,
    decide,
    play_earcon,
    whole,
    with_transcript,
)
from host.turn.tools import Tools
from host.turn.turn import Turn, without_sound
from hw.device import MICROPHONE_RATE_HZ
from models.brick import BrickError
from models.process.residency import BrickFailed
from power.account.ledger import Spent

_GRACE_S = 0.1
"""How long a silenced answer may take to end by itself, with a complete `Turn`, before it is cancelled,
seconds.
"""


class Answering:
    """Performs the actions of questions and answers. Several questions exist at once only while a silenced
    answer ends.
    """

    def __init__(
        self,
        tools: Tools,
        queue: EventQueue,
        journal: Journal,
        recordings: Recordings,
        dialogue: DialogueMemory,
        spent: Callable[[float, str], Awaitable[Spent | None]],
        outlook: Callable[[], Outlook],
        recording_resumes_when: str,
    ) -> None:
        """`spent` returns the energy of a turn that began to be answered at the given time, and books it for
        who answered; `outlook` what the energy ledger knows; `recording_resumes_when` completes the sentence
        "... until".
        """
        self._tools, self._queue, self._journal = tools, queue, journal
        self._recordings, self._dialogue = recordings, dialogue
        self._spent, self._outlook = spent, outlook
        self._recording_resumes_when = recording_resumes_when
        self._early = EarlyWork(tools, queue, recordings, dialogue)
        self._questions = self._early.questions
        self.last_turn: Turn | None = None
        """The last turn that ended; while recording is off without its sound."""
        self._recording = True

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {
            **self._early.performs,
            actions.Understand: self._understand,
            actions.Reply: self._reply,
            actions.Answer: self._answer,
            actions.Apologise: self._apologise,
            actions.Silence: self._silence,
            actions.Cancel: self._cancel,
            actions.SetRecording: self._set_recording,
        }

    def _set_recording(self, action: actions.SetRecording) -> None:
        self._recording = action.on
        if not action.on and self.last_turn is not None:
            self.last_turn = without_sound(self.last_turn)

    async def close(self) -> None:
        """Ends the work on questions that are not answered."""
        while self._questions:
            await self._questions.popitem()[1].end_work()

    def _understand(self, action: actions.Understand) -> None:
        heard, tools = self._recordings.get(action.recording), self._tools
        question = self._questions[action.number]
        question.turn = question.unanswered = Turn(
            heard, tools.timeline.clock(), tools.power.plan, recalled=self._dialogue.now.recalled
        )
        tools.observe("heard", {"seconds": round(len(heard.pcm) / MICROPHONE_RATE_HZ, 2)})
        question.hold_clip(True)
        self._work(action.number, self._transcribe_and_decide(action.number, question, question.turn))

    async def _transcribe_and_decide(self, number: int, question: Question, turn: Turn) -> None:
        said = await question.transcript.transcript(turn.heard)
        turn = with_transcript(turn, said)
        dialogue, now_s = self._dialogue.now, self._tools.clock.monotonic()
        timers = self._queue.state.settings.timers
        before = dialogue.before(timers, Now(now_s, self._tools.clock.time()))
        turn = decide(
            turn, dialogue.last_question, self._tools, dialogue.awaits(now_s), before, dialogue.awaited_name
        )
        turn = question.turn = await by_kept_name(turn, self._tools)
        route = turn.decision.route
        decisions = [turn.decision, *([turn.then.decision] if turn.then is not None else [])]
        if decisions[-1].route in ("now", "frames") or decisions[-1].intent in (SAFETY, "memory"):
            asked = plain_words(turn.question if turn.then is None else turn.then.question)
            self._dialogue.now = replace(self._dialogue.now, last_question=asked)
        self._dialogue.now = self._dialogue.now.with_memory_command(decisions, now_s)
        self._tools.observe(
            "understood",
            {
                "transcript": turn.transcript,
                "meant": turn.meant,
                "route": route,
                "classified": turn.decision.certainty,
            },
        )
        if route != "memory":
            question.recollection.drop()
        if not any(each.route in ("now", "frames") or each.intent == "keep" for each in decisions):
            question.look.abandon()
        if question.clip is not None and not any(clip_asked(each) is not None for each in decisions):
            question.clip.abandon()
        self._queue.post(events.Understood(number, route, turn.decision.intent, bool(turn.decision.first)))

    def _reply(self, action: actions.Reply) -> None:
        question = self._questions[action.number]
        assert question.turn is not None
        clock, power = self._tools.clock, self._tools.power
        caution = action.settings.caution or self._tools.config.answer.caution
        decision, now_s = question.turn.decision, clock.monotonic()
        state = device_state(
            action.settings,
            self._dialogue.now,
            self._recording_resumes_when,
            caution if self._tools.bricks.pack.heeds_caution else None,
            self._tools.memory.impossible,
            now_s,
        )
        reply = answer_device(
            decision, state, power.reading, power.plan, clock.time(), self._outlook(), now_s
        )
        question.sentence = reply.text
        self._dialogue.now = self._dialogue.now.after_reply(question.turn, state, reply.state, now_s)
        wanted = action.settings.caution if reply.state.caution in (None, caution) else reply.state.caution
        self._queue.post(events.Replied(action.number, wearer_settings(reply.state, wanted)))

    def _answer(self, action: actions.Answer) -> None:
        question = self._questions[action.number]
        assert question.turn is not None
        self._work(action.number, self._respond(action, question, question.turn))

    async def _respond(self, action: actions.Answer, question: Question, turn: Turn) -> None:
        player = self._player(action.number, question, action.slowness)
        caution = action.caution or self._tools.config.answer.caution
        history = self._dialogue.now.history
        questions = 1 if turn.then is None else 2
        thoughts = [Thought(self._tools, history, caution) for _ in range(questions)]
        answers = partial(answer_of, question, player=player, tools=self._tools, caution=caution)
        if _replied_first(turn) or turn.then is not None:
            spoken = _one_after_the_other(question, turn, thoughts, answers)
        else:
            spoken = await answers(turn, thoughts[0])
        try:
            spoken = await collected(spoken, self._tools)
            self._queue.post(events.AnswerBegan(action.number))
            await player.speak(spoken)
        finally:
            thought = thoughts[-1]
            question.tokens, question.probability = thought.n_tokens, thought.probability
            question.hesitated = thought.hesitated
        assert question.turn is not None
        turn = replace(question.turn, first_audio_s=player.first_audio_s, answer=player.played)
        self._said(question, turn)
        await self._end(action.number, question)

    def _said(self, question: Question, turn: Turn) -> None:
        """Ends a turn that was not cancelled, and notes what the next question may refer to."""
        question.turn = replace(
            turn,
            ended_s=self._tools.timeline.clock(),
            answer_tokens=question.tokens,
            answer_probability=question.probability,
            hesitated=question.hesitated,
        )
        now_s = self._tools.clock.monotonic()
        self._dialogue.now = after_answer(self._dialogue.now, question.turn, question.silenced, now_s)

    def _apologise(self, action: actions.Apologise) -> None:
        question = self._questions[action.number]
        self._work(action.number, self._say_apology(action, question))

    async def _say_apology(self, action: actions.Apologise, question: Question) -> None:
        """Says the apology; after a second failure of the voice, plays the error tone."""
        assert question.turn is not None
        turn, sentence = question.turn, question.sentence
        for _ in range(2):
            player = self._player(action.number, question, action.slowness)
            try:
                await player.speak(whole(sentence))
                turn = replace(
                    turn, first_audio_s=turn.first_audio_s or player.first_audio_s, answer=sentence
                )
                break
            except (BrickFailed, BrickError):
                continue
        else:
            await play_earcon("error", self._tools)
            turn = replace(turn, notes=(*turn.notes, "the apology could not be spoken"))
        self._said(question, turn)
        await self._end(action.number, question)

    def _silence(self, action: actions.Silence) -> None:
        question = self._questions.get(action.number)
        if question is None or question.turn is None:
            return
        question.silenced = True
        if question.player is not None:
            question.player.silence()

    def _cancel(self, action: actions.Cancel) -> None:
        question = self._questions.get(action.number)
        if question is None or question.turn is None or question.cancelled_by is not None:
            return
        question.cancelled_by = action.by
        grace_s = _GRACE_S if question.player is not None else 0.0
        self._queue.spawn(self._cancel_after(action.number, question, question.work, grace_s))

    async def _cancel_after(
        self, number: int, question: Question, work: asyncio.Task[None] | None, grace_s: float
    ) -> None:
        """Cancels the work after `grace_s` unless it ends by itself; between two works, ends the turn."""
        if work is not None and not work.done():
            await asyncio.wait([work], timeout=grace_s)
            if number in self._questions:  # otherwise the turn is ending by itself
                work.cancel()
            await asyncio.wait([work])
        if number in self._questions:
            assert question.unanswered is not None
            played = "" if question.player is None else question.player.played
            if played:
                self._dialogue.note_spoken(played)
            question.turn = replace(question.unanswered, answer=played)
            await self._end(number, question)

    def _player(self, number: int, question: Question, slowness: float) -> AnswerPlayer:
        player = AnswerPlayer(self._tools, slowness, lambda: self._queue.post(events.Sounding(number)))
        question.player = player
        if question.silenced:
            player.silence()
        return player

    def _work(self, number: int, work: Coroutine[Any, Any, None]) -> None:
        """Runs a step of a turn as its task."""
        question = self._questions[number]

        async def guarded() -> None:
            try:
                await work
            except (BrickFailed, BrickError) as error:
                self._fail(number, question, error)

        question.work = self._queue.spawn(guarded())

    def _fail(self, number: int, question: Question, error: Exception) -> None:
        """The journal has the text of the error. The wearer is told a plain sentence, which only the memory's
        own refusal is.
        """
        if question.cancelled_by is not None:
            return  # `_cancel_after` ends the turn
        assert question.turn is not None
        refused = question.second or question.turn.decision
        refusal = str(error) if refused.route == "memory" else NO_ANSWER
        told = question.player is not None and bool(question.player.played)
        done = question.sentence if _replied_first(question.turn) and not told else ""
        failed = APOLOGY if isinstance(error, BrickFailed) else refusal
        question.sentence = f"{done} {failed}".lstrip()
        question.turn = replace(question.turn, failure=str(error), answered_by="")
        self._queue.post(events.AnswerFailed(number, str(error)))

    async def _end(self, number: int, question: Question) -> None:
        """Ends a turn: its energy, its line in the journal, its event."""
        del self._questions[number]
        await question.end_work()
        turn = question.turn
        assert turn is not None
        if question.cancelled_by is not None:
            turn = replace(turn, notes=(*turn.notes, f"interrupted by the {question.cancelled_by}"))
        if question.cancelled_by != "rest of the question":  # then the turn continues
            turn = replace(turn, spent=await self._spent(turn.started_s, turn.answered_by))
        self.last_turn = turn if self._recording else without_sound(turn)
        self._journal.write(
            "turn",
            route=turn.decision.route,
            mode=turn.plan.mode.value,
            reason=turn.plan.reason,
            answered_by=turn.answered_by,
            reflex=None if turn.closed is None else as_fields(turn.closed),
            answer_probability=(
                None if turn.answer_probability is None else round(turn.answer_probability, 4)
            ),
            failure=turn.failure,
            silenced=question.silenced or turn.decision.intent == "stop",
            response_ms=None if turn.response_s is None else round(turn.response_s * 1000, 1),
            energy_mwh=None if turn.spent is None else round(turn.spent.total_mwh, 4),
            energy_kind=None if turn.spent is None else turn.spent.kind,
        )
        self._tools.observe("turn", {"turn": turn})
        self._queue.post(events.AnswerEnded(number))


def _replied_first(turn: Turn) -> bool:
    """Whether requests to the device were replied to before its question is answered."""
    return bool(turn.decision.first) and turn.decision.route != "device"


async def _one_after_the_other(
    question: Question,
    turn: Turn,
    thoughts: Sequence[Thought],
    answer: Callable[..., Awaitable[AsyncGenerator[str, None]]],
) -> AsyncGenerator[str, None]:
    """The replies of the device and the answers to the one or two questions of a sentence, each asked for
    when all before it is said.
    """
    if _replied_first(turn) and question.sentence:
        yield question.sentence
    for number, thought in enumerate(thoughts):
        if number and turn.then is not None and question.turn is not None:
            then = turn.then
            turn = replace(question.turn, decision=then.decision, meant=then.question, then=None)
            question.second = then.decision
        async with contextlib.aclosing(await answer(turn, thought)) as pieces:
            async for piece in pieces:
                yield piece
