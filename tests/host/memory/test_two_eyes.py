"""A pack whose eye places nothing has a second one for the memory, which nothing else loads."""

from __future__ import annotations

import asyncio
from pathlib import Path

from host.app.self_test import SelfTest
from tests.host.memory.test_remembering import pictures
from tests.host.memory.two_eyes import micro_with_two_eyes
from tests.host.memory.wearing import wearing


def test_the_memory_sees_with_its_own_eye_and_the_language_model_with_the_other(tmp_path: Path) -> None:
    pack = micro_with_two_eyes(tmp_path)

    async def scene() -> None:
        async with wearing(tmp_path / "kept", pack=pack) as wearer:
            places = wearer.headband.view_places
            assert places.eye == "recall" and places.exits == tuple(range(1, 13))
            wearer.remember()
            for picture in pictures()[1:]:
                await wearer.sees(picture)
            assert wearer.worked_for("recall") == {"memory"}
            assert wearer.worked_for("vision") <= {""}, "what it sees for the memory is not encoded twice"
            rows = await wearer.headband.memory.rows()
            assert {row.depth for row in rows} == {12}
            assert (await wearer.asks("where did i leave my phone")).startswith("I saw your phone ")
            assert wearer.worked_for("recall") == {"memory"}, "a stored picture is asked about with the other"
            assert "" in wearer.worked_for("vision")

    asyncio.run(scene())


def test_what_only_the_memory_uses_is_in_memory_only_while_it_is_on(tmp_path: Path) -> None:
    pack = micro_with_two_eyes(tmp_path)

    async def scene() -> None:
        async with wearing(tmp_path / "kept", pack=pack) as wearer:
            bricks = wearer.headband.bricks
            assert {"stt", "vision", "llm", "tts"} <= set(bricks.pids())
            assert not {"recall", "text"} & set(bricks.pids())
            wearer.remember()
            await _until(lambda: {"recall", "text"} <= set(bricks.pids()))
            wearer.remember(False)
            await _until(lambda: not {"recall", "text"} & set(bricks.pids()))
            assert {"stt", "vision", "llm", "tts"} <= set(bricks.pids()), "the others stay"

    asyncio.run(scene())


def test_the_self_test_looks_with_both(tmp_path: Path) -> None:
    pack = micro_with_two_eyes(tmp_path)

    async def scene() -> None:
        async with wearing(tmp_path / "kept", pack=pack) as wearer:
            await SelfTest(wearer.headband.tools, lambda: False)._reads()
            assert wearer.worked_for("recall") == wearer.worked_for("text") == {""}
            assert not {"recall", "text"} & set(wearer.headband.bricks.pids()), "the wearer has memory off"

    asyncio.run(scene())


async def _until(reached) -> None:
    for _ in range(400):
        if reached():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came to that")
