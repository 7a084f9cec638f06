"""What an outsider knows of a session: its events and its actions, and nothing of how the rules decide."""

from __future__ import annotations

from dataclasses import replace

from host.session import actions as a
from host.session import events as e
from host.session.actions import Action
from host.session.events import Event
from host.session.state import State
from host.session.step import step
from host.session.values import WearerSettings

ENDED_BY: dict[type[Action], tuple[type[Event], ...]] = {
    a.PrepareAnswer: (e.QuestionForgotten, e.AnswerEnded),
    a.TryTranscript: (e.TranscriptTried,),
    a.Understand: (e.AnswerEnded,),
    a.Announce: (e.AnnouncementEnded,),
    a.PlayTone: (e.TonePlayed,),
    a.ReleaseBricks: (e.BricksReleased,),
    a.WriteSettings: (e.SettingsWritten,),
    a.SetRecording: (e.RecordingApplied,),
    a.ReadBattery: (e.PlanDecided,),
    a.ApplyPlan: (e.PlanApplied,),
    a.PrepareSleep: (e.ReadyToSleep,),
    a.Sleep: (e.Awoke, e.SleepRefused),
}
"""Actions that stay under way -> events that end them."""
USES_BRICKS = (
    a.PrepareAnswer, a.TryTranscript, a.Understand, a.Answer, a.Apologise, a.Announce, a.CheckStopWord,
)  # fmt: skip
OPENS = (a.OpenQuestion, a.OpenAtWakeWord, a.ResumeQuestion)


def number_of(thing: Action | Event) -> int:
    """The number that an action or an event carries; of a question where it has no other."""
    return int(getattr(thing, "number", None) or getattr(thing, "question", None) or 0)


def saved_part(settings: WearerSettings) -> WearerSettings:
    """The settings without what is never written."""
    return replace(settings, request=None)


class Seen:
    """A session so far. `take` feeds it an event; the facts below are those before the action in hand while
    `note` runs, and those after the step afterwards.
    """

    def __init__(self) -> None:
        self.before = self.after = State()
        self.event: Event = e.StopAsked("")
        self.actions: tuple[Action, ...] = ()
        self.under_way: dict[int, type[Action]] = {}
        """Number -> action that has begun and not ended."""
        self.saying: set[int] = set()
        """Answers and announcements that have begun and not ended."""
        self.farewells: set[int] = set()
        self.announcements: dict[int, a.Announce] = {}
        self.cancelled: set[int] = set()
        """Those that gave way and have not ended."""
        self.given_up: set[int] = set()
        """All that were ever cancelled."""
        self.silenced: set[int] = set()
        self.tries: dict[int, int] = {}
        """`TryTranscript` -> question."""
        self.recording = True
        self.question_open = False
        """Hearing takes the next speech as a question."""
        self.bricks_used = False
        """Something that uses a brick was begun or was under way after the last release began."""
        self.noticed_timers: set[int] = set()
        self.said_timers: set[int] = set()
        """Those whose announcement has begun."""
        self.last_number = 0
        self.wake_unanswered = ""
        self.saved = WearerSettings()
        """The settings on the disk, or on their way there."""
        self.stop_asked = False
        self.switch_off_asked = False
        self.ends = 0

    def take(self, event: Event) -> tuple[Action, ...]:
        """Feeds one event to the core; returns the actions, none of which is noted yet."""
        self.before, self.event = self.after, event
        self.after, self.actions = step(self.before, event)
        self._hear(event)
        return self.actions

    def _hear(self, event: Event) -> None:
        match event:
            case e.Started():
                self.saved = event.settings
            case e.StopAsked():
                self.stop_asked = True
            case e.SwitchOffAsked():
                self.switch_off_asked = True
            case e.SpeechEnded() | e.NothingSaid() | e.MicrophoneFailed():
                self.question_open = False
            case e.AnswerFailed(number) if number in self.cancelled:
                self._end(number)
            case e.QuestionForgotten(question):
                if self.under_way.get(question) is a.PrepareAnswer:
                    self._end(question)
            case _:
                number = number_of(event)
                if type(event) in ENDED_BY.get(self.under_way.get(number, Action), ()):
                    self._end(number)

    def _end(self, number: int) -> None:
        if self.under_way.pop(number, None) in USES_BRICKS:
            self.bricks_used = True
        self.saying.discard(number)
        self.cancelled.discard(number)

    def note(self, action: Action) -> None:
        """Remembers one action, in the order of the step."""
        if isinstance(action, tuple(ENDED_BY)):
            self.under_way[number_of(action)] = type(action)
        if isinstance(action, USES_BRICKS):
            self.bricks_used = True
        if isinstance(action, OPENS):
            self.question_open = True
        match action:
            case a.Understand() | a.Announce():
                self.saying.add(action.number)
            case a.CloseQuestion() | a.ListenOverSpeech():
                self.question_open = False
            case a.TryTranscript():
                self.tries[action.number] = action.question
            case a.Cancel(number, by):
                self.given_up.add(number)
                if by not in ("stop word", "switch off"):
                    self.cancelled.add(number)
            case a.Silence():
                self.silenced.add(action.number)
            case a.ReleaseBricks() | a.ApplyPlan():
                self.bricks_used = False
            case a.WriteSettings():
                self.saved = action.settings
            case a.TimersNoticed(numbers):
                self.noticed_timers.update(numbers)
            case a.End():
                self.ends += 1
            case a.Record(transition):
                self._note_transition(transition.region, transition.event, transition.cause)
            case a.PlayTone():
                if action.name != "woken":
                    self.wake_unanswered = ""
        if isinstance(action, a.Answer | a.Apologise):
            self.wake_unanswered = ""
        if isinstance(action, a.Announce):
            self.wake_unanswered = ""
            self.announcements[action.number] = action
            self.said_timers.update(timer.number for timer in action.due)
            if action.announcement.kind == "farewell":
                self.farewells.add(action.number)
        self.last_number = max(self.last_number, number_of(action))

    def _note_transition(self, region: str, event: str, cause: str) -> None:
        if event == "woken":
            self.wake_unanswered = cause
            if isinstance(self.event, e.WakeWordHeard | e.SpeechBegan | e.SpeechPaused | e.SpeechUnit):
                self.question_open = True
        elif event in ("stop", "stop_recording"):
            self.wake_unanswered = ""
        if region == "recording":
            self.recording = event == "start_recording"
