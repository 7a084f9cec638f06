"""Rules of an answer: from the transcript to the follow-up or standby."""

from __future__ import annotations

from dataclasses import replace

from host.session.actions import (
    Answer,
    Apologise,
    Cancel,
    CloseQuestion,
    OpenQuestion,
    ReadBattery,
    ReleaseBricks,
    Reply,
    Silence,
)
from host.session.draft import Draft
from host.session.events import (
    AnswerBegan,
    AnswerEnded,
    AnswerFailed,
    BricksReleased,
    PlanApplied,
    PlanDecided,
    RecordingApplied,
    Replied,
    SettingsWritten,
    Sounding,
    StopWordOverSpeech,
    Understood,
)
from host.session.questions import check_stop_word, start_turn
from host.session.recording import apply_recording
from host.session.reply_settings import with_reply
from host.session.state import ANSWERING, Speech, SpeechStage
from power.policy.plan import Mode


def understood(draft: Draft, event: Understood) -> None:
    """A device intent is replied to from the settings, and so is one beside a question of another route,
    which is answered aloud.
    """
    speech = _goes_on(draft, event.number, "understanding")
    if speech is None:
        return
    settings = draft.state.settings
    commands = event.commands or event.route == "device"
    draft.set_speech(
        route=event.route, intent=event.intent, commands=commands, stage="replying", settings=settings
    )
    if commands:
        draft.act(Reply(event.number, settings))
    else:
        _answer(draft)


def replied(draft: Draft, event: Replied) -> None:
    """Saves and applies what the reply changed; the reply is said when that is done."""
    speech = _goes_on(draft, event.number, "replying")
    if speech is None or speech.settings is None:
        return
    awaits = draft.change(with_reply(draft.state.settings, speech.settings, event.settings))
    awaits |= apply_recording(draft, "the wearer said so", announce=False)
    draft.set_speech(stage="settling", awaits=awaits)
    settled(draft)


def settled(draft: Draft) -> None:
    """Says the reply when nothing is left to wait for."""
    speech = draft.state.speech
    if speech is not None and not speech.awaits and _goes_on(draft, speech.number, "settling") is not None:
        _answer(draft)


def _goes_on(draft: Draft, number: int, stage: SpeechStage) -> Speech | None:
    """Turn `number` if it is at this stage. Before a farewell none goes on: it is cancelled."""
    speech = draft.answer_to(number)
    wanted = speech is not None and speech.stage == stage and draft.state.farewell is None
    return speech if wanted else None


def answer_began(draft: Draft, event: AnswerBegan) -> None:
    """Thinking: speaking begins."""
    speech = draft.answer_to(event.number)
    if speech is None or speech.stage != "answering" or draft.state.interaction != "thinking":
        return
    draft.interact("answer", f"the {speech.route} route has an answer")
    check_stop_word(draft, event.number)


def sounding(draft: Draft, event: Sounding) -> None:
    """The light shows that the headband speaks."""
    if draft.answer_to(event.number) is not None:
        draft.set_speech(sounding=True)


def stop_word_over_speech(draft: Draft, event: StopWordOverSpeech) -> None:
    """Speaking: silences the answer or announcement and ends it."""
    speech = draft.answer_to(event.number)
    if speech is None or speech.silenced or not draft.state.options.stop_word:
        return
    if draft.state.interaction == "speaking" and speech.stage != "ending":
        draft.set_speech(silenced=True)
        draft.act(Silence(event.number), Cancel(event.number, "stop word"))


def answer_failed(draft: Draft, event: AnswerFailed) -> None:
    """The turn ends with an apology, unless it gave way to a question: then it has ended."""
    if draft.give_way_ended(event.number):
        start_turn(draft)
        return
    speech = draft.answer_to(event.number)
    if speech is None or speech.stage not in ("understanding", "replying", "answering"):
        return
    if draft.state.interaction in ANSWERING:
        draft.interact("failed", event.problem)
        draft.interact("apology", "the turn failed and the wearer must know")
    draft.set_speech(stage="apologising", failed=True, sounding=False)
    draft.act(Apologise(event.number, draft.state.settings.slowness))


def answer_ended(draft: Draft, event: AnswerEnded) -> None:
    """Releases the bricks when there is room for one only, then reads the battery."""
    if draft.give_way_ended(event.number):
        start_turn(draft)
        return
    speech = draft.answer_to(event.number)
    if speech is None:
        return
    if speech.route not in (None, "unclear"):
        draft.acknowledge_timers()
    draft.set_speech(stage="ending", awaits=frozenset())
    if draft.state.interaction == "stopping":
        draft.set(speech=None)
    elif draft.state.plan.one_at_a_time:
        draft.set_speech(awaits=frozenset({draft.begin(ReleaseBricks)}))
    else:
        draft.set_speech(awaits=frozenset({draft.begin(ReadBattery)}))


def awaited(
    draft: Draft, event: SettingsWritten | RecordingApplied | BricksReleased | PlanDecided | PlanApplied
) -> bool:
    """True when the speech waited for the action that ended, and waits for nothing else now."""
    speech = draft.state.speech
    if speech is None or event.number not in speech.awaits:
        return False
    draft.set_speech(awaits=speech.awaits - {event.number})
    return not draft.state.speech.awaits  # type: ignore[union-attr]


def finish_turn(draft: Draft) -> None:
    """A further question may follow a good answer; otherwise standby."""
    speech, state = draft.state.speech, draft.state
    assert speech is not None
    draft.set(speech=None)
    if state.interaction == "stopping":
        return
    draft.act(CloseQuestion())
    wanted = not speech.silenced and not speech.failed and speech.route not in (None, "unclear")
    if wanted and speech.intent != "stop" and state.interaction == "speaking" and may_follow(draft):
        follow(draft, "the answer is over and a further question may follow")
    else:
        draft.interact("dismissed" if state.interaction == "thinking" else "closed", "the turn is over")


def may_follow(draft: Draft) -> bool:
    """True when a question without the wake word is allowed at all."""
    state = draft.state
    enabled = state.options.follow_up_s > 0 and state.plan.mode not in (Mode.CASCADE, Mode.CUTOFF)
    return enabled and state.recording and state.farewell is None


def follow(draft: Draft, cause: str) -> None:
    """Waits for a question without the wake word."""
    draft.interact("spoken", cause)
    draft.act(OpenQuestion(draft.state.options.follow_up_s))


def _answer(draft: Draft) -> None:
    speech = draft.state.speech
    assert speech is not None
    draft.set(speech=replace(speech, stage="answering"))
    settings = draft.state.settings
    draft.act(Answer(speech.number, settings.slowness, settings.caution))
