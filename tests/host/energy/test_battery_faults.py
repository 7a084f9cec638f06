"""Faults of the battery's bus do not block the event loop, are reported once, and end."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.energy.battery_watch import SETTLED_S, TIMEOUT_S
from hw.emulated.bus import Fault
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from tests.host.energy.battery_bench import Bench, least_cost_s, longest_stall_s, on_bench


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_of_the_bus_is_said_once_means_throttled_and_heals(tmp_path: Path, fault: Fault) -> None:
    async def scene(b: Bench) -> None:
        assert await b.poll() is Mode.PERFORMANCE
        b.board.bus.inject(fault)
        for _ in range(10):
            b.clock.jump(5)
            mode = await b.poll()
        assert mode is Mode.PERFORMANCE, "the last good reading holds for a while"
        for _ in range(20):
            b.clock.jump(5)
            mode = await b.poll()
        assert mode is Mode.THROTTLED
        assert b.plan.battery_poll_s == PowerConfig().fast_poll_s
        assert len(b.said()) == 1
        assert b.plan.reason.lower()[:20] in b.said()[0].lower()
        b.board.bus.inject(None)
        for _ in range(30):
            b.clock.jump(5)
            mode = await b.poll()
        assert mode is Mode.PERFORMANCE
        assert b.said()[1:] == ["good"]

    on_bench(tmp_path, scene)


def test_a_fault_that_comes_and_goes_is_said_once_until_it_was_gone_for_long(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        for _ in range(10):
            b.board.bus.inject(Fault.NAK)
            b.clock.jump(5)
            await b.poll()
            b.board.bus.inject(None)
            b.clock.jump(5)
            await b.poll()
        assert len(b.said()) == 2
        b.clock.jump(SETTLED_S)
        await b.poll()
        b.board.bus.inject(Fault.NAK)
        await b.poll()
        assert len(b.said()) == 3

    on_bench(tmp_path, scene)


def test_no_fault_at_any_charge_ends_in_a_shutdown(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        for fault in Fault:
            b.board.bus.inject(fault)
            for _ in range(4):
                b.clock.jump(5)
                mode = await b.poll()
            assert mode is Mode.CASCADE, fault
            b.board.bus.inject(None)
            b.clock.jump(5)
            await b.poll()

    on_bench(tmp_path, scene, battery=12)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, *Fault]), st.one_of(st.none(), st.integers(0, 12)), st.floats(0.1, 90)
        ),
        max_size=15,
    )
)
def test_through_any_faults_the_headband_stays_up_says_each_once_a_minute_and_recovers(
    tmp_path_factory: pytest.TempPathFactory, day: list[tuple[Fault | None, int | None, float]]
) -> None:
    async def scene(b: Bench) -> None:
        began_s = b.clock.monotonic()
        for fault, times, pause_s in day:
            b.board.bus.inject(fault, times)
            b.clock.jump(pause_s)
            assert await b.poll() is Mode.CASCADE
        minutes = (b.clock.monotonic() - began_s) / SETTLED_S
        said = b.said()
        assert all(said.count(sentence) <= 1 + minutes for sentence in said)
        b.board.bus.inject(None)
        b.clock.jump(5)
        assert await b.poll() is Mode.CASCADE

    on_bench(tmp_path_factory.mktemp("day"), scene, battery=15)


def test_a_look_that_never_ends_makes_the_last_reading_stale(tmp_path: Path) -> None:
    async def scene(b: Bench) -> None:
        b.watch.timeout_s = 0.01
        b.board.bus.blocked_s = 0.3
        b.board.bus.inject(Fault.STALL)
        assert (await b.watch.refresh()).state == "good"
        b.clock.jump(6)
        reading = await b.watch.refresh()
        assert reading.state == "stale"
        assert "not answered for 6 seconds" in str(reading.problem)
        await asyncio.sleep(0.7)
        assert b.watch.latest.state == "absent"

    on_bench(tmp_path, scene, running=False)


@pytest.mark.parametrize("fault", [Fault.STALL, Fault.STUCK_SDA])
def test_a_bus_that_blocks_200_ms_costs_the_loop_less_than_50_ms(tmp_path: Path, fault: Fault) -> None:
    async def scene(b: Bench) -> None:
        b.watch.timeout_s = TIMEOUT_S
        b.board.bus.blocked_s = 0.2

        async def longest_s() -> float:
            polls: list[float] = []

            async def poll() -> None:
                began_s = time.monotonic()
                await b.poll()
                polls.append(time.monotonic() - began_s)

            return max([await longest_stall_s(poll, 0.45), *polls])

        cost_s = await least_cost_s(longest_s, b.board.bus, fault)
        print(f"\n{fault.name}: {cost_s * 1000:.1f} ms of the loop")
        assert cost_s <= 0.05
        await b.settle()
        assert b.watch.latest.state == "absent"

    on_bench(tmp_path, scene, running=False)


@pytest.mark.parametrize("fault", Fault)
def test_no_fault_costs_the_loop_more_than_50_ms(tmp_path: Path, fault: Fault) -> None:
    async def scene(b: Bench) -> None:
        b.watch.timeout_s = TIMEOUT_S
        assert await least_cost_s(lambda: longest_stall_s(b.poll, 0.2), b.board.bus, fault) <= 0.05

    on_bench(tmp_path, scene, running=False)
