"""Interrupting a headband that hears its own voice: real time, real bricks, a modelled room."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from host.answers.timers import Now
from host.session.events import QuestionOpened
from hw.emulated.room import Room
from hw.supply import PmuEvent
from models.train.sound.espeak import Espeak
from power.policy.plan import Mode
from tests.host.hearing.barge_in_bench import LONG, Scene, scene
from tests.host.workbench import QUIET, change_settings

SILENT_WITHIN_S = 0.5
"""A limit for a busy computer; the evaluation measures the latency."""

pytestmark = pytest.mark.slow  # in real time, and a "stop" is detected in only 98 of 100 cases


@pytest.fixture(scope="module")
def espeak() -> Espeak:
    return Espeak()


def test_its_own_voice_does_not_interrupt_it_but_the_wake_word_does(espeak: Espeak) -> None:
    async def scenario() -> None:
        async with scene(espeak) as s:
            await s.repeat()
            turn = (await s.until("turn", 30.0))["turn"]
            assert turn.answer == LONG, "its own voice, traps and all, is no interruption"
            await asyncio.sleep(0.2)
            await s.repeat()
            await asyncio.sleep(3.0)
            s.stops_s.clear()
            clip = s.say("okay nabu", "en-us")
            woken = asyncio.create_task(s.until("woken", 3.0))
            turn = (await s.until("turn", 4.0))["turn"]
            assert (await woken)["cause"] == "the wake word was heard over the answer"
            await clip.heard()
            assert clip.ended_s is not None and s.stops_s[0] - clip.ended_s < SILENT_WITHIN_S
            assert s.headband.state.interaction == "listening"
            assert LONG.startswith(turn.answer) and 5 < len(turn.answer) < len(LONG) - 40
            assert s.headband.dialogue.now.last_answer == turn.answer
            await s.headband.bricks.settled()
            await asyncio.sleep(0.3)  # a short pause
            s.say("what time is it", "en-us+adam", 0.09)
            assert (await s.until("turn", 15.0))["turn"].decision.intent == "time"

    asyncio.run(scenario())


def test_the_wake_word_silences_what_is_said_unasked(espeak: Espeak) -> None:
    async def scenario() -> None:
        async with scene(espeak) as s:
            await s.repeat()  # during which the echo canceller adapts
            await s.until("turn", 30.0)
            await asyncio.sleep(0.2)
            s.headband.guard.handle_event(PmuEvent("button", 2))  # repeats the last answer
            await s.until("speaking")
            await asyncio.sleep(3.0)
            assert s.headband.state.speech is not None, "its own voice is no interruption"
            s.stops_s.clear()
            clip = s.say("okay nabu", "en-us")
            assert (await s.until("woken", 3.0))["cause"] == "the wake word was heard over the answer"
            await clip.heard()
            assert clip.ended_s is not None and s.stops_s[0] - clip.ended_s < SILENT_WITHIN_S
            assert s.headband.state.interaction == "listening"
            await asyncio.sleep(0.3)  # a short pause
            s.say("what time is it", "en-us+adam", 0.09)
            assert (await s.until("turn", 15.0))["turn"].decision.intent == "time"

    asyncio.run(scenario())


@pytest.mark.parametrize("mode", [Mode.PERFORMANCE, Mode.THROTTLED])
def test_stop_silences_a_timer_that_is_announced_and_ends_it(espeak: Espeak, mode: Mode) -> None:
    async def scenario() -> None:
        async with scene(espeak, replace(QUIET.listen, follow_up_s=4.0), mode) as s:
            await s.repeat()  # during which the echo canceller adapts
            await s.until("turn", 30.0)
            begun = Now(s.board.clock.monotonic() - 3000, s.board.clock.time() - 3000)
            timers = s.headband.state.settings.timers
            for seconds in (2460, 2580, 2700, 2820):  # a long answer
                timers = timers.with_timer(seconds, begun)
            change_settings(s.headband, timers=timers)
            await s.until("speaking")
            await asyncio.sleep(2.0)
            s.stops_s.clear()
            clip = s.say("stop", "en-us+Storm")
            await s.until("transition", 3.0, to="standby")
            await clip.heard()
            assert clip.ended_s is not None and s.stops_s[0] - clip.ended_s < SILENT_WITHIN_S
            stop = {"is": "StopWordOverSpeech"}
            assert any(stop.items() <= line.get("in", {}).items() for line in s.headband.journal.recent)
            assert s.headband.settings_store.next_timer_s is None, "none of them is announced again"
            await asyncio.sleep(0.5)
            assert s.headband.state.interaction == "standby", "after stop it waits for the wake word"

    asyncio.run(scenario())


@pytest.mark.parametrize("mode", [Mode.PERFORMANCE, Mode.THROTTLED])
def test_stop_silences_it_and_nothing_of_the_rest_counts_as_said(espeak: Espeak, mode: Mode) -> None:
    async def scenario() -> None:
        async with scene(espeak, replace(QUIET.listen, follow_up_s=4.0), mode) as s:
            await s.repeat()
            await asyncio.sleep(4.0)
            s.stops_s.clear()
            clip = s.say("stop", "en-us+Storm")
            turn = (await s.until("turn", 3.0))["turn"]
            await clip.heard()
            assert clip.ended_s is not None and s.stops_s[0] - clip.ended_s < SILENT_WITHIN_S
            await asyncio.sleep(0.1)
            assert s.headband.state.interaction == "standby", "after stop it waits for the wake word"
            assert LONG.startswith(turn.answer) and 5 < len(turn.answer) < len(LONG) - 40
            assert s.headband.dialogue.now.last_answer == turn.answer

    asyncio.run(scenario())


@pytest.mark.parametrize("mode", [Mode.PERFORMANCE, Mode.THROTTLED])
@pytest.mark.parametrize("room", [None, Room(gain_db=-40.0)])
def test_stop_silences_a_first_answer_of_which_no_echo_is_heard(
    espeak: Espeak, room: Room | None, mode: Mode
) -> None:
    async def scenario() -> None:
        async with scene(espeak, QUIET.listen, mode, room) as s:
            await s.repeat()
            await asyncio.sleep(1.5)
            s.stops_s.clear()
            clip = s.say("stop", "en-us+Storm")
            turn = (await s.until("turn", 3.0))["turn"]
            await clip.heard()
            assert clip.ended_s is not None and s.stops_s[0] - clip.ended_s < SILENT_WITHIN_S
            assert turn.notes == ("interrupted by the stop word",)

    asyncio.run(scenario())


def slow_thought(s: Scene, seconds: float) -> None:
    """Makes the language model take that time."""
    running = s.headband.bricks.run

    def slow(name: str, request: object, **how: float):  # type: ignore[no-untyped-def]
        async def held():  # type: ignore[no-untyped-def]
            if name == "llm":
                await asyncio.sleep(seconds)
            async for chunk in running(name, request, **how):
                yield chunk

        return held()

    s.headband.bricks.run = slow  # type: ignore[assignment]


def test_the_wake_word_while_it_thinks_gives_up_the_question(espeak: Espeak) -> None:
    async def scenario() -> None:
        async with scene(espeak) as s:
            s.headband.queue.post(QuestionOpened("the button was pressed"))
            s.say("what colour is the circle", "en-us+adam", 0.09)
            slow_thought(s, 20.0)
            await s.until("understood")
            s.say("okay nabu", "en-us")
            turn = (await s.until("turn", 5.0))["turn"]
            assert turn.answer == "" and turn.notes, "speech interrupts before it is known as the wake word"
            assert s.headband.state.interaction == "listening"
            assert s.headband.dialogue.now.last_answer == LONG
            assert s.board.speaker.seconds_played == 0.0
            await asyncio.sleep(1.0)
            s.say("what time is it", "en-us+adam", 0.09)
            turn = (await s.until("turn", 5.0))["turn"]
            assert turn.decision.intent == "time", "of the first question nothing is left"

    asyncio.run(scenario())


def test_a_question_that_goes_on_after_its_seeming_end_is_heard_whole(espeak: Espeak) -> None:
    async def scenario() -> None:
        async with scene(espeak) as s:
            s.headband.queue.post(QuestionOpened("the button was pressed"))
            slow_thought(s, 3.0)
            s.say("what do you see", "en-us+adam", 0.09)
            await s.until("understood")
            s.say("above the triangle", "en-us+adam", 0.09)
            first = (await s.until("turn", 5.0))["turn"]
            assert first.answer == "" and first.notes == ("interrupted by the rest of the question",)
            second = (await s.until("turn", 20.0))["turn"]
            assert second.transcript == "what do you see above the triangle"
            assert second.answer and not second.failure

    asyncio.run(scenario())
