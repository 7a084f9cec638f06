"""Residency of bricks in memory: one at a time, within a budget, or all of them."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from models.brick import Sentence
from models.process.bricks import Bricks
from models.process.residency import BrickBusy, BrickEvent, Residency
from tests.models.process.toy_bench import CASCADE, own_server, run_bricks, say, until
from tests.models.process.tree_memory import tree_anonymous_mib


def test_a_cascade_holds_one_brick_at_a_time_and_none_after():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await bricks.start()
        for name in ("a", "b", "a"):
            assert await say(bricks, name, "one two") == ["one", "two"]
        await bricks.settled()
        assert set(bricks.pids()) == {"fork_server"}

    events = run_bricks(scenario, a={}, b={})
    kinds = [(e.brick, e.kind) for e in events]
    assert kinds == [(n, k) for n in ("a", "b", "a") for k in ("load", "execute", "release")]
    assert all(before.end_s <= after.start_s + 1e-6 for before, after in itertools.pairwise(events))
    assert all(event.pid > 0 and event.peak_rss_mib for event in events)


def test_without_keeping_it_the_fork_server_ends_with_the_turn():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await say(bricks, "a", "one")
        await bricks.release_all()
        assert bricks.pids() == {}
        assert await say(bricks, "a", "again") == ["again"]

    run_bricks(scenario, Residency("one_at_a_time", keep_fork_server=False), server=own_server, a={})


def test_the_next_load_hides_behind_the_present_stage_when_the_ceiling_allows_two():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one wait"))) as words:
            await anext(words)
            bricks.prepare("b")
            bricks.prepare("c")
            await until(lambda: any((e.brick, e.kind) == ("b", "load") for e in events))
        await bricks.settled()
        await say(bricks, "b", "one")

    events = run_bricks(
        scenario,
        Residency("one_at_a_time", memory_ceiling_mib=50, prefetch=True),
        a={"weights_mib": 20},
        b={"weights_mib": 20},
        c={"weights_mib": 20},
    )
    kinds = [(e.brick, e.kind) for e in events]
    assert kinds.index(("b", "load")) < kinds.index(("a", "release"))
    assert ("c", "load") not in kinds


def test_a_ceiling_too_low_for_two_makes_the_second_wait():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async for _ in bricks.run("a", Sentence("one two")):
            bricks.prepare("b")
        await say(bricks, "b", "one")

    events = run_bricks(
        scenario,
        Residency("one_at_a_time", memory_ceiling_mib=30, prefetch=True),
        a={"weights_mib": 20, "pause_s": 0.05},
        b={"weights_mib": 20},
    )
    of = {(e.brick, e.kind): e for e in events}
    assert of["b", "load"].start_s >= of["a", "release"].end_s


@pytest.mark.parametrize(("small_mib", "together"), [(20, True), (40, False)])
def test_without_a_ceiling_two_are_together_where_they_need_no_more_than_the_largest(
    small_mib: int, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others' files are read ahead, each once, so that its load waits for no disk."""
    read: list[str] = []

    async def note(paths: tuple[Path, ...]) -> None:
        read.extend(path.name for path in paths)

    monkeypatch.setattr("models.process.process_pool.read_ahead", note)

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one wait"))) as words:
            await anext(words)
            for name in ("b", "large", "large"):
                bricks.prepare(name)
            bricks.prepare("c", beside=("b",))
            if together:
                await until(lambda: any((e.brick, e.kind) == ("b", "load") for e in events))
            assert set(bricks.pids()) - {"fork_server"} == ({"a", "b"} if together else {"a"})
            assert bricks.fit_together("a", "b") == together and not bricks.fit_together("a", "large")
        await bricks.settled()
        for name in ("b", "large"):
            await say(bricks, name, "one")

    toys: dict[str, Any] = {name: {"weights_mib": small_mib, "file": f"{name}.bin"} for name in "abc"}
    large = {"weights_mib": 70, "file": "large.bin"}
    monkeypatch.setattr("models.process.process_pool.files_of", lambda spec: (Path(spec.options["file"]),))
    events = run_bricks(scenario, Residency("one_at_a_time", prefetch=True), **toys, large=large)
    kinds = [(e.brick, e.kind) for e in events]
    assert (kinds.index(("b", "load")) < kinds.index(("a", "release"))) == together
    assert kinds.index(("large", "load")) > max(kinds.index((name, "release")) for name in "ab")
    assert sorted(read) == (["c.bin", "large.bin"] if together else ["b.bin", "c.bin", "large.bin"])


