"""A whole headband that is asked nothing, and every fault of its battery's bus."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import numpy as np

from host.app.headband import Headband
from host.config import GuardConfig
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from tests.host.energy.battery_bench import least_cost_s, longest_stall_s
from tests.host.fake_speech import unasked
from tests.host.workbench import QUIET

FAULT_S, HEALTHY_S = 8, 5
DWELL_S = 90
"""Time after which the mode may return to performance."""


def test_the_headband_runs_on_says_each_fault_once_holds_its_mode_and_recovers_by_itself() -> None:
    faults = list(Fault)
    during: dict[Fault, tuple[str, Mode, str]] = {}
    after: dict[Fault, str] = {}
    config = replace(
        QUIET, power=PowerConfig(fast_poll_s=2.0, slow_poll_s=2.0), guard=GuardConfig(deadline_s=0)
    )

    async def scene() -> None:
        clock = FakeClock()
        board = emulated_board(clock=clock, battery_percent=80.0, real_time=False, sound_card=False)
        async with Headband(board, unasked(), config) as headband:
            headband.battery.timeout_s = 30.0  # the board's clock is fast, and no reading may be overdue
            began_s = clock.monotonic()
            assert headband.plan.mode is Mode.PERFORMANCE
            end_s = len(faults) * (FAULT_S + HEALTHY_S) + DWELL_S

            def on_chunk(now_s: float) -> None:
                clock.jump(max(0.0, began_s + now_s - clock.monotonic()))
                number, second = divmod(now_s, FAULT_S + HEALTHY_S)
                if now_s >= end_s:
                    headband.stop()
                elif number < len(faults):
                    fault = faults[int(number)]
                    board.bus.inject(fault if second < FAULT_S else None)
                    if second < FAULT_S:
                        reading = headband.power_manager.reading
                        during[fault] = reading.state, headband.plan.mode, str(reading.problem)
                    else:
                        after[fault] = headband.power_manager.reading.state

            headband.loop.on_chunk = on_chunk
            board.microphone.say(np.zeros((end_s + 1) * MICROPHONE_RATE_HZ, np.int16))
            await headband.run()
            assert headband.plan.mode is Mode.PERFORMANCE
            said = [line["problem"] for line in headband.journal.recent if line["event"] == "battery"]
            problems = [re.sub(r"\d+", "", each) for each in said if each]
            assert {re.sub(r"\d+", "", sentence) for _, _, sentence in during.values()} <= set(problems)
            assert len(problems) == len(set(problems)), "once, whichever fault it is a sign of"
            assert len(said) == len(problems) + 1, "and once that it is well again"
        await board.close()

    asyncio.run(scene())
    for fault in faults:
        state, mode, _ = during[fault]
        assert state != "good" and mode is Mode.PERFORMANCE, fault
        assert after[fault] == "good", fault


def test_no_fault_holds_up_the_whole_headband_as_long_as_its_bus() -> None:
    """The battery is read every 0.1 s, and each access to a blocked bus takes 200 ms."""

    async def scene() -> None:
        board = emulated_board(sound_card=False)
        config = replace(QUIET, power=PowerConfig(fast_poll_s=0.1, slow_poll_s=0.1))
        async with Headband(board, unasked(), config, request=Mode.CASCADE) as headband:
            running = asyncio.create_task(headband.run())
            await asyncio.sleep(1.0)
            board.bus.blocked_s = 0.2

            def state() -> str:
                return headband.power_manager.reading.state

            async def longest_s() -> float:
                return await longest_stall_s(lambda: asyncio.sleep(0.1), 0.45)

            healthy_s = await longest_s()
            for fault in Fault:
                board.bus.inject(None)
                async with asyncio.timeout(10):
                    while state() != "good":  # noqa: ASYNC110 - nothing tells of it
                        await asyncio.sleep(0.05)
                cost_s = await least_cost_s(longest_s, board.bus, fault, healthy_s=healthy_s)
                print(f"\nwhole headband, {fault.name}: {cost_s * 1000:.1f} ms of the loop")
                assert cost_s <= board.bus.blocked_s / 2, fault
                for _ in range(0 if fault is Fault.FROZEN else 100):
                    if state() != "good":
                        break
                    await asyncio.sleep(0.1)
                else:
                    assert fault is Fault.FROZEN, f"{fault} was not noticed"
            board.bus.inject(None)
            headband.stop()
            await asyncio.wait_for(running, 5)
        await board.close()

    asyncio.run(scene())


def test_it_starts_with_a_battery_that_can_not_be_read_and_says_so() -> None:
    board = emulated_board(clock=FakeClock(), sound_card=False)
    board.bus.inject(Fault.NAK)
    told: list[str] = []
    headband = Headband(board, unasked(), QUIET, observe=lambda event, fields: told.append(event))
    assert headband.plan.mode is Mode.THROTTLED and told == ["battery"]
    asyncio.run(board.close())
