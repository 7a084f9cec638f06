"""The guard of the host: what happens to rail and reset line when the host, the cell or the wearer act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import button, cutoff, heartbeat, rail
from firmware.pmu import registers as r
from firmware.pmu.guard import CHOICE_MS, SAVED_MS, WISH_MS, Guard

DEADLINE_S = 30
FULL_MV = 3_900


@dataclass
class World:
    """A guard, its host, its cell and its wearer, and a record of everything the guard did."""

    step_ms: int = 250
    now_ms: int = 0
    beat: int = 0
    deadline_s: int = 0
    voltage_mv: int = FULL_MV
    powered: bool = False
    events: list[tuple[int, int, int]] = field(default_factory=list)
    """(milliseconds, kind, detail)"""
    resets_ms: list[int] = field(default_factory=list)
    cycles_ms: list[int] = field(default_factory=list)
    offs: list[tuple[int, int]] = field(default_factory=list)
    """(milliseconds, reason) of every time the rail went off."""
    starts_ms: list[int] = field(default_factory=list)
    """When it came on again."""
    automatic_ms: list[int] = field(default_factory=list)
    """When a power cycle began, or the rail came on after an empty cell: nobody's hand was in it."""
    beaten_ms: int = 0
    """Last sign of life."""

    def __post_init__(self) -> None:
        self.guard = Guard(self)

    def add(self, kind: int, detail: int = 0) -> None:
        self.events.append((self.now_ms, kind, detail))

    @property
    def state(self) -> int:
        return self.guard.words()[r.GUARD]

    @property
    def asks(self) -> int:
        return self.guard.words()[r.PMU_REQUEST]

    def host_on(self) -> bool:
        return self.guard.rail.on

    def lines(self) -> tuple[bool, bool]:
        """Reset line, wake line."""
        return self.guard.reset, self.guard.wake

    def stages(self) -> list[int]:
        return [detail for _, kind, detail in self.events if kind == r.EVENT_KIND_GUARD]

    def arm(self, deadline_s: int = DEADLINE_S) -> None:
        self.deadline_s = deadline_s
        self.run(1, beats=True)

    def request(self, what: int) -> None:
        self._step(what)

    def gesture(self, what: int) -> None:
        automatic = len(self.automatic_ms)
        self._observed(lambda: self.guard.gesture(self.now_ms, what))
        del self.automatic_ms[automatic:]

    def run(self, seconds: float, *, beats: bool = False) -> None:
        """Time passes; a host that `beats` does so three times within each deadline."""
        for _ in range(round(seconds * 1000 / self.step_ms)):
            period_ms = max(self.step_ms, self.deadline_s * 1000 // 3)
            if beats and self.now_ms - self.beaten_ms >= period_ms:
                self.live()
            self._step(0)

    def live(self) -> None:
        """One heartbeat."""
        self.beat = (self.beat + 1) & 0xFFFF
        self.beaten_ms = self.now_ms

    def _step(self, request: int) -> None:
        self.now_ms += self.step_ms
        if request:
            self.beaten_ms = self.now_ms
        self._observed(
            lambda: self.guard.step(
                self.now_ms, self.beat, self.deadline_s, request, self.voltage_mv, self.powered
            )
        )
        self.deadline_s = self.guard.words().get(r.HEARTBEAT_DEADLINE, self.deadline_s)

    def _observed(self, act: Callable[[], None]) -> None:
        guard = self.guard
        before, was_resetting = guard.rail.reason, guard.reset
        act()
        after = guard.rail.reason
        if guard.reset and not was_resetting:
            self.resets_ms.append(self.now_ms)
        if before == rail.NOT_OFF != after:
            self.offs.append((self.now_ms, after))
        if after == rail.CYCLE != before:
            self.cycles_ms.append(self.now_ms)
        if after == rail.NOT_OFF != before:
            self.starts_ms.append(self.now_ms)
        if rail.CYCLE == after != before or (before == rail.EMPTY and after == rail.NOT_OFF):
            self.automatic_ms.append(self.now_ms)


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
    for _ in range(60):  # a minute of life, then silence until something was done
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
    world.run(10_000)
    assert (world.state, world.events) == (r.GUARD_ASLEEP, [])
    world.guard.ask(r.ASK_SOUND)
    world.run(0.25)
    assert world.lines()[1]
    world.run(1)
    assert not world.lines()[1], "the wake line gets a pulse, not a level"
    world.run(10, beats=True)
    assert world.state == r.GUARD_ARMED


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
        world.guard.maintain()
    else:
        world.request(r.REQUEST_MAINTENANCE)
    world.voltage_mv = 2_900
    world.run(7_200)
    assert world.guard.maintenance and not world.resets_ms and not world.offs
    world.voltage_mv = FULL_MV
    world.request(r.REQUEST_NORMAL)
    world.run(DEADLINE_S - 2)
    assert world.state == r.GUARD_ARMED


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


def test_saved_drops_the_rail_after_the_last_blocks_are_written() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SAVED)
    world.run(SAVED_MS / 1000 - 0.25)
    assert world.host_on()
    world.run(0.25)
    assert world.offs[0][1] == rail.WISH
    assert world.deadline_s == 0 and world.state == r.GUARD_OFF
    world.powered = True
    world.run(7_200)
    assert not world.host_on(), "what the wearer or the host switched off stays off"
    world.gesture(button.SHORT)
    assert world.host_on()


def test_a_long_press_asks_and_the_host_saves() -> None:
    world = World()
    world.arm()
    world.gesture(button.LONG)
    assert world.asks == r.ASK_SHUTDOWN
    assert (r.EVENT_KIND_BUTTON, button.LONG) in [event[1:] for event in world.events]
    world.run(4, beats=True)
    world.request(r.REQUEST_SAVED)
    world.run(4)
    assert world.offs[0][1] == rail.WISH and world.asks == 0


