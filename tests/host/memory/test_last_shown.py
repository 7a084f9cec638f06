"""The latest remembered view that shows a thing, where language model and object detector may differ."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.turn.recalling.last_shown import BorneOut, Found, LastShown, last_shown

WANTED = BorneOut(0.4, 0.2)
Views = Sequence[float | None]


def shown(views: Views, looks: int = 10, wanted: BorneOut = WANTED) -> LastShown:
    """views: how far the detector bears out what the language model says of each; None: it says nothing."""

    async def look(number: Any) -> Found | None:
        share = views[number]
        return None if share is None else Found(f"It is here in {number}.", share)

    numbers: Any = range(len(views))
    return asyncio.run(last_shown(numbers, looks, look, wanted))


def told(found: LastShown) -> Any:
    return None if found.shown is None else found.shown[0]


@pytest.mark.parametrize(
    ("views", "number", "looked"),
    [
        ([0.9, 0.9], 0, 1),
        ([None, 0.9, 0.9], 1, 2),
        ([0.1, 0.3, 0.9, 0.9], 2, 3),
        ([0.1, 0.3, None], 1, 3),
        ([0.3, 0.3], 0, 2),
        ([0.1, 0.1], None, 2),
        ([None], None, 1),
    ],
)
def test_the_first_that_both_see_is_told_then_one_that_the_detector_holds_possible(
    views: Views, number: int | None, looked: int
) -> None:
    found = shown(views)
    assert (told(found), found.looked) == (number, looked)
    assert found.doubtful == (number is not None and (views[number] or 0.0) < 0.4)


def test_where_not_all_that_fit_could_be_looked_at_a_doubtful_one_is_told() -> None:
    found = shown([None, 0.0, 0.1, 0.9], looks=3)
    assert (told(found), found.doubtful, found.looked, found.agreeing) == (1, True, 3, 2)


@given(st.lists(st.none() | st.floats(0, 1), max_size=12), st.integers(1, 12))
def test_without_a_detector_the_first_that_shows_it_is_told(views: list[float | None], looks: int) -> None:
    found = shown(views, looks, BorneOut())
    first = next((at for at, share in enumerate(views[:looks]) if share is not None), None)
    assert told(found) == first and not found.doubtful
    assert found.looked == (min(len(views), looks) if first is None else first + 1)
