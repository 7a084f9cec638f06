"""Whatever happens in whatever order, the session comes to rest, and to its end when it is asked to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from host.answers.timers import Now, Timers
from host.session import actions, events
from host.session.actions import Action
from host.session.events import Event
from host.session.state import State
from host.session.step import step
from host.session.values import Options, PlanRules, WearerSettings
from power.policy.plan import Mode
from tests.host.session.doubles import ENDINGS

PLANS = (
    PlanRules(1, suspend_between_events=True),
    PlanRules(2, Mode.THROTTLED, "half full"),
    PlanRules(3, Mode.CASCADE, "nearly empty", residency="one_at_a_time"),
)
SOUND: tuple[Event, ...] = (
    events.WakeWordHeard(),
    events.SpeechBegan(),
    events.SpeechPaused(1),
    events.SpeechResumed(),
    events.SpeechUnit(2),
    events.SpeechEnded(3),
    events.NothingSaid(),
)
"""What the microphone's sound may bring while nothing is said."""
OVER_SPEECH = (events.WakeWordOverSpeech, events.StopWordOverSpeech, events.QuestionWentOn)
OTHERS: tuple[Event, ...] = (
    events.QuestionOpened("a test"),
    events.Pressed("listen"),
    events.Pressed("choice"),
    events.MicrophoneFailed(),
    events.SwitchMoved(True),
    events.SwitchMoved(True, unread=True),
    events.SwitchMoved(False),
    events.RecordingRequested(True),
    events.RecordingRequested(False),
    events.TimerDue(),
    events.ClockSet(),
    *(events.PlanDecided(plan) for plan in PLANS),
)
STOPS: tuple[Event, ...] = (
    events.StopAsked("a test"),
    events.SwitchOffAsked("Goodbye.", "a test"),
)
NOT_AFTER_THE_END = {
    actions.PrepareAnswer,
    actions.Understand,
    actions.Answer,
    actions.Announce,
    actions.PlayTone,
    actions.ApplyPlan,
    actions.Sleep,
    actions.End,
}
"""A press, the switch or a command may still change settings while the program ends, and no more."""
TURNS = (actions.Understand, actions.Answer, actions.Apologise)


