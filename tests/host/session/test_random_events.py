"""Whatever happens in whatever order, the core keeps its promises."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from host.session import events as e
from host.session.state import State
from host.session.step import RULES, step
from tests.host.session.any_event import any_event
from tests.host.session.walk import session, sessions
from tests.host.session.world import World

CHANCE = st.randoms(use_true_random=False)


@pytest.mark.parametrize("seed", [2, 3])
def test_a_random_walk_finds_nothing(seed: int) -> None:
    seen: Counter[type] = Counter()
    for each, world in sessions(10_000, seed):
        assert world.violations == [], f"session {each}"
        seen.update(world.kinds)
    assert set(RULES) - set(seen) == set(), "these events never happened"


def test_a_session_can_be_walked_again() -> None:
    first, again = session(7), session(7)
    assert first.events == again.events
    assert first.seen.after == again.seen.after


class Sessions(RuleBasedStateMachine):
    """Sessions that hypothesis composes, and shortens when they violate something."""

    @initialize(chance=CHANCE)
    def starts(self, chance) -> None:
        self.world = World(chance, rare=0.1)
        self.world.start()

    @rule(chance=CHANCE)
    def something_happens(self, chance) -> None:
        self.world.choices = chance
        self.world.one()

    @rule(chance=CHANCE)
    def performers_end_everything(self, chance) -> None:
        self.world.choices = chance
        self.world.drain()

    @rule(event=st.sampled_from([e.SwitchOffAsked("Goodbye.", "a long press"), e.StopAsked("SIGTERM")]))
    def somebody_switches_off(self, event: e.Event) -> None:
        self.world.feed(event)

    @invariant()
    def nothing_is_violated(self) -> None:
        assert not hasattr(self, "world") or self.world.violations == []


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(any_event(), max_size=12))
def test_any_event_with_any_number_has_one_outcome(events: list[e.Event]) -> None:
    """Also events that no performer sends, such as a second start or the number of something else."""
    state = State()
    for event in events:
        once, again = step(state, event), step(state, event)
        assert once == again
        state = once[0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 500), st.lists(any_event(), min_size=1, max_size=6))
def test_any_event_in_any_state_has_an_outcome(seed: int, events: list[e.Event]) -> None:
    state = session(seed, most=60, drained=False).seen.after
    for event in events:
        state, _ = step(state, event)
