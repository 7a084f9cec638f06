"""Where a thing was before, found with few looks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.turn.recalling.earlier import Found, Shows, last_elsewhere

SHOWS: dict[str, Shows] = {"s": "same", "e": "elsewhere", "-": "nothing"}


def searched(views: str, looks: int = 10, likely: Sequence[int] = ()) -> Found:
    """Of views, the latest first: s the same spot, e another one, - the thing cannot be made out."""
    looked: list[int] = []

    async def look(number: int) -> Shows:
        assert number not in looked, "no view is looked at twice"
        looked.append(number)
        return SHOWS[views[number]]

    found = asyncio.run(last_elsewhere(len(views), looks, look, likely))
    assert found.looked == len(looked) <= looks
    assert all(views[number] == "s" for number in found.same)
    assert found.elsewhere is None or views[found.elsewhere] == "e"
    return found


def test_an_hour_of_the_same_is_passed_in_a_few_looks() -> None:
    assert searched("s" * 20 + "e" * 6) == Found(20, (0, 2, 6, 14, 19), 8)
    assert searched("s" * 100).looked == 10
    assert searched("") == Found(None, (), 0)
    assert searched("eee") == Found(0, (), 1)
    assert searched("sss", looks=0) == Found(None, (), 0)


def test_what_seems_to_be_elsewhere_is_looked_at_first() -> None:
    assert searched("s" * 30 + "eee", 3, [30, 31]) == Found(30, (), 1)
    assert searched("s" * 5 + "-e", 10, [5, 6]) == Found(6, (), 2)
    assert searched("sss-eee", 10, [2, 3]).elsewhere == 4, "the search goes on where it is not"
    assert searched("sssss", 2, [1, 2, 3]) == Found(None, (1, 2), 2)


@pytest.mark.parametrize("views", ["-" * 4 + "e", "s-e", "-s--e-", "sss-eee"])
def test_views_in_which_nothing_can_be_made_out_are_passed_by(views: str) -> None:
    assert searched(views).elsewhere == views.index("e")


def test_a_thing_that_came_back_is_found_elsewhere_in_between() -> None:
    assert searched("s" * 21 + "eeeees", looks=12).elsewhere == 21


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_last_change_is_found_where_there_is_one(same: int, elsewhere: int) -> None:
    found = searched("s" * same + "e" * elsewhere, looks=16)
    assert found.elsewhere == (same if elsewhere else None)
    if not elsewhere and same:
        assert found.same[-1] == same - 1, "it has been there since the oldest view"
