"""A world for the core: outside events at random, and a performer that ends every action at once, late,
twice, with a failure, or not before the drain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from host.answers.timers import Now, Timers
from host.session import actions as a
from host.session import events as e
from host.session.actions import Action
from host.session.events import Event
from host.session.values import Options, PlanRules, WearerSettings
from power.account.routes import Route
from power.policy.plan import Mode, ResidencyKind
from tests.host.session.invariants import after_drain, checked_step
from tests.host.session.seen import Seen

FAILED = -1
"""As the recording of a question: it was cancelled when it had failed already."""
MOST_AFTER_DRAIN = 2_000
"""Events after which a drain that goes on is one that never ends."""
_OUTSIDE = (
    "wake", "wake", "wake", "opened", "began", "paused", "resumed", "unit", "ended", "ended", "silence",
    "wake over", "stop over", "went on", "microphone", "memory", "program", "timer", "clock", "switch",
    "request", "press", "press", "request", "timer", "plan", "plan", "reminded", "switch off", "stop",
)  # fmt: skip


class Choices(Protocol):
    """Where chance comes from: `random.Random`, or hypothesis's."""

    def random(self) -> float: ...

    def randrange(self, stop: int, /) -> int: ...


class World:
    """One session and its performer. `one` feeds one event; `drain` ends everything. Violations gather in
    `violations`. `rare`: probability of what ends or interrupts a session; `quick`: share
    of the events with which a performer ends something.
    """

    def __init__(self, choices: Choices, rare: float = 0.02, quick: float = 0.55) -> None:
        self.choices = choices
        self.rare = rare
        self.quick = quick
        self.seen = Seen()
        self.now = Now(100.0, 1_700_000_000.0)
        self.events = 0
        self.kinds: set[type[Event]] = set()
        self.violations: list[str] = []
        self.tasks: dict[int, Action] = {}
        """What the performers are doing, by number."""
        self.past: list[Event] = []
        """The last events with numbers, to be repeated late."""
        self.reminder: int | None = None
        self.plans = 1
        self.switching_off = False

    # --- chance ---------------------------------------------------------------------------------------------

    def pick(self, values):  # type: ignore[no-untyped-def]
        """One of these."""
        return values[self.choices.randrange(len(values))]

    def likely(self, probability: float) -> bool:
        """True so often."""
        return self.choices.random() < probability

    # --- feeding --------------------------------------------------------------------------------------------

    def feed(self, event: Event) -> None:
        """Feeds one event at the present time, and has its actions performed."""
        self.events += 1
        self.kinds.add(type(event))
        event = replace(event, at=self.now)
        found = checked_step(self.seen, event)
        self.violations += [f"event {self.events} ({type(event).__name__}): {each}" for each in found]
        for action in self.seen.actions:
            self._perform(action)
        if hasattr(event, "number") or hasattr(event, "question"):
            self.past = [*self.past[-30:], event]
        for number in [each for each in self.tasks if each not in self.seen.under_way]:
            del self.tasks[number]

    def start(self) -> None:
        """The headband starts, with any settings."""
        options = Options(
            self.pick((0.0, 8.0, 8.0)), self.likely(0.8), self.likely(0.8), self.likely(0.8),
            self.pick((0.0, 30.0)),
        )  # fmt: skip
        timers = Timers().with_timer(self.pick((1, 20, 60)), self.now) if self.likely(0.3) else Timers()
        settings = WearerSettings(timers=timers, recording=self.likely(0.8), memory=self.likely(0.5))
        problem = "" if self.likely(0.8) else "Saved settings are damaged."
        self.feed(e.Started(options, settings, self._plan(), problem))

    def one(self) -> None:
        """One event: from a performer, from outside, again, or of a number that nobody gave."""
        passed_s = self.pick((0.0, 0.01, 0.2, 1.0, 5.0, 40.0))
        self.now = Now(self.now.mono_s + passed_s, self.now.wall_s + passed_s)
        dice = self.choices.random()
        if dice < self.quick and (self.tasks or self.switching_off):
            self._end_one()
        elif dice < 0.90 or not self.past:
            self.feed(self._from_outside())
        elif dice < 0.96:
            self.feed(self.pick(self.past))
        else:
            self.feed(self._renumbered(self.pick(self.past)))

    def drain(self) -> None:
        """Ends what the performers are doing, and the question that hearing waits for."""
        for _ in range(MOST_AFTER_DRAIN):
            if self.tasks or self.switching_off:
                self._end_one()
            elif self.seen.question_open:
                self.feed(e.NothingSaid() if self.likely(0.5) else e.SpeechEnded(1))
            else:
                break
        self.violations += [f"after the drain: {each}" for each in after_drain(self.seen)]

    # --- the outside ----------------------------------------------------------------------------------------

    def _from_outside(self) -> Event:
        speech = self.seen.after.speech
        saying = speech.number if speech is not None and self.likely(0.9) else 1
        recording = self.choices.randrange(5)
        if self.seen.question_open and self.likely(0.1):
            return self.pick((e.NothingSaid(), e.SpeechEnded(recording), e.SpeechBegan()))
        if self.seen.after.both_listen and self.reminder is not None and self.likely(0.7):
            return e.Reminded(self.reminder)
        kind = self.pick(_OUTSIDE)
        if kind in ("switch off", "stop", "switch", "microphone", "memory", "program") and not self.likely(
            self.rare * 10
        ):
            kind = "wake over"
        if kind in ("switch off", "stop") and not self.likely(max(0.1, self.rare)):
            kind = "ended"
        match kind:
            case "clock":
                self.now = Now(self.now.mono_s, self.now.wall_s + self.pick((-3600.0, 0.5, 7200.0)))
                return e.ClockSet()
            case "plan":
                return e.PlanDecided(self._plan())
            case "reminded":
                return e.Reminded(self.reminder if self.reminder is not None else 3)
            case "switch":
                return e.SwitchMoved(self.likely(0.5), self.likely(0.2))
        return {
            "wake": e.WakeWordHeard(),
            "opened": e.QuestionOpened("somebody spoke"),
            "began": e.SpeechBegan(),
            "paused": e.SpeechPaused(recording),
            "resumed": e.SpeechResumed(),
            "unit": e.SpeechUnit(recording),
            "ended": e.SpeechEnded(recording),
            "silence": e.NothingSaid(),
            "wake over": e.WakeWordOverSpeech(saying),
            "stop over": e.StopWordOverSpeech(saying),
            "went on": e.QuestionWentOn(saying),
            "microphone": e.MicrophoneFailed(),
            "program": e.ProgramDamaged(),
            "memory": e.MemoryStopped("The disk is full."),
            "timer": e.TimerDue(),
            "request": e.RecordingRequested(self.likely(0.6)),
            "press": e.Pressed(self.pick(("listen", "choice"))),
            "switch off": e.SwitchOffAsked("Goodbye.", "a long press"),
            "stop": e.StopAsked("SIGTERM"),
        }[kind]

    def _plan(self) -> PlanRules:
        self.plans += 1
        mode = self.pick((Mode.PERFORMANCE, Mode.THROTTLED, Mode.CASCADE, Mode.CASCADE))
        if self.likely(self.rare):
            mode = Mode.CUTOFF
        residency: ResidencyKind = "one_at_a_time" if mode in (Mode.CASCADE, Mode.CUTOFF) else "resident"
        return PlanRules(
            self.plans, mode, "the battery says so", residency, self.likely(0.5), self.likely(0.5),
            self.pick((None, 10.0)),
        )  # fmt: skip

    def _renumbered(self, event: Event) -> Event:
        """The event with a number that nobody gave."""
        name = "question" if isinstance(event, e.QuestionForgotten) else "number"
        if isinstance(event, e.PlanDecided):
            return replace(event, number=10**9)
        return replace(event, **{name: self.pick((0, -1, 10**9))})  # type: ignore[arg-type]

    # --- the performers -------------------------------------------------------------------------------------

    def _perform(self, action: Action) -> None:
        match action:
            case a.Remind():
                self.reminder = action.number
            case a.SwitchOff():
                self.switching_off = True
            case a.ForgetQuestion(question):
                self.tasks[question] = action
            case a.Cancel(number):
                if not isinstance(self.tasks.get(number), a.Understand | a.Reply | a.Answer):
                    self.tasks[number] = action
                else:  # one that has failed already says so instead of ending
                    failed = self.likely(0.2)
                    self.tasks[number] = a.Understand(number, FAILED) if failed else action
            case a.Silence() | a.ListenOverSpeech() | a.CheckStopWord():
                pass
            case _:
                if hasattr(action, "number"):
                    self.tasks[action.number] = action

    def _end_one(self) -> None:
        """The next event of one of the performers."""
        if self.switching_off and (not self.tasks or self.likely(0.3)):
            self.switching_off = False
            self.feed(e.SwitchOffAsked("The battery is empty.", "the battery is empty"))
            return
        number = self.pick(list(self.tasks))
        action = self.tasks[number]
        event = self._next(number, action)
        if not isinstance(event, e.AnswerBegan | e.Sounding | e.FellAsleep):
            del self.tasks[number]
        self.feed(event)

    def _next(self, number: int, action: Action) -> Event:
        failed = e.AnswerFailed(number, "a brick has failed")
        match action:
            case a.ForgetQuestion():
                return e.QuestionForgotten(number)
            case a.Understand(recording=recording):
                if recording == FAILED:
                    return failed
                route: Route = self.pick(("now", "device", "device", "memory", "unclear"))
                intent = self.pick(("volume", "stop")) if route == "device" else ""
                return failed if self.likely(0.1) else e.Understood(number, route, intent)
            case a.Reply(settings=settings):
                return failed if self.likely(0.1) else e.Replied(number, self._reply(settings))
            case a.Answer():
                return self.pick((e.AnswerBegan(number), e.Sounding(number), e.AnswerEnded(number), failed))
            case a.Announce():
                return e.Sounding(number) if self.likely(0.3) else e.AnnouncementEnded(number)
            case a.Cancel():
                if number in self.seen.announcements:
                    return e.AnnouncementEnded(number)
                return e.AnswerEnded(number)
            case a.Apologise():
                return e.AnswerEnded(number)
            case a.TryTranscript():
                return e.TranscriptTried(number, self.pick((None, 0.1, 0.9)), 1.0)
            case a.PlayTone():
                return e.TonePlayed(number)
            case a.ReleaseBricks():
                return e.BricksReleased(number)
            case a.WriteSettings():
                kept = self.likely(0.8)
                return e.SettingsWritten(number, kept, failed=not kept)
            case a.SetRecording():
                return e.RecordingApplied(number)
            case a.ReadBattery():
                return e.PlanDecided(self._plan() if self.likely(0.5) else self.seen.after.plan, number)
            case a.ApplyPlan():
                return e.PlanApplied(number)
            case a.PrepareSleep():
                return e.ReadyToSleep(number)
            case a.Sleep():
                if self.likely(0.3):
                    return e.FellAsleep(number)
                refused = e.SleepRefused(number, self.now.mono_s + self.pick((5.0, 600.0)))
                return refused if self.likely(0.5) else e.Awoke(number, by_sound=self.likely(0.5))
        raise AssertionError(f"no performer for {action}")

    def _reply(self, settings: WearerSettings) -> WearerSettings:
        """The settings after a device reply."""
        timers = settings.timers
        if len(timers.running) < 3 and self.likely(0.5):
            timers = timers.with_timer(self.pick((1, 30)), self.now)
        return replace(
            settings,
            volume_percent=self.pick((20, settings.volume_percent)),
            slowness=self.pick((1.3, settings.slowness)),
            request=self.pick((None, Mode.CASCADE, settings.request)),
            timers=timers,
            recording=settings.recording and self.likely(0.8),
        )