def test_strictly_one_at_a_time_reads_nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.process.process_pool.read_ahead", None)  # would raise

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one wait"))) as words:
            await anext(words)
            bricks.prepare("b")
            bricks.read_ahead("b")
            assert not bricks.fit_together("a", "b")
        await bricks.settled()

    events = run_bricks(scenario, a={"weights_mib": 20}, b={"weights_mib": 20}, c={"weights_mib": 90})
    assert {event.brick for event in events} == {"a"}


def test_a_budget_releases_the_least_recently_used():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        for name in ("a", "b", "a", "c"):
            await say(bricks, name, "one")
        await bricks.settled()
        assert set(bricks.pids()) == {"a", "c", "fork_server"}

    toys: dict[str, Any] = {name: {"weights_mib": 60} for name in "abc"}
    events = run_bricks(scenario, Residency("budgeted", memory_ceiling_mib=179), **toys)
    assert next(e.brick for e in events if e.kind == "release") == "b"


def test_resident_bricks_load_at_once_and_stay_and_leave_on_a_mode_change():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await bricks.settled()
        before = dict(bricks.pids())
        assert set(before) == {"a", "b", "fork_server"}
        await say(bricks, "a", "one")
        await say(bricks, "b", "one")
        assert bricks.pids() == before
        await bricks.apply(CASCADE)
        assert set(bricks.pids()) == {"fork_server"}

    run_bricks(scenario, Residency("resident"), a={}, b={})


@pytest.mark.parametrize("at", ["rest", "work"])
def test_a_process_that_is_loaded_in_another_way_than_the_residency_wants_ends(at: str) -> None:
    """Its weights would take their whole memory, of which the budget knows nothing."""

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        def streams() -> bool | None:
            worker = bricks._slots["a"].worker
            return None if worker is None else worker.spec.options.get("stream", False)

        await bricks.settled()
        assert streams() is False
        async with aclosing(bricks.run("a", Sentence("one two"))) as words:
            if at == "work":
                await anext(words)
            await bricks.apply(Residency("budgeted", memory_ceiling_mib=100))
        await bricks.settled()
        assert streams() is None and "b" in bricks.pids()
        await say(bricks, "a", "one")
        assert streams() is True and bricks._slots["a"].need_mib < 60 and "b" in bricks.pids()
        await bricks.apply(Residency("resident"))
        await bricks.settled()
        assert streams() is False

    toys: dict[str, Any] = {name: {"weights_mib": 60} for name in "ab"}
    toys["a"]["streamed_mib"] = 5
    run_bricks(scenario, Residency("resident"), **toys)


def test_release_returns_the_memory_to_the_system():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await say(bricks, "b", "one")
        await bricks.release("b")
        empty_mib = tree_anonymous_mib()
        await say(bricks, "a", "one")
        assert tree_anonymous_mib() > empty_mib + 120
        await bricks.release("a")
        assert tree_anonymous_mib() < empty_mib + 3

    run_bricks(scenario, Residency("budgeted"), a={"weights_mib": 128}, b={})


def test_asking_for_what_only_oneself_can_free_is_refused():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one two"))) as words:
            await anext(words)
            with pytest.raises(BrickBusy):
                await say(bricks, "b", "one")
            with pytest.raises(BrickBusy):
                await say(bricks, "a", "one")
        assert await say(bricks, "b", "one") == ["one"]

    run_bricks(scenario, a={}, b={})


def test_bricks_that_wait_for_room_do_not_wait_for_each_other():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        for prefetch in (False, True):
            await bricks.apply(Residency("one_at_a_time", memory_ceiling_mib=60, prefetch=prefetch))
            for _ in range(3):
                bricks.prepare("a")
                bricks.prepare("b")
                assert await asyncio.gather(*(say(bricks, name, "one") for name in "abc")) == [["one"]] * 3

    toy = {"weights_mib": 20, "load_s": 0.02}
    run_bricks(scenario, a=toy, b=toy, c=toy)


@pytest.mark.parametrize("prepared", [False, True])
def test_a_budget_gives_way_to_a_task_that_needs_two_bricks_at_once(prepared: bool):
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one two"))) as words:
            await anext(words)
            if prepared:
                bricks.prepare("b")
                await asyncio.sleep(0)  # it waits for room, for nobody yet
            async with asyncio.timeout(10):
                assert await say(bricks, "b", "one") == ["one"]
        await bricks.settled()
        assert len(bricks.pids()) == 2

    toys: dict[str, Any] = {name: {"weights_mib": 60} for name in "ab"}
    run_bricks(scenario, Residency("budgeted", memory_ceiling_mib=100), **toys)
