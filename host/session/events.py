"""Events: everything that the session learns. Each is a frozen dataclass; `at` is the only source of time.

A number in an event (`number`, `recording`) names an earlier action, or something a performer keeps.
"""

from __future__ import annotations

from dataclasses import field

from host.answers.timers import Now
from host.session.message import Message, message
from host.session.values import Options, PlanRules, Press, WearerSettings
from power.account.routes import Route


@message
class Event(Message):
    """Base of all events."""

    at: Now = field(default=Now(0.0, 0.0), kw_only=True)
    """When it happened, on both clocks; set by the queue."""


# --- the program --------------------------------------------------------------------------------------------


@message
class Started(Event):
    """The headband has started."""

    options: Options
    settings: WearerSettings
    plan: PlanRules
    problem: str = ""
    """Why saved settings could not be used, as a sentence for the wearer; "" when they could."""
    went_back: bool = False
    """A newer release failed, this one runs again, and the wearer does not know it."""


@message
class StopAsked(Event):
    """Somebody asked the program to stop."""

    cause: str


@message
class SwitchOffAsked(Event):
    """The headband has to say `farewell` and switch off: a long press, an empty battery."""

    farewell: str
    cause: str


# --- sound --------------------------------------------------------------------------------------------------


@message
class QuestionOpened(Event):
    """A question begins without the wake word."""

    cause: str


@message
class WakeWordHeard(Event):
    """The wake word was said while the headband was silent."""


@message
class SpeechBegan(Event):
    """The first speech of a question."""


@message
class SpeechPaused(Event):
    """A short silence: the question may be over."""

    recording: int


@message
class SpeechResumed(Event):
    """Speech after a pause: the question was not over."""


@message
class SpeechUnit(Event):
    """A further unit of speech without a pause."""

    recording: int


@message
class SpeechEnded(Event):
    """The question is over."""

    recording: int


@message
class NothingSaid(Event):
    """No speech in time."""


@message
class WakeWordOverSpeech(Event):
    """The wake word was said over the answer or announcement `number`."""

    number: int


@message
class StopWordOverSpeech(Event):
    """A stop word was said over the answer or announcement `number`."""

    number: int


@message
class QuestionWentOn(Event):
    """The wearer spoke on shortly after the endpoint of the question that turn `number` answers."""

    number: int


@message
class MicrophoneFailed(Event):
    """The microphone does not answer, for the first time since it worked."""


@message
class ProgramDamaged(Event):
    """Files of the program are not as they were deployed."""


@message
class MemoryStopped(Event):
    """Nothing more can be remembered; `problem` says why, as a sentence."""

    problem: str


# --- a turn -------------------------------------------------------------------------------------------------


@message
class TranscriptTried(Event):
    """An early transcript has ended, or was dropped."""

    number: int
    complete: float | None = None
    """Probability that the words are a whole question; None: unknown."""
    known_s: float = 0.0
    """When that was known, in seconds of the microphone's stream."""


@message
class QuestionForgotten(Event):
    """The work on a question that is not asked has ended."""

    question: int


@message
class Understood(Event):
    """The question of turn `number` has a transcript and a route."""

    number: int
    route: Route
    intent: str = ""
    commands: bool = False
    """A question of another route has requests to the device beside it."""


@message
class Replied(Event):
    """A device reply is ready; `settings` are those after it."""

    number: int
    settings: WearerSettings


@message
class AnswerBegan(Event):
    """Turn `number` has an answer, which is spoken from now on."""

    number: int


@message
class Sounding(Event):
    """The first sample of answer or announcement `number` is played."""

    number: int


@message
class AnswerFailed(Event):
    """Turn `number` has no answer, because a brick failed or refused."""

    number: int
    problem: str


@message
class AnswerEnded(Event):
    """Turn `number` is over: said, silenced, cancelled, or without anything to say."""

    number: int


@message
class AnnouncementEnded(Event):
    """Announcement `number` is over: said, silenced or cancelled."""

    number: int


@message
class TonePlayed(Event):
    """Earcon `number` is over."""

    number: int


@message
class BricksReleased(Event):
    """The bricks are released, or kept because a question came."""

    number: int


# --- the wearer's settings, recording, button ---------------------------------------------------------------


@message
class SettingsWritten(Event):
    """The settings are on the disk, or cannot be written."""

    number: int
    """0: they could not be written before, and are now."""
    kept: bool = True
    """False when they could not be written, or nothing is saved."""
    failed: bool = False
    """True when they could not be written."""
    off_lost: bool = False
    """True when the wearer switched recording off and the disk has it on, as the next start will."""


@message
class TimerDue(Event):
    """A timer has to be announced."""


@message
class ClockSet(Event):
    """One of the two clocks was set."""


@message
class SwitchMoved(Event):
    """The recording switch is at off, or at on, or cannot be read."""

    off: bool
    unread: bool = False


@message
class RecordingRequested(Event):
    """A command line asked for recording on or off."""

    on: bool


@message
class RecordingApplied(Event):
    """Microphone and camera are switched."""

    number: int


@message
class Pressed(Event):
    """A press of the button."""

    press: Press


# --- power --------------------------------------------------------------------------------------------------


@message
class PlanDecided(Event):
    """The policy decided a plan from a battery reading; `number` 0: nobody waits for it."""

    plan: PlanRules
    number: int = 0


@message
class PlanApplied(Event):
    """The plan's knobs and the residency of the bricks are set."""

    number: int


@message
class Reminded(Event):
    """The time of reminder `number` has come."""

    number: int


@message
class ReadyToSleep(Event):
    """Camera and gauge are prepared for the sleep."""

    number: int


@message
class FellAsleep(Event):
    """The microcontroller listens; the computer sleeps as soon as its program reads the microphone."""

    number: int


@message
class SleepRefused(Event):
    """The computer did not begin to sleep; it may try again at `retry_at_s` on the monotonic clock."""

    number: int
    retry_at_s: float


@message
class Awoke(Event):
    """The computer has slept and is awake again, `by_sound` because the microcontroller heard something; it
    may sleep again from `retry_at_s` on, on the monotonic clock.
    """

    number: int
    retry_at_s: float = 0.0
    by_sound: bool = False
