"""A session as a value: events in, actions out, with a clock that the test moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from host.answers.timers import Now, Timers
from host.session import actions, events
from host.session.actions import Action
from host.session.events import Event
from host.session.state import State
from host.session.step import step
from host.session.values import Options, PlanRules, WearerSettings
from power.policy.plan import Mode
from tests.host.session.doubles import ENDINGS

OPTIONS = Options(follow_up_s=8.0, sleep_after_s=10.0)
PLAN = PlanRules(1)
ONE_BRICK = PlanRules(1, Mode.CASCADE, residency="one_at_a_time")
"""Room for one brick only."""
FAREWELL = events.SwitchOffAsked("Goodbye.", "the button was pressed for long")

_Kind = TypeVar("_Kind", bound=Action)


class Session:
    """A session that has started; its plan is obeyed."""

    def __init__(
        self,
        options: Options = OPTIONS,
        plan: PlanRules = PLAN,
        settings: WearerSettings | None = None,
        problem: str = "",
    ) -> None:
        self.state = State()
        self.now_s = 0.0
        self.wall_ahead_s = 1e9
        self.causes: list[str] = []
        """The causes of all transitions."""
        self.begun: list[Action] = []
        """All actions."""
        self.takes(events.Started(options, settings or WearerSettings(), plan, problem))
        self.ends(actions.ApplyPlan)

    @property
    def interaction(self) -> str:
        """State of the interaction region."""
        return self.state.interaction

    def takes(self, *them: Event) -> list[Action]:
        """Takes events; returns the actions of the last but the transitions, which the state tells."""
        taken: tuple[Action, ...] = ()
        for event in them:
            self.state, taken = step(
                self.state, replace(event, at=Now(self.now_s, self.wall_ahead_s + self.now_s))
            )
            self.begun += taken
        records = [action for action in taken if isinstance(action, actions.Record)]
        assert all(record.transition.target for record in records), records
        self.causes += [record.transition.cause for record in records]
        return [action for action in taken if not isinstance(action, actions.Record)]

    def last(self, kind: type[_Kind]) -> _Kind:
        """The last action of a kind."""
        return next(action for action in reversed(self.begun) if isinstance(action, kind))

    def ends(self, kind: type[Action]) -> list[Action]:
        """The last action of a kind ends well; returns what follows."""
        return self.takes(ENDINGS[kind](self.last(kind)))

    def ends_all(self) -> None:
        """Everything under way ends well."""
        for action in self.begun.copy():
            number = getattr(action, "number", getattr(action, "question", None))
            if number in self.state.running and type(action) in ENDINGS:
                self.takes(ENDINGS[type(action)](action))

    def passes(self, seconds: float) -> None:
        """Time passes."""
        self.now_s += seconds

    # --- a conversation -------------------------------------------------------------------------------------

    def hears_question(self) -> int:
        """The wake word and a question; returns the number of the turn, whose transcript is being made."""
        self.takes(events.WakeWordHeard(), events.SpeechEnded(1))
        assert self.interaction == "thinking"
        return self.last(actions.Understand).number

    def answers(self) -> int:
        """A question, and the beginning of its answer; returns the number of the turn."""
        number = self.hears_question()
        self.takes(events.Understood(number, "now"), events.AnswerBegan(number), events.Sounding(number))
        assert self.interaction == "speaking"
        return number

    def announces(self) -> int:
        """The beginning of an announcement; returns its number."""
        self.takes(events.Pressed("choice"))
        assert self.interaction == "speaking"
        return self.last(actions.Announce).number

    def reads_battery(self, plan: PlanRules | None = None) -> list[Action]:
        """The battery is read at the end of a turn; returns what follows."""
        number = self.last(actions.ReadBattery).number
        return self.takes(events.PlanDecided(plan or self.state.plan, number))


def kinds(taken: list[Action]) -> list[type[Action]]:
    """The kinds of actions, in order."""
    return [type(action) for action in taken]


def with_timer(seconds: int) -> WearerSettings:
    """Settings with one timer, set at the beginning of the session."""
    return WearerSettings(timers=Timers().with_timer(seconds, Now(0.0, 1e9)))
