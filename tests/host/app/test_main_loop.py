"""The main loop while it waits: the recording switch is obeyed, and what is said over an answer that nothing
may interrupt is not heard afterwards.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from host.app.main_loop import DEAF_STEP_S, SWITCHED_OFF
from host.config import BargeConfig, JournalConfig
from host.turn.early.transcript import EarlyTranscript
from host.wearer.saved_settings import saved_recording
from hw.absent import AbsentSpeaker
from hw.device import DeviceError
from hw.emulated.board import emulated_board
from models.brick import Transcript
from tests.host.fake_speech import unasked
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.wearer.test_recording_switch import (
    QUESTION,
    SETTINGS,
    asked,
    nothing_is_recorded,
    until,
    worn,
)
from tests.host.workbench import DEVICE, QUIET, Bench, bench, change_settings

STORY = "This is a long story of many words. " * 8
UNINTERRUPTED = replace(SETTINGS, barge=BargeConfig(wake_word=False, stop_word=False))
"""Nothing that is said interrupts an answer."""


@pytest.mark.parametrize("config", [SETTINGS, UNINTERRUPTED])
def test_the_recording_switch_counts_while_it_speaks(monkeypatch: pytest.MonkeyPatch, config: Any) -> None:
    async def scene() -> None:
        async with worn(config) as (b, said):
            b.headband.dialogue.note_spoken(STORY)
            asking = asyncio.create_task(asked(b, monkeypatch, "repeat that"))
            await until(b.board, lambda: bool(said))
            b.board.recording_off.set(True)
            await until(b.board, lambda: not b.headband.state.recording, 2 * DEAF_STEP_S)
            await nothing_is_recorded(b.board, 0.5)
            assert b.headband.state.interaction == "speaking", "the answer goes on"
            await asking
            assert b.refused() == []

    simulate(scene())


def test_the_recording_switch_counts_while_it_thinks_without_a_loudspeaker() -> None:
    async def scene() -> None:
        board = emulated_board(clock=loop_clock(), sound_card=False)
        object.__setattr__(board, "speaker", AbsentSpeaker("There is no speaker."))
        told: list[tuple[str, dict[str, Any]]] = []
        async with micro_headband(
            board, SETTINGS, observe=lambda event, fields: told.append((event, fields))
        ) as headband:
            await headband.bricks.settled()
            running = headband.bricks.run

            async def slow(name: str, request: Any, **how: Any) -> AsyncIterator[Any]:
                if name == "tts":
                    await board.clock.sleep(30.0)
                async for chunk in running(name, request, **how):
                    yield chunk

            headband.bricks.run = slow  # type: ignore[method-assign, assignment]
            worn = asyncio.create_task(headband.run())
            b = Bench(headband, board, told)
            board.microphone.say(QUESTION)
            await until(board, lambda: any(event == "understood" for event, _ in told))
            board.recording_off.set(True)
            await until(board, lambda: not headband.state.recording, 2 * DEAF_STEP_S)
            await nothing_is_recorded(board, 0.5)
            headband.stop("the test is over")
            headband.bricks.run = running  # type: ignore[method-assign]
            await worn
            assert b.refused() == []
        await board.close()

    simulate(scene())


def test_what_is_said_over_an_answer_that_nothing_interrupts_is_no_question_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scene() -> None:
        async with worn(UNINTERRUPTED) as (b, said):
            b.headband.dialogue.note_spoken(STORY)
            asking = asyncio.create_task(asked(b, monkeypatch, "repeat that"))
            await until(b.board, lambda: bool(said))
            await asyncio.wait_for(b.board.microphone.say(QUESTION).heard(), 20)
            assert b.headband.state.interaction == "speaking", "it was read while it was said"
            await asking
            await until(b.board, lambda: b.headband.state.at_rest)
            assert sum(event == "woken" for event, _ in b.told) == 1
            await asked(b, monkeypatch, "what time is it")
            assert said[-1].startswith("It is ")

    simulate(scene())


def test_one_question_ends_with_a_sentence_when_recording_goes_off() -> None:
    def on_event(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "woken":
            b.board.recording_off.set(True)

    async def scene() -> None:
        async with bench(on_event=on_event) as b:
            with pytest.raises(DeviceError, match=SWITCHED_OFF):
                await b.ask(DEVICE)
            assert not b.headband.state.recording and b.board.microphone.chunks_delivered < 5
            assert not any(event == "understood" for event, _ in b.told)

    simulate(scene())


def test_one_question_that_is_being_understood_is_given_up_when_recording_goes_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def on_event(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "heard":
            b.board.recording_off.set(True)

    async def scene() -> None:
        async with bench(on_event=on_event) as b:

            async def slow(self: EarlyTranscript, heard: object) -> Transcript:
                await b.board.clock.sleep(5.0)
                return Transcript("what time is it", 0.99)

            monkeypatch.setattr(EarlyTranscript, "transcript", slow)
            with pytest.raises(DeviceError, match=SWITCHED_OFF):
                await b.ask(DEVICE)

    simulate(scene())


def test_a_background_task_that_died_keeps_nothing_from_being_saved_and_ended(tmp_path: Any) -> None:
    config = replace(QUIET, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))

    async def dies() -> None:
        raise ValueError("it died")

    async def scene() -> None:
        board = emulated_board(clock=loop_clock(), sound_card=False)
        headband = micro_headband(board, config)
        await headband.__aenter__()
        await headband.bricks.settled()
        headband._background(dies())
        await asyncio.sleep(0)
        change_settings(headband, recording=False)
        with pytest.raises(ValueError, match="it died"):
            await headband.__aexit__(None)
        assert headband.bricks.pids() == {}
        await board.close()

    simulate(scene())
    assert saved_recording(tmp_path / "kept.json") == "off"


class GoneLine:
    """An alert line whose device goes while the headband runs."""

    def __init__(self) -> None:
        self.goes = asyncio.Event()

    @property
    def active(self) -> bool:
        return False

    async def wait(self) -> None:
        await self.goes.wait()
        raise OSError(errno.ENODEV, "No such device")


def test_a_background_task_that_dies_ends_the_program_at_once() -> None:
    async def scene() -> None:
        board, line = emulated_board(clock=loop_clock(), sound_card=False), GoneLine()
        object.__setattr__(board, "alert", line)

        async def worn() -> None:
            async with micro_headband(board, QUIET, unasked()) as headband:
                await headband.run()

        wearing = asyncio.create_task(worn())
        await board.clock.sleep(3.0)
        assert not wearing.done()
        line.goes.set()
        await until(board, wearing.done, 3.0)
        with pytest.raises(OSError, match="No such device"):
            await wearing
        await board.close()

    simulate(scene())