class World:
    """A session, and performers that end what they began when the test says so, well or badly."""

    def __init__(self) -> None:
        self.state = State()
        self.now_s = 0.0
        self.under_way: dict[int, Action] = {}
        """Number -> the action that has to end."""
        self.over: int | None = None
        """What the wearer speaks over; None while the headband is silent."""
        self.cancelled: set[int] = set()
        self.reminder: actions.Remind | None = None
        self.asleep: int | None = None
        self.over_and_done = False
        timers = Timers().with_timer(60, Now(0.0, 1e9)).with_timer(300, Now(0.0, 1e9))
        options = Options(follow_up_s=8.0, sleep_after_s=10.0)
        self.takes(events.Started(options, WearerSettings(timers=timers), PLANS[0], "I forgot a part."))

    def takes(self, event: Event) -> None:
        queue = [event]
        while queue:
            at = Now(self.now_s, 1e9 + self.now_s)
            self.state, begun = step(self.state, replace(queue.pop(0), at=at))
            assert not self.over_and_done or NOT_AFTER_THE_END.isdisjoint(map(type, begun))
            for action in begun:
                queue += self.performs(action)

    def performs(self, action: Any) -> list[Event]:
        """Begins an action; returns what it posts at once."""
        match action:
            case actions.Record():
                assert action.transition.target is not None, action.transition
            case actions.ListenOverSpeech():
                self.over = action.number
            case actions.CloseQuestion() | actions.OpenAtWakeWord() | actions.ResumeQuestion():
                self.over = None
            case actions.Remind():
                self.reminder = action
            case actions.Cancel():
                self.cancelled.add(action.number)
                self.under_way.setdefault(action.number, action)  # a turn between two of its steps
            case actions.Reply():
                louder = replace(action.settings, volume_percent=(action.settings.volume_percent + 7) % 100)
                return [events.Replied(action.number, louder)]
            case actions.End():
                self.over_and_done = True
            case actions.ForgetQuestion():
                self.under_way[action.question] = action
            case _ if type(action) in ENDINGS or isinstance(action, actions.ReadBattery | actions.Sleep):
                self.under_way[action.number] = action
        return []

    def hears(self, which: int) -> None:
        """The next chunk of sound; the main loop reads none while a plan is applied or sleep is prepared."""
        if self.state.applying is not None or self.state.falling_asleep is not None:
            return
        if self.asleep is not None:
            number, self.asleep = self.asleep, None
            self.takes(events.Awoke(number, self.now_s if which % 2 else 0.0))
        if not self.state.recording:
            return
        if self.over is None:
            self.takes(SOUND[which % len(SOUND)])
        else:
            self.takes(OVER_SPEECH[which % len(OVER_SPEECH)](self.over))

    def ends(self, which: int) -> None:
        """One of the actions under way comes to its end, or a step nearer."""
        if not self.under_way:
            return
        number = sorted(self.under_way)[which % len(self.under_way)]
        action = self.under_way.pop(number)
        self.takes(self._ending(number, action, which // len(self.under_way or [0])))

    def passes(self, seconds: int) -> None:
        """Time passes, and the main loop comes by."""
        self.now_s += seconds
        if self.reminder is not None and self.now_s >= self.reminder.at_s:
            number, self.reminder = self.reminder.number, None
            self.takes(events.Reminded(number))

    def comes_to_rest(self) -> None:
        """Everything ends well, and nobody says anything more."""
        for _ in range(200):
            if self.under_way:
                self.takes(self._ending(min(self.under_way), self.under_way.pop(min(self.under_way)), 0))
            elif self.asleep is not None:
                self.hears(0)
            elif self.state.interaction in ("listening", "follow_up"):
                self.takes(events.NothingSaid())
            else:
                return
        raise AssertionError(f"no rest: {self.state}")

    def _ending(self, number: int, action: Any, how: int) -> Event:
        if isinstance(action, TURNS):
            return self._turn_ending(number, action, how)
        if isinstance(action, actions.Cancel):
            return events.AnswerEnded(number)
        if isinstance(action, actions.ReadBattery):
            return events.PlanDecided(PLANS[how % len(PLANS)] if how else self.state.plan, number)
        if isinstance(action, actions.Sleep):
            if how % 2:
                return events.SleepRefused(number, self.now_s + 60)
            self.asleep = number
            return events.FellAsleep(number)
        return ENDINGS[type(action)](action)

    def _turn_ending(self, number: int, action: Any, how: int) -> Event:
        if number in self.cancelled or isinstance(action, actions.Apologise):
            return events.AnswerEnded(number)
        if how % 5 == 4:
            return events.AnswerFailed(number, "a test")
        if isinstance(action, actions.Understand):
            return events.Understood(number, ("now", "device", "unclear")[how % 3], "louder")
        if how % 2:
            self.under_way[number] = action  # it begins to sound, and goes on
            return events.AnswerBegan(number)
        return events.AnswerEnded(number)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("hears"), st.integers(0, 20)),
        st.tuples(st.just("ends"), st.integers(0, 60)),
        st.tuples(st.just("happens"), st.integers(0, len(OTHERS) - 1)),
        st.tuples(st.just("passes"), st.integers(1, 100)),
    ),
    max_size=60,
)


def live(world: World, steps: list[tuple[str, int]]) -> None:
    for kind, value in steps:
        if kind == "happens":
            world.takes(OTHERS[value])
        else:
            getattr(world, kind)(value)


@settings(deadline=None, max_examples=300)
@given(STEPS)
def test_the_session_comes_to_rest_whatever_happened(steps: list[tuple[str, int]]) -> None:
    world = World()
    live(world, steps)
    world.comes_to_rest()
    state = world.state
    assert state.interaction == "standby" and state.speech is None and state.question is None
    assert not state.running and not state.cancelled and not state.waiting
    assert state.next_plan is None and state.applying is None and state.falling_asleep is None


@settings(deadline=None, max_examples=300)
@given(STEPS, st.sampled_from(STOPS), STEPS)
def test_the_program_ends_whatever_happens_before_and_after_it_is_asked_to(
    before: list[tuple[str, int]], stop: Event, after: list[tuple[str, int]]
) -> None:
    world = World()
    live(world, before)
    world.takes(stop)
    live(world, after)
    world.comes_to_rest()
    assert world.state.interaction == "stopping" and world.over_and_done
