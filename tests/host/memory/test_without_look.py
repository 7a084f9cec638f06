"""Answers from what the object detector found, where nobody looks at a view again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from host.answers.recollection import Recollection
from host.answers.sureness import Sureness
from host.memory.things import NO_SPOT, Seen, SeenThing, Spot
from host.memory.values import Match, Row
from host.turn.recalling import memory_answer
from host.turn.recalling.without_look import perhaps_before, seems_elsewhere
from models.brick import Recall
from tests.host.memory.small_memory import QUERY, SmallMemory, whole_place
from tests.host.memory.test_told_again import NOW_S, SURENESS, tools_of

TABLE, ON_TABLE, ON_BED = Spot("kitchen", "table"), Spot("", "table"), Spot("bedroom", "bed")
TOLD = Recollection("", "my keys", time_s=NOW_S, spot="on the kitchen table")


def views(*spots: Spot | None) -> list[Match]:
    """One a minute, the latest first, that show the keys there; None: no detector saw them."""
    return [
        Match(
            Row(9 - at, NOW_S - 60.0 * (at + 2), "new", 3, "e", False, "", 0),
            0.7,
            None if spot is None else Seen(0.9, 1.0, spot),
        )
        for at, spot in enumerate(spots)
    ]


@pytest.mark.parametrize(
    ("spots", "minutes"),
    [
        ((TABLE, ON_TABLE, ON_BED, TABLE), "four minutes ago, perhaps on the bedroom bed"),
        ((TABLE, Spot("hall", "hand"), ON_BED), "three minutes ago, perhaps in your hand"),
        ((TABLE, NO_SPOT, ON_BED), "three minutes ago, but"),
        ((TABLE, None, ON_BED), "three minutes ago, but"),
    ],
)
def test_before_that_is_the_last_view_at_another_spot(spots: Sequence[Spot | None], minutes: str) -> None:
    said = perhaps_before(views(*spots), TOLD, NOW_S, every=True).sentence
    assert said.startswith(f"Before that, I may have seen your keys {minutes}")
    assert said.endswith("so I am not sure.")


def test_where_all_views_show_the_same_spot_that_is_said_and_remembered() -> None:
    found = perhaps_before(views(TABLE, ON_TABLE), TOLD, NOW_S, every=True)
    assert "in the same place, the first time three minutes ago, but" in found.sentence
    assert found.spot == TOLD.spot and found.sure == "not sure" and not found.looked
    later = perhaps_before(views(TABLE), TOLD, NOW_S, every=False).sentence
    assert "in the same place, at least since two minutes ago" in later


def test_where_nothing_was_told_of_the_latest_view_is_told() -> None:
    nothing = Recollection("", "my keys", since_s=NOW_S)
    assert "on the kitchen table" in perhaps_before(views(TABLE, ON_BED), nothing, NOW_S, every=True).sentence


def test_a_view_seems_elsewhere_by_what_either_model_told() -> None:
    (table, bed, unknown) = views(TABLE, ON_BED, NO_SPOT)
    both = Recollection("", "my keys", "Your keys are on the bed.", NOW_S, spot="on the kitchen table")
    assert not seems_elsewhere(table, both) and not seems_elsewhere(bed, both)
    assert seems_elsewhere(bed, TOLD) and not seems_elsewhere(unknown, TOLD)
    assert not seems_elsewhere(bed, Recollection("", "my keys")), "nothing was told"


def test_a_word_that_the_text_tower_does_not_know_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its place is the same for every such word, so that the nearest view means nothing."""

    async def query_of(thing: str, tools: Any) -> Recall:
        return Recall(QUERY, 3, "e", ("lamp",) if "lamp" in thing else ())

    monkeypatch.setattr(memory_answer, "query_of", query_of)
    tools = tools_of(monkeypatch, [(600.0, 0.8, "")], looks=0)
    lamp = asyncio.run(memory_answer.where_seen("the lamp today", SURENESS, tools))
    assert lamp.sentence == "I have not seen anything today that I know as the lamp." and lamp.time_s is None
    stairs = asyncio.run(memory_answer.where_seen("the stairs today", SURENESS, tools))
    assert stairs.sentence.startswith("I may have seen the stairs")
    looked = tools_of(monkeypatch, [(600.0, 0.8, "")], looks=1)
    monkeypatch.setattr(memory_answer, "sure_of", lambda *_: "fairly sure")
    sentence = asyncio.run(memory_answer.where_seen("the lamp", SURENESS, looked)).sentence
    assert sentence.startswith("I saw the lamp"), "what the language model sees there counts"


def test_what_was_looked_at_is_told_from_what_is_kept(tmp_path: Path) -> None:
    async def scene() -> str:
        small = SmallMemory(tmp_path, looks=0)
        for things in ((SeenThing("keys", 0.9), SeenThing("cup", 0.3)), (SeenThing("sign", 0.9),), None):
            small.clock.jump(100.0)
            rgb, taken = np.zeros((16, 16, 3), np.uint8), small.memory.now()
            await small.memory.remember(rgb, taken, "new", whole_place(90), things=things)
        assert await small.memory.things([1, 2, 3, 9]) == {
            1: (SeenThing("keys", 0.9), SeenThing("cup", 0.3)), 2: (SeenThing("sign", 0.9),),
        }  # fmt: skip
        asked: Any = SimpleNamespace(memory=small.memory, power=small.tools.power)
        return await memory_answer._looked_at("", memory_answer.THINGS_ASKED, str, Sureness(), asked)

    said = asyncio.run(scene())
    assert said == (
        "Three minutes ago: perhaps your keys. I have not looked at that picture again, so I am not sure."
    )
