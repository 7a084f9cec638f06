"""Who sets the clock is told when bricks are loaded and none computes on the cores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from models.brick import Placement
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import BrickFailed, Residency
from tests.models.process.toy_bench import LIMIT_S, ToyServer, say, until
from tests.models.process.toy_brick import toy_pack

SLOW: dict[str, Any] = {"load_s": 0.2}


def told(pack: Pack, scenario: Callable[[Bricks, list[bool]], Awaitable[None]]) -> list[bool]:
    """What was told while the scenario went on."""
    heard: list[bool] = []

    async def main() -> None:
        bricks = Bricks(pack, on_loading=heard.append, server=ToyServer())
        await bricks.apply(Residency("budgeted"))
        try:
            await asyncio.wait_for(scenario(bricks, heard), LIMIT_S)
        finally:
            await asyncio.wait_for(bricks.close(), LIMIT_S)

    asyncio.run(main())
    return heard


async def beside_a_run(bricks: Bricks, heard: list[bool]) -> None:
    """The second toy is loaded while the first one works."""
    work = asyncio.create_task(say(bricks, "a", "wait"))
    await until(lambda: "a" in bricks.pids() and bricks.busy and heard[-1:] == [False])
    del heard[:]
    bricks.prepare("b")
    await bricks.settled()
    work.cancel()
    await asyncio.wait([work])
    await bricks.settled()


def test_a_load_is_told_and_its_end() -> None:
    async def scenario(bricks: Bricks, heard: list[bool]) -> None:
        assert await say(bricks, "a", "one") == ["one"]
        assert heard == [True, False]
        assert await say(bricks, "a", "two") == ["two"]
        bricks.prepare("b")
        await bricks.settled()

    assert told(toy_pack(a=SLOW, b=SLOW), scenario) == [True, False] * 2


def test_loads_at_the_same_time_are_told_once() -> None:
    async def scenario(bricks: Bricks, heard: list[bool]) -> None:
        bricks.prepare("a")
        bricks.prepare("b")
        await until(lambda: len(bricks.pids()) == 3)
        await bricks.settled()

    assert told(toy_pack(a=SLOW, b={"load_s": 0.3}), scenario) == [True, False]


def test_a_load_beside_one_that_computes_is_not_told() -> None:
    assert told(toy_pack(a={}, b=SLOW), beside_a_run) == []


def test_who_computes_on_the_npu_keeps_no_core_busy() -> None:
    pack = toy_pack(a={}, b=SLOW)
    on_npu = replace(pack.bricks["a"], placement=Placement.NPU)
    assert told(replace(pack, bricks={**pack.bricks, "a": on_npu}), beside_a_run) == [True, False]


@pytest.mark.parametrize("fault", ["bad_file", "abort_in_load"])
def test_a_load_that_fails_ends_too(fault: str) -> None:
    async def scenario(bricks: Bricks, heard: list[bool]) -> None:
        with pytest.raises(BrickFailed):
            await say(bricks, "a", "one")

    assert told(toy_pack(a={fault: True}), scenario) == [True, False]
