"""The PMU's events, as read by the host."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from hw.emulated.bus import Fault
from hw.pmu.gauge import PmuGauge
from hw.supply import PmuEvent
from tests.hw.pmu.pmu_bench import Bench, add_event, restart


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_events_arrive_once_and_in_order(bench: Bench) -> None:
    assert bench.client.take_events() == ()
    for press in (1, 2, 3, 1, 2):
        add_event(bench, r.EVENT_KIND_BUTTON, press)
    assert bench.alerts[-1:] == [True]
    taken = bench.client.take_events()
    assert taken == tuple(PmuEvent("button", press) for press in (1, 2, 3, 1, 2))
    assert bench.alerts[-1:] == [False]
    assert bench.client.take_events() == ()


def test_a_client_that_comes_late_takes_only_what_nobody_read(bench: Bench) -> None:
    bench.pmu.firmware.events._acknowledged = 40_000
    add_event(bench, r.EVENT_KIND_SOUND, 0)
    assert bench.client.take_events() == (PmuEvent("sound", 0),)
    assert PmuGauge(bench.bus, bench.clock.monotonic).take_events() == ()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from([None, *Fault]),
            st.one_of(st.none(), st.integers(0, 9)),
        ),
        max_size=25,
    )
)
def test_whatever_the_bus_does_no_event_comes_twice_or_is_missed(
    day: list[tuple[int, Fault | None, int | None]],
) -> None:
    bench = Bench()
    added, taken = 0, list[PmuEvent]()
    for count, fault, times in day:
        for _ in range(count):
            added += 1
            add_event(bench, r.EVENT_KIND_GUARD, added & 0xFF)
        bench.bus.inject(fault, times)
        bench.clock.jump(0.3)
        taken += bench.client.take_events()
    bench.bus.inject(None)
    bench.clock.jump(0.3)
    taken += bench.client.take_events()
    lost = sum(event.detail for event in taken if event.kind == "lost")
    kept = [event.detail for event in taken if event.kind == "guard"]
    assert kept == sorted(set(kept))
    assert len(kept) + lost >= added  # one that was read and not acknowledged may count among the lost
    assert lost or len(kept) == added
    assert bench.alerts[-1:] in ([], [False])


def test_a_restart_of_the_pmu_is_noticed_once(bench: Bench) -> None:
    bench.clock.jump(100)
    add_event(bench, r.EVENT_KIND_SOUND, 0)
    assert bench.client.read().state == "good"
    bench.client.take_events()
    restart(bench)
    assert bench.client.read().state == "good"
    add_event(bench, r.EVENT_KIND_BUTTON, 1)
    assert bench.client.take_events() == (PmuEvent("restart", r.CAUSE_WATCHDOG), PmuEvent("button", 1))
    assert bench.client.take_events() == ()
    bench.clock.jump(300)
    restart(bench)
    bench.clock.jump(200)  # up for longer than it was at the last look, yet for less than since then
    assert [event.kind for event in bench.client.take_events()] == ["restart"]


def test_a_restart_right_after_a_look_is_noticed_at_the_next_though_the_pmu_was_up_for_longer_since(
    bench: Bench,
) -> None:
    bench.clock.jump(20)
    add_event(bench, r.EVENT_KIND_SOUND, 0)
    bench.client.take_events()
    bench.clock.jump(2)
    restart(bench)
    bench.clock.jump(60)
    add_event(bench, r.EVENT_KIND_BUTTON, 1)
    assert bench.client.take_events() == (PmuEvent("restart", r.CAUSE_WATCHDOG), PmuEvent("button", 1))
    assert bench.client.take_events() == ()


def test_a_restart_while_the_computer_is_suspended_is_noticed(bench: Bench) -> None:
    suspended_s = 0.0
    bench.client = PmuGauge(
        bench.bus, lambda: bench.clock.monotonic() - suspended_s, since_boot=bench.clock.monotonic
    )
    bench.clock.jump(20)
    assert bench.client.take_events() == () and bench.client.read().state == "good"
    for restarts in (False, True, False):
        bench.clock.jump(300)
        if restarts:
            restart(bench)
        bench.clock.jump(300)
        suspended_s += 600
        found = bench.client.take_events()
        assert found == ((PmuEvent("restart", r.CAUSE_WATCHDOG),) if restarts else ())
        assert bench.client.read().state == "good", "the time of a suspend makes no reading old"


def test_a_pmu_that_starts_twice_within_seconds_loses_no_event(bench: Bench) -> None:
    bench.clock.jump(1)
    for press in range(6):
        add_event(bench, r.EVENT_KIND_BUTTON, press)
    assert len(bench.client.take_events()) == 6
    restart(bench)
    bench.clock.jump(2)
    add_event(bench, r.EVENT_KIND_BUTTON, 7)
    assert bench.client.take_events() == (PmuEvent("restart", r.CAUSE_WATCHDOG), PmuEvent("button", 7))


def test_a_clock_that_is_one_in_a_hundred_off_is_no_restart(bench: Bench) -> None:
    bench.clock.jump(10)
    bench.client.read()
    bench.pmu.firmware._uptime_ms -= 300  # of the 40 s that follow
    bench.clock.jump(40)
    assert bench.client.read().state == "good"
    assert bench.client.take_events() == ()
