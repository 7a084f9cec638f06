"""Views that stopped early are placed anew while it charges, and only then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from host.memory.requests import Begun
from host.memory.values import MemoryProblem
from host.turn.recalling.deepening import AGAIN_S, Deepening
from models.brick import Recall
from tests.host.memory.small_memory import WHOLE, SmallMemory, early_place, whole_place


class Charging:
    """A memory and what deepens it."""

    def __init__(self, folder: Path, *, detects: bool = False) -> None:
        self.small = SmallMemory(folder, charging=True, detects=detects)
        self.wanted = True
        tools = self.small.tools
        self.deepening = Deepening(
            tools.memory, tools.view_places, tools.power, tools.clock, tools.observe, lambda: self.wanted
        )  # fmt: skip
        self.work = asyncio.create_task(self.deepening.run())

    async def remembers(self) -> None:
        """Four views: after the first block, whole, of another encoder, and without a place."""
        strange = Recall(early_place(90).vector, WHOLE, "another")
        for level, place in ((30, early_place(30)), (60, whole_place(60)), (90, strange), (120, None)):
            await self.small.saw(level, place)

    async def passes(self, seconds: float = AGAIN_S + 10) -> list[int]:
        """The depths after some time."""
        await self.small.clock.advance(seconds)
        return await self.small.depths()


def test_all_that_stopped_early_are_placed_anew_the_newest_first(tmp_path: Path) -> None:
    async def scene() -> None:
        charging = Charging(tmp_path)
        await charging.remembers()
        assert await charging.passes() == [WHOLE] * 4 and not charging.deepening.working
        assert charging.small.told == [{"event": "deepened", "views": 3}]
        taken = [request.numbers for _, request in charging.small.asked if isinstance(request, Begun)]
        assert taken == [(4,), (3,), (1,)], "one by one"
        found = await charging.small.memory.find(whole_place(250), 9)
        assert [match.row.number for match in found] == [4, 3, 2, 1]
        await charging.passes()
        assert len(charging.small.told) == 1, "nothing is left to do"
        charging.work.cancel()

    asyncio.run(scene())


def test_it_waits_for_questions_and_for_what_plan_and_wearer_allow(tmp_path: Path) -> None:
    async def scene() -> None:
        charging = Charging(tmp_path)
        await charging.remembers()
        charging.small.plan.deepens_memory = False
        assert await charging.passes() == [1, 3, 3, 0], "no outside power pays"
        charging.small.plan.deepens_memory, charging.wanted = True, False
        assert await charging.passes() == [1, 3, 3, 0], "memory or recording is off"
        charging.wanted = True
        charging.small.encoder.begin_question("one")
        assert await charging.passes() == [1, 3, 3, 0], "somebody asks"
        charging.small.encoder.end_question("one")
        assert await charging.passes() == [WHOLE] * 4
        charging.work.cancel()

    asyncio.run(scene())


def test_a_fault_is_told_once_and_tried_again(tmp_path: Path) -> None:
    async def scene() -> None:
        charging = Charging(tmp_path)
        await charging.remembers()
        charging.small.at_eye = charging.small.refuse
        for _ in range(3):
            assert await charging.passes() == [1, 3, 3, 0]
        assert charging.small.told == [{"event": "deepened", "views": 0, "problem": "It refuses."}]
        charging.small.at_eye = lambda: None
        assert await charging.passes() == [WHOLE] * 4
        charging.work.cancel()

    asyncio.run(scene())


def test_a_folder_that_cannot_be_looked_into_is_a_fault_and_ends_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        charging = Charging(tmp_path / ("too long a name" * 20))
        await charging.small.clock.advance(1.0)
        async with asyncio.timeout(20):  # the key is asked for in a thread
            while not charging.small.told:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert charging.small.told[0]["problem"].endswith("can't be read: File name too long.")
        assert not charging.work.done()
        with pytest.raises(MemoryProblem, match="File name too long"):
            await charging.small.saw(50, None)
        charging.work.cancel()

    asyncio.run(scene())


def test_views_that_the_object_detector_did_not_see_are_shown_to_it_while_it_is_in_memory(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        charging = Charging(tmp_path, detects=True)
        small = charging.small
        small.in_memory.clear()
        await charging.remembers()
        assert await charging.passes() == [WHOLE] * 4
        assert not any(name == "reflex" for name, _ in small.asked), "it is not loaded for that"
        small.in_memory.add("reflex")
        small.at_detector = small.refuse
        await charging.passes()
        found = await small.memory.find(whole_place(250), 9, thing="keys")
        assert all(match.seen is None for match in found) and not small.held, "it failed"
        small.at_detector = lambda: None
        await charging.passes()
        found = await small.memory.find(whole_place(250), 9, thing="keys")
        seen = {match.row.number: match.seen for match in found}
        told = [each.probability for _, each in sorted(seen.items()) if each is not None]
        assert told == pytest.approx([0.12, 0.24, 0.36, 0.48], abs=0.01) and not small.held
        asked = len(small.asked)
        await charging.passes()
        assert not any(name in ("vision", "reflex") for name, _ in small.asked[asked:]), "each once"
        charging.work.cancel()

    asyncio.run(scene())