def test_a_long_press_on_a_host_that_does_not_answer_switches_it_off() -> None:
    world = World()
    world.arm()
    world.gesture(button.LONG)
    world.run(WISH_MS / 1000 - 1, beats=True)
    assert world.host_on()
    world.run(2, beats=True)
    assert [reason for _, reason in world.offs] == [rail.WISH]


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


def test_a_burst_of_load_is_no_empty_cell() -> None:
    world = World()
    world.arm()
    for _ in range(200):
        world.voltage_mv = 3_200
        world.run(4, beats=True)
        world.voltage_mv = 3_400
        world.run(0.25, beats=True)
    assert world.asks == 0 and not world.offs


def test_the_cut_off_asks_first_and_drops_after_the_grace() -> None:
    world = World()
    world.arm()
    world.voltage_mv = 3_250
    world.run(6, beats=True)
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
    world.voltage_mv = 3_250
    world.run(10, beats=True)
    world.powered, world.voltage_mv = True, 3_350
    world.run(60, beats=True)
    assert world.asks == 0 and not world.offs and not world.guard.ending


def test_a_sleeping_host_is_woken_to_save() -> None:
    world = World()
    world.arm()
    world.request(r.REQUEST_SLEEP)
    world.voltage_mv = 3_250
    woken = False
    for _ in range(40):
        world.run(0.25)
        woken = woken or world.lines()[1]
    assert woken and world.asks == r.ASK_SHUTDOWN


@pytest.mark.parametrize(
    ("voltage_mv", "powered", "starts"),
    [(3_600, False, False), (3_700, False, True), (3_300, True, False), (3_450, True, True)],
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


REQUESTS = (
    0, 0, 0, r.REQUEST_SLEEP, r.REQUEST_REBOOT, r.REQUEST_MAINTENANCE, r.REQUEST_NORMAL, r.REQUEST_SAVED, 77,
)  # fmt: skip
GESTURES = (0, 0, 0, button.SHORT, button.DOUBLE, button.LONG, button.HELD)


@dataclass(frozen=True)
class Stretch:
    """What happens in some seconds."""

    seconds: int
    beats: bool
    request: int
    gesture: int
    voltage_mv: int
    powered: bool
    deadline_s: int | None
    """Written at its beginning."""


STRETCHES = st.builds(
    Stretch,
    seconds=st.integers(1, 600),
    beats=st.booleans(),
    request=st.sampled_from(REQUESTS),
    gesture=st.sampled_from(GESTURES),
    voltage_mv=st.sampled_from([FULL_MV, FULL_MV, 3_700, 3_500, 3_250, 2_950]),
    powered=st.booleans(),
    deadline_s=st.sampled_from([None, None, 0, 5, DEADLINE_S]),
)
HANGING = st.builds(
    Stretch,
    seconds=st.integers(1, 1_200),
    beats=st.sampled_from([False, False, False, True]),
    request=st.just(0),
    gesture=st.just(0),
    voltage_mv=st.just(FULL_MV),
    powered=st.booleans(),
    deadline_s=st.sampled_from([None, None, 5, DEADLINE_S]),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(STRETCHES, min_size=1, max_size=20) | st.lists(HANGING, min_size=1, max_size=20))
def test_no_schedule_breaks_the_guards_promises(stretches: list[Stretch]) -> None:
    world = World(step_ms=500)
    world.arm()
    maintained = False
    for stretch in stretches:
        world.voltage_mv, world.powered = stretch.voltage_mv, stretch.powered
        if stretch.deadline_s is not None and world.host_on():
            world.deadline_s = stretch.deadline_s
            world.live()
        if stretch.gesture:
            world.gesture(stretch.gesture)
        saves = stretch.request == r.REQUEST_SAVED
        if stretch.request:
            maintained = (world.host_on() and stretch.request == r.REQUEST_MAINTENANCE) or (
                maintained and stretch.request != r.REQUEST_NORMAL
            )
            world.request(stretch.request)
        for _ in range(stretch.seconds):
            maintained = maintained and world.host_on()
            live_a_second(world, stretch.beats, maintained, saves)
    for first_ms in world.automatic_ms:
        hour = range(first_ms, first_ms + rail.HOUR_MS + 1)
        assert sum(at_ms in hour for at_ms in world.automatic_ms) <= rail.STARTS_PER_HOUR


def live_a_second(world: World, beats: bool, maintained: bool, saves: bool) -> None:
    """One second, and what must hold of it; `saves`: the host has just said that it saved."""
    silent_ms, deadline_ms = world.now_ms - world.beaten_ms, world.deadline_s * 1000
    touched, offs, told = len(world.resets_ms) + len(world.cycles_ms), len(world.offs), len(world.events)
    world.run(1, beats=beats)
    touches = len(world.resets_ms) + len(world.cycles_ms) - touched
    stages = [detail for _, kind, detail in world.events[told:] if kind == r.EVENT_KIND_GUARD]
    if maintained:
        assert not touches and not stages
        assert saves or all(reason == rail.WISH for _, reason in world.offs[offs:]), "only on somebody's word"
    if touches:
        assert 0 < deadline_ms <= silent_ms + 1_500, "a beating host is never touched"
    if r.GUARD_GAVE_UP in stages:
        since_ms = world.now_ms - rail.HOUR_MS - 1_000
        assert sum(at_ms >= since_ms for at_ms in world.automatic_ms) == rail.STARTS_PER_HOUR
        assert world.host_on()
