"""The guard and a cell that is empty, recovers or collapses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu import guard_button as button
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from tests.firmware.guard_world import World


def test_a_burst_of_load_is_no_empty_cell() -> None:
    world = World()
    world.arm()
    for _ in range(200):
        world.voltage_mv = 3_050
        world.run(4, beats=True)
        world.voltage_mv = 3_400
        world.run(0.25, beats=True)
    assert world.asks == 0 and not world.offs


def test_a_cold_aged_cell_that_sags_is_no_empty_cell() -> None:
    world = World()
    world.arm()
    world.voltage_mv, world.headroom_mv = 3_150, 400
    world.run(600, beats=True)
    assert world.asks == 0 and not world.offs


@pytest.mark.parametrize(
    ("voltage_mv", "headroom_mv", "after_s"), [(3_080, 500, 6), (3_080, -5, 6), (3_240, -5, 16)]
)
def test_the_cut_off_asks_first_and_drops_after_the_grace(
    voltage_mv: int, headroom_mv: int, after_s: int
) -> None:
    world = World()
    world.arm()
    world.voltage_mv, world.headroom_mv = voltage_mv, headroom_mv
    world.run(after_s, beats=True)
    assert world.asks == r.ASK_SHUTDOWN and world.guard.ending
    assert [kind for _, kind, _ in world.events] == [r.EVENT_KIND_CUT_OFF]
    world.run(cutoff.GRACE_MS / 1000 - 2, beats=True)
    assert world.host_on()
    world.run(2, beats=True)
    assert [reason for _, reason in world.offs] == [rail.EMPTY]


def test_below_the_hard_voltage_there_is_no_grace() -> None:
    world = World()
    world.arm()
    world.voltage_mv = 2_950
    world.run(1.5, beats=True)
    assert [reason for _, reason in world.offs] == [rail.EMPTY]


def test_outside_power_takes_the_asking_back() -> None:
    world = World()
    world.arm()
    world.voltage_mv = 3_080
    world.run(10, beats=True)
    world.powered, world.voltage_mv = True, 3_350
    world.run(60, beats=True)
    assert world.asks == 0 and not world.offs and not world.guard.ending


def test_a_sleeping_host_is_woken_to_save() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SLEEP)
    world.voltage_mv, world.headroom_mv = 3_240, -5
    woken = False
    for _ in range(80):
        world.run(0.25)
        woken = woken or world.lines()[1]
    assert woken and world.asks == r.ASK_SHUTDOWN


@pytest.mark.parametrize(
    ("voltage_mv", "powered", "starts"),
    [
        (3_600, False, False),
        (3_649, False, False),
        (3_650, False, True),
        (3_700, False, True),
        (3_300, True, False),
        (3_399, True, False),
        (3_400, True, True),
        (3_450, True, True),
    ],
)
def test_an_empty_cell_must_recover_before_the_host_starts(
    voltage_mv: int, powered: bool, starts: bool
) -> None:
    world = World()
    world.arm()
    world.voltage_mv = 2_950
    world.run(2, beats=True)
    world.voltage_mv, world.powered = voltage_mv, powered
    world.run(rail.STEADY_MS / 1000 - 1)
    assert not world.host_on()
    world.run(60)
    assert world.host_on() is starts
    world.gesture(button.SHORT)
    assert world.host_on() is starts, "the button can't start a host that the cell could not carry"


def test_a_cell_that_collapses_at_every_start_is_not_tried_for_ever() -> None:
    world = World()
    for _ in range(2 * 3_600):
        world.voltage_mv = 2_900 if world.host_on() else 3_800
        world.run(1)
    assert len(world.starts_ms) <= 2 * rail.STARTS_PER_HOUR


@settings(deadline=None)
@given(st.floats(0, 2_000), st.floats(0, 2_000))
def test_a_weaker_cell_counts_as_empty_no_later_and_always_within_bounds(one: float, other: float) -> None:
    weak, strong = cutoff.empty_mv(max(one, other)), cutoff.empty_mv(min(one, other))
    assert cutoff.LOW_MV < strong <= weak <= 3_500


PHASES = st.lists(
    st.tuples(
        st.integers(1, 40), st.sampled_from([3_600, 3_150, 3_090, 2_950]), st.sampled_from([300, 1, 0, -80])
    ),
    min_size=1,
    max_size=8,
)


@settings(deadline=None)
@given(PHASES)
def test_the_host_is_asked_and_stopped_only_for_a_reason_that_lasted(
    phases: list[tuple[int, int, int]],
) -> None:
    """A sample per second, in phases of constant voltages."""
    samples = [(mv, headroom_mv) for count, mv, headroom_mv in phases for _ in range(count)]
    watch = cutoff.CutOff()
    asked = False
    for number, (voltage_mv, headroom_mv) in enumerate(samples):
        verdict = watch.step(number * 1000, voltage_mv, headroom_mv, False)
        lately = samples[: number + 1]
        if verdict == cutoff.ASK:
            assert not asked, "once"
            low = [mv <= cutoff.LOW_MV for mv, _ in lately[-cutoff.LOW_SAMPLES :]]
            empty = [headroom <= 0 for _, headroom in lately[-cutoff.EMPTY_SAMPLES :]]
            enough = (len(low) >= cutoff.LOW_SAMPLES, len(empty) >= cutoff.EMPTY_SAMPLES)
            assert (all(low) and enough[0]) or (all(empty) and enough[1])
            asked = True
        if verdict == cutoff.DROP:
            hard = [mv <= cutoff.HARD_MV for mv, _ in lately[-cutoff.HARD_SAMPLES :]]
            assert asked or (all(hard) and len(hard) == cutoff.HARD_SAMPLES)
            break  # the rail is off
