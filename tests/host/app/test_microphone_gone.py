"""The main loop without a microphone: what the wearer asks meanwhile ends, the computer sleeps as ever, and
what is heard afterwards is told from the headband's own voice at once.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from host.hearing.own_voice_removed import EchoFreeChunk
from host.turn.announcing import DEAF
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.room import Room
from hw.supply import PmuEvent
from power.policy.plan import Mode
from tests.host.fake_speech import unasked
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import QUIET, Bench, bench, set_timer

TIMER = "Your 10 second timer is done."


def said(b: Bench) -> list[str]:
    return [fields["sentence"] for event, fields in b.told if event == "speaking"]


def press(b: Bench) -> None:
    b.headband.guard.handle_event(PmuEvent("button", 1))


@pytest.mark.parametrize("works_between", [False, True])
def test_a_question_that_nobody_hears_ends_and_timers_are_told_of(works_between: bool) -> None:
    """works_between: the microphone is back for a moment, in which the question begins."""

    async def scene() -> None:
        async with bench(Mode.THROTTLED, pack=unasked()) as b:
            b.board.microphone.unplug()
            running = asyncio.create_task(b.headband.run())
            await b.board.clock.sleep(5.0)
            assert said(b) == [DEAF]
            if works_between:
                b.board.microphone.plug_in()
                await b.board.clock.sleep(3.0)
            press(b)
            await b.board.clock.sleep(0.2)
            b.board.microphone.unplug()
            set_timer(b.headband, 10)
            await b.board.clock.sleep(15.0)
            assert said(b)[:3] == [DEAF, DEAF, TIMER]
            assert b.headband.state.interaction == "standby"
            b.headband.stop("the test is over")
            await asyncio.wait_for(running, 10)
            assert b.refused() == []

    simulate(scene())


async def passes(board: EmulatedBoard) -> None:
    """Time passes for the firmware, also while nothing is heard."""
    while True:
        await board.clock.sleep(0.1)
        if board.microphone.deaf:
            board.microphone.skip_elapsed()
        board.pmu.catch_up()


def test_a_microphone_that_is_gone_after_a_sleep_keeps_the_computer_from_no_further_sleep() -> None:
    async def scene() -> list[str]:
        board = emulated_board(clock=loop_clock(), battery_percent=40, sound_card=False, sleeps=True)
        told: list[str] = []

        def observe(event: str, fields: dict[str, Any]) -> None:
            microphone = event == "device" and fields["device"] == "microphone"
            told.extend([event] if microphone or event in ("asleep", "awake") else [])

        async with micro_headband(
            board, QUIET, unasked(), request=Mode.THROTTLED, observe=observe
        ) as headband:
            world = asyncio.create_task(passes(board))
            running = asyncio.create_task(headband.run())
            while "asleep" not in told:
                await board.clock.sleep(0.1)
            await board.clock.sleep(1.0)
            board.microphone.unplug()
            board.alert.set(True)
            await board.clock.sleep(30.0)
            headband.stop("the test is over")
            board.wake.set(True)
            await asyncio.wait_for(running, 10)
            world.cancel()
        await board.close()
        return told

    assert simulate(scene())[:4] == ["asleep", "awake", "device", "asleep"]


def test_the_own_voice_is_known_at_once_when_the_microphone_is_back() -> None:
    async def scene() -> None:
        board = emulated_board(clock=loop_clock(), sound_card=False, room=Room())
        heard: list[tuple[float, EchoFreeChunk]] = []
        async with micro_headband(board, QUIET, unasked(), request=Mode.PERFORMANCE) as headband:
            remover = headband.listening._own_voice_remover
            hear = remover.hear

            def noted(pcm: Any, arrived_s: float) -> EchoFreeChunk:
                heard.append((arrived_s, hear(pcm, arrived_s)))
                return heard[-1][1]

            remover.hear = noted  # type: ignore[method-assign]
            running = asyncio.create_task(headband.run())
            await board.clock.sleep(4.0)
            board.microphone.unplug()
            await board.clock.sleep(12.0)
            heard.clear()
            board.microphone.plug_in()
            while not heard:
                await board.clock.sleep(0.05)
            set_timer(headband, 1)
            await board.clock.sleep(6.0)
            headband.stop("the test is over")
            await asyncio.wait_for(running, 10)
        await board.close()
        back_s = heard[0][0]
        assert not any(chunk.playing for arrived_s, chunk in heard if arrived_s < back_s + 0.9)
        first = [chunk.playing for arrived_s, chunk in heard if arrived_s < back_s + 2.8]
        assert sum(first) > 10, "the timer sounds"

    simulate(scene())
