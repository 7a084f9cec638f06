"""The table is complete where it must be, and states change by the table only."""

import re
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from host.states import INITIAL, TABLE, Event, Region, Regions, StateMachine, Transition, diagram, take
from power.policy.plan import Mode

EVENTS = sorted({event for _, _, event in TABLE})
REGIONS = sorted(INITIAL)


@given(st.lists(st.tuples(st.sampled_from(REGIONS), st.sampled_from(EVENTS))))
def test_only_the_table_changes_a_state(events: list[tuple[Region, Event]]) -> None:
    regions = Regions()
    assert asdict(regions) == INITIAL
    for region, event in events:
        before = asdict(regions)
        regions, transition = take(regions, region, event, "test")
        expected = TABLE.get((region, before[region], event))
        assert transition == Transition(region, before[region], event, expected, "test")
        assert asdict(regions) == {**before, region: expected or before[region]}


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
    regions, transition = take(Regions(), "interaction", "utterance", "an utterance without a wake word")
    assert regions == Regions()
    assert transition == Transition(
        "interaction", "standby", "utterance", None, "an utterance without a wake word"
    )


def test_as_an_object_the_regions_obey_the_same_table() -> None:
    machine = StateMachine()
    assert not machine.interact("utterance", "an utterance without a wake word")
    assert machine.interact("woken", "the wake word was heard") and machine.interaction == "listening"
    assert machine.set_power(Mode.PERFORMANCE, "the mode in force is no transition")
    for mode in (Mode.CUTOFF, Mode.CASCADE):
        assert machine.set_power(mode, "a test") and machine.power == mode.value


def test_the_diagram_shows_every_transition() -> None:
    arrows = re.findall(r"^\s+(\w+) --> (\w+): (\w+)$", diagram(), re.MULTILINE)
    assert sorted(arrows) == sorted((source, target, event) for (_, source, event), target in TABLE.items())
