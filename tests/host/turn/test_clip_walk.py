"""Random questions about the last seconds keep the promises of the clip, the ring and the plan."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from host.turn.clip.units import ClipUnits, Picture
from models.pack.catalogue import load_pack
from tests.host.simulated import loop_clock, simulate
from tests.host.turn.clip_walk import SIDE_PX, Doubles, Walk

_Each = TypeVar("_Each")


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


class Slowest(random.Random):
    """Chance that has every request take long, and none fail."""

    def random(self) -> float:
        return 0.5

    def choice(self, seq: Sequence[_Each]) -> _Each:  # type: ignore[override]
        return seq[-1]


def test_a_clip_is_forgotten_though_it_was_begun_anew_and_ended_before_its_first_unit(tmp_path: Path) -> None:
    async def scenario() -> None:
        walk, pack = Walk(0, 0, tmp_path), load_pack("micro")
        walk.clock, walk.rng = loop_clock(), Slowest()
        doubles: Any = Doubles(walk, pack)
        units, depth = ClipUnits(doubles), pack.bricks["motion"].options["depths"][0]
        await units.send([Picture(np.full((SIDE_PX, SIDE_PX, 3), 1, np.uint8), 0.0)], depth)
        units.begin_anew()
        another = [Picture(np.full((SIDE_PX, SIDE_PX, 3), 2, np.uint8), 0.2)]
        sending = asyncio.create_task(units.send(another, depth))
        while walk.done["motion"] < 2:
            await walk.clock.sleep(0.01)
        sending.cancel()
        await asyncio.wait([sending])
        assert doubles._clip is not None
        await units.forget()
        assert doubles._clip is None
        doubles.ring.close()

    simulate(scenario())
