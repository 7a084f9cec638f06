"""The table is complete where it must be, and states change by the table only."""

import re

from hypothesis import given
from hypothesis import strategies as st

from host.states import INITIAL, TABLE, Event, Region, StateMachine, Transition, diagram

EVENTS = sorted({event for _, _, event in TABLE})
REGIONS = sorted(INITIAL)


@given(st.lists(st.tuples(st.sampled_from(REGIONS), st.sampled_from(EVENTS))))
def test_only_the_table_changes_a_state(events: list[tuple[Region, Event]]) -> None:
    seen: list[Transition] = []
    machine = StateMachine(seen.append)
    for region, event in events:
        before = machine.as_dict()
        taken = machine.fire(region, event, "test")
        expected = TABLE.get((region, before[region], event))
        assert taken == (expected is not None)
        assert machine.as_dict() == {**before, region: expected or before[region]}
    assert len(seen) == len(events)
    assert all(transition.cause for transition in seen)


def test_every_state_can_be_reached_and_every_awake_state_can_stop() -> None:
    for region, first in INITIAL.items():
        reached = {first}
        while True:
            more = {t for (r, s, _), t in TABLE.items() if r == region and s in reached} - reached
            if not more:
                break
            reached |= more
        states = {s for (r, s, _) in TABLE if r == region} | {
            t for (r, _, _), t in TABLE.items() if r == region
        }
        assert reached == states
    interaction = {s for (r, s, _) in TABLE if r == "interaction"}
    assert all(TABLE["interaction", state, "stop"] == "stopping" for state in interaction)


def test_a_refused_event_is_recorded_with_its_cause() -> None:
    seen: list[Transition] = []
    machine = StateMachine(seen.append)
    assert not machine.interact("utterance", "an utterance without a wake word")
    assert seen == [
        Transition("interaction", "standby", "utterance", None, "an utterance without a wake word")
    ]


def test_the_diagram_shows_every_transition() -> None:
    arrows = re.findall(r"^\s+(\w+) --> (\w+): (\w+)$", diagram(), re.MULTILINE)
    assert sorted(arrows) == sorted((source, target, event) for (_, source, event), target in TABLE.items())
