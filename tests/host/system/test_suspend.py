"""The computer sleeps between events, and what is said to it then is heard and answered."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.config import GuardConfig, JournalConfig, ListenConfig
from host.observe.journal import Journal
from host.system.suspend import EARLY_S, NO_ALARM, RETRY_S, SHORTEST_S, Suspender
from host.system.watchdog import WatchdogClient
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ, DeviceError
from hw.emulated.board import emulated_board
from hw.emulated.clock import FakeClock
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.system.sleeping_devices import Alarm, Sleeper
from tests.host.workbench import DEMO, QUIET


def nap(
    sleeper: Sleeper | None,
    clock: FakeClock,
    after_s: float = 10.0,
    alarm: Alarm | None = None,
    due_s: float | None = None,
) -> tuple[Suspender, Journal]:
    journal = Journal(None, clock, max_bytes=100_000)
    guard = WatchdogClient(None, clock, GuardConfig(), journal)
    return Suspender(sleeper, guard, clock, journal, after_s, alarm, lambda: due_s), journal  # type: ignore[arg-type]


def test_it_sleeps_after_enough_quiet_seconds_and_not_before() -> None:
    clock, sleeper = FakeClock(), Sleeper()
    one, _ = nap(sleeper, clock)
    clock.jump(9.0)
    assert not asyncio.run(one.begin())
    one.restart_quiet_time()
    clock.jump(9.9)
    assert not asyncio.run(one.begin())
    clock.jump(0.2)
    assert asyncio.run(one.begin())
    states = [one.asleep]
    clock.jump(60.0)
    assert round(one.end(), 6) == 60.0
    states.append(one.asleep)
    assert states == [True, False]


def test_a_headband_that_cannot_sleep_or_must_not_stays_awake() -> None:
    clock = FakeClock()
    for one, _ in (nap(None, clock), nap(Sleeper(), clock, after_s=0.0)):
        clock.jump(1000.0)
        assert not asyncio.run(one.begin())


def test_without_somebody_who_listens_it_stays_awake_and_tries_again_later() -> None:
    clock, sleeper = FakeClock(), Sleeper("The PMU does not answer.")
    one, _ = nap(sleeper, clock)
    clock.jump(11.0)
    assert not asyncio.run(one.begin())
    assert not one.asleep
    sleeper.problem = None
    clock.jump(RETRY_S)
    assert not asyncio.run(one.begin())
    clock.jump(11.0)
    assert asyncio.run(one.begin())


def test_a_computer_that_refuses_to_sleep_is_not_asked_again_at_once() -> None:
    clock, sleeper = FakeClock(), Sleeper()
    one, journal = nap(sleeper, clock)
    clock.jump(11.0)
    assert asyncio.run(one.begin())
    sleeper.suspend_refusal = "The kernel cannot suspend this computer."
    one.end()
    assert journal.recent[-1]["problem"] == sleeper.suspend_refusal
    clock.jump(RETRY_S)
    assert not asyncio.run(one.begin())
    clock.jump(11.0)
    assert asyncio.run(one.begin())


@pytest.mark.parametrize("late_s", [0.0, 60.0])
def test_a_timer_wakes_the_computer_in_time(late_s: float) -> None:
    clock, sleeper, alarm = FakeClock(), Sleeper(), Alarm(late_s)
    one, _ = nap(sleeper, clock, alarm=alarm, due_s=clock.monotonic() + 600)
    clock.jump(11.0)
    assert asyncio.run(one.begin())
    asyncio.run(sleeper.around_suspend(lambda: asyncio.sleep(0)))
    assert alarm.told == [int(589 - EARLY_S - late_s), 0]


def test_for_a_timer_that_ends_soon_it_stays_awake() -> None:
    clock, sleeper, alarm = FakeClock(), Sleeper(), Alarm()
    one, _ = nap(sleeper, clock, alarm=alarm, due_s=clock.monotonic() + 11 + EARLY_S + SHORTEST_S - 0.1)
    clock.jump(11.0)
    assert not asyncio.run(one.begin())


def test_where_nothing_can_wake_it_it_stays_awake_for_a_timer() -> None:
    clock, sleeper = FakeClock(), Sleeper()
    one, journal = nap(sleeper, clock, due_s=clock.monotonic() + 5000)
    clock.jump(1000.0)
    for _ in range(3):
        assert not asyncio.run(one.begin())
    assert [line["problem"] for line in journal.recent] == [NO_ALARM]


def test_an_alarm_that_cannot_be_set_keeps_it_awake() -> None:
    clock, sleeper = FakeClock(), Sleeper()
    one, _ = nap(sleeper, clock, alarm=Alarm(problem="It is broken."), due_s=clock.monotonic() + 600)
    clock.jump(11.0)
    assert asyncio.run(one.begin())
    slept: list[bool] = []

    async def suspend() -> None:
        slept.append(True)

    with pytest.raises(DeviceError, match="broken"):
        asyncio.run(sleeper.around_suspend(suspend))
    assert not slept


def test_a_sleeping_headband_learns_that_its_mode_has_to_change() -> None:
    config = replace(QUIET, listen=ListenConfig(follow_up_s=0.0, sleep_after_s=0.3))
    happened = {name: asyncio.Event() for name in ("asleep", "awake")}

    async def scene() -> str:
        board = emulated_board(clock=loop_clock(), battery_percent=55, sound_card=False, sleeps=True)
        async with micro_headband(
            board,
            config,
            observe=lambda event, fields: happened[event].set() if event in happened else None,
        ) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(60):
                await happened["asleep"].wait()
                await board.clock.sleep(0.5)
                assert board.microphone.asleep
                board.set_battery(45)
                await happened["awake"].wait()
                while headband.plan.mode.value == "performance":
                    await board.clock.sleep(0.05)
            headband.stop()
            await running
            mode = headband.plan.mode.value
        await board.close()
        return mode

    assert simulate(scene()) == "throttled"


def test_what_is_said_to_a_sleeping_headband_is_answered(tmp_path: Path) -> None:
    listen = ListenConfig(follow_up_s=0.0, sleep_after_s=0.5)
    config = replace(QUIET, listen=listen, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))
    told: dict[str, dict[str, Any]] = {}
    happened = {name: asyncio.Event() for name in ("asleep", "turn")}

    def observe(event: str, fields: dict[str, Any]) -> None:
        if event in happened:
            told[event] = fields
            happened[event].set()

    async def scene() -> None:
        hiss = (np.random.default_rng(5).standard_normal(MICROPHONE_RATE_HZ) * 30).astype(np.int16)
        board = emulated_board(
            clock=loop_clock(), battery_percent=30, sound_card=False, sleeps=True, background=hiss
        )
        async with micro_headband(board, config, observe=observe) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(60):
                await happened["asleep"].wait()
                assert board.microphone.asleep
                await board.clock.sleep(1.5)
                board.microphone.say(read_wav(DEMO / "6-device.wav"))
                await happened["turn"].wait()
                happened["asleep"].clear()
                await happened["asleep"].wait()
            headband.stop()
            board.wake.set(True)
            await running
        await board.close()

    simulate(scene())
    turn = told["turn"]["turn"]
    assert turn.decision.route == "device"
    assert turn.answer
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    turn_s = next(line["mono_s"] for line in lines if line["event"] == "turn")
    slept_s = [line["mono_s"] for line in lines if line["event"] == "asleep"]
    assert all(at_s < turn_s or at_s >= turn_s + listen.sleep_after_s for at_s in slept_s)
    awake = next(line for line in lines if line["event"] == "awake")
    assert awake["by"] == "sound"
    assert awake["recorded_s"] > 0.5
    assert not [line for line in lines if line["event"] == "refused"]
