"""Some of the kills of `tests.host.memory.kills`, which tries as many as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.memory.bench import begun, shown, store, view
from tests.host.memory.kills import Promised, check, run


def test_a_kill_loses_and_brings_back_nothing() -> None:
    assert run(12, seed=1) > 0


def test_a_broken_promise_is_noticed(tmp_path: Path) -> None:
    filled = store(tmp_path)
    views = [view(number, activation=begun(number), things=shown(number)) for number in (1, 2, 3)]
    numbers = [filled.add(each, each.taken) for each in views]
    filled.close()
    check(tmp_path, Promised(set(numbers)))
    for broken, why in (
        (Promised({*numbers, 9}), "lost"),
        (Promised({1, 2}, {3}), "back again"),
        (Promised({1, 2, 3}, set(), {3, 4}), "only a part"),
        (Promised({1}), "more than the one"),
    ):
        with pytest.raises(AssertionError, match=why):
            check(tmp_path, broken)
