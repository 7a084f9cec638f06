"""A short soak test with faults."""

from __future__ import annotations

import asyncio

import pytest

from tests.eval.soak.wild import bad_day, report


@pytest.mark.slow
def test_after_a_short_bad_day_everything_is_as_before_and_the_journal_is_consistent() -> None:
    result = asyncio.run(bad_day(6, seed=4, first_steps=()))
    assert not result.problems, report(result)
    assert result.turns >= 6
