"""Rules of a question: from the wake word, a press or speech in a follow-up to its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from host.session.actions import (
    Cancel,
    CheckStopWord,
    CloseQuestion,
    DropTranscript,
    ForgetQuestion,
    JudgePause,
    KeepBricks,
    ListenOverSpeech,
    NotePresence,
    OpenAtWakeWord,
    OpenQuestion,
    PlayTone,
    PrepareAnswer,
    ResumeQuestion,
    Silence,
    TryTranscript,
    Understand,
)
from host.session.draft import Draft
from host.session.events import (
    NothingSaid,
    QuestionForgotten,
    QuestionOpened,
    QuestionWentOn,
    SpeechBegan,
    SpeechEnded,
    SpeechPaused,
    SpeechResumed,
    SpeechUnit,
    TranscriptTried,
    WakeWordHeard,
    WakeWordOverSpeech,
)
from host.session.state import ANSWERING, Speech
from host.session.uncounted import uncounted
from host.session.values import Interruption

SPOKE_ON = "the wearer spoke on without the wake word"
WAKE_WORD_HEARD = "the wake word was heard"


def question_opened(draft: Draft, event: QuestionOpened) -> None:
    """In standby and follow-up: listens to a question without the wake word."""
    if draft.state.free and draft.state.recording:
        draft.act(OpenQuestion())
        begin_question(draft, event.cause)


def wake_word_heard(draft: Draft, event: WakeWordHeard) -> None:
    """In standby, listening and follow-up: listens to a question, or to the same one from here on."""
    state = draft.state
    silent = state.speech is None or state.speech.stage == "saving"
    awake = state.interaction in ("standby", "listening", "follow_up") and state.farewell is None
    if awake and silent and state.recording:
        leave_unsaid(draft)
        draft.acknowledge_timers()
        begin_question(draft, WAKE_WORD_HEARD)


def speech_began(draft: Draft, event: SpeechBegan) -> None:
    """In a follow-up: the wearer asks on without the wake word."""
    listens(draft)


def speech_paused(draft: Draft, event: SpeechPaused) -> None:
    """Listening: transcribes early, because the question may be over."""
    if listens(draft):
        _try_transcript(draft, event.recording, unit=False)


def speech_unit(draft: Draft, event: SpeechUnit) -> None:
    """Listening: transcribes the words so far if the recogniser is fast and idle."""
    if listens(draft):
        _try_transcript(draft, event.recording, unit=True)


def speech_resumed(draft: Draft, event: SpeechResumed) -> None:
    """Listening: cancels the early transcript, because the question goes on."""
    if listens(draft):
        assert draft.state.question is not None
        draft.act(DropTranscript(draft.state.question))


def transcript_tried(draft: Draft, event: TranscriptTried) -> None:
    """Listening: how complete the words are decides how much silence ends the question."""
    draft.set(bricks_used=True)
    question = draft.state.question
    if question is not None and event.number > question:  # otherwise the words are an earlier question's
        draft.act(JudgePause(event.complete, event.known_s))


def question_forgotten(draft: Draft, event: QuestionForgotten) -> None:
    """What was loaded for the question may still be in memory."""
    draft.set(bricks_used=True)


def speech_ended(draft: Draft, event: SpeechEnded) -> None:
    """Listening: the turn begins, after an earlier answer has ended."""
    if listens(draft):
        _ask(draft, event.recording, "the utterance ended")


def nothing_said(draft: Draft, event: NothingSaid) -> None:
    """Listening: answers that nothing was heard. Follow-up: back to standby with a tone."""
    if draft.state.interaction == "listening" and draft.state.question is not None:
        _ask(draft, None, "nothing was said")
    elif draft.state.interaction == "follow_up" and draft.state.speech is None:
        draft.interact("closed", "nobody asked on")
        draft.begin(lambda number: PlayTone(number, "closed"))


def wake_word_over_speech(draft: Draft, event: WakeWordOverSpeech) -> None:
    """Over an answer or announcement: silences it and listens. A farewell is only silenced."""
    speech = draft.answer_to(event.number)
    if speech is None or draft.state.interaction not in ANSWERING or not draft.state.options.wake_word:
        return
    draft.acknowledge_timers()
    if draft.state.farewell is not None:
        draft.set_speech(silenced=True)
        draft.act(Silence(speech.number))
    elif draft.state.recording:
        give_way(draft, speech, "wake word")
        draft.act(OpenAtWakeWord())
        begin_question(draft, "the wake word was heard over the answer")


def question_went_on(draft: Draft, event: QuestionWentOn) -> None:
    """Thinking, nothing said yet: takes the question up again with what was said since."""
    speech = draft.answer_to(event.number)
    state = draft.state
    wanted = state.options.go_on and state.recording and state.farewell is None
    if speech is None or speech.silenced or state.interaction != "thinking" or not wanted:
        return
    if speech.carried_out:
        return  # the whole command would be carried out once more
    give_way(draft, speech, "rest of the question")
    draft.act(ResumeQuestion())
    begin_question(draft, "the wearer went on with the question", event="resumed", tone=False)


def listens(draft: Draft) -> bool:
    """True when speech belongs to a question; in a follow-up the question begins with it."""
    if draft.state.interaction == "follow_up" and draft.state.free and draft.state.recording:
        begin_question(draft, SPOKE_ON)
    return draft.state.interaction == "listening" and draft.state.question is not None


def begin_question(
    draft: Draft, cause: str, *, event: Literal["woken", "resumed"] = "woken", tone: bool = True
) -> None:
    """Listening begins: presence, tone, look, recogniser."""
    if not draft.interact(event, cause):
        return
    plan = draft.state.plan
    draft.set(called_in_vain=0)
    draft.act(NotePresence())
    if tone:
        draft.begin(lambda number: PlayTone(number, "woken"))
    recogniser = not plan.one_at_a_time  # otherwise the look says when there is room for it
    question = draft.state.question
    look = question is None
    if question is None:
        question = draft.number()
        draft.set(question=question, running=draft.state.running | {question})
    draft.act(PrepareAnswer(question, cause, plan.mode.value, look, recogniser))


def give_way(draft: Draft, speech: Speech, by: Interruption) -> None:
    """Ends what is being said, because a question takes its place."""
    draft.set(speech=None)
    draft.act(Silence(speech.number))
    if speech.stage == "queued":
        draft.set(question=speech.number)  # its look goes on
    elif speech.stage == "ending":
        draft.act(KeepBricks())
    else:
        draft.set(cancelled=draft.state.cancelled | {speech.number})
        draft.act(Cancel(speech.number, by))


def leave_unsaid(draft: Draft) -> None:
    """Timers whose announcement is being counted on the disk are not said now: the count is taken back, so
    that they are due again as soon as nothing else is under way.
    """
    speech, settings = draft.state.speech, draft.state.settings
    if speech is not None and speech.stage == "saving":
        draft.set(speech=None)
        draft.change(replace(settings, timers=uncounted(settings.timers, speech.due)))


def check_stop_word(draft: Draft, number: int) -> None:
    """The recogniser listens for a stop word if it stays in memory and nothing may interrupt otherwise."""
    state = draft.state
    if state.options.stop_word and state.recording and not state.plan.one_at_a_time:
        draft.act(CheckStopWord(number))


def abandon_question(draft: Draft, cause: str) -> None:
    """Listening and follow-up end in standby without a turn."""
    question = draft.state.question
    if question is not None:
        draft.set(question=None)
        draft.act(ForgetQuestion(question))
    if draft.state.interaction in ("listening", "follow_up"):
        draft.act(CloseQuestion())
        draft.interact("silence" if draft.state.interaction == "listening" else "closed", cause)


def drop_queued(draft: Draft, cause: str) -> None:
    """A question that waits for an earlier answer to end is not asked."""
    speech = draft.state.speech
    assert speech is not None and speech.stage == "queued"
    draft.set(speech=None)
    draft.act(ForgetQuestion(speech.number))
    draft.interact("dismissed", cause)


def start_turn(draft: Draft) -> None:
    """A question that waited is understood when no earlier answer is left; it stays silenced if it was."""
    speech = draft.state.speech
    if speech is not None and speech.stage == "queued" and not draft.state.cancelled:
        draft.set_speech(stage="understanding")
        draft.act(Understand(speech.number, speech.recording))
        if speech.silenced:
            draft.act(Silence(speech.number))


def _ask(draft: Draft, recording: int | None, cause: str) -> None:
    number = draft.state.question
    assert number is not None
    draft.interact("utterance", cause)
    draft.set(question=None, speech=Speech(number, "queued", recording=recording))
    draft.act(ListenOverSpeech(number))
    start_turn(draft)


def _try_transcript(draft: Draft, recording: int, *, unit: bool) -> None:
    question = draft.state.question
    assert question is not None
    caution = draft.state.settings.caution
    attempt = draft.begin(lambda number: TryTranscript(number, question, recording, unit, caution))
    draft.set(attempt=attempt)
