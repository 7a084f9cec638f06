"""The host's end of the guard: heartbeats, the wearer's button and switching off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware.pmu import heartbeat
from firmware.pmu import registers as r
from host.config import Config, ConfigError, GuardConfig, load_config
from host.guard import GOODBYE, LOW_BATTERY, GuardWatch, Wish
from host.journal import Journal
from host.skills import NOTHING_SAID
from hw.device import DeviceError, LightPattern, PmuEvent
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.pmu_guard import PATTERN_CODES, PmuLight
from power.plan import Mode
from tests.host.workbench import COLOUR, QUIET, Bench, bench

DEADLINE_S = 30


async def at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    """A transfer on the bus without a thread, so that the clock of the test is the only one."""
    return work(*arguments)


class Desk:
    """The guard's two ends on an emulated board whose time the test moves."""

    def __init__(self, config: GuardConfig | None = None) -> None:
        self.clock = FakeClock()
        self.board: EmulatedBoard = emulated_board(clock=self.clock, sound_card=False)
        self.journal = Journal(None, self.clock.time)
        self.wishes: list[Wish] = []
        self.watch = GuardWatch(
            self.board.guard,
            self.clock,
            config or GuardConfig(deadline_s=DEADLINE_S),
            self.journal,
            call=at_once,
        )
        self.watch.on_wish = self.wishes.append

    @property
    def stage(self) -> str:
        assert self.board.guard is not None
        return self.board.guard.stage()

    async def live(self, seconds: float, *, turning: bool = True) -> None:
        """Time passes; `turning`: the main loop gets on."""
        for _ in range(round(seconds)):
            if turning:
                self.watch.turned()
            await self.clock.advance(1)
            self.board.pmu.catch_up()


def with_desk(scenario: Callable[[Desk], Awaitable[None]], config: GuardConfig | None = None) -> None:
    """Runs the scenario beside the watch."""

    async def whole() -> None:
        desk = Desk(config)
        await desk.watch.start()
        running = asyncio.create_task(desk.watch.run())
        await desk.live(1)
        await scenario(desk)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await desk.board.close()

    asyncio.run(whole())


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

        again = GuardWatch(
            desk.board.guard, desk.clock, GuardConfig(deadline_s=DEADLINE_S), desk.journal, call=at_once
        )
        desk.board.pmu.press(0.1, times=2)  # on the hung computer, in vain
        desk.clock.jump(5)
        again.on_wish = desk.wishes.append
        await again.start()
        assert again.farewell is None and desk.wishes == []
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


def test_a_pmu_that_restarted_is_armed_again() -> None:
    async def scenario(desk: Desk) -> None:
        desk.board.gauge.set_heartbeat_deadline(0)  # as it is after a restart
        desk.watch.hear(PmuEvent("restart", r.CAUSE_WATCHDOG))
        await desk.live(DEADLINE_S / 3 + 1)
        assert desk.stage == "armed"

    with_desk(scenario)


def test_a_suspended_computer_owes_no_heartbeat() -> None:
    async def scenario(desk: Desk) -> None:
        async def night() -> None:
            await desk.live(50)  # going to sleep takes a while
            desk.clock.jump(1_000)  # nobody runs meanwhile
            desk.board.pmu.catch_up()
            assert desk.stage == "asleep"

        await desk.watch.suspended(night)
        await desk.live(100)
        assert desk.stage == "armed" and desk.board.pmu.lines.reset_s == []

    with_desk(scenario)


def test_a_deadline_of_nothing_switches_the_guard_off() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.live(300, turning=False)
        assert desk.stage == "off"

    with_desk(scenario, GuardConfig(deadline_s=0))


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
        desk.watch.hear(event)
        desk.watch.hear(PmuEvent("button", 3))
        assert desk.wishes == ["off"] and desk.watch.farewell == farewell
        await desk.watch.leave()
        assert desk.board.pmu.lines.rail_on
        await desk.live(5)
        assert not desk.board.pmu.lines.rail_on

    with_desk(scenario)


def test_a_lost_event_does_not_lose_the_wish_to_switch_off() -> None:
    async def scenario(desk: Desk) -> None:
        desk.board.pmu.press(2.5)
        await desk.live(DEADLINE_S / 3 + 4)
        assert desk.wishes == ["off"], "the heartbeat asks as well"

    with_desk(scenario)


def test_every_pattern_reaches_the_pmus_light() -> None:
    board = emulated_board(clock=FakeClock(), sound_card=False)
    light = PmuLight(board.gauge)
    assert set(PATTERN_CODES) == set(LightPattern)
    for pattern in LightPattern:
        light.set(pattern)
        light.settled()
        assert board.gauge.words((r.LIGHT,))[r.LIGHT] == PATTERN_CODES[pattern]
    board.bus.inject(Fault.NAK)
    light.set(LightPattern.ERROR)
    light.settled()
    asyncio.run(board.close())


def test_settings_of_the_guard_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "headband.toml"
    path.write_text("[guard]\ndeadline_s = 60\nstall_s = 90\n")
    assert load_config(path).guard == GuardConfig(60, 90.0)
    for text, words in (
        ("deadline_s = 2", "guard: deadline_s must be"),
        ("patience_s = 2", "guard.patience_s"),
    ):
        path.write_text(f"[guard]\n{text}\n")
        with pytest.raises(ConfigError, match=words):
            load_config(path)


# Whole headbands, with the real runtimes.


def spoken(b: Bench) -> list[str]:
    """The sentences that were begun."""
    return [fields["sentence"] for event, fields in b.told if event == "speaking"]


