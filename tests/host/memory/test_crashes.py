"""Some of the cuts of `tests.host.memory.crashes`, which tries as many as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.memory.crashes import Op, after_cut, record, walk
from tests.host.test_privacy import has_strace


@pytest.mark.skipif(not has_strace(), reason="strace is not here, or may not trace")
def test_a_cut_of_the_power_loses_and_brings_back_nothing(tmp_path: Path) -> None:
    ops = record(tmp_path)
    kinds = {op.kind for op in ops}
    assert kinds >= {"write", "cut", "sync", "create", "rename", "names", "mark"} and len(ops) > 150
    assert walk(ops, 100, seed=1).different == 100


def test_the_disk_keeps_what_was_synced_and_any_part_of_the_rest() -> None:
    import random

    ops = [
        Op("create", "a", 1), Op("write", "a", 1, 0, b"synced"), Op("sync", "a", 1), Op("names"),
        Op("write", "a", 1, 2, b"XXXX"),
    ]  # fmt: skip
    left = {after_cut(ops, 5, random.Random(seed), 0.5)["a"] for seed in range(60)}
    assert left == {b"synced", b"syXced", b"syXXed", b"syXXXd", b"syXXXX"}
    assert after_cut(ops, 5, random.Random(0), 0.0) == {"a": b"synced"}
