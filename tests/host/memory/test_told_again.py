"""What is told of a view that was kept twice, and of a thing that was always in the same place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.recollection import Recollection
from host.answers.sureness import Sureness
from host.memory.episodes import Nearness
from host.turn.recalling import memory_answer
from host.turn.recalling.last_shown import Found

NOW_S = 1_000_000.0
HERE = "Your keys are on the table."
SURENESS = Sureness(0.5, 0.7)


def tools_of(
    monkeypatch: pytest.MonkeyPatch, views: Sequence[tuple[float, float, str]], looks: int = 10
) -> Any:
    """Tools whose memory holds views, each of so many seconds ago, with this cosine and name; all of them
    show the keys on the table.
    """
    matches: list[Any] = [
        SimpleNamespace(
            row=SimpleNamespace(number=number, time_s=NOW_S - ago_s, name=name, depth=3),
            score=score,
            seen=None,
        )
        for number, (ago_s, score, name) in enumerate(views)
    ]

    async def recalled(
        thing: str, since_s: float | None, until_s: float | None, tools: Any, query: Any = None
    ) -> list[Any]:
        found = [match for match in matches if until_s is None or match.row.time_s < until_s]
        return sorted(found, key=lambda match: -match.score)

    async def seen_in(*_: object, **__: object) -> Found:
        return Found(HERE)

    async def named(since_s: float | None, until_s: float | None) -> list[Any]:
        return [match.row for match in matches if match.row.name]

    async def time_s() -> float:
        return NOW_S

    monkeypatch.setattr(memory_answer, "recalled", recalled)
    monkeypatch.setattr(memory_answer, "seen_in", seen_in)
    monkeypatch.setattr(memory_answer, "nearness", lambda tools: Nearness(0.3, 0.12))
    return SimpleNamespace(
        memory=SimpleNamespace(on=True, time_s=time_s, named=named),
        power=SimpleNamespace(plan=SimpleNamespace(recall_looks=looks)),
        view_places=SimpleNamespace(named_in=lambda phrase: ("", "")),
        bricks=SimpleNamespace(pack=SimpleNamespace(usual_wording=True, detection=None)),
    )


def test_of_two_views_under_one_name_the_latest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    views = [(2 * 86_400.0, 0.9, "parking"), (600.0, 0.8, "parking")]
    told = asyncio.run(memory_answer.where_seen("parking", SURENESS, tools_of(monkeypatch, views)))
    assert told.sentence == "I kept the view that you called parking ten minutes ago."


@pytest.mark.parametrize(
    ("looks", "most", "said"),
    [
        (10, 200, "the first time forty minutes ago."),
        (2, 200, "at least since thirty minutes ago."),
        (10, 4, "at least since forty minutes ago."),
    ],
)
def test_the_first_time_is_said_of_the_oldest_view_alone(
    monkeypatch: pytest.MonkeyPatch, looks: int, most: int, said: str
) -> None:
    """most: views that are found for a question, so that older ones are not known where there are so many."""
    tools = tools_of(monkeypatch, [(600.0 * number, 0.8, "") for number in range(5)], looks)
    monkeypatch.setattr(memory_answer, "CANDIDATES", most)
    last = Recollection("", "my keys", HERE, NOW_S)
    told = asyncio.run(memory_answer._before(last, SURENESS, tools))
    assert told.sentence == f"Before that, I saw your keys in the same place, {said}"
