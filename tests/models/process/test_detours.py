"""A brick whose own place fails goes on, on the cores, within the same request."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from models.brick import BrickError, BrickSpec, Placement, Sentence
from models.process.bricks import Bricks
from models.process.detours import FIRST_S, LONGEST_S, Detours
from models.process.residency import BrickEvent, BrickFailed, Residency
from tests.models.process.toy_bench import LIMIT_S, ToyServer, say, until
from tests.models.process.toy_brick import toy_pack


class Clock:
    """Seconds that a test sets."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def run_on_npu(
    scenario: Callable[[Bricks, Clock], Awaitable[None]],
    *,
    npu: dict[str, Any] | None = None,
    kind: Any = "budgeted",
) -> list[BrickEvent]:
    """Run a scenario with one toy brick "a", on an NPU that fails as the options say, and on the cores."""
    events: list[BrickEvent] = []
    pack = toy_pack(a={})
    cores = pack.bricks["a"]
    elsewhere = replace(cores, placement=Placement.NPU, options=npu or {})
    pack = replace(pack, bricks={"a": elsewhere}, on_cores={"a": cores})

    async def main() -> None:
        clock = Clock()
        bricks = Bricks(pack, on_event=events.append, server=ToyServer(), clock=clock)
        await bricks.apply(Residency(kind))
        try:
            await asyncio.wait_for(scenario(bricks, clock), LIMIT_S)
        finally:
            await asyncio.wait_for(bricks.close(), LIMIT_S)

    asyncio.run(main())
    return events


def places(events: list[BrickEvent]) -> list[str]:
    return [
        f"{event.kind} {event.place.value}" for event in events if event.kind in ("load", "moved", "died")
    ]


@pytest.mark.parametrize("kind", ["budgeted", "one_at_a_time"])
def test_an_npu_that_does_not_load_is_answered_for_by_the_cores_at_once(kind: Any) -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        assert await say(bricks, "a", "one two") == ["one", "two"]
        assert await say(bricks, "a", "three") == ["three"]

    events = run_on_npu(scenario, npu={"bad_file": True}, kind=kind)
    loads = 1 if kind == "budgeted" else 2
    assert places(events) == ["died npu", "moved cpu", *["load cpu"] * loads]
    assert next(e.detail for e in events if e.kind == "moved") == "toy.bin is not a toy"


def test_an_npu_whose_process_ends_in_the_request_is_answered_for() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        assert await say(bricks, "a", "fails_on_npu two") == ["fails_on_npu", "two"]

    assert places(run_on_npu(scenario, npu={"npu": True})) == [
        "load npu",
        "died npu",
        "moved cpu",
        "load cpu",
    ]


def test_a_busy_npu_counts_as_stuck_after_the_patience_of_the_plan() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        bricks.prefer((), {"a": 0.2})
        assert await say(bricks, "a", "hangs_on_npu") == ["hangs_on_npu"]

    events = run_on_npu(scenario, npu={"npu": True})
    assert "no answer within 0.2 s" in next(e.detail for e in events if e.kind == "moved")


def test_on_the_cores_it_is_told_that_nothing_came() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        bricks.prefer({"a"}, {"a": 0.2})
        with pytest.raises(BrickFailed, match=r"no answer within 0.2 s"):
            await say(bricks, "a", "hang")
        assert await say(bricks, "a", "well") == ["well"]

    assert places(run_on_npu(scenario)) == ["load cpu", "died cpu", "load cpu"]


def test_a_brick_that_is_not_of_the_pack_has_the_usual_patience() -> None:
    store = replace(toy_pack(a={}).bricks["a"], name="store")
    detours = Detours({}, {})
    detours.prefer((), {"a": 0.2})
    assert detours.patience_s(store, 60.0) == 60.0


def test_the_npu_is_tried_again_after_a_while() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        await say(bricks, "a", "fails_on_npu")
        clock.now_s = FIRST_S + 1
        await say(bricks, "a", "well")

    events = run_on_npu(scenario, npu={"npu": True})
    assert places(events) == ["load npu", "died npu", "moved cpu", "load cpu", "load npu"]


def test_the_plan_may_want_the_cores() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        await say(bricks, "a", "one")
        bricks.prefer({"a"}, {})
        await say(bricks, "a", "two")

    assert places(run_on_npu(scenario)) == ["load npu", "load cpu"]


def test_a_refused_request_and_an_answer_that_had_begun_are_not_asked_again() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        with pytest.raises(BrickError, match="does not want to"):
            await say(bricks, "a", "refuse")
        given = []

        async def hear() -> None:
            async for chunk in bricks.run("a", Sentence("one fails_on_npu")):
                given.append(chunk.text)

        with pytest.raises(BrickFailed):
            await hear()
        assert given == ["one"]
        assert await say(bricks, "a", "fails_on_npu") == ["fails_on_npu"]

    assert places(run_on_npu(scenario, npu={"npu": True})) == ["load npu", "died npu", "load cpu"]


def test_a_brick_without_another_place_fails_as_before() -> None:
    cores = BrickSpec("a", Placement.CPU, 1, "nowhere")
    npu = replace(cores, placement=Placement.NPU)
    assert not Detours({"a": cores}, {}).begin(cores, 0.0)
    assert not Detours({"a": npu}, {}).begin(npu, 0.0)


def test_each_failure_in_a_row_doubles_the_detour_up_to_an_hour() -> None:
    cores = BrickSpec("a", Placement.CPU, 1, "nowhere")
    npu = replace(cores, placement=Placement.NPU)
    detours, now_s = Detours({"a": npu}, {"a": cores}), 0.0
    lengths = []
    for _ in range(8):
        assert detours.spec("a", now_s) is npu and detours.begin(npu, now_s)
        lasts_s = 1.0
        while detours.spec("a", now_s + lasts_s) is cores:
            lasts_s += 1.0
        lengths.append(lasts_s)
        now_s += lasts_s
    assert lengths == [min(LONGEST_S, FIRST_S * 2**n) for n in range(8)]
    detours.worked(npu)
    assert detours.begin(npu, now_s) and detours.spec("a", now_s + FIRST_S) is npu


def test_an_npu_that_fails_after_the_plan_came_to_want_the_cores_is_answered_for() -> None:
    async def scenario(bricks: Bricks, clock: Clock) -> None:
        answer = asyncio.create_task(say(bricks, "a", "hangs_on_npu"))
        await until(lambda: bricks.busy and bricks._slots["a"].worker is not None)
        bricks.prefer({"a"}, {})
        await bricks.apply(bricks.residency)
        os.kill(bricks.pids()["a"], signal.SIGKILL)
        assert await answer == ["hangs_on_npu"]

    assert places(run_on_npu(scenario, npu={"npu": True})) == [
        "load npu",
        "died npu",
        "moved cpu",
        "load cpu",
    ]
