"""What is done for a question while it is spoken: the looks begin, and at its pauses what was said so far is
transcribed, to tell how surely it is a whole question, what the memory knows of it is sought, and it is heard
again where it was not heard surely.
"""

from __future__ import annotations

import asyncio

from host.answers.timers import Now
from host.event_queue import EventQueue, Performs
from host.hearing.endpointer import RecordedQuestion
from host.session import actions, events
from host.session.questions import WAKE_WORD_HEARD
from host.turn.clip.look import ClipLook
from host.turn.clip.so_far import asked_so_far
from host.turn.dialogue import DialogueMemory
from host.turn.early.look import EarlyLook
from host.turn.early.recollection import EarlyRecollection
from host.turn.early.transcript import EarlyTranscript, RecogniserSpeed, whole_question_probability
from host.turn.question import Question
from host.turn.recordings import Recordings
from host.turn.steps import decide, with_transcript
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import Transcript

OLD_S = 1.0
"""Age of a view from which it is not what is asked about after another wake word."""


class EarlyWork:
    """Performs the actions of questions that have not ended."""

    def __init__(
        self, tools: Tools, queue: EventQueue, recordings: Recordings, dialogue: DialogueMemory
    ) -> None:
        self._tools, self._queue, self._recordings, self._dialogue = tools, queue, recordings, dialogue
        self._speed = RecogniserSpeed()
        self.questions: dict[int, Question] = {}
        """All questions from their first word on, by number; who answers one takes it out at its end."""

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {
            actions.PrepareAnswer: self._prepare,
            actions.ForgetQuestion: self._forget,
            actions.TryTranscript: self._try_transcript,
            actions.DropTranscript: self._drop_transcript,
        }

    def _prepare(self, action: actions.PrepareAnswer) -> None:
        if action.recogniser:
            self._tools.bricks.prepare("stt")
        before = self.questions.get(action.question)
        again = action.cause == WAKE_WORD_HEARD and before is not None and self._is_old(before.look)
        if before is None or again:
            look = EarlyLook(self._tools)
            transcript = EarlyTranscript(self._tools, self._speed, look.yield_to_recogniser)
            interval_s = self._tools.power.plan.clip_interval_s if self._tools.has_motion else None
            clip = None if interval_s is None else ClipLook(self._tools, interval_s)
            recollection = EarlyRecollection(self._tools)
            self.questions[action.question] = Question(look, transcript, recollection, clip)
        if before is not None and again:
            self._queue.spawn(before.end_work())
        self._tools.observe("woken", {"cause": action.cause, "mode": action.mode})

    def _is_old(self, look: EarlyLook) -> bool:
        """Whether a look that began before a wake word shows what was in view then, as when somebody else had
        said it. With room for one brick only there is no second look.
        """
        if look.view is None or self._tools.power.plan.residency == "one_at_a_time":
            return False
        return self._tools.clock.monotonic() - look.view.taken_s > OLD_S

    def _forget(self, action: actions.ForgetQuestion) -> None:
        async def forget() -> None:
            await question.end_work()
            self._queue.post(events.QuestionForgotten(action.question))

        question = self.questions.pop(action.question)
        self._queue.spawn(forget())

    def _try_transcript(self, action: actions.TryTranscript) -> None:
        heard = self._recordings.get(action.recording)
        question = self.questions[action.question]
        transcript = question.transcript
        attempt = transcript.unit(heard) if action.unit else transcript.attempt(heard)
        if attempt is None:
            self._queue.post(events.TranscriptTried(action.number))
            return
        began_s = self._tools.clock.monotonic()
        question.hold_clip(True)

        def tried(work: asyncio.Task[Transcript]) -> None:
            self._consider_clip(action, work)
            complete = self._complete(work)
            known_s = heard.endpoint_s + self._tools.clock.monotonic() - began_s
            self._queue.post(events.TranscriptTried(action.number, complete, known_s))
            if complete != 0.0:
                self._recall(action, heard, work)
                if not action.unit:
                    transcript.hear_again()

        attempt.add_done_callback(tried)

    def _complete(self, work: asyncio.Task[Transcript]) -> float | None:
        """Probability that an early transcript is a whole question; None when unknown."""
        if self._tools.config.answer.fixed_route:
            return 1.0
        if work.cancelled() or work.exception() is not None:
            return None
        sure_probability = self._tools.config.listen.sure_probability
        return whole_question_probability(work.result(), self._tools.router, sure_probability)

    def _consider_clip(self, action: actions.TryTranscript, work: asyncio.Task[Transcript]) -> None:
        """Lets the camera stop where the words so far ask what its pictures can tell already. Where they are
        a whole question about something else, no picture is encoded unless the wearer speaks on.
        """
        question = self.questions.get(action.question)
        if question is None or question.clip is None:
            return
        if work.cancelled() or work.exception() is not None:
            question.clip.hold(False)
            return
        least = self._tools.config.answer.min_probability
        asked, another = asked_so_far(work.result(), self._tools.router, least)
        question.clip.hold(another and not action.unit)
        self._queue.spawn(question.clip.consider(asked))

    def _recall(
        self, action: actions.TryTranscript, heard: RecordedQuestion, work: asyncio.Task[Transcript]
    ) -> None:
        """Begins to seek what the memory knows of the words so far, once the wearer pauses after them."""
        question, tools = self.questions.get(action.question), self._tools
        if question is None or action.unit or not tools.memory.exists:
            return
        if work.cancelled() or work.exception() is not None:
            return
        dialogue = self._dialogue.now
        began = Turn(heard, tools.timeline.clock(), tools.power.plan, recalled=dialogue.recalled)
        now = Now(tools.clock.monotonic(), tools.clock.time())
        before = dialogue.before(self._queue.state.settings.timers, now)
        turn = with_transcript(began, work.result())
        turn = decide(turn, dialogue.last_question, tools, dialogue.awaits(now.mono_s), before)
        question.recollection.begin(turn, question.look, action.caution or tools.config.answer.caution)

    def _drop_transcript(self, action: actions.DropTranscript) -> None:
        question = self.questions[action.question]
        question.transcript.drop()
        question.recollection.drop()
        question.hold_clip(False)
        if question.clip is not None:
            question.clip.go_on()
