"""The guard's reaction to the button and to the host's requests."""

from __future__ import annotations

import pytest

from firmware.pmu import guard_button as button
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.guard import CHOICE_MS, SAVED_MS, SHUTDOWN_MS
from tests.firmware.guard_world import World


def test_the_power_chip_has_twenty_seconds_to_switch_its_supplies_off() -> None:
    """As firmware/README.md says: the host's system stops meanwhile, and its RK8xx does that at its end."""
    world = World()
    world.arm()
    world.request(r.REQUEST_SAVED)
    world.run(19.5)
    assert world.host_on()
    world.run(1)
    assert not world.host_on()


def test_saved_drops_the_rail_after_the_last_blocks_are_written() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SAVED)
    world.run(SAVED_MS / 1000 - 0.25)
    assert world.host_on()
    world.run(0.25)
    assert world.offs[0][1] == rail.SHUTDOWN
    assert world.deadline_s == 0 and world.state == r.GUARD_OFF
    world.powered = True
    world.run(7_200)
    assert not world.host_on(), "what the wearer or the host switched off stays off"
    world.gesture(button.SHORT)
    assert world.host_on()


@pytest.mark.parametrize("deadline_s", [5, 10, 14])
def test_a_host_that_has_saved_is_not_reset_while_its_system_stops(deadline_s: int) -> None:
    world = World()
    world.arm(deadline_s)
    world.run(60, beats=True)
    world.request(r.REQUEST_SAVED)
    world.run(SAVED_MS / 1000)
    assert not world.resets_ms and not world.stages()
    assert [reason for _, reason in world.offs] == [rail.SHUTDOWN]


def test_a_host_that_falls_asleep_over_a_long_press_is_woken_for_it() -> None:
    world = World()
    world.arm()
    world.run(20, beats=True)
    world.gesture(button.LONG)
    world.run(1)
    world.request(r.REQUEST_SLEEP)
    world.run(1)
    assert world.state == r.GUARD_ASLEEP and world.asks == r.ASK_SHUTDOWN
    assert world.lines() == (False, True)


def test_a_power_cycle_after_saving_leaves_the_host_on() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SAVED)
    world.run(2)
    world.request(r.REQUEST_REBOOT)
    world.run(rail.CYCLE_MS / 1000)
    assert world.host_on()
    world.run(2 * SAVED_MS / 1000, beats=True)
    assert world.host_on() and len(world.offs) == 1


def test_a_press_during_a_power_cycle_does_not_shorten_it() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_REBOOT)
    world.run(1)
    world.gesture(button.SHORT)
    world.run(rail.CYCLE_MS / 1000 - 1.25)
    assert not world.host_on()
    world.run(0.25)
    assert world.host_on()


def test_a_long_press_asks_and_the_host_saves() -> None:
    world = World()
    world.arm()
    world.gesture(button.LONG)
    assert world.asks == r.ASK_SHUTDOWN
    assert (r.EVENT_KIND_BUTTON, button.LONG) in [event[1:] for event in world.events]
    world.run(4, beats=True)
    world.request(r.REQUEST_SAVED)
    world.run(SAVED_MS / 1000)
    assert world.offs[0][1] == rail.SHUTDOWN and world.asks == 0


def test_a_long_press_on_a_host_that_does_not_answer_switches_it_off() -> None:
    world = World()
    world.arm()
    world.gesture(button.LONG)
    world.run(SHUTDOWN_MS / 1000 - 1, beats=True)
    assert world.host_on()
    world.run(2, beats=True)
    assert [reason for _, reason in world.offs] == [rail.SHUTDOWN]


def test_a_long_press_on_a_computer_without_the_application_only_asks() -> None:
    world = World()
    world.gesture(button.LONG)
    world.run(600)
    assert world.host_on() and world.asks == 0


def test_a_held_button_switches_off_whatever_else_is_the_matter() -> None:
    world = World()
    world.arm()
    world.run(1_200)
    assert world.stages()[-1] == r.GUARD_GAVE_UP
    world.gesture(button.HELD)
    assert not world.host_on() and not world.guard.gave_up
    world.gesture(button.SHORT)
    assert world.host_on() and world.state == r.GUARD_OFF


def test_a_double_press_asks_for_a_choice_for_some_seconds() -> None:
    world = World()
    world.arm()
    world.gesture(button.DOUBLE)
    assert world.asks == r.ASK_CHOICE
    world.run(CHOICE_MS / 1000, beats=True)
    assert world.asks == 0
