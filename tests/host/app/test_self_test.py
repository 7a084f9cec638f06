"""The built-in question of a new release: every brick answers it in silence, and the wearer comes first."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from host.app.self_test import PICTURE, QUESTION, SOUND, SelfTest
from host.language.router import plain_words
from models.pack.catalogue import load_pack
from models.train.pack import SELF_TEST
from power.policy.plan import Mode
from tests.demo_files import DEMO, words
from tests.host.simulated import simulate
from tests.host.workbench import COLOUR, Bench, bench


def self_test(b: Bench) -> SelfTest:
    return SelfTest(b.headband.tools, lambda: b.headband.state.at_rest)


def used(b: Bench) -> set[str]:
    return {each.brick for each in b.headband.brick_events if each.kind == "execute"}


def test_its_words_are_those_of_the_demo_and_of_the_packs_own_sentence() -> None:
    assert SOUND.parent == PICTURE.parent == DEMO
    assert plain_words(words(SOUND.name)[0]) == plain_words(QUESTION) == plain_words(SELF_TEST)
    assert load_pack("micro").self_test == SELF_TEST


def test_every_brick_answers_without_a_sound_and_a_question_comes_first() -> None:
    async def scene() -> None:
        async with bench(Mode.PERFORMANCE) as b:
            testing = asyncio.create_task(self_test(b).run())
            await asyncio.sleep(0)
            turn = await b.ask(COLOUR)
            assert "cross" in turn.answer and not testing.done()
            played = b.board.speaker.seconds_played
            assert await testing == ""
            assert used(b) >= set(b.headband.bricks.pack.bricks) - {"motion"}
            assert b.board.speaker.seconds_played == played and b.refused() == []

    simulate(scene())


def test_with_room_for_one_brick_they_answer_one_after_the_other() -> None:
    async def scene() -> None:
        async with bench(Mode.CASCADE) as b:
            assert await self_test(b).run() == ""
            assert used(b) >= set(b.headband.bricks.pack.bricks) - {"motion"}
            assert set(b.headband.bricks.pids()) <= {"fork_server"}

    simulate(scene())


def test_other_words_than_the_packs_and_a_brick_that_fails_are_named() -> None:
    async def scene() -> None:
        other = replace(load_pack("micro"), self_test="what time is it")
        async with bench(Mode.CASCADE, pack=other) as b:
            said = await self_test(b).run()
            assert said == 'The stt brick heard "can you read the label" instead of "what time is it".'
        ears = other.bricks["stt"]
        bad = replace(ears, options={**ears.options, "model": "/none/stt.bin"})
        async with bench(Mode.CASCADE, pack=replace(other, bricks={**other.bricks, "stt": bad})) as b:
            assert (await self_test(b).run()).startswith("The stt brick failed at load: ")

    simulate(scene())