async def alive(b: Bench, until: Callable[[], bool], limit_s: float = 90.0) -> None:
    """Lets the emulated PMU live in real time until something is so."""
    for _ in range(round(limit_s / 0.02)):
        if until():
            return
        await asyncio.sleep(0.02)
        b.board.pmu.catch_up()
    raise AssertionError("that did not come about in time")


async def finished(b: Bench, running: asyncio.Task[None]) -> None:
    """Stops the headband and waits for it."""
    b.headband.stop("the test is over")
    await asyncio.wait_for(running, 10)


def test_a_long_press_is_answered_with_a_farewell_and_the_power_goes_last(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    config = replace(QUIET, journal=replace(QUIET.journal, path=str(path)))

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=config) as b:
            board = b.board
            running = asyncio.create_task(b.headband.run())
            await alive(b, lambda: board.microphone.chunks_delivered > 3)
            board.pmu.press(2.5)
            await alive(b, running.done)
            assert spoken(b) == [GOODBYE]
            assert b.headband.machine.interaction == "stopping" and b.refused() == []
            assert board.pmu.lines.rail_on, "not before everything is closed"
            lines = board.pmu.lines
            pmu = board.pmu
        events = [json.loads(line)["event"] for line in path.read_text().splitlines()]
        assert events[-1] == "saved"
        for _ in range(40):
            await asyncio.sleep(0.1)
            pmu.catch_up()
        assert not lines.rail_on

    asyncio.run(scenario())


def test_a_long_press_during_an_answer_cuts_it_short() -> None:
    def press(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking" and len(spoken(b)) == 1:
            b.board.pmu.press(2.5)

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, on_event=press) as b:
            b.board.speaker._real_time = True  # words take their time
            b.headband.parts.device = replace(
                b.headband.parts.device,
                last_answer="One, two, three, four, five, six, seven, eight, nine, ten.",
            )
            running = asyncio.create_task(b.headband.run())
            b.headband.guard.hear(PmuEvent("button", 2))
            await alive(b, running.done)
            assert spoken(b)[1:] == [GOODBYE]
            assert b.refused() == []

    asyncio.run(scenario())


def test_the_cut_off_is_said_and_saved() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            running = asyncio.create_task(b.headband.run())
            b.board.pmu.cell = replace(b.board.pmu.cell, voltage_mv=3_250)
            await alive(b, running.done)
            assert spoken(b) == [LOW_BATTERY]

    asyncio.run(scenario())


def test_a_double_press_silences_the_answer_and_no_follow_up_is_heard() -> None:
    def press(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking" and len(spoken(b)) == 2:
            b.headband.guard.hear(PmuEvent("button", 2))

    async def scenario() -> None:
        config = replace(QUIET, listen=replace(QUIET.listen, follow_up_s=4.0))
        async with bench(Mode.PERFORMANCE, config=config, on_event=press) as b:
            heard_s: list[float] = []
            for after in ("follow_up", "standby", "follow_up"):
                turn = await b.ask(COLOUR)
                heard_s.append(b.board.speaker.seconds_played - sum(heard_s))
                assert turn.failure is None and b.states()[-1] == after
            assert heard_s[1] == 0 and heard_s[0] > 1 and heard_s[2] > 1
            assert b.refused() == []

    asyncio.run(scenario())


def test_a_double_press_silences_what_is_being_repeated() -> None:
    def press(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking":
            b.board.pmu.press(0.1, times=2)

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, on_event=press) as b:
            b.board.speaker._real_time = True  # words take their time
            b.headband.parts.device = replace(b.headband.parts.device, last_answer="A long story. " * 200)
            running = asyncio.create_task(b.headband.run())
            b.headband.guard.hear(PmuEvent("button", 2))
            await alive(b, lambda: b.states()[-2:] == ["speaking", "standby"])
            assert b.board.speaker.seconds_played < 100
            await finished(b, running)

    asyncio.run(scenario())


def test_a_double_press_in_silence_repeats_the_last_answer() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            running = asyncio.create_task(b.headband.run())
            for expected in (NOTHING_SAID, "It is ten."):
                b.headband.parts.device = replace(
                    b.headband.parts.device, last_answer="" if expected == NOTHING_SAID else expected
                )
                b.told.clear()
                b.board.pmu.press(0.1, times=2)
                await alive(b, lambda: bool(spoken(b)))
                assert spoken(b) == [expected]
                await alive(b, lambda: b.headband.machine.interaction == "standby")
                await alive(b, lambda: not b.board.pmu.firmware.button.busy)
            assert b.headband.parts.device.last_answer == "It is ten."
            await finished(b, running)
            assert b.refused() == []

    asyncio.run(scenario())


def test_a_short_press_is_as_good_as_the_wake_word() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            running = asyncio.create_task(b.headband.run())
            b.board.pmu.press()
            await alive(b, lambda: b.headband.machine.interaction == "listening")
            assert b.board.light.pattern is LightPattern.LISTENING
            b.board.microphone.say(np.zeros(16_000 * 5, np.int16))
            await alive(b, lambda: b.headband.machine.interaction == "standby")
            await finished(b, running)

    asyncio.run(scenario())


def test_the_guard_is_armed_while_the_headband_runs_and_off_afterwards() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            guard = b.board.guard
            assert guard is not None
            await alive(b, lambda: guard.stage() == "armed")
        b.board.pmu.catch_up()
        assert b.board.gauge.words((r.HEARTBEAT_DEADLINE,))[r.HEARTBEAT_DEADLINE] == 0

    asyncio.run(scenario())


def test_defaults_leave_room_for_three_heartbeats() -> None:
    watch = GuardWatch(None, FakeClock(), Config().guard, Journal(None, lambda: 0.0))
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
