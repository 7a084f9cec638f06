"""The rules of a question: one test each."""

from __future__ import annotations

from host.session import actions, events
from hw.device import LightPattern
from tests.host.session.rules_bench import ONE_BRICK, Session, kinds


def test_the_wake_word_opens_a_question_and_prepares_its_answer() -> None:
    session = Session()
    taken = session.takes(events.WakeWordHeard())
    assert session.interaction == "listening"
    assert kinds(taken) == [
        actions.NotePresence, actions.PlayTone, actions.PrepareAnswer, actions.SetLight,
    ]  # fmt: skip
    assert session.last(actions.PlayTone).name == "woken"
    assert session.last(actions.SetLight).pattern is LightPattern.LISTENING
    prepared = session.last(actions.PrepareAnswer)
    assert prepared.look and prepared.recogniser


def test_the_wake_word_said_again_is_the_same_question_and_one_look() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    first = session.last(actions.PrepareAnswer)
    session.takes(events.WakeWordHeard())
    again = session.last(actions.PrepareAnswer)
    assert again.question == first.question and not again.look


def test_with_room_for_one_brick_the_look_comes_before_the_recogniser() -> None:
    session = Session(plan=ONE_BRICK)
    session.takes(events.WakeWordHeard())
    assert not session.last(actions.PrepareAnswer).recogniser


def test_a_question_becomes_a_turn_with_its_number() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.SpeechEnded(7))
    assert taken == [
        actions.ListenOverSpeech(question),
        actions.Understand(question, 7),
        actions.SetLight(LightPattern.THINKING),
    ]


def test_silence_instead_of_a_question_is_answered_too() -> None:
    session = Session()
    session.takes(events.WakeWordHeard(), events.NothingSaid())
    assert session.interaction == "thinking"
    assert session.last(actions.Understand).recording is None


def test_a_pause_is_transcribed_and_judged_by_how_complete_the_words_are() -> None:
    session = Session()
    taken = session.takes(events.WakeWordHeard(), events.SpeechPaused(3))
    attempt = session.last(actions.TryTranscript)
    assert taken == [attempt] and attempt.recording == 3 and not attempt.unit
    taken = session.takes(events.TranscriptTried(attempt.number, 0.9, 2.5))
    assert taken == [actions.JudgePause(0.9, 2.5)]


def test_a_unit_of_speech_is_transcribed_only_by_a_recogniser_that_is_idle() -> None:
    session = Session()
    session.takes(events.WakeWordHeard(), events.SpeechUnit(3))
    assert session.last(actions.TryTranscript).unit


def test_speech_after_a_pause_drops_the_early_transcript() -> None:
    session = Session()
    taken = session.takes(events.WakeWordHeard(), events.SpeechPaused(3), events.SpeechResumed())
    assert taken == [actions.DropTranscript(session.last(actions.PrepareAnswer).question)]


def test_an_early_transcript_that_comes_after_the_endpoint_judges_nothing() -> None:
    session = Session()
    session.takes(events.WakeWordHeard(), events.SpeechPaused(3))
    attempt = session.last(actions.TryTranscript)
    session.takes(events.SpeechEnded(4))
    assert session.takes(events.TranscriptTried(attempt.number, 0.9, 2.5)) == []


def test_speech_outside_a_question_changes_nothing() -> None:
    session = Session()
    before = session.state
    for event in (events.SpeechPaused(1), events.SpeechUnit(1), events.SpeechResumed(), events.NothingSaid(),
                  events.SpeechBegan(), events.SpeechEnded(1)):  # fmt: skip
        assert session.takes(event) == []
    assert session.state == before


def test_a_microphone_that_fails_ends_the_question_and_is_announced() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.MicrophoneFailed())
    assert actions.ForgetQuestion(question) in taken and actions.CloseQuestion() in taken
    assert session.last(actions.Announce).announcement.kind == "no microphone"
