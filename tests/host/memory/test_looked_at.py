"""What the wearer looked at is told from views of which the language model is sure."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.sureness import Sureness
from host.turn.recalling import memory_answer
from models.brick import Completion

SURE, DOUBTFUL = 0.9, 0.3


def told(monkeypatch: pytest.MonkeyPatch, sure: set[int], views: int = 9) -> str:
    """What is said of so many views, one a minute, of which those numbers are surely described."""

    async def asked(row: Any, question: str, tools: Any) -> Completion:
        return Completion(f"I see view {row.number}.", 1, 1, SURE if row.number in sure else DOUBTFUL)

    async def rows(since_s: float | None, until_s: float | None) -> list[Any]:
        return [SimpleNamespace(number=number, time_s=60.0 * number) for number in range(views)]

    async def time_s() -> float:
        return 60.0 * views

    monkeypatch.setattr(memory_answer, "_asked", asked)
    tools: Any = SimpleNamespace(
        memory=SimpleNamespace(rows=rows, time_s=time_s),
        power=SimpleNamespace(plan=SimpleNamespace(recall_looks=3)),
    )
    return asyncio.run(memory_answer._looked_at("", Sureness(0.5, 0.7), tools))


def views_in(sentence: str) -> list[int]:
    return [int(part.split(".")[0]) for part in sentence.split("view ")[1:]]


def test_the_last_view_of_each_third_is_told_of_where_all_are_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    assert views_in(told(monkeypatch, set(range(9)))) == [8, 5, 2]


def test_a_doubtful_view_gives_way_to_one_of_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert views_in(told(monkeypatch, {7, 3, 2})) == [7, 3, 2]


def test_a_moment_without_a_sure_view_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert views_in(told(monkeypatch, {8, 1})) == [8, 1]


def test_with_no_sure_view_the_latest_is_told_of_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = told(monkeypatch, set())
    assert "I think I see view 8." in sentence and views_in(sentence) == [8]
