"""A whole headband whose encoder is a chain of twelve blocks: what a question about a view costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.cli.main import main
from host.config import JournalConfig
from models.pack.catalogue import Pack, load_pack
from models.ring.header import SlotState
from power.policy.plan import Mode
from tests.demo_files import ELSEWHERE
from tests.eval.eye.trial_pack import write_random_pack
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.turn.test_view_reuse import OTHER, ring_states
from tests.host.workbench import COLOUR, QUIET, Bench, bench, change_settings, kill, picture
from tests.models.bricks.chain_graphs import MICRO

WHOLE = 12
CONFIG = replace(QUIET, answer=replace(QUIET.answer, fixed_route="now"))


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    """The micro pack with another eye: a chain of the same size with random weights, of whose views the
    decoder says six tokens, whatever they are; without models of speech.
    """
    folder = tmp_path_factory.mktemp("chained")
    manifest = write_random_pack(folder, MICRO, ("stt", "llm", "tts")) / "pack.toml"
    manifest.write_text(manifest.read_text().replace("n_ctx = 256", "n_ctx = 256\nanswer_tokens = 6"))
    return without_speech_models(load_pack(folder))


def told(b: Bench, purpose: str) -> list[dict[str, Any]]:
    """What was encoded, for a "question" or "ahead" of one."""
    return [fields for event, fields in b.told if event == "encoded" and fields["for"] == purpose]


async def looked_at(b: Bench, name: str) -> None:
    """Holds a picture before the camera until it was looked at between questions."""
    b.board.camera.show(picture(name))
    before = len(told(b, "ahead"))
    for _ in range(150):
        await b.board.clock.sleep(0.1)
        await b.headband.bricks.settled()
        if len(told(b, "ahead")) > before + 1:
            return
    raise AssertionError("it was not looked at")


def test_a_question_right_after_a_look_costs_the_rest_of_the_blocks(pack: Pack) -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=CONFIG, pack=pack) as b:
            await looked_at(b, COLOUR[1])
            assert [each["depth"] - each["from_depth"] for each in told(b, "ahead")].count(1) >= 1
            first = await b.ask(COLOUR)
            asked = told(b, "question")[-1]
            assert first.failure is None
            assert (asked["from_depth"], asked["depth"], asked["whole_depth"]) == (1, WHOLE, WHOLE)
            second = await b.ask(COLOUR)
            assert told(b, "question")[-1]["from_depth"] == WHOLE and second.answer == first.answer
            b.headband.recent_views.forget()
            b.headband.view_encoder.begin_question("another")  # nothing is encoded before this question
            third = await b.ask(COLOUR)
            assert told(b, "question")[-1]["from_depth"] == 0 and third.answer == first.answer
            b.headband.view_encoder.end_question("another")

    simulate(scenario())


def test_a_view_that_changed_after_the_look_is_encoded_anew(pack: Pack) -> None:
    async def scenario() -> None:
        config = replace(CONFIG, power=replace(CONFIG.power, full_frame_interval_s=5.0))
        async with bench(Mode.PERFORMANCE, config=config, pack=pack) as b:
            await looked_at(b, OTHER[1])
            turn = await b.ask(COLOUR)
            assert turn.failure is None and told(b, "question")[-1]["from_depth"] == 0

    simulate(scenario())


def test_a_view_that_repeats_one_is_not_encoded_again_and_a_dark_one_never(pack: Pack) -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=CONFIG, pack=pack) as b:
            for name in (COLOUR[1], OTHER[1], COLOUR[1]):
                await looked_at(b, name)
                await b.board.clock.sleep(0.6)
            assert sum(each["depth"] - each["from_depth"] for each in told(b, "ahead")) == 2
            b.board.camera.show(np.zeros((240, 320, 3), np.uint8))
            await b.board.clock.sleep(2.0)
            assert told(b, "ahead")[-1]["reason"] == "the view is dark"
            counts = b.headband.recent_views.kept.counts
            assert counts.new == 2 and counts.dark >= 3 and counts.same_thumbnail >= 2

    simulate(scenario())


@pytest.mark.parametrize(("mode", "battery"), [(Mode.CASCADE, 15.0), (Mode.THROTTLED, 21.0)])
def test_with_little_power_nothing_is_encoded_between_questions(
    pack: Pack, mode: Mode, battery: float
) -> None:
    async def scenario() -> None:
        async with bench(mode, battery=battery, config=CONFIG, pack=pack) as b:
            assert b.headband.plan.mode is mode and b.headband.plan.kept_encodings == 0
            b.board.camera.show(picture(COLOUR[1]))
            await b.board.clock.sleep(12.0)
            turn = await b.ask(COLOUR)
            assert turn.failure is None
            assert all(each["depth"] == 0 for each in told(b, "ahead"))
            assert told(b, "question")[-1]["from_depth"] == 0
            assert ring_states(b) == {SlotState.FREE}

    simulate(scenario())


def test_a_plan_in_between_keeps_fewer(pack: Pack) -> None:
    async def scenario() -> None:
        async with bench(Mode.THROTTLED, battery=35.0, config=CONFIG, pack=pack) as b:
            most = b.headband.plan.kept_encodings
            assert 0 < most < 4
            await b.ask(COLOUR)  # so that the encoder is in memory
            for name in (OTHER[1], "2-viewa.png", ELSEWHERE):
                b.board.camera.show(picture(name))
                await b.board.clock.sleep(2 * (b.headband.plan.frame_interval_s or 0))
                await b.headband.bricks.settled()
            held = [each for each in b.headband.recent_views.kept._views if each.encoded is not None]
            assert len(held) == most

    simulate(scenario())


def test_recording_off_drops_what_was_encoded_and_nothing_is_looked_at(pack: Pack) -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=CONFIG, pack=pack) as b:
            await looked_at(b, COLOUR[1])
            assert SlotState.READY_TO_READ in ring_states(b)
            change_settings(b.headband, recording=False)
            await b.headband.queue.until(lambda state: state.at_rest)
            assert ring_states(b) == {SlotState.FREE} and not b.headband.recent_views.kept._views
            b.told.clear()
            await b.board.clock.sleep(3.0)
            assert told(b, "ahead") == [] and ring_states(b) == {SlotState.FREE}

    simulate(scenario())


def test_an_encoder_that_was_killed_goes_on_from_the_activation_in_the_ring(pack: Pack) -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=CONFIG, pack=pack) as b:
            first = await b.ask(COLOUR)
            b.headband.recent_views.forget()
            await looked_at(b, COLOUR[1])
            kill(b.headband.bricks.pids()["vision"])
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.answer == first.answer

    simulate(scenario())


def test_activations_that_the_ring_has_lost_are_made_again(pack: Pack) -> None:
    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=CONFIG, pack=pack) as b:
            first = await b.ask(COLOUR)
            b.headband.recent_views.forget()
            await looked_at(b, COLOUR[1])
            for each in b.headband.recent_views.kept._views:
                if each.encoded is not None:
                    b.headband.bricks.discard(each.encoded.data)
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.answer == first.answer
            assert told(b, "question")[-1]["from_depth"] == 0

    simulate(scenario())


def test_the_journal_has_numbers_and_replays_to_the_same_actions(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    config = replace(CONFIG, journal=JournalConfig(path=str(path)))

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=config, pack=pack) as b:
            await looked_at(b, COLOUR[1])
            await b.ask(COLOUR)
            b.board.camera.show(np.zeros((240, 320, 3), np.uint8))
            await b.board.clock.sleep(2.0)

    simulate(scenario())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    (asked,) = [line for line in lines if line["event"] == "encoded"]
    assert (asked["from_depth"], asked["depth"], asked["whole_depth"], asked["skipped"]) == (
        1,
        WHOLE,
        WHOLE,
        1,
    )
    assert asked["gate"] == "same thumbnail" and asked["reason"] == "a question allows all that is wanted"
    first, last = [line for line in lines if line["event"] == "views"]
    assert first["gate"]["new"] == 1 and first["pictures"] == sum(first["gate"].values())
    assert first["sensor"]["frames"] == first["pictures"] >= first["sensor"]["starts"] >= 1
    assert first["ahead_blocks"] == 1 and first["ahead"]["it is deep enough"] >= 1
    assert last["gate"]["dark"] >= 3 and last["ahead"] == {"the view is dark": last["gate"]["dark"]}
    assert main(["replay", str(path)]) == 0
