"""The guard and a host that beats, hangs, sleeps or is being flashed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from firmware.pmu import guard_button as button
from firmware.pmu import guard_heartbeat as heartbeat
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.guard import Guard
from tests.firmware.guard_world import DEADLINE_S, World


def seconds_between(moments_ms: list[int]) -> list[int]:
    return [round((b - a) / 1000) for a, b in pairwise(moments_ms)]


def test_without_a_deadline_nothing_is_due() -> None:
    world = World()
    world.run(3_600)
    assert (world.state, world.events, world.offs) == (r.GUARD_OFF, [], [])


def test_a_beating_host_is_left_alone() -> None:
    world = World()
    world.arm()
    world.run(7_200, beats=True)
    assert (world.state, world.events, world.resets_ms, world.offs) == (r.GUARD_ARMED, [], [], [])


def test_silence_is_warned_of_then_reset_then_power_cycled_then_given_up() -> None:
    world = World()
    world.arm()
    silent_ms = world.now_ms
    world.run(1_200)
    assert world.stages() == [
        r.GUARD_WARNED, r.GUARD_RESET, r.GUARD_CYCLED, r.GUARD_CYCLED, r.GUARD_CYCLED, r.GUARD_GAVE_UP,
    ]  # fmt: skip
    moments_ms = [at_ms for at_ms, kind, _ in world.events if kind == r.EVENT_KIND_GUARD]
    assert moments_ms[0] - silent_ms in range(DEADLINE_S * 1000 - 1_000, DEADLINE_S * 1000 + 251)
    assert seconds_between(moments_ms) == [5, 90, 90, 180, 360]
    assert len(world.resets_ms) == 1 and len(world.cycles_ms) == 3
    assert [start - off for start, off in zip(world.starts_ms, world.cycles_ms, strict=True)] == [3_000] * 3
    assert world.host_on() and world.guard.gave_up
    world.run(7_200)
    assert len(world.cycles_ms) == 3, "once given up, nothing more happens"


def test_the_reset_line_is_let_go() -> None:
    world = World(step_ms=20)
    world.arm()
    while not world.lines()[0] and world.now_ms < 100_000:
        world.run(0.02)
    assert world.lines()[0]
    world.run(0.3)
    assert not world.lines()[0] and world.host_on()


@pytest.mark.parametrize("silent_s", [DEADLINE_S + 2, DEADLINE_S + 20, DEADLINE_S + 110, 1_200])
def test_a_heartbeat_ends_it_at_every_stage(silent_s: int) -> None:
    world = World()
    world.arm()
    world.run(silent_s)
    assert world.stages()
    world.run(1_000, beats=True)
    assert world.state == r.GUARD_ARMED
    before = len(world.events)
    world.run(600, beats=True)
    assert len(world.events) == before


def test_a_host_that_hangs_again_and_again_is_not_restarted_for_ever() -> None:
    world = World()
    world.arm()
    for _ in range(60):  # a minute of heartbeats, then none until the guard has acted
        world.run(60, beats=True)
        before = len(world.resets_ms) + len(world.cycles_ms)
        for _ in range(100):
            world.run(5)
            if world.guard.gave_up or len(world.resets_ms) + len(world.cycles_ms) > before:
                break
    assert r.GUARD_GAVE_UP in world.stages()
    hours = world.now_ms / rail.HOUR_MS
    assert len(world.cycles_ms) <= rail.STARTS_PER_HOUR * (hours + 1)
    assert len(world.resets_ms) <= heartbeat.RESETS_PER_HOUR * (hours + 1)


def test_a_sleeping_host_owes_nothing_until_it_is_called() -> None:
    world = World()
    world.arm()
    world.beat += 1  # the last heartbeat comes in the same moment as the request
    world.request(r.REQUEST_SLEEP)
    world.run(4_000)  # more than the hour in which the guard counts restarts
    assert (world.state, world.events) == (r.GUARD_ASLEEP, [])
    world.guard.ask(r.ASK_SOUND)
    world.run(0.25)
    assert world.lines()[1]
    world.run(5)
    assert world.lines()[1], "the edge may fall into the way to sleep, so the level stays until an answer"
    edges, before = 0, True
    for _ in range(240):
        world.run(0.25)
        edges += world.lines()[1] and not before
        before = world.lines()[1]
    assert edges >= 5, "and comes again"
    world.run(10, beats=True)
    assert world.state == r.GUARD_ARMED and not world.lines()[1]


def test_a_host_that_does_not_come_when_called_is_brought_back() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SLEEP)
    world.gesture(button.SHORT)
    world.run(200)
    assert world.stages()[:2] == [r.GUARD_WARNED, r.GUARD_RESET]


def test_waking_by_itself_ends_sleep_with_a_whole_deadline() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SLEEP)
    world.run(500)
    world.request(r.REQUEST_NORMAL)
    world.run(DEADLINE_S - 1)
    assert world.state == r.GUARD_ARMED
    world.run(2)
    assert world.state == r.GUARD_WARNED


@pytest.mark.parametrize("locally", [True, False])
def test_maintenance_keeps_off_everything(locally: bool) -> None:
    world = World()
    world.arm()
    world.run(DEADLINE_S + 2)
    if locally:
        world.guard.maintain(world.now_ms)
    else:
        world.request(r.REQUEST_MAINTENANCE)
    world.run(heartbeat.MAINTENANCE_MS / 1_000 - 2)
    assert world.guard.maintenance and not world.resets_ms and not world.offs
    world.request(r.REQUEST_NORMAL)
    world.run(DEADLINE_S - 2)
    assert world.state == r.GUARD_ARMED


def test_maintenance_ends_by_itself_and_the_guard_works_again() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_MAINTENANCE)
    world.run(15 * 60 + 1)
    assert world.lines()[1], "a host that hangs cannot be told from one that sleeps, until it was woken"
    world.run(heartbeat.BOOT_MS / 1_000 + 10)
    assert len(world.resets_ms) == 1


@pytest.mark.parametrize("asleep", [True, False])
def test_a_host_that_works_is_not_reset_when_maintenance_ends_by_itself(asleep: bool) -> None:
    world = World()
    world.arm()
    if asleep:
        world.request(r.REQUEST_SLEEP)
    world.guard.maintain(world.now_ms)
    world.run(15 * 60 - 2, beats=not asleep)
    assert world.guard.maintenance
    for _ in range(600):
        world.run(0.5, beats=not asleep)
        if world.lines()[1]:
            asleep = False  # woken, and sends heartbeats again
    assert world.state == r.GUARD_ARMED and not world.resets_ms and not world.offs


@pytest.mark.parametrize("listening", [True, False])
def test_a_host_sleeps_on_when_its_pmu_is_flashed(listening: bool) -> None:
    """The PMU restarts into maintenance, and again at its end."""
    world = World()
    world.arm()
    world.request(r.REQUEST_SLEEP)
    for maintained in (True, False):
        world.guard.maintain(world.now_ms)
        words, world.guard = world.guard.kept(listening), Guard(world)
        kept = world.guard.restore(words)
        if maintained:
            world.guard.maintain(world.now_ms)
        assert kept[r.SOUND_GATE] == (r.GATE_LISTEN if listening else r.GATE_OFF)
        world.run(60)
    world.run(3_600)
    assert world.state == r.GUARD_ASLEEP and not world.resets_ms
    world.run(60, beats=True)
    assert world.state == r.GUARD_ARMED


def test_maintenance_of_a_guard_that_was_off_leaves_it_off() -> None:
    world = World()
    world.guard.maintain(world.now_ms)
    world.run(15 * 60 + 200)
    assert world.state == r.GUARD_OFF and not world.lines()[1] and not world.guard.kept(True) & 15


@pytest.mark.parametrize(("voltage_mv", "after_s"), [(3_240, 50), (2_950, 2)])
def test_maintenance_does_not_switch_off_the_cells_protection(voltage_mv: int, after_s: int) -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_MAINTENANCE)
    world.voltage_mv, world.headroom_mv = voltage_mv, -5
    world.run(after_s)
    assert [reason for _, reason in world.offs] == [rail.EMPTY]


def test_a_reboot_on_request_gives_the_time_to_boot_and_is_bounded() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_REBOOT)
    assert not world.host_on()
    world.run(heartbeat.BOOT_MS / 1000 - 2)
    assert world.host_on() and len(world.cycles_ms) == 1
    for _ in range(10):
        world.run(60, beats=True)
        world.request(r.REQUEST_REBOOT)
    assert len(world.cycles_ms) == rail.STARTS_PER_HOUR
