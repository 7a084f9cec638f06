"""The watchdog client: heartbeats while the computer is awake, and its settings."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware.pmu import guard_heartbeat as heartbeat
from firmware.pmu import registers as r
from host.config import Config, ConfigError, GuardConfig, load_config
from host.observe.journal import Journal
from host.session.events import Pressed
from host.session.values import Press
from host.system.watchdog import WatchdogClient
from hw.absent import AbsentOutput
from hw.device import DeviceError
from hw.emulated.board import emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.pmu.watchdog_and_light import PmuGuard
from hw.supply import PmuEvent
from tests.host.session.doubles import NotingQueue
from tests.host.system.watchdog_bench import DEADLINE_S, Desk, at_once, with_desk


def test_a_host_that_gets_on_is_never_touched() -> None:
    async def scenario(desk: Desk) -> None:
        assert desk.stage == "armed"
        await desk.live(400)
        assert desk.stage == "armed"
        assert desk.board.pmu.lines.reset_s == [] and desk.board.pmu.lines.rail_changes == []

    with_desk(scenario)


def test_a_main_loop_that_hangs_is_restarted_although_the_event_loop_turns() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.live(119, turning=False)
        assert desk.stage == "armed"
        await desk.live(DEADLINE_S + 20, turning=False)
        assert desk.stage == "reset" and len(desk.board.pmu.lines.reset_s) == 1
        (problem,) = [line["problem"] for line in desk.journal.recent if line["event"] == "guard"]
        assert "stands still" in problem

    with_desk(scenario)


def test_a_program_that_dies_is_restarted_until_the_guard_gives_up() -> None:
    async def whole() -> None:
        desk = Desk()
        await desk.watch.start()
        running = asyncio.create_task(desk.watch.run())
        await desk.live(5)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await desk.live(900)
        lines = desk.board.pmu.lines
        assert len(lines.reset_s) == 1
        assert [on for _, on in lines.rail_changes] == [False, True] * 3
        assert desk.stage == "gave up" and lines.rail_on

        config = GuardConfig(deadline_s=DEADLINE_S)
        again = WatchdogClient(desk.queue, desk.board.guard, desk.clock, config, desk.journal, call=at_once)
        desk.board.pmu.press(0.1, times=2)  # on the hung computer, in vain
        desk.clock.jump(5)
        await again.start()
        assert again.farewell is None and desk.queue.posted == []
        await desk.live(1)
        assert desk.stage == "armed"
        lines_before = [line for line in desk.journal.recent if line.get("before")]
        assert [line["detail"] for line in lines_before if line["kind"] == "guard"][-1] == r.GUARD_GAVE_UP
        assert "button" in [line["kind"] for line in lines_before]
        assert "gave up" in [line.get("found") for line in desk.journal.recent]
        await desk.board.close()

    asyncio.run(whole())


def test_a_bus_that_fails_for_a_while_is_said_once_and_costs_nothing() -> None:
    async def scenario(desk: Desk) -> None:
        desk.board.bus.inject(Fault.NAK)
        await desk.live(25)
        desk.board.bus.inject(None)
        await desk.live(60)
        assert desk.stage == "armed" and desk.board.pmu.lines.reset_s == []
        assert len([line for line in desk.journal.recent if line["event"] == "guard"]) == 1

    with_desk(scenario)


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault not in (Fault.FROZEN, Fault.TORN)])
def test_a_dead_bus_costs_a_host_that_gets_on_nothing_and_one_that_hangs_its_reset(fault: Fault) -> None:
    async def scenario(desk: Desk) -> None:
        desk.board.bus.inject(fault)
        await desk.live(600)
        lines = desk.board.pmu.lines
        assert lines.reset_s == [] and lines.rail_changes == []
        await desk.live(120 + DEADLINE_S + 20, turning=False)
        assert len(lines.reset_s) == 1

    with_desk(scenario)


def test_a_pmu_that_restarted_is_armed_again() -> None:
    async def scenario(desk: Desk) -> None:
        desk.board.gauge.set_heartbeat_deadline(0)  # as it is after a restart
        desk.watch.handle_event(PmuEvent("restart", r.CAUSE_WATCHDOG))
        await desk.live(DEADLINE_S / 3 + 1)
        assert desk.stage == "armed"

    with_desk(scenario)


@pytest.mark.parametrize("works_on_the_bus", [True, False])
def test_a_heartbeat_line_that_cannot_be_driven_costs_the_bus_no_heartbeat(works_on_the_bus: bool) -> None:
    async def scenario(desk: Desk) -> None:
        assert isinstance(desk.board.guard, PmuGuard)
        desk.board.guard._line = AbsentOutput("The heartbeat line does not exist.")
        desk.board.bus.inject(None if works_on_the_bus else Fault.NAK)
        await desk.live(6 * DEADLINE_S)
        assert (desk.board.pmu.lines.reset_s == []) is works_on_the_bus

    with_desk(scenario)


def test_a_deadline_of_nothing_switches_the_guard_off() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.live(300, turning=False)
        assert desk.stage == "off"

    with_desk(scenario, GuardConfig(deadline_s=0))


@pytest.mark.parametrize(("detail", "press"), [(1, "listen"), (2, "choice")])
def test_a_press_reaches_the_session(detail: int, press: Press) -> None:
    async def scenario(desk: Desk) -> None:
        desk.watch.handle_event(PmuEvent("button", detail))
        assert desk.queue.posted == [Pressed(press)]

    with_desk(scenario)


def test_settings_of_the_guard_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "headband.toml"
    path.write_text("[guard]\ndeadline_s = 60\nstall_s = 90\n")
    assert load_config(path).guard == GuardConfig(60, 90.0)
    for text, words in (
        ("deadline_s = 2", r"\[guard\] deadline_s is 2; it must be a whole number, 0, or 5 to 3600"),
        ("patience_s = 2", r"\[guard\] has the unknown key patience_s"),
    ):
        path.write_text(f"[guard]\n{text}\n")
        with pytest.raises(ConfigError, match=words):
            load_config(path)


def test_defaults_leave_room_for_three_heartbeats() -> None:
    clock = FakeClock()
    watch = WatchdogClient(NotingQueue(clock), None, clock, Config().guard, Journal(None, clock))
    assert watch.period_s * 3 == Config().guard.deadline_s
    assert watch.period_s > heartbeat.RESET_MS / 1000
    asyncio.run(watch.run())
    asyncio.run(watch.leave())


def test_what_the_guard_cannot_do_is_a_sentence() -> None:
    board = emulated_board(clock=FakeClock(), sound_card=False)
    board.bus.inject(Fault.NAK)
    assert board.guard is not None
    with pytest.raises(DeviceError, match="does not answer"):
        board.guard.beat()
    asyncio.run(board.close())
