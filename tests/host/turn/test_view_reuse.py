"""A view that was just encoded is not encoded again for the next question about it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from host.sensing.kept_views import REUSED_S
from hw.audio.sound_and_picture_files import read_wav
from models.brick import Embedding
from models.pack.catalogue import Pack
from models.ring.header import SlotState
from power.policy.plan import Mode
from tests.demo_files import THIRD
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.workbench import COLOUR, DEMO, QUIET, Bench, bench, change_settings, picture

OTHER = (COLOUR[0], THIRD[1])
PACK = without_speech_models(without=("reflex",))
"""The language model answers, which reads every view."""


def encoded(b: Bench) -> list[dict[str, Any]]:
    """What was done for the views of questions."""
    return [fields for event, fields in b.told if event == "encoded" and fields["for"] == "question"]


def looks(b: Bench) -> Fraction:
    """How often the whole encoder was passed, for questions and ahead of them: blocks passed, by the blocks
    that there are.
    """
    done = [fields for event, fields in b.told if event == "encoded"]
    shares = (Fraction(each["depth"] - each["from_depth"], each["whole_depth"]) for each in done)
    return sum(shares, Fraction())


def ring_states(b: Bench) -> set[SlotState]:
    ring = b.headband.bricks._pool.ring
    assert ring is not None
    return set(ring.states())


def test_a_second_question_about_a_view_needs_no_encoding() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            first = await b.ask(COLOUR)
            assert looks(b) == 1
            second = await b.ask(COLOUR)
            assert second.failure is None and second.answer == first.answer
            assert looks(b) == 1
            whole = encoded(b)[0]["whole_depth"]
            assert [each["depth"] for each in encoded(b)] == [whole, whole]
            assert encoded(b)[0]["from_depth"] < whole == encoded(b)[1]["from_depth"]
            assert encoded(b)[1]["decision"] == "stop"
            other = await b.ask(OTHER)
            assert other.failure is None and looks(b) == 2
            again = await b.ask(COLOUR)
            assert again.answer == first.answer and looks(b) == 2, "the view before the last is kept too"

    simulate(scenario())


def test_after_a_while_a_view_is_encoded_anew() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            first = await b.ask(COLOUR)
            await b.board.clock.sleep(REUSED_S + 1.0)
            second = await b.ask(COLOUR)
            assert second.answer == first.answer and looks(b) == 2

    simulate(scenario())


@pytest.mark.parametrize("mode", [Mode.CASCADE, Mode.THROTTLED])
def test_a_plan_without_memory_for_it_keeps_nothing(mode: Mode) -> None:
    async def scenario() -> None:
        async with bench(mode, battery=21.0, pack=PACK) as b:
            assert b.headband.plan.kept_encodings == 0
            answers = {(await b.ask(COLOUR)).answer for _ in range(2)}
            assert len(answers) == 1 and looks(b) == 2
            assert ring_states(b) == {SlotState.FREE}

    simulate(scenario())


def test_a_plan_with_less_memory_frees_what_is_too_much() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            await b.ask(COLOUR)
            assert SlotState.READY_TO_READ in ring_states(b)
            b.headband.power_manager.request = Mode.CASCADE
            await b.headband.update_power()
            assert b.headband.plan.mode is Mode.CASCADE and ring_states(b) == {SlotState.FREE}

    simulate(scenario())


def test_recording_off_drops_what_was_encoded() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            await b.ask(COLOUR)
            change_settings(b.headband, recording=False)
            await b.headband.queue.until(lambda state: state.at_rest)
            await b.headband.bricks.settled()
            assert ring_states(b) == {SlotState.FREE}
            change_settings(b.headband, recording=True)
            await b.headband.queue.until(lambda state: state.at_rest)
            turn = await b.ask(COLOUR)
            assert turn.failure is None and looks(b) == 2

    simulate(scenario())


def test_rows_that_the_ring_has_lost_are_made_again() -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            first = await b.ask(COLOUR)
            (kept,) = [each for each in b.headband.recent_views.kept._views if each.encoded is not None]
            assert kept.encoded is not None and isinstance(kept.encoded.data, Embedding)
            b.headband.bricks.discard(kept.encoded.data)
            second = await b.ask(COLOUR)
            assert second.failure is None and second.answer == first.answer and looks(b) == 2

    simulate(scenario())


@pytest.mark.parametrize("pack", [PACK, without_speech_models()], ids=["language model", "reflex brick"])
def test_rows_that_the_ring_loses_while_the_question_is_spoken_are_made_again(pack: Pack) -> None:
    lost: list[object] = []

    def lose(b: Bench, event: str, fields: dict[str, Any]) -> None:
        ring = b.headband.bricks._pool.ring
        if event == "encoded" and fields["for"] == "question" and ring is not None and not lost:
            while (slot := ring.take()) is not None:
                lost.append(slot.ref)
                slot.release()

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=pack) as b:
            usual = await b.ask(COLOUR)
        async with bench(Mode.PERFORMANCE, pack=pack, on_event=lose) as b:
            turn = await b.ask(COLOUR)
            assert lost and turn.failure is None and turn.answer == usual.answer
            assert turn.answered_by == usual.answered_by and (turn.closed is None or not turn.closed.problem)

    simulate(scenario())


def test_a_question_about_changes_compares_the_pictures_themselves() -> None:
    """Also when one of them surely shows what an encoded one shows."""

    async def scenario() -> None:
        config = replace(QUIET, answer=replace(QUIET.answer, fixed_route="frames"))
        async with bench(Mode.PERFORMANCE, config=config, pack=PACK) as b:
            b.board.camera.show(picture(OTHER[1]))
            await b.headband.recent_views.look()
            first = await b.ask(COLOUR)
            assert first.views == 2 and looks(b) == 2
            second = await b.ask(COLOUR)
            assert second.views == 2 and second.answer == first.answer
            assert looks(b) > 3, "neither picture's rows were there already"

    simulate(scenario())


def test_what_changes_while_a_question_is_spoken_counts_more_than_an_earlier_view() -> None:
    async def answer(earlier: str | None) -> str:
        power = replace(QUIET.power, frames_between_questions=False, clips=False)
        async with bench(Mode.PERFORMANCE, config=replace(QUIET, power=power)) as b:
            if earlier is not None:
                b.board.camera.show(picture(earlier))
                await b.headband.recent_views.look()
            b.board.camera.show([picture(f"2-view{each}.png") for each in "ab"])
            b.board.microphone._real_time = True
            turn = await b.ask(read_wav(DEMO / "2-motion.wav"))
            assert turn.failure is None and turn.decision.route == "frames" and turn.views == 2
            return turn.answer

    assert simulate(answer(OTHER[1])) == simulate(answer(None)) == "Yes, the heart moved down."


def test_a_silenced_question_and_the_next_one_do_not_share_rows() -> None:
    """The rows that the first question has are not there for the second, which makes its own."""

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, pack=PACK) as b:
            await b.ask(COLOUR)
            encoder, views = b.headband.view_encoder, b.headband.recent_views
            view = await views.look()
            one, two = await asyncio.gather(encoder.rows(view), encoder.rows(view))
            assert one is not two and one.data is not two.data and looks(b) == 2
            for each in (one, two):
                encoder.give_back(view, each)
            assert len([each for each in views.kept._views if each.encoded is not None]) == 1

    simulate(scenario())
