"""What changes the memory is done whole, whatever interrupts it, and is told of."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.memory import client, key
from host.memory.key import DATABASE
from host.session.events import QuestionWentOn
from hw.audio.sound_and_picture_files import read_wav
from models.brick import BrickError
from power.policy.plan import Mode
from tests.host.memory.test_early_recollection import aloud, reading
from tests.host.memory.test_remembering import pictures
from tests.host.memory.wearing import Wearer, wearing
from tests.host.workbench import COLOUR, DEMO

QUESTION = read_wav(DEMO / COLOUR[0])


async def remembered(wearer: Wearer, views: int) -> None:
    """So many views of the last minutes, each of noise."""
    wearer.remember()
    memory, rng = wearer.headband.memory, np.random.default_rng(0)
    now = memory.now()
    for number in range(views):
        ago_s = 600.0 - number
        then = replace(now, monotonic_s=now.monotonic_s - ago_s, wall_s=now.wall_s - ago_s)
        await memory.remember(rng.integers(0, 256, (96, 96, 3), np.uint8), then, "new", None)


@pytest.mark.parametrize("loops", [1, 2, 5, 20])
def test_the_last_hour_is_forgotten_whole_though_a_wake_word_interrupts_it(
    tmp_path: Path, loops: int
) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await remembered(wearer, 12)
            memory = wearer.headband.memory
            assert len(await memory.rows()) == 12
            forgetting = asyncio.create_task(memory.forget_since(ago_s=3600.0))
            for _ in range(loops):
                await asyncio.sleep(0)
            forgetting.cancel()
            await asyncio.wait([forgetting])
            assert forgetting.cancelled() and not await memory.rows()

    asyncio.run(scene())


def test_everything_is_forgotten_whole_before_anything_new_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await remembered(wearer, 3)
            memory, forget, began = wearer.headband.memory, key.forget_everything, asyncio.Event()
            loop, ended = asyncio.get_running_loop(), []

            def slowly(*arguments: Any) -> None:
                loop.call_soon_threadsafe(began.set)
                forget(*arguments)
                ended.append(not (tmp_path / DATABASE).exists())

            monkeypatch.setattr(client, "forget_everything", slowly)
            forgetting = asyncio.create_task(memory.forget_everything())
            await began.wait()
            forgetting.cancel()
            new = asyncio.create_task(memory.remember(pictures()[0], memory.now(), "new", None))
            await asyncio.wait([forgetting, new])
            assert ended == [True]
            assert new.result() is not None and len(await memory.rows()) == 1

    asyncio.run(scene())


def test_who_speaks_on_after_forgetting_is_not_told_that_there_was_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path, Mode.PERFORMANCE, reading("forget the last hour")) as wearer:
            await remembered(wearer, 5)
            headband, memory = wearer.headband, wearer.headband.memory
            forget = memory.forget_since

            async def forget_and_speak_on(**when: Any) -> int:
                assert headband.state.speech is not None
                headband.queue.post(QuestionWentOn(headband.state.speech.number))
                return await forget(**when)

            memory.forget_since = forget_and_speak_on  # type: ignore[method-assign]
            turn = await aloud(wearer, QUESTION)
            assert turn.answer == "I have forgotten 5 pictures of the last hour."
            assert not await memory.rows()

    asyncio.run(scene())


def test_a_view_is_kept_though_its_picture_comes_after_the_question(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path, Mode.PERFORMANCE, reading("remember this as my desk")) as wearer:
            wearer.remember()
            wearer.board.camera.show(pictures()[0])
            camera = wearer.headband.recent_views.camera
            capture = camera.capture

            async def slow() -> Any:
                await asyncio.sleep(4.0)
                return await capture()

            camera.capture = slow  # type: ignore[method-assign]
            turn = await aloud(wearer, QUESTION)
            assert "desk" in turn.answer
            assert [row.name for row in await wearer.headband.memory.named()] == ["my desk"]

    asyncio.run(scene())


def test_a_refusal_of_the_second_request_is_told_as_the_memory_words_it(tmp_path: Path) -> None:
    says = "It could not be forgotten: the disk is full."

    async def scene() -> None:
        words = "what colour is the star and forget the last hour"
        async with wearing(tmp_path, Mode.PERFORMANCE, reading(words)) as wearer:
            await remembered(wearer, 1)
            wearer.board.camera.show(pictures()[0])

            async def full(**_: Any) -> int:
                raise BrickError(says)

            wearer.headband.memory.forget_since = full  # type: ignore[method-assign]
            turn = await aloud(wearer, QUESTION)
            assert turn.answer.endswith(says)

    asyncio.run(scene())
