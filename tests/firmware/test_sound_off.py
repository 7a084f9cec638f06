"""Every way to switch recording off: the PMU's microphone is off and its gate has no sound until a host asks
it to listen again.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from firmware.pmu.guard import SAVED_MS
from tests.firmware.listening_pmu import FULL_MV, World


def held(world):
    world.press(10.5)
    assert not world.board.rail_on


def saved(world):
    world.request(r.REQUEST_SAVED)
    world.run(SAVED_MS / 1_000)
    assert not world.board.rail_on


def wish_unheard(world):
    world.press(2.5)
    world.run(31)
    assert not world.board.rail_on


def cut_off(world):
    world.board.voltage_mv = 3_080
    world.until(lambda world: not world.board.rail_on, 90)


def hard_cut_off(world):
    world.board.voltage_mv = 2_900
    world.until(lambda world: not world.board.rail_on, 30)


def reboot(world):
    world.request(r.REQUEST_REBOOT)
    world.until(lambda world: world.board.rail_on, 10)


def hang(world, state):
    """A host that does not answer until the guard has reached that state."""
    world.press(0.1)  # a sleeping host is woken
    world.until(lambda world: world.pmu.target.value(r.GUARD) == state, 4_000)


def reset(world):
    hang(world, r.GUARD_RESET)


def cycled(world):
    hang(world, r.GUARD_CYCLED)


def recording_off(world):
    world.write(r.SOUND_GATE, r.GATE_OFF)
    world.run(0.1)


def pmu_restarted(world):
    world.start()


def held_and_restarted(world):
    held(world)
    world.start()
    assert not world.board.rail_on or not world.pmu.guard.rail.on


def held_and_on_again(world):
    held(world)
    world.press(0.1)
    assert world.board.rail_on


def held_within_a_power_cycle(world):
    """The ten seconds are over while the guard has the rail off for three."""
    world.run(0.5)
    world.board.pressed = True
    world.run(8.5)
    world.request(r.REQUEST_REBOOT)
    assert not world.board.rail_on
    world.run(1.5)
    world.board.pressed = False
    world.run(10)
    assert not world.board.rail_on


def held_in_maintenance(world):
    world.request(r.REQUEST_MAINTENANCE)
    held(world)


def saved_but_not_off_yet(world):
    world.request(r.REQUEST_SAVED)
    assert world.board.rail_on


WAYS = [
    held_within_a_power_cycle, held_in_maintenance, saved_but_not_off_yet, held, saved, wish_unheard, cut_off,
    hard_cut_off, reboot, reset, cycled, recording_off, held_and_restarted, held_and_on_again,
]  # fmt: skip


@pytest.mark.parametrize("asleep", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_switches_off_nothing_is_heard_and_nothing_is_left_of_it(way, asleep):
    world = World()
    world.listen(asleep)
    way(world)
    world.assert_off()


def test_a_pmu_that_restarts_listens_on_for_a_host_that_sleeps_and_for_no_other():
    for asleep in (True, False):
        world = World()
        world.listen(asleep)
        pmu_restarted(world)
        world.run(1)
        assert world.board.microphone_on is asleep
        assert world.pmu.target.value(r.SOUND_GATE) == (r.GATE_LISTEN if asleep else r.GATE_OFF)
        if asleep:
            assert world.pmu.target.value(r.GUARD) == r.GUARD_ASLEEP
            held(world)
        world.assert_off()
        pmu_restarted(world)
        world.assert_off()


def test_a_host_that_took_over_leaves_nothing_behind_when_it_goes():
    world = World()
    world.listen(True)
    world.live()
    world.write(r.SOUND_GATE, r.GATE_TAKEN)
    world.run(0.1)
    assert world.pmu.sound.recorder.kept
    held(world)
    world.assert_off(1)


def test_a_host_that_is_given_up_on_is_not_listened_for():
    world = World()
    world.pmu.guard.rail.starts.restore(3, 0)
    world.pmu.guard.budgets[1].restore(3, 0)
    world.listen(True)
    hang(world, r.GUARD_GAVE_UP)
    world.assert_off()


def test_a_host_without_power_opens_no_gate_and_one_that_is_back_does():
    world = World()
    world.listen(True)
    held(world)
    world.write(r.SOUND_GATE, r.GATE_LISTEN)
    world.run(1)
    world.assert_off()
    world.press(0.1)
    assert world.board.rail_on
    world.assert_off()
    world.listen(True)


def test_a_restarted_host_opens_the_gate_once_it_lives():
    world = World()
    world.listen(True)
    cycled(world)
    world.run(5)
    world.assert_off()
    world.listen(True)


WHAT = st.one_of(
    st.tuples(st.just("request"), st.integers(1, 5)),
    st.tuples(st.just("gate"), st.integers(0, 3)),
    st.tuples(st.just("press"), st.sampled_from([0.1, 2.5, 10.5])),
    st.tuples(st.just("cell"), st.sampled_from([FULL_MV, 3_080, 2_900])),
    st.tuples(st.just("run"), st.sampled_from([1, 5, 40])),
    st.tuples(st.just("live"), st.none()),
    st.tuples(st.just("restart"), st.none()),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(WHAT, min_size=3, max_size=10))
def test_after_any_course_of_events_a_headband_without_power_hears_nothing(course):
    world = World()
    world.listen(True)
    for what, value in [*course, ("press", 10.5)]:
        if what == "request":
            world.request(value)
        elif what == "gate":
            world.write(r.SOUND_GATE, value)
        elif what == "press":
            world.press(value)
        elif what == "cell":
            world.board.voltage_mv = value
        elif what == "live":
            world.live()
        elif what == "restart":
            world.start()
        else:
            world.run(value)
        if not world.pmu.guard.rail.on:
            world.run(0.5)
        if not world.pmu.guard.rail.on:
            world.assert_off(1)
