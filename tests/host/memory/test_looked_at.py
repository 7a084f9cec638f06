"""What the wearer looked at is told from views of which the language model is sure."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.memory_replies import NOTHING_THEN, you_were
from host.answers.sureness import Sureness
from host.turn.recalling import memory_answer
from host.turn.recalling.stored_view import Described
from models.pack.brick_settings import CautionTable, DetectedTable, DetectionTable

_NONE = DetectedTable(1.0, 1.0, 0.0, CautionTable(1.0, 1.0, 1.0))
TABLES = DetectionTable(_NONE, _NONE, remembered_from=0.4)
SURE, HALF_SURE, DOUBTFUL = 0.9, 0.6, 0.3


def told(
    monkeypatch: pytest.MonkeyPatch,
    sure: Collection[int],
    half: Collection[int] = (),
    looks: int = 10,
    rooms: str = "",
    time: str = "",
    unseen: Collection[int] = (),
) -> tuple[str, int]:
    """What is said of nine views, one a minute, of which those numbers are surely described, or half so; and
    how many were looked at. rooms: where the wearer asks for them, the first letter of each view's. time:
    which the wearer names. unseen: views of which the object detector sees otherwise.
    """
    looked = []
    names = {"k": "This is the kitchen.", "h": "This is the hall.", "?": "I cannot tell which place this is."}

    async def asked(row: Any, question: str, tools: Any) -> Described:
        looked.append(row.number)
        probability = SURE if row.number in sure else HALF_SURE if row.number in half else DOUBTFUL
        text = names[rooms[row.number]] if rooms else f"I see view {row.number}."
        return Described(text, probability, 0.1 if row.number in unseen else 1.0)

    async def rows(since_s: float | None, until_s: float | None) -> list[Any]:
        return [SimpleNamespace(number=number, time_s=60.0 * number) for number in range(9)]

    async def time_s() -> float:
        return 540.0

    monkeypatch.setattr(memory_answer, "described", asked)
    tools: Any = SimpleNamespace(
        memory=SimpleNamespace(rows=rows, time_s=time_s),
        power=SimpleNamespace(plan=SimpleNamespace(recall_looks=looks)),
        bricks=SimpleNamespace(pack=SimpleNamespace(detection=TABLES)),
    )
    told_as = you_were if rooms else str
    said = memory_answer._looked_at(time, "what room is this", told_as, Sureness(0.5, 0.7), tools)
    return asyncio.run(said), len(looked)


def views_in(sentence: str) -> list[int]:
    return [int(part.split(".")[0]) for part in sentence.split("view ")[1:]]


def test_the_last_view_of_each_third_is_told_of_where_all_are_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence, looked = told(monkeypatch, set(range(9)))
    assert views_in(sentence) == [8, 5, 2] and looked == 3


def test_a_view_that_the_object_detector_sees_otherwise_gives_way_to_its_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sentence, looked = told(monkeypatch, set(range(9)), unseen={8, 2, 1, 0})
    assert views_in(sentence) == [7, 5, 2] and looked == 2 + 1 + 3


def test_a_doubtful_view_gives_way_to_the_surest_of_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence, looked = told(monkeypatch, {6, 3, 2}, half={7, 5})
    assert views_in(sentence) == [6, 3, 2] and "think" not in sentence
    assert looked == 3 + 3 + 1


def test_what_is_half_sure_is_said_with_i_think(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence, _ = told(monkeypatch, {8}, half={4})
    assert views_in(sentence) == [8, 4] and "I think I see view 4." in sentence


def test_a_moment_without_a_sure_view_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert views_in(told(monkeypatch, {8, 1})[0]) == [8, 1]


@pytest.mark.parametrize("looks", [3, 5, 10])
def test_no_more_views_are_looked_at_than_the_plan_allows(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    assert told(monkeypatch, set(), looks=looks)[1] <= looks


def test_with_no_sure_view_the_latest_is_told_of_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence, _ = told(monkeypatch, set())
    assert "I think I see view 8." in sentence and views_in(sentence) == [8]


def test_where_the_wearer_was_is_told_once_for_each_room(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence, _ = told(monkeypatch, set(range(9)), rooms="hhhkkkkkk")
    assert sentence == "One minute ago: You were in the kitchen. Seven minutes ago: You were in the hall."
    sentence, _ = told(monkeypatch, set(range(9)), rooms="????????h")
    assert sentence == "One minute ago: You were in the hall."
    assert told(monkeypatch, set(range(9)), rooms="?" * 9)[0] == NOTHING_THEN


@pytest.mark.parametrize(
    ("time", "of"),
    [
        ("this morning", "of this morning"),
        ("yesterday", "of yesterday"),
        ("in the last hour", "in the last hour"),
        ("last two hours", "of the last two hours"),
        ("over the last three days", "over the last three days"),
        ("around noon", "around noon"),
        ("just after lunch", "just after lunch"),
    ],
)
def test_without_a_look_the_time_is_said_as_people_do(
    monkeypatch: pytest.MonkeyPatch, time: str, of: str
) -> None:
    sentence, _ = told(monkeypatch, (), looks=0, time=time)
    assert sentence == f"I remember 9 views {of}, the last one minute ago."
