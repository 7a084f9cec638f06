"""The watchdog client when the program ends: it switches the guard off, or has it cut the power."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.pmu.guard import SAVED_MS
from host.session.actions import SwitchOff
from host.session.events import SwitchOffAsked
from host.system import power_off
from host.system.watchdog import GOODBYE, LOW_BATTERY
from hw.supply import PmuEvent
from tests.host.session.doubles import perform
from tests.host.system.watchdog_bench import DEADLINE_S, Desk, with_desk


@pytest.mark.parametrize(("crashed", "stage"), [(False, "off"), (True, "armed")])
def test_leaving_switches_the_guard_off_unless_the_program_crashed(crashed: bool, stage: str) -> None:
    async def scenario(desk: Desk) -> None:
        await desk.watch.leave(crashed)
        desk.board.pmu.catch_up()
        await desk.live(1)
        assert desk.stage == stage and desk.board.pmu.lines.rail_on

    with_desk(scenario)


@pytest.mark.parametrize(
    ("event", "farewell"),
    [(PmuEvent("button", 3), GOODBYE), (PmuEvent("cut-off", 0), LOW_BATTERY)],
)
def test_after_a_farewell_the_power_goes_once_all_is_saved(event: PmuEvent, farewell: str) -> None:
    async def scenario(desk: Desk) -> None:
        desk.watch.handle_event(event)
        desk.watch.handle_event(PmuEvent("button", 3))
        assert desk.farewells == [farewell]
        await desk.watch.leave()
        assert desk.board.pmu.lines.rail_on
        await desk.live(SAVED_MS / 1_000 + 1)
        assert not desk.board.pmu.lines.rail_on

    with_desk(scenario)


def test_an_empty_battery_is_said_before_the_power_goes() -> None:
    async def scenario(desk: Desk) -> None:
        perform(desk.watch, SwitchOff("the battery is at 2 percent"))
        assert desk.queue.posted == [SwitchOffAsked(LOW_BATTERY, "the battery is at 2 percent")]
        await desk.watch.leave()
        await desk.live(SAVED_MS / 1_000 + 1)
        assert not desk.board.pmu.lines.rail_on

    with_desk(scenario)


def test_a_lost_event_does_not_lose_the_wish_to_switch_off() -> None:
    async def scenario(desk: Desk) -> None:
        desk.board.pmu.press(2.5)
        await desk.live(DEADLINE_S / 3 + 4)
        assert desk.farewells == [GOODBYE], "the heartbeat asks as well"

    with_desk(scenario)


@pytest.mark.parametrize("farewell", [True, False])
def test_the_system_powers_itself_off_before_the_guard_cuts_only_after_a_farewell(
    farewell: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))

    async def scenario(desk: Desk) -> None:
        if farewell:
            desk.watch.handle_event(PmuEvent("button", 3))
        await desk.watch.leave()
        assert (tmp_path / power_off.MARK).exists() is farewell

    with_desk(scenario)
