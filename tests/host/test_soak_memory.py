"""`just soak memory`: a short day is steady, and growth is noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from tests.eval.soak.census import Census
from tests.eval.soak.memory import Hour, problems, worn

EMPTY: Counter[str] = Counter()


def hour(mib: float = 50.0, files: int = 3, disk_bytes: int = 1000) -> Hour:
    return Hour(Census(mib, Counter({"memory.db": files}), EMPTY, EMPTY, EMPTY, EMPTY), 9, disk_bytes)


def test_growth_of_any_kind_is_a_problem() -> None:
    flat = [hour() for _ in range(9)]
    assert problems(flat) == []
    assert "memory grew by 5.0 MiB" in problems([*flat[:-1], hour(mib=55.0)])
    assert "file memory.db: 3 -> 4" in problems([*flat[:-1], hour(files=4)])
    assert (
        "the disk has up to"
        in problems([*flat[:6], *(replace(each, disk_bytes=2000) for each in flat[6:])])[0]
    )
    assert len(problems(flat[:3])) == 1, "too short to say"


def test_what_is_older_than_an_hour_goes(tmp_path: Path) -> None:
    counts, searches = worn(tmp_path, 3, 30, seed=1)
    assert [each.remembered <= 30 + 64 for each in counts] == [True] * 3 and searches == 9
