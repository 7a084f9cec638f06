"""Whole headbands, with the real runtimes, under the wearer's button and the guard."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from firmware.pmu import registers as r
from host.answers.device import NOTHING_SAID
from host.app.headband import Headband
from host.system.watchdog import GOODBYE, LOW_BATTERY
from hw.device import MICROPHONE_RATE_HZ, LightPattern
from hw.emulated.board import emulated_board
from hw.linux.system_clock import SystemClock
from hw.supply import PmuEvent
from models.pack.catalogue import Pack, load_pack
from power.policy.plan import Mode
from tests.host.simulated import button_ready, simulate
from tests.host.workbench import COLOUR, DEMO, QUIET, Bench, bench


@functools.cache
def talking() -> Pack:
    """The micro pack with the two models alone that hear and speak; nothing else is asked in most scenes."""
    micro = load_pack("micro")
    return replace(micro, bricks={name: micro.bricks[name] for name in ("stt", "tts")})


def spoken(b: Bench) -> list[str]:
    """The sentences that were begun."""
    return [fields["sentence"] for event, fields in b.told if event == "speaking"]


async def alive(b: Bench, until: Callable[[], bool], limit_s: float = 90.0) -> None:
    """Lets the emulated PMU live until something is so."""
    for _ in range(round(limit_s / 0.02)):
        if until():
            return
        await b.board.clock.sleep(0.02)
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
        async with bench(Mode.PERFORMANCE, pack=talking(), config=config) as b:
            board = b.board
            running = asyncio.create_task(b.headband.run())
            await alive(b, lambda: board.microphone.chunks_delivered > 3)
            board.pmu.press(2.5)
            await alive(b, running.done)
            assert spoken(b) == [GOODBYE]
            assert b.headband.state.interaction == "stopping" and b.refused() == []
            assert board.pmu.lines.rail_on, "not before everything is closed"
            lines = board.pmu.lines
            pmu = board.pmu
        events = [json.loads(line)["event"] for line in path.read_text().splitlines()]
        assert events[-1] == "saved"
        for _ in range(220):
            await board.clock.sleep(0.1)
            pmu.catch_up()
        assert not lines.rail_on

    simulate(scenario())


def test_a_long_press_during_an_answer_cuts_it_short() -> None:
    def press(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking" and len(spoken(b)) == 1:
            b.board.pmu.press(2.5)

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=talking(), on_event=press) as b:
            await button_ready(b.board)
            b.board.speaker._real_time = True  # words take their time
            b.headband.dialogue.note_spoken("One, two, three, four, five, six, seven, eight, nine, ten.")
            running = asyncio.create_task(b.headband.run())
            b.headband.guard.handle_event(PmuEvent("button", 2))
            await alive(b, running.done)
            assert spoken(b)[1:] == [GOODBYE]
            assert b.refused() == []

    simulate(scenario())


def test_the_cut_off_is_said_and_saved() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            running = asyncio.create_task(b.headband.run())
            b.board.pmu.cell = replace(b.board.pmu.cell, voltage_mv=3_080)
            await alive(b, running.done)
            assert spoken(b) == [LOW_BATTERY]

    simulate(scenario())


class LaterClock(SystemClock):
    """This computer's, some seconds on."""

    later_s = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.later_s


def test_a_cell_that_is_at_its_cut_off_from_the_start_is_called_so() -> None:
    async def scenario() -> None:
        clock = LaterClock()
        board = emulated_board(clock=clock, battery_percent=30, real_time=False, sound_card=False)
        board.pmu.cell = replace(board.pmu.cell, voltage_mv=3_080)
        board.microphone.say(DEMO / COLOUR[0])
        clock.later_s = 8.0  # the cut-off is asked for while the computer starts
        board.pmu.catch_up()
        told: list[tuple[str, dict[str, Any]]] = []
        headband = Headband(board, load_pack("micro"), QUIET, observe=lambda *each: told.append(each))
        async with headband:
            b = Bench(headband, board, told)
            await asyncio.wait_for(headband.run(), 60)
            assert spoken(b) == [LOW_BATTERY] and b.refused() == []
        assert headband.journal.recent[-1]["event"] == "saved"
        await board.close()

    simulate(scenario())


def test_a_double_press_silences_the_answer_and_no_follow_up_is_heard() -> None:
    def press(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking" and len(spoken(b)) == 2:
            b.headband.guard.handle_event(PmuEvent("button", 2))

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

    simulate(scenario())


def test_a_double_press_silences_what_is_being_repeated() -> None:
    def press(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking":
            b.board.pmu.press(0.1, times=2)

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=talking(), on_event=press) as b:
            await button_ready(b.board)
            b.board.speaker._real_time = True  # words take their time
            b.headband.dialogue.note_spoken("A long story. " * 200)
            running = asyncio.create_task(b.headband.run())
            b.headband.guard.handle_event(PmuEvent("button", 2))
            await alive(b, lambda: b.states()[-2:] == ["speaking", "standby"])
            assert b.board.speaker.seconds_played < 100
            await finished(b, running)

    simulate(scenario())


def test_a_double_press_in_silence_repeats_the_last_answer() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=talking()) as b:
            await button_ready(b.board)
            running = asyncio.create_task(b.headband.run())
            for expected in (NOTHING_SAID, "It is ten."):
                b.headband.dialogue.note_spoken("" if expected == NOTHING_SAID else expected)
                b.told.clear()
                b.board.pmu.press(0.1, times=2)
                await alive(b, lambda: bool(spoken(b)))
                assert spoken(b) == [expected]
                await alive(b, lambda: b.headband.state.interaction == "standby")
                await alive(b, lambda: not b.board.pmu.firmware.button.busy)
            assert b.headband.dialogue.now.last_answer == "It is ten."
            await finished(b, running)
            assert b.refused() == []

    simulate(scenario())


def test_a_short_press_is_as_good_as_the_wake_word() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=talking()) as b:
            await button_ready(b.board)
            running = asyncio.create_task(b.headband.run())
            b.board.pmu.press()
            await alive(b, lambda: b.headband.state.interaction == "listening")
            assert b.board.light.pattern is LightPattern.LISTENING
            b.board.microphone.say(np.zeros(MICROPHONE_RATE_HZ * 5, np.int16))
            await alive(b, lambda: b.headband.state.interaction == "standby")
            await finished(b, running)

    simulate(scenario())


def test_the_guard_is_armed_while_the_headband_runs_and_off_afterwards() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=talking()) as b:
            guard = b.board.guard
            assert guard is not None
            await alive(b, lambda: guard.stage() == "armed")
        b.board.pmu.catch_up()
        assert b.board.gauge.words((r.HEARTBEAT_DEADLINE,))[r.HEARTBEAT_DEADLINE] == 0

    simulate(scenario())
