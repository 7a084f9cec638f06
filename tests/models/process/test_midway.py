"""What comes in the middle of a load, of a run or of the fork server's start costs time, or one answer."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import time
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest

from models.brick import Sentence
from models.process import child_handle
from models.process.bricks import Bricks
from models.process.forkserver import ForkServer
from models.process.residency import BrickEvent, BrickFailed, Residency
from tests.models.process.toy_bench import CASCADE, PRELOAD, own_server, run_bricks, say, until
from tests.models.process.toy_brick import toy_pack

SLOW = {"load_s": 0.5}


def test_loads_that_were_called_off_begin_anew_when_the_bricks_are_needed() -> None:
    """All bricks are released while the first loads, so that the others' loads end before they begin."""

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await until(lambda: "a" in bricks.pids())
        await bricks.release_all()
        assert set(bricks.pids()) == {"fork_server"}
        for name in ("b", "c", "a"):
            assert await say(bricks, name, "well") == ["well"]

    run_bricks(scenario, Residency("resident"), a=SLOW, b={}, c={})


def test_a_run_that_comes_while_a_load_is_called_off_loads_again() -> None:
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        bricks.prepare("a")
        await until(lambda: "a" in bricks.pids())
        releasing = asyncio.create_task(bricks.release("a"))
        await asyncio.sleep(0)
        assert await say(bricks, "a", "well") == ["well"]
        await releasing

    run_bricks(scenario, Residency("budgeted"), a=SLOW)


def test_a_brick_that_ends_after_its_last_word_was_sent_is_no_longer_loaded() -> None:
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        async with aclosing(bricks.run("a", Sentence("one two"))) as words:
            await anext(words)
            slot = bricks._slots["a"]
            assert slot.worker is not None
            await asyncio.sleep(0.05)  # the rest is sent
            os.kill(slot.worker.pid, signal.SIGKILL)
            await slot.worker.dead.wait()
            assert [word.text async for word in words] == ["two"]
        assert "a" not in bricks.pids()
        bricks.prepare("a")
        await bricks.settled()
        assert "a" in bricks.pids()
        assert [event.kind for event in events] == ["load", "execute", "died", "load"]

    run_bricks(scenario, Residency("budgeted"), a={})


def test_a_brick_that_loads_when_the_mode_changes_leaves_when_it_is_loaded() -> None:
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await until(lambda: "a" in bricks.pids())
        await bricks.apply(CASCADE)
        await bricks.settled()
        assert set(bricks.pids()) == {"fork_server"}

    run_bricks(scenario, Residency("resident"), a=SLOW, b={})


def test_a_brick_that_is_kept_again_before_its_run_has_ended_is_loaded_after_it() -> None:
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await bricks.settled()
        async with aclosing(bricks.run("a", Sentence("one two"))) as words:
            await anext(words)
            bricks.load_when_needed({"a"})
            await asyncio.sleep(0)
            bricks.load_when_needed(())
        await bricks.settled()
        assert "a" in bricks.pids()

    run_bricks(scenario, Residency("resident"), a={})


def test_a_server_that_is_stopped_while_it_imports_does_not_hold_up_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_import.py").write_text("import time; time.sleep(5)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)

    async def scenario() -> None:
        server = ForkServer(preload=("slow_import",))
        server.start()
        stopping = asyncio.create_task(server.stop())
        await asyncio.sleep(0)
        began_s = time.monotonic()
        server.start()
        assert time.monotonic() - began_s < 1.0
        assert server.pid is not None
        server.kill()
        await stopping
        await server.stop()

    asyncio.run(scenario())


def test_a_fork_server_that_is_stuck_holds_up_no_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_handle, "REAP_GRACE_S", 0.2, raising=False)

    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        await say(bricks, "a", "one")
        stuck = bricks.pids()["fork_server"]
        os.kill(stuck, signal.SIGSTOP)
        try:
            async with asyncio.timeout(10):
                await bricks.release("a")
        finally:
            with suppress(ProcessLookupError):
                os.kill(stuck, signal.SIGCONT)
        assert await say(bricks, "a", "again") == ["again"]
        assert bricks.pids()["fork_server"] != stuck

    run_bricks(scenario, Residency("budgeted"), server=own_server, a={})


def test_a_system_that_starts_no_process_costs_one_answer_and_no_other_brick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scarce.py").write_text(
        "import errno, os\n"
        "fork, at = os.fork, iter(range(9))\n"
        "def scarce():\n"
        "    if next(at) == 1:\n"
        "        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))\n"
        "    return fork()\n"
        "os.fork = scarce\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)

    async def scenario() -> None:
        bricks = Bricks(toy_pack(a={}, b={}), server=ForkServer(preload=(*PRELOAD, "scarce")))
        await bricks.apply(Residency("budgeted"))
        try:
            assert await say(bricks, "a", "one") == ["one"]
            before = bricks.pids()
            with pytest.raises(BrickFailed, match=r"starts no process \(Cannot allocate memory\)"):
                await say(bricks, "b", "two")
            assert bricks.pids() == before
            assert await say(bricks, "b", "two") == ["two"]
        finally:
            await bricks.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("call", ["os.memfd_create", "socket.socketpair", "subprocess.Popen"])
def test_a_main_process_that_is_short_of_memory_or_files_costs_one_answer(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(bricks: Bricks, events: list[BrickEvent]) -> None:
        def refuse(*_: Any, **__: Any) -> Any:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

        with monkeypatch.context() as scarce:
            scarce.setattr(call, refuse)
            with pytest.raises(BrickFailed, match=r"can't be started \(Too many open files\)"):
                await say(bricks, "a", "one")
        assert await say(bricks, "a", "well") == ["well"]

    run_bricks(scenario, Residency("budgeted"), server=own_server, a={})
