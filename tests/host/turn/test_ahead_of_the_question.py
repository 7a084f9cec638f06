"""What happens before the question ends: reading at pauses, looking and taking in while it is spoken."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from host.hearing.endpointer import RecordedQuestion
from host.language.router import Router
from host.session.events import QuestionOpened, WakeWordOverSpeech
from host.turn.early.transcript import EarlyTranscript, RecogniserSpeed, whole_question_probability
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from models.brick import Placement, Transcript
from models.process.residency import BrickFailed
from power.policy.plan import Mode
from tests.demo_files import THIRD
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.workbench import COLOUR, DEMO, QUIET, Bench, bench, interrupt, picture

ROUTER = Router()
PACK = without_speech_models()


@pytest.mark.parametrize(
    ("text", "probability"),
    [
        ("What colour is the star?", 1.0),
        ("how much battery is left", 1.0),
        ("what colour is the", 0.0),
        ("what shape is the black", 0.0),
        ("is the star left of", 0.0),
        ("how many", 0.0),
        ("is the diamond", None),
        ("which thing is above", None),
        ("why do cats purr", None),
        ("", None),
    ],
)
def test_a_whole_question_is_told_from_half_of_one(text: str, probability: float | None) -> None:
    assert whole_question_probability(Transcript(text, 0.97), ROUTER, 0.93) == probability
    if probability:
        assert whole_question_probability(Transcript(text, 0.8), ROUTER, 0.93) is None, "read, but not surely"


def test_text_and_picture_are_ready_when_the_question_ends() -> None:
    """The sound that ends it is recognised once, before the endpoint; so is the picture taken in."""

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            turn = await b.ask(COLOUR)
            assert turn.decision.route == "now" and turn.failure is None
            partials = [fields["transcript"] for event, fields in b.told if event == "partial"]
            assert partials and partials[-1] == turn.transcript
            done = {e.brick: e for e in b.headband.brick_events if e.kind == "execute"}
            assert done["vision"].start_s < turn.started_s

    simulate(scenario())


def test_a_pause_in_the_middle_does_not_cut_the_question() -> None:
    sound = read_wav(DEMO / COLOUR[0])
    speech = np.flatnonzero(np.abs(sound) > 300)
    middle = int(0.38 * speech[0] + 0.62 * speech[-1])

    async def heard_s(pause_s: float) -> float:
        parts = [sound[:middle], np.zeros(int(pause_s * MICROPHONE_RATE_HZ), np.int16), sound[middle:]]
        async with bench(Mode.PERFORMANCE) as b:
            turn = await b.ask(np.concatenate(parts))
            assert turn.failure is None
            return len(turn.heard.pcm) / MICROPHONE_RATE_HZ

    assert simulate(heard_s(0.3)) == pytest.approx(simulate(heard_s(0.0)) + 0.3, abs=0.1)


def test_an_open_question_does_not_wait_for_a_picture_that_it_does_not_need() -> None:
    async def scenario() -> None:
        config = replace(QUIET, answer=replace(QUIET.answer, fixed_route="open"))
        async with bench(Mode.PERFORMANCE, config=config, pack=PACK) as b:
            turn = await b.ask(COLOUR)
            assert turn.decision.route == "open" and turn.failure is None
            again = await b.ask(COLOUR)
            assert again.answer == turn.answer

    simulate(scenario())


def test_a_newer_view_takes_the_place_of_the_one_at_the_wake_word() -> None:
    async def answer(first: str, then: str | None) -> str:
        def swap(b: Bench, event: str, fields: dict[str, Any]) -> None:
            if event == "brick" and fields["event"].brick == "vision" and then is not None:
                b.board.camera.show(picture(then))

        config = replace(QUIET, power=replace(QUIET.power, full_frame_interval_s=0.05))
        async with bench(Mode.PERFORMANCE, config=config, pack=PACK, on_event=swap) as b:
            b.board.camera.show(picture(first))
            b.board.microphone._real_time = True
            turn = await b.ask(read_wav(DEMO / COLOUR[0]))
            assert turn.failure is None, turn.failure
            return turn.answer

    now = simulate(answer(COLOUR[1], None))
    assert simulate(answer(THIRD[1], COLOUR[1])) == now


def shaken(picture: np.ndarray, places: int = 60) -> np.ndarray:
    """As a camera takes it that turns while its shutter is open: the mean of places along a line."""
    return np.mean([np.roll(picture, by, axis=1) for by in range(places)], axis=0).astype(np.uint8)


def test_a_blurred_picture_at_the_wake_word_is_taken_again_while_the_wearer_speaks() -> None:
    async def asked(*views: np.ndarray) -> tuple[str, int]:
        config = replace(QUIET, power=replace(QUIET.power, frames_between_questions=False, clips=False))
        async with bench(Mode.PERFORMANCE, config=config, pack=PACK) as b:
            b.board.camera.show(list(views))
            b.board.camera.captures = 0
            b.board.microphone._real_time = True
            turn = await b.ask(read_wav(DEMO / COLOUR[0]))
            assert turn.failure is None, turn.failure
            return turn.answer, b.board.camera.captures

    clear = picture(COLOUR[1])
    answer, once = simulate(asked(clear))
    assert once == 1, "a clear picture is enough"
    assert simulate(asked(shaken(clear), shaken(clear, 80), clear)) == (answer, 3)
    assert simulate(asked(shaken(clear)))[1] == 2, "what stays the same is not looked at for ever"


def test_a_blurred_view_does_not_take_the_place_of_a_clear_one() -> None:
    async def answer(then: np.ndarray | None) -> str:
        def turn_head(b: Bench, event: str, fields: dict[str, Any]) -> None:
            if event == "brick" and fields["event"].brick == "vision" and then is not None:
                b.board.camera.show(then)

        config = replace(QUIET, power=replace(QUIET.power, full_frame_interval_s=0.05))
        async with bench(Mode.PERFORMANCE, config=config, pack=PACK, on_event=turn_head) as b:
            b.board.microphone._real_time = True
            turn = await b.ask(COLOUR)
            assert turn.failure is None, turn.failure
            return turn.answer

    assert simulate(answer(shaken(picture(THIRD[1])))) == simulate(answer(None))


def test_an_announcement_ends_the_work_on_a_question_that_nobody_asked() -> None:
    async def scenario() -> None:
        async with bench(pack=PACK) as b:
            b.headband.queue.post(QuestionOpened("the button was pressed"))
            await b.board.clock.sleep(0.2)
            await b.announce()
            await b.headband.bricks.settled()
            running = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}  # type: ignore[union-attr]
            assert not {name for name in running if name.startswith(("EarlyLook", "EarlyTranscript"))}
            assert not b.headband.answering._questions
            assert not b.refused()

    simulate(scenario())


def test_a_deep_cascade_holds_no_process_after_an_announcement() -> None:
    async def scenario() -> None:
        async with bench(Mode.CASCADE, battery=8.0, pack=PACK) as b:
            assert not b.headband.plan.keep_fork_server
            b.headband.queue.post(QuestionOpened("the button was pressed"))
            await b.board.clock.sleep(0.2)
            await b.announce()
            assert b.board.speaker.seconds_played > 0
            assert b.headband.bricks.pids() == {}

    simulate(scenario())


@pytest.mark.parametrize("step", ["_spent", "refresh"])
def test_the_wake_word_while_the_last_turn_is_wound_up_begins_a_question(step: str) -> None:
    """The answer is over, its energy is booked, its models go: a question that begins then is heard."""

    async def scenario() -> None:
        async with bench(Mode.CASCADE, pack=PACK) as b:
            owner: Any = b.headband.answering if step == "_spent" else b.headband.power_manager
            wind_up = getattr(owner, step)

            async def interrupted(*arguments: Any) -> Any:
                setattr(owner, step, wind_up)
                interrupt(b.headband, WakeWordOverSpeech)
                await b.board.clock.sleep(0.05)
                return await wind_up(*arguments)

            setattr(owner, step, interrupted)
            first = await b.ask(COLOUR)
            assert first.failure is None and first.answer
            assert b.states()[-1] == "listening" and b.headband._endpointer.listening
            second = await b.ask(COLOUR)
            assert second.failure is None and second.answer == first.answer
            assert b.headband.state.interaction == "standby" and not b.refused()
            assert "vision" not in b.headband.bricks.pids()

    simulate(scenario())


def test_a_recogniser_that_dies_on_words_which_were_not_all_is_no_news() -> None:
    """The wearer speaks on after the pause, so that the failed attempt is given up."""
    unheard: list[dict[str, Any]] = []

    async def scenario() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:

            async def dying(*_: Any) -> Any:
                for reason in ("its process was ended by SIGKILL",):
                    raise BrickFailed("stt", "execute", reason)
                yield

            b.headband.bricks.run = dying  # type: ignore[assignment]

            async def way() -> None:
                return

            reading = EarlyTranscript(b.headband.tools, RecogniserSpeed(), way)
            reading.attempt(RecordedQuestion(np.ones(1600, np.int16), 0.0, 0.0, 0.1, 0.3))
            await b.board.clock.sleep(0.05)
            reading.drop()
            gc.collect()
            await asyncio.sleep(0)

    simulate(scenario())
    assert unheard == []


def test_where_nothing_is_done_ahead_the_picture_waits_for_a_question_about_it() -> None:
    config = replace(QUIET, power=replace(QUIET.power, work_ahead=False, clips=False))

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=config, pack=PACK) as b:
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.decision.route == "now"
            seen = next(e for e in b.headband.brick_events if (e.brick, e.kind) == ("vision", "execute"))
            assert seen.start_s >= turn.started_s
            (ahead,) = [span for span in b.headband.timeline.spans if span.name == "ahead"]
            assert ahead.details["picture"] == "question" and "settings" in ahead.details["reason"]

    simulate(scenario())


def test_the_trace_says_what_is_done_ahead_and_why() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            await b.ask(COLOUR)
            (ahead,) = [span for span in b.headband.timeline.spans if span.name == "ahead"]
            assert ahead.details["picture"] == "wake word" and "expected wait" in ahead.details["reason"]
            plans = [fields for event, fields in b.told if event == "plan"]
            assert all("modelled" in plan["placed"]["stt"] for plan in plans)

    simulate(scenario())


def test_a_question_whose_npu_fails_is_answered_by_the_cores() -> None:
    cores = PACK
    eye = replace(cores.bricks["vision"], placement=Placement.NPU, module="models.bricks.eye.vision_rknn")
    # Under another name nothing is known of it, so it is placed where the pack says.
    pack = replace(
        cores,
        name="made",
        bricks={**cores.bricks, "vision": eye},
        on_cores={"vision": cores.bricks["vision"]},
    )

    async def scenario() -> None:
        async with bench(Mode.THROTTLED, pack=pack) as b:
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.answer
            moved = [event for event in b.headband.brick_events if event.kind == "moved"]
            assert [event.brick for event in moved] == ["vision"]
            lines = [line for line in b.headband.journal.recent if line["event"] == "moved"]
            assert lines and lines[0]["to"] == "cores" and "NPU" in lines[0]["problem"]
            worked = [s for s in b.headband.timeline.spans if (s.track, s.name) == ("vision", "execute")]
            assert {span.details["place"] for span in worked} == {"cpu"}

    simulate(scenario())


def test_another_wake_word_is_asked_about_what_is_in_view_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else had opened a question seconds before; the encoder is too slow to follow the view."""
    monkeypatch.setattr("host.turn.early.look.REPLACE_WITHIN_S", 0.0)

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            b.board.camera.show(picture(THIRD[1]))
            b.headband.queue.post(QuestionOpened("a television"))
            await b.board.clock.sleep(3.0)
            turn = await b.ask(COLOUR)
            assert turn.answer == "The cross is green."
            assert b.refused() == []

    simulate(scenario())
