"""Whole turns with the real runtimes and the micro pack on the emulated board."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from host.app.observers import KEPT_BRICK_EVENTS
from host.hearing.endpointer import CHUNK
from host.turn.steps import APOLOGY, BLIND, NO_CAMERA, NOT_CAUGHT
from host.turn.turn import Turn
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from models.process.residency import BrickEvent
from models.process.rss import children
from power.policy.plan import MODES, Mode
from tests.demo_files import ELSEWHERE, FURTHER, THIRD
from tests.host.fake_speech import without_speech_models
from tests.host.workbench import COLOUR, DEMO, DEVICE, QUIET, Bench, bench, kill
from tests.kept_fork_server import spare_server

ANSWERS = {
    COLOUR: "now",
    THIRD: "now",
    (DEVICE[0], ELSEWHERE): "device",
}
NOISE = (np.random.default_rng(3).standard_normal(40_000) * 900).astype(np.int16)


@functools.cache
def answered(mode: Mode) -> tuple[list[Turn], Bench]:
    """The turns of one headband that was asked all of it, and what it told until it was taken off."""

    async def worn() -> tuple[list[Turn], Bench]:
        async with bench(mode) as b:
            return [await b.ask(question) for question in ANSWERS], b

    return asyncio.run(worn())


@pytest.mark.parametrize("mode", [Mode(name) for name in MODES])
def test_every_mode_answers_in_a_whole_sentence(mode: Mode) -> None:
    turns, b = answered(mode)
    for turn, route in zip(turns, ANSWERS.values(), strict=True):
        assert turn.decision.route == route, turn.transcript
        assert turn.answer.endswith(".") and turn.answer[0].isupper()
        assert turn.plan.mode is mode and turn.failure is None
        assert turn.response_s is not None and turn.first_audio_s is not None
    assert b.board.speaker.seconds_played > 2.0
    assert b.refused() == []


def test_the_answer_is_the_same_in_every_mode() -> None:
    assert len({answered(Mode(name))[0][0].answer for name in MODES}) == 1


def test_battery_decides_the_mode_by_way_of_the_bus() -> None:
    async def scenario() -> None:
        async with bench(battery=82) as b:
            seen = []
            for percent in (82, 41, 14):
                b.board.set_battery(percent)
                await b.headband.update_power()
                turn = await b.ask(DEVICE)
                seen.append(turn.plan.mode)
                assert f"{percent} percent" in turn.answer
            assert seen == [Mode.PERFORMANCE, Mode.THROTTLED, Mode.CASCADE]
            assert b.states("power") == ["throttled", "cascade"]

    asyncio.run(scenario())


def test_cascade_holds_no_more_than_the_largest_brick_takes_and_leaves_nothing_behind() -> None:
    alive: list[list[str]] = []
    before = set(children(os.getpid()))

    def count(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "brick":
            alive.append([name for name in b.headband.bricks.pids() if name != "fork_server"])

    async def scenario() -> None:
        async with bench(Mode.CASCADE, on_event=count) as b:
            await b.ask(COLOUR)
            await b.headband.bricks.settled()
            assert [name for name in b.headband.bricks.pids() if name != "fork_server"] == []
            used = [event.brick for event in b.headband.brick_events if event.kind == "load"]
            assert used == ["vision", "stt", "llm", "tts"], "reflex is not so small that it saves a load"
            assert alive and max(map(len, alive)) <= 2, "the next one may load beside the one at work"
            measured_mib = b.headband.bricks.memory_mib()
            for names in alive:
                assert sum(measured_mib[name] for name in names) <= max(measured_mib.values())
        assert set(children(os.getpid())) <= before | spare_server()

    asyncio.run(scenario())


@pytest.mark.parametrize("battery", [22.0, 14.0], ids=["throttled", "cascade"])
def test_where_power_is_short_device_questions_do_not_touch_the_language_model(battery: float) -> None:
    """Once their words are known, that is: before, it may have taken in the picture."""

    async def scenario() -> None:
        async with bench(battery=battery) as b:
            b.headband.brick_events.clear()
            turn = await b.ask(DEVICE)
            assert turn.decision.route == "device"
            executed = [event for event in b.headband.brick_events if event.kind == "execute"]
            (known_s,) = [span.end_s for span in b.headband.timeline.spans if span.name == "route"]
            assert [e for e in executed if e.brick == "llm" and e.start_s > known_s] == []

    asyncio.run(scenario())


@pytest.fixture(scope="module", params=[Mode.PERFORMANCE, Mode.CASCADE])
def struck(request: pytest.FixtureRequest) -> Iterator[Callable[[str], tuple[Turn, Turn]]]:
    """Asks one headband of a mode twice; the brick of that name is killed in the first turn."""
    mode: Mode = request.param
    doomed: list[str] = []

    def strike(b: Bench, event: str, fields: dict[str, Any]) -> None:
        loaded = event == "brick" and fields["event"].kind == "load" and fields["event"].brick in doomed
        resident = event == "heard" and mode is Mode.PERFORMANCE
        if doomed and (loaded or resident):
            kill(b.headband.bricks.pids()[doomed.pop()])

    with asyncio.Runner() as runner:
        pack = None if mode is Mode.PERFORMANCE else without_speech_models()
        worn = bench(mode, on_event=strike, pack=pack)
        b = runner.run(worn.__aenter__())

        def asked_twice(brick: str) -> tuple[Turn, Turn]:
            doomed.append(brick)
            turns = runner.run(b.ask(COLOUR)), runner.run(b.ask(COLOUR))
            assert not doomed and b.refused() == []
            return turns

        yield asked_twice
        runner.run(worn.__aexit__(None, None, None))


@pytest.mark.parametrize("brick", ["stt", "vision", "llm", "tts"])
def test_a_killed_brick_costs_one_apology_and_the_next_turn_works(
    struck: Callable[[str], tuple[Turn, Turn]], brick: str
) -> None:
    first, second = struck(brick)
    assert first.answer in (APOLOGY, second.answer)
    if first.answer == APOLOGY:
        assert first.failure is not None and brick in first.failure
    assert second.failure is None and second.answer not in (APOLOGY, "")


@pytest.fixture(scope="module")
def listening() -> Iterator[Callable[[np.ndarray], Turn]]:
    """What one headband makes of one sound after the other."""
    with asyncio.Runner() as runner:
        worn = bench(Mode.PERFORMANCE)
        b = runner.run(worn.__aenter__())
        yield lambda sound: runner.run(b.ask(sound))
        runner.run(worn.__aexit__(None, None, None))


@pytest.mark.parametrize(
    "sound",
    [np.zeros(MICROPHONE_RATE_HZ, np.int16), NOISE, np.zeros(0, np.int16), np.full(24_000, 32_767, np.int16)],
    ids=["silence", "noise", "nothing", "clipped"],
)
def test_what_is_no_question_gets_did_not_catch(
    listening: Callable[[np.ndarray], Turn], sound: np.ndarray
) -> None:
    turn = listening(sound)
    assert (turn.answer, turn.failure) == (NOT_CAUGHT, None)


def test_it_says_whether_there_is_no_camera_or_the_camera_fails() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            assert (await b.ask(read_wav(DEMO / COLOUR[0]))).answer == NO_CAMERA  # no picture was given
            b.board.camera.unplug()
            assert (await b.ask(read_wav(DEMO / COLOUR[0]))).answer == BLIND

    asyncio.run(scenario())


@pytest.mark.parametrize("over_the_answer", [False, True])
def test_the_wake_word_wakes_and_a_follow_up_needs_none(over_the_answer: bool) -> None:
    async def scenario() -> None:
        config = replace(QUIET, listen=replace(QUIET.listen, follow_up_s=4.0))
        async with bench(Mode.PERFORMANCE, config=config) as b:
            b.board.camera.show(DEMO / THIRD[1])
            b.board.microphone.say(DEMO / THIRD[0])
            b.board.microphone.say(np.zeros(24_000, np.int16))
            if over_the_answer:  # it is over when the answer is
                said = read_wav(DEMO / FURTHER)
                words = said[: (len(said) - 4_800) // CHUNK * CHUNK]
                unfinished = [list(words.reshape(-1, CHUNK)), []]
                b.headband.listening._barge.unfinished_speech = lambda: unfinished.pop(0)  # type: ignore[method-assign]
            else:
                b.board.microphone.say(DEMO / FURTHER)
            b.board.microphone.say(np.zeros(90_000, np.int16))
            turns: list[Any] = []

            def over(now_s: float) -> None:
                if now_s > 11.0:
                    b.headband.stop("the test is over")

            b.headband.loop.on_chunk = over
            await b.headband.run()
            turns = [fields["turn"] for event, fields in b.told if event == "turn"]
            assert [turn.decision.route for turn in turns] == ["now", "now"]
            woken = [fields["cause"] for event, fields in b.told if event == "woken"]
            assert woken == ["the wake word was heard", "the wearer spoke on without the wake word"]
            assert b.states()[-2:] == ["standby", "stopping"]
            assert b.refused() == []

    asyncio.run(scenario())


def test_an_empty_battery_is_said_once_and_the_headband_stops() -> None:
    async def scenario() -> None:
        async with bench(battery=30) as b:
            b.board.set_battery(0)
            b.headband.expect_power_change()
            b.board.microphone.say(np.zeros(MICROPHONE_RATE_HZ * 14, np.int16))
            await b.headband.run()
            assert b.headband.state.power == "cutoff" and b.headband.state.interaction == "stopping"
            assert b.board.speaker.seconds_played > 1.0

    asyncio.run(scenario())


def test_an_unplugged_microphone_is_announced_and_listening_goes_on() -> None:
    def repair(b: Bench, event: str, fields: dict[str, Any]) -> None:
        if event == "transition" and fields["cause"] == "the announcement is over":
            b.board.microphone.plug_in()
            b.board.microphone.say(DEMO / COLOUR[0])
            b.board.microphone.say(np.zeros(48_000, np.int16))
        if event == "turn":
            b.headband.stop("the test is over")

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, on_event=repair) as b:
            b.board.microphone.unplug()
            b.board.camera.show(DEMO / COLOUR[1])
            await b.headband.run()
            assert [f["turn"].failure for event, f in b.told if event == "turn"] == [None]

    asyncio.run(scenario())


def test_the_record_of_what_the_bricks_did_does_not_grow_for_ever() -> None:
    async def scenario() -> None:
        async with bench() as b:
            for number in range(KEPT_BRICK_EVENTS + 10):
                b.headband._observers.brick_event(BrickEvent("stt", "execute", number, number, 1, None))
            assert len(b.headband.brick_events) == KEPT_BRICK_EVENTS
            assert b.headband.brick_events[-1].start_s == KEPT_BRICK_EVENTS + 9

    asyncio.run(scenario())
