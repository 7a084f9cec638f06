"""A question takes the views on that stopped early: which, how many, and what may come in between."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.memory.requests import Begun, Find, Place
from host.memory.values import Match, MemoryProblem, Row
from host.turn.recalling.deepening import CANDIDATES, TOO_SLOW, ranked_again, recalled, views_together
from models.brick import Embed, Encode, Phrase, Resume
from tests.host.memory.bench import direction, store, view
from tests.host.memory.small_memory import ENCODER, WHOLE, SmallMemory, early_place, whole_place

LEVELS = (30, 60, 90, 120, 150, 180)
"""Brightness of the views 1 to 6: after the first block the first fits best, at full depth the last."""


async def remembered(small: SmallMemory) -> None:
    """All views after the first block."""
    for level in LEVELS:
        await small.saw(level, early_place(level))


async def asked(small: SmallMemory) -> list[int]:
    """The numbers of the three views for a question that are the nearest, best first."""
    return [match.row.number for match in await recalled("my keys", None, None, small.tools)][:3]


def test_a_question_takes_the_nearest_on_and_the_store_keeps_that(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        await remembered(small)
        assert await asked(small) == [4, 3, 2] and not small.held
        assert await small.depths() == [3, 3, 3, 3, 1, 1]
        assert small.told == [{"event": "recalled", "nearest": 4, "taken_on": 4, "depth": WHOLE}]
        small.asked.clear()
        again = await recalled("my keys", None, None, small.tools)
        found = [(match.row.number, match.row.depth) for match in again[:3]]
        assert found == [(6, 3), (5, 3), (4, 3)], "what was deceptively near has given way"
        assert sum(isinstance(request, Encode) for _, request in small.asked) == 2, "none is done twice"

    asyncio.run(scene())


def test_the_first_view_shows_how_many_are_taken_on_together(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path, deepens=6)
        for level in LEVELS:
            await small.saw(level, early_place(level), begun=level == 90)
        await asked(small)
        taken = [len(r.frames) for _, r in small.asked if isinstance(r, Encode)]
        resumed = [len(r.activations) for _, r in small.asked if isinstance(r, Resume)]
        placed = [len(r.vectors) for _, r in small.asked if isinstance(r, Place)]
        assert taken == [1, 3, 1] and resumed == [1] and placed == [1, 4, 1]
        assert await small.depths() == [WHOLE] * 6 and not small.held

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("left_s", "longest_s", "count"),
    [(4.0, 1.0, 4), (3.9, 1.0, 3), (0.5, 1.0, 0), (-1.0, 1.0, 0), (1.0, 0.0, 4)],
)
def test_what_is_taken_on_together_fits_into_the_time_that_is_left(
    left_s: float, longest_s: float, count: int
) -> None:
    assert views_together(left_s, longest_s) == count


def test_where_the_plan_takes_none_on_they_are_found_as_they_are(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path, deepens=0, looks=0)
        await remembered(small)
        assert await asked(small) == [1, 2, 3] and not small.told
        assert [name for name, _ in small.asked[-2:]] == ["text", "memory"]

    asyncio.run(scene())


def test_it_ends_within_half_of_the_latency_target(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        await remembered(small)
        small.costs_s, began_s = 0.9, small.clock.monotonic()
        assert await asked(small) == [2, 1, 3], "those that were taken on, then the next as it was"
        assert small.clock.monotonic() - began_s <= 2.0
        assert small.told == [
            {"event": "recalled", "nearest": 4, "taken_on": 2, "depth": WHOLE, "problem": TOO_SLOW}
        ]

    asyncio.run(scene())


def test_a_fault_leaves_the_views_as_they_were_and_the_question_answered(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        await remembered(small)
        small.at_eye = small.refuse
        assert await asked(small) == [1, 2, 3] and await small.depths() == [1] * 6
        assert small.told[0]["taken_on"] == 0 and small.told[0]["problem"] == "It refuses."

    asyncio.run(scene())


def test_another_pack_without_words_says_so_in_a_sentence(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        await remembered(small)
        del small.pack.bricks["text"]
        with pytest.raises(MemoryProblem, match=r"^I cannot remember what I see, because this model pack"):
            await asked(small)
        with pytest.raises(MemoryProblem, match=r"^I cannot remember what I see, because this model pack"):
            await small.saw(90, None)
        await small.memory.retain()
        assert await small.depths() == [1] * 6 and await small.memory.forget_since(ago_s=4.5) == 4
        assert await small.depths() == [1] * 2

    asyncio.run(scene())


@pytest.mark.parametrize("levels", [LEVELS, (10, 200), (249,)])
def test_the_query_is_the_phrase_alone_whatever_is_remembered(
    levels: tuple[int, ...], tmp_path: Path
) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        for level in levels:
            await small.saw(level, early_place(level))
        small.asked.clear()
        await asked(small)
        (tower, phrase), (memory, find), *rest = small.asked
        assert (tower, phrase, memory) == ("text", Phrase("my keys"), "memory") and isinstance(find, Find)
        assert (find.count, find.since_s, find.until_s, find.encoder) == (CANDIDATES, None, None, ENCODER)
        assert (find.thing, find.colour) == ("", ""), "no object detector tells of things here"
        assert np.array_equal(find.vector, [1.0, 0.0]), "the phrase's place, as the tower gave it"
        assert all(isinstance(request, Begun | Encode | Resume | Embed | Place) for _, request in rest)

    asyncio.run(scene())


@pytest.mark.parametrize("everything", [False, True])
def test_what_is_forgotten_meanwhile_does_not_come_back(everything: bool, tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        await remembered(small)
        reached, forgotten = asyncio.Event(), asyncio.Event()
        place = small.places.place_stored

        async def slowly(stored: Any, **named: Any) -> object:
            found = await place(stored, **named)
            reached.set()
            await forgotten.wait()
            return found

        small.places.place_stored = slowly  # type: ignore[assignment, method-assign]
        question = asyncio.create_task(asked(small))
        await reached.wait()
        if everything:
            await small.memory.forget_everything()
        else:
            await small.memory.forget_since(ago_s=3600.0)
        new = [await small.saw(200, early_place(200)) for _ in range(3)]
        assert (new == [1, 2, 3]) is everything, "another store has the same numbers"
        forgotten.set()
        with suppress(Exception):
            await question
        rows = await small.memory.rows()
        assert [row.number for row in rows] == new
        match = await small.memory.find(whole_place(250), 9)
        assert all(each.score == pytest.approx(0.2, abs=0.02) for each in match if each.row.depth == 1)
        assert all(each.score == pytest.approx(0.8, abs=0.02) for each in match if each.row.depth == WHOLE)

    asyncio.run(scene())


def test_a_question_that_is_interrupted_leaves_whole_views_and_a_memory_that_answers(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        await remembered(small)
        question = asyncio.create_task(asked(small))
        requests = 0

        def interrupted() -> None:
            nonlocal requests
            requests += 1
            if requests == 2:
                question.cancel()

        small.at_eye = interrupted
        with pytest.raises(asyncio.CancelledError):
            await question
        assert not small.held, "nothing stays in the ring"
        assert await small.depths() == [3, 1, 1, 1, 1, 1]
        assert await asked(small) == [5, 4, 3]

    asyncio.run(scene())


def test_a_store_says_what_stopped_early_and_its_table_does_not_grow(tmp_path: Path) -> None:
    mixed = store(tmp_path)
    for number in range(1, 9):
        mixed.add(view(number, depth=12 if number % 4 == 0 else 1), view(number).taken)
    mixed.add(view(9, vector=None, depth=0, encoder=""), view(9).taken)
    mixed.add(view(10, encoder="another", depth=12), view(10).taken)
    now = view(20).taken
    assert mixed.status(now).depths == {1: 6, 12: 3}
    early = mixed.shallow("e", 12, 100, 99)
    assert early == [10, 9, 7, 6, 5, 3, 2, 1] and mixed.shallow("e", 12, 9, 2) == [7, 6]
    for _ in range(2):
        for number in early:
            assert mixed.place(number, direction(number), 12, "e")
    assert not mixed.place(11, direction(1), 12, "e"), "it is gone"
    assert mixed.shallow("e", 12, 100, 99) == [] and mixed.rebuild() == 10
    assert [match.row.number for match in mixed.search(direction(9), "e", 1, now)] == [9]


def _match(number: int, depth: int, score: float) -> Match:
    return Match(Row(number, 0.0, "new", depth, "e", False, "", 9), score)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from((1, 12)), st.floats(-1, 1)), max_size=8), st.data())
def test_ranking_again_loses_nothing_and_puts_full_depth_first(
    views: list[tuple[int, float]], data: st.DataObject
) -> None:
    found = [_match(number, depth, score) for number, (depth, score) in enumerate(views)]
    early = [match.row.number for match in found if match.row.depth < 12]
    chosen = data.draw(st.lists(st.sampled_from(early), unique=True)) if early else []
    again = ranked_again(found, {number: number / 20 for number in chosen}, 12)
    if not chosen:
        assert again is found
        return
    assert sorted(match.row.number for match in again) == list(range(len(found)))
    whole = [match for match in again if match.row.depth == 12]
    assert again[: len(whole)] == sorted(whole, key=lambda match: -match.score)
    assert [match.row.number for match in again[len(whole) :]] == [n for n in early if n not in chosen]
