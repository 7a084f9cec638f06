"""Random questions about the last seconds keep the promises of the clip, the ring and the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.simulated import simulate
from tests.host.turn.clip_walk import Walk


def walked(seed: int, steps: int, folder: Path) -> Walk:
    walk = Walk(seed, steps, folder)
    simulate(walk.run())
    return walk


@pytest.mark.parametrize("seed", range(3))
def test_a_few_thousand_random_steps(seed: int, tmp_path: Path) -> None:
    walk = walked(seed, 3_000, tmp_path)
    assert walk.done["answer"] > 10 and walk.done["motion"] > 300


@pytest.mark.slow
def test_a_hundred_thousand_random_steps(tmp_path: Path) -> None:
    walk = walked(2026, 100_000, tmp_path)
    assert walk.steps >= 100_000
