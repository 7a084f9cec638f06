"""The lifecycle of bricks, with toy bricks: cancellation, faults, and a kill in every stage."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import aclosing
from typing import Any

import pytest

from models.brick import BrickError, Sentence
from models.process.bricks import Bricks
from models.process.forkserver import PRELOAD, ForkServer
from models.process.residency import BrickEvent, BrickFailed, Residency
from models.process.rss import tree
from tests.models.process.toy_bench import own_server, run_bricks, say, until
from tests.models.process.toy_brick import toy_pack


def test_a_cancelled_run_stops_the_brick_and_leaves_it_usable():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await say(bricks, "a", "one")
        pid = bricks.pids()["a"]
        async with aclosing(bricks.run("a", Sentence("one wait two"))) as words:
            assert (await anext(words)).text == "one"
            start_s = time.monotonic()
        assert time.monotonic() - start_s < 1.0
        assert await say(bricks, "a", "again") == ["again"]
        assert bricks.pids()["a"] == pid

        task = asyncio.create_task(say(bricks, "a", "wait"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await say(bricks, "a", "again") == ["again"]
        assert bricks.pids()["a"] == pid

    run_bricks(scenario, Residency("budgeted"), a={})


def test_a_brick_that_ignores_cancellation_is_killed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("models.process.child_handle.CANCEL_GRACE_S", 0.1)

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one hang"))) as words:
            await anext(words)
        assert await say(bricks, "a", "fresh") == ["fresh"]
        assert [e.detail for e in events if e.kind == "died"] == ["did not stop within 0.1 s"]

    run_bricks(scenario, Residency("budgeted"), a={})


def test_a_brick_that_gives_no_answer_in_time_is_killed():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        with pytest.raises(BrickFailed, match=r"no answer within 0.2 s"):
            _ = [chunk async for chunk in bricks.run("a", Sentence("hang"), timeout_s=0.2)]
        assert await say(bricks, "a", "fresh") == ["fresh"]

    run_bricks(scenario, a={})


@pytest.mark.parametrize("kind", ["resident", "budgeted", "one_at_a_time"])
@pytest.mark.parametrize("stage", ["load", "execute", "idle", "release"])
def test_sigkill_in_any_stage_costs_one_answer(stage: str, kind: Any):
    if stage == "idle" and kind == "one_at_a_time":
        pytest.skip("a cascade keeps no idle brick")

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        if stage == "load":
            task = asyncio.create_task(say(bricks, "a", "one"))
            await until(lambda: "a" in bricks.pids())
            await kill_and_expect_failure(bricks, task, "load")
        elif stage == "execute":
            task = asyncio.create_task(say(bricks, "a", "wait"))
            await until(lambda: any(e.kind == "load" for e in events))
            await kill_and_expect_failure(bricks, task, "execute")
        else:
            await say(bricks, "a", "one")
            pid = bricks.pids()["a"]
            ending = asyncio.create_task(bricks.release("a")) if stage == "release" else None
            await asyncio.sleep(0.02)
            os.kill(pid, signal.SIGKILL)
            await until(lambda: bricks.pids().get("a") != pid)
            if ending is not None:
                await ending
        assert await say(bricks, "a", "well again") == ["well", "again"]

    async def kill_and_expect_failure(bricks: Bricks, task: asyncio.Task[Any], at: str) -> None:
        start_s = time.monotonic()
        os.kill(bricks.pids()["a"], signal.SIGKILL)
        with pytest.raises(BrickFailed, match=r"SIGKILL") as caught:
            await task
        assert time.monotonic() - start_s < 10, "told by its end, not by a time limit"
        assert (caught.value.brick, caught.value.stage) == ("a", at)

    slow = {"load": {"load_s": 0.6}, "release": {"release_s": 0.3}}
    run_bricks(scenario, Residency(kind), a=slow.get(stage, {}))


def test_the_fork_server_is_restarted_after_a_kill():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await say(bricks, "a", "one")
        pids = bricks.pids()
        os.kill(pids["fork_server"], signal.SIGKILL)
        await until(lambda: "a" not in bricks.pids())
        assert await say(bricks, "a", "again") == ["again"]
        assert bricks.pids()["fork_server"] != pids["fork_server"]

        task = asyncio.create_task(say(bricks, "a", "wait"))
        await asyncio.sleep(0.05)
        os.kill(bricks.pids()["fork_server"], signal.SIGKILL)
        with pytest.raises(BrickFailed):
            await task
        assert await say(bricks, "a", "once more") == ["once", "more"]

    run_bricks(scenario, Residency("budgeted"), server=own_server, a={})


def test_faults_are_told_in_one_sentence():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        with pytest.raises(BrickError, match=r"the toy does not want to"):
            await say(bricks, "good", "refuse")
        with pytest.raises(BrickFailed, match=r"RuntimeError: a toy fault"):
            await say(bricks, "good", "raise")
        assert await say(bricks, "good", "well") == ["well"]
        with pytest.raises(BrickFailed, match=r"toy.bin is not a toy") as caught:
            await say(bricks, "bad", "one")
        assert caught.value.stage == "load"
        with pytest.raises(BrickFailed, match=r"SIGABRT: TOY_ASSERT\(toy\) failed"):
            await say(bricks, "aborts", "one")

    run_bricks(scenario, server=own_server, good={}, bad={"bad_file": True}, aborts={"abort_in_load": True})


def test_a_run_left_by_break_is_out_of_the_way_of_the_next():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        for name in ("a", "a", "b"):
            async for _ in bricks.run(name, Sentence("one wait two")):
                break
        assert await say(bricks, "a", "well") == ["well"]

    run_bricks(scenario, a={}, b={})


def test_a_brick_that_the_pack_lacks_fails_when_it_is_run():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        bricks.prepare("b")
        bricks.prepare("a", beside=("b",))
        bricks.read_ahead("b")
        assert bricks.fit_together("a", "b")
        await bricks.release("b")
        with pytest.raises(
            BrickFailed, match=r"The b brick failed at load: pack 'toys' has no such brick\.$"
        ):
            await say(bricks, "b", "one")
        assert await say(bricks, "a", "well") == ["well"]

    run_bricks(scenario, Residency("one_at_a_time", prefetch=True), a={})


def test_a_message_that_cannot_be_read_costs_one_answer():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        with pytest.raises(BrickFailed, match=r"sent a message that can't be read \(ValueError\)\.$"):
            await asyncio.wait_for(say(bricks, "a", "unreadable wait"), 20)
        assert await say(bricks, "a", "well again") == ["well", "again"]

    run_bricks(scenario, Residency("budgeted"), a={})


def test_a_load_that_is_called_off_while_its_process_starts_leaves_nothing_behind():
    async def scenario() -> None:
        server = ForkServer(preload=())
        await server.ready()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            starting = asyncio.create_task(server.spawn(theirs.fileno(), theirs.fileno()))
            await asyncio.sleep(0)
            starting.cancel()
            await asyncio.wait([starting])
        await asyncio.sleep(0.5)  # its process has started and ended
        await until(lambda: not server._exits)
        await server.stop()

    asyncio.run(asyncio.wait_for(scenario(), 20))


def test_threads_reach_the_brick():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        bricks.limit_threads(3)
        assert await say(bricks, "a", "threads") == ["3"]

    run_bricks(scenario, a={})


def test_the_server_imports_what_bricks_use_and_no_more():
    code = (
        "import sys; from models.process import server_main; server_main.preload(sys.argv[1:]); "
        "import models.process.child_main; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *PRELOAD], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert imported >= {*PRELOAD, "models.process.child_main"}
    assert not imported & {"asyncio", "llama_cpp.llama", "jinja2", "sqlite3"}, "each start pays for it"


def test_children_end_when_main_is_killed():
    async def main() -> list[int]:
        bricks = Bricks(toy_pack(a={}), server=ForkServer(preload=()))
        await bricks.apply(Residency("budgeted"))
        await say(bricks, "a", "one")
        return list(bricks.pids().values())

    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        loop = asyncio.new_event_loop()
        pids = loop.run_until_complete(main())
        os.write(write, " ".join(map(str, pids)).encode())
        signal.pause()
    pids = [int(pid) for pid in os.read(read, 100).split()]
    os.close(read)
    os.close(write)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    deadline_s = time.monotonic() + 5
    while any(_runs(pid) for pid in pids):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    assert len(pids) == 2


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_twenty_cascade_turns_leave_everything_as_it_was():
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async def turn() -> None:
            for name in ("a", "b"):
                await say(bricks, name, "one")
            await bricks.release_all()

        await turn()
        before = (len(os.listdir("/proc/self/fd")), tree())
        for _ in range(20):
            await turn()
        assert (len(os.listdir("/proc/self/fd")), tree()) == before

    run_bricks(scenario, server=own_server, a={"weights_mib": 8}, b={"weights_mib": 8})
