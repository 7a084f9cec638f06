"""Actions: everything that the session has done. Each is a frozen dataclass with one performer.

A performer begins an action at once and returns. An action that takes time names the event that ends it; that
event carries the action's number.
"""

from __future__ import annotations

from host.answers.timers import Timer
from host.session.message import Message, message
from host.session.values import Announcement, Interruption, WearerSettings
from host.states import Transition
from hw.device import LightPattern
from models.caution import Caution


@message
class Action(Message):
    """Base of all actions."""


# --- hearing ------------------------------------------------------------------------------------------------


@message
class OpenQuestion(Action):
    """Take the next speech as a question; `timeout_s`: how long to wait for it (None: as configured), with
    speech that began during the answer.
    """

    timeout_s: float | None = None


@message
class OpenAtWakeWord(Action):
    """Take a question that begins with the rest of the wake word."""


@message
class ResumeQuestion(Action):
    """Go on with the last question, with the sound since its endpoint."""


@message
class CloseQuestion(Action):
    """Drop the present question, and listen for the wake word."""


@message
class JudgePause(Action):
    """Set the silence that ends the present question, by how complete its words are."""

    complete: float | None
    known_s: float


@message
class ListenOverSpeech(Action):
    """Listen for wake word and stop word over answer or announcement `number`."""

    number: int


@message
class CheckStopWord(Action):
    """From now on, give bursts of speech over `number` to the recogniser, which is idle."""

    number: int


# --- a question and its answer ------------------------------------------------------------------------------


@message
class PrepareAnswer(Action):
    """Look, and load what the answer needs, while question `question` is spoken. Ends with the answer, or
    with `QuestionForgotten`.
    """

    question: int
    cause: str
    mode: str
    look: bool
    """False when the look of this question has begun already."""
    recogniser: bool
    """Load the recogniser at once."""


@message
class ForgetQuestion(Action):
    """Give up the work on a question that is not asked. Ends with `QuestionForgotten`."""

    question: int


@message
class TryTranscript(Action):
    """Transcribe what was said so far. Ends with `TranscriptTried`."""

    number: int
    question: int
    recording: int
    unit: bool = False
    """Only if the recogniser is fast and idle."""
    caution: Caution | None = None
    """With which an answer is sought if the words may be a whole question; None: the configured one."""


@message
class DropTranscript(Action):
    """Cancel the early transcript of a question, because speech goes on."""

    question: int


@message
class Understand(Action):
    """Transcribe a question and find its route. Ends with `Understood`, `AnswerFailed` or `AnswerEnded`."""

    number: int
    """Of the question; that of the turn as well."""
    recording: int | None
    """None: nothing was said."""


@message
class Reply(Action):
    """Work out the reply to a device intent. Ends with `Replied` or `AnswerFailed`."""

    number: int
    settings: WearerSettings


@message
class Answer(Action):
    """Find the answer of turn `number` and say it. Ends with `AnswerEnded` or `AnswerFailed`, after which
    `Apologise` follows.
    """

    number: int
    slowness: float
    caution: Caution | None = None


@message
class Apologise(Action):
    """Say that turn `number` failed. Ends with `AnswerEnded`, also when the apology fails as well."""

    number: int
    slowness: float


@message
class Announce(Action):
    """Say something unasked. Ends with `AnnouncementEnded`."""

    number: int
    announcement: Announcement
    settings: WearerSettings
    due: tuple[Timer, ...] = ()
    """Timers to announce."""
    kept: bool = True
    """Timers go on after the headband is switched on again."""


@message
class Silence(Action):
    """Stop playback now; no further sentence of `number` begins."""

    number: int


@message
class Cancel(Action):
    """End answer or announcement `number` soon. The event that ends it follows, also where nothing of it is
    under way because the session was about to go on with it.
    """

    number: int
    by: Interruption


@message
class PlayTone(Action):
    """Play an earcon. Ends with `TonePlayed`."""

    number: int
    name: str


@message
class ReleaseBricks(Action):
    """Release every brick. Ends with `BricksReleased`."""

    number: int


@message
class KeepBricks(Action):
    """End a release under way, because a question came."""


# --- the wearer's settings, recording, light ----------------------------------------------------------------


@message
class WriteSettings(Action):
    """Save the settings. Ends with `SettingsWritten`."""

    number: int
    settings: WearerSettings


@message
class TimersNoticed(Action):
    """Journal that the wearer noticed these timers."""

    numbers: tuple[int, ...]


@message
class SetVolume(Action):
    """Set the speaker's volume."""

    percent: int


@message
class SetRecording(Action):
    """Switch microphone and camera on or off. Ends with `RecordingApplied`."""

    number: int
    on: bool


@message
class AcknowledgeRequest(Action):
    """Tell the command line that its request is carried out and saved."""


@message
class SetLight(Action):
    """Show a pattern until the next one."""

    pattern: LightPattern


# --- power --------------------------------------------------------------------------------------------------


@message
class NotePresence(Action):
    """Record that somebody spoke to the headband or touched it."""


@message
class ReadBattery(Action):
    """Read the battery and let the policy decide. Ends with `PlanDecided`."""

    number: int


@message
class RequestMode(Action):
    """The wearer asks for a power mode (None: any), from the next decision on."""

    mode: str | None


@message
class ApplyPlan(Action):
    """Obey plan `plan`. Ends with `PlanApplied`."""

    number: int
    plan: int
    unit_s: float | None
    """Seconds of speech between two events `SpeechUnit`; None: no such events."""


@message
class Remind(Action):
    """Post `Reminded` at `at_s` on the monotonic clock; replaces an earlier reminder."""

    number: int
    at_s: float


@message
class ListenBeside(Action):
    """Let the microcontroller listen beside this computer, which is about to sleep."""


@message
class PrepareSleep(Action):
    """Stop the camera, and set the charge at which the gauge wakes the computer. Ends with `ReadyToSleep`."""

    number: int


@message
class Sleep(Action):
    """Let the computer sleep; `FellAsleep` tells that it may. Ends with `Awoke` or `SleepRefused`."""

    number: int


@message
class Watch(Action):
    """Let the camera look at the plan's interval again."""


@message
class ReadyCamera(Action):
    """A question may follow: start the camera's sensor, if the plan wants that before the wake word."""


@message
class SwitchOff(Action):
    """Allow the microcontroller to cut the power after the farewell."""

    cause: str


@message
class Record(Action):
    """Journal a transition, and tell the observers."""

    transition: Transition


@message
class End(Action):
    """End the program: nothing is under way."""


USES_BRICKS = (PrepareAnswer, TryTranscript, Understand, Answer, Apologise, Announce, CheckStopWord)
"""Actions after which a brick may be in memory."""
RELEASES_BRICKS = (ReleaseBricks, ApplyPlan)
"""Actions after which none is in memory where the plan has room for one only."""
