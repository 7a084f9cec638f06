"""Invariants of the guard under any sequence of events."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import guard_button as button
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from tests.firmware.guard_world import DEADLINE_S, FULL_MV, World

REQUESTS = (
    0, 0, 0, r.REQUEST_SLEEP, r.REQUEST_REBOOT, r.REQUEST_MAINTENANCE, r.REQUEST_NORMAL, r.REQUEST_SAVED, 77,
)  # fmt: skip
GESTURES = (0, 0, 0, button.SHORT, button.DOUBLE, button.LONG, button.HELD)


@dataclass(frozen=True)
class Phase:
    """The inputs of some seconds."""

    seconds: int
    beats: bool
    request: int
    gesture: int
    voltage_mv: int
    headroom_mv: int
    powered: bool
    deadline_s: int | None
    """Written at the beginning."""


PHASES = st.builds(
    Phase,
    seconds=st.integers(1, 600),
    beats=st.booleans(),
    request=st.sampled_from(REQUESTS),
    gesture=st.sampled_from(GESTURES),
    voltage_mv=st.sampled_from([FULL_MV, FULL_MV, 3_700, 3_500, 3_080, 2_950]),
    headroom_mv=st.sampled_from([500, 500, 50, -5]),
    powered=st.booleans(),
    deadline_s=st.sampled_from([None, None, 0, 5, DEADLINE_S]),
)
HANGING = st.builds(
    Phase,
    seconds=st.integers(1, 1_200),
    beats=st.sampled_from([False, False, False, True]),
    request=st.just(0),
    gesture=st.just(0),
    voltage_mv=st.just(FULL_MV),
    headroom_mv=st.just(500),
    powered=st.booleans(),
    deadline_s=st.sampled_from([None, None, 5, DEADLINE_S]),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(PHASES, min_size=1, max_size=20) | st.lists(HANGING, min_size=1, max_size=20))
def test_no_schedule_breaks_the_guards_promises(phases: list[Phase]) -> None:
    world = World(step_ms=500)
    world.arm()
    maintained = False
    for phase in phases:
        world.voltage_mv, world.powered = phase.voltage_mv, phase.powered
        world.headroom_mv = phase.headroom_mv
        if phase.deadline_s is not None and world.host_on():
            world.deadline_s = phase.deadline_s
            world.live()
        if phase.gesture:
            world.gesture(phase.gesture)
        saves = phase.request == r.REQUEST_SAVED
        if phase.request:
            maintained = (world.host_on() and phase.request == r.REQUEST_MAINTENANCE) or (
                maintained and phase.request != r.REQUEST_NORMAL
            )
            world.request(phase.request)
        for _ in range(phase.seconds):
            maintained = maintained and world.host_on() and world.guard.maintenance
            live_a_second(world, phase.beats, maintained, saves)
    for first_ms in world.automatic_ms:
        hour = range(first_ms, first_ms + rail.HOUR_MS + 1)
        assert sum(at_ms in hour for at_ms in world.automatic_ms) <= rail.STARTS_PER_HOUR


def live_a_second(world: World, beats: bool, maintained: bool, saves: bool) -> None:
    """Advance one second and check the invariants; `saves`: the host has just written REQUEST_SAVED."""
    silent_ms, deadline_ms = world.now_ms - world.beaten_ms, world.deadline_s * 1000
    touched, offs, told = len(world.resets_ms) + len(world.cycles_ms), len(world.offs), len(world.events)
    world.run(1, beats=beats)
    touches = len(world.resets_ms) + len(world.cycles_ms) - touched
    stages = [detail for _, kind, detail in world.events[told:] if kind == r.EVENT_KIND_GUARD]
    if maintained:
        assert not touches and not stages
        assert saves or all(reason in (rail.SHUTDOWN, rail.EMPTY) for _, reason in world.offs[offs:]), (
            "only on request, or to save the cell"
        )
    if touches:
        assert 0 < deadline_ms <= silent_ms + 1_500, "a beating host is never touched"
    if r.GUARD_GAVE_UP in stages:
        since_ms = world.now_ms - rail.HOUR_MS - 1_000
        assert sum(at_ms >= since_ms for at_ms in world.automatic_ms) == rail.STARTS_PER_HOUR
        assert world.host_on()
