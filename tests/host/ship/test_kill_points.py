"""A power cut before each single disk operation of a deploy: `current` is complete, and so is the release
that the next deploy makes current, also if that release was being deleted.

The remote side runs in a process that ends at the chosen operation.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from host.ship import atomic
from host.ship.release import Release
from host.ship.running import DeployRefused
from host.ship.whole import MANIFEST
from tests.host.ship.in_process import assert_whole, checkout, current, deploy, replace_programs

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod"}
CUT, DONE = 77, 0
WORKERS = 2


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_programs(monkeypatch)


@pytest.fixture
def quick_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose changes wait for no disk: in memory, where that is possible, and without syncs. What a
    process has written is there when it has ended, synced or not.
    """
    monkeypatch.setattr(os, "sync", lambda: None)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    memory = Path("/dev/shm")
    within = memory if os.access(memory, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=within) as folder:
        yield Path(folder)


def cut_at(number: int | None, prefix: Path, release: Release) -> bool:
    """A deploy whose process ends before that change to the disk; False if it makes fewer changes."""
    pid = os.fork()
    if pid == 0:
        left = number

        def before(event: str, values: tuple[Any, ...]) -> None:
            nonlocal left
            opened = event == "open" and isinstance(values[2], int) and values[2] & (os.O_WRONLY | os.O_RDWR)
            swaps = event == "ctypes.dlsym" and values[1] == "renameat2"
            if left is not None and (event in CHANGES or opened or swaps):
                if left == 0:
                    os._exit(CUT)
                left -= 1

        try:
            sys.addaudithook(before)
            deploy(prefix, release)
            os._exit(DONE)
        except BaseException as problem:
            print(f"change {number}: {problem!r}", file=sys.stderr)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (CUT, DONE)
    return code == CUT


def copied(base: Path, number: int) -> Path:
    """Copies a tree with its hard links, whose number shows whether a release needs a file."""
    prefix = base.with_name(f"cut-{number}")
    subprocess.run(["cp", "-a", base, prefix], check=True)
    return prefix


def each_cut(base: Path, release: Release, then: Callable[[Path], None]) -> int:
    """Deploys with a cut before the first change, the second, and so on; returns the number of changes.
    Each of `WORKERS` processes takes every other cut.
    """
    fork = multiprocessing.get_context("fork")
    changes: multiprocessing.SimpleQueue[int] = fork.SimpleQueue()

    def every_other(number: int) -> None:
        while True:
            prefix = copied(base, number)
            cut = cut_at(number, prefix, release)
            try:
                then(prefix)
            except (AssertionError, DeployRefused, OSError) as problem:
                raise AssertionError(f"cut before change {number}: {problem}") from problem
            subprocess.run(["rm", "-rf", prefix], check=True)
            if not cut:
                changes.put(number)
                return
            number += WORKERS

    workers = [fork.Process(target=every_other, args=(number,)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * WORKERS, "what failed is on stderr"
    return min(changes.get() for _ in workers)


def test_cut_before_each_change_of_a_deploy_and_of_its_deletions(quick_folder: Path) -> None:
    base = quick_folder / "board"
    first, second, third = releases = [
        checkout(quick_folder, name, f"venv-{name}") for name in ("a", "b", "c")
    ]
    deploy(base, first)
    deploy(base, second)

    def next_deploys(prefix: Path) -> None:
        assert assert_whole(prefix, releases) in (second, third)
        deploy(prefix, first)  # which the cut deploy was about to delete
        assert assert_whole(prefix, releases) is first
        opt = prefix / "opt/headband"
        left = {path.name for path in opt.iterdir()} | {path.name for path in opt.glob("*/*")}
        assert not [name for name in left if name.endswith((".part", ".new")) or name == "incoming"]
        kept = {path.name for path in (opt / "releases").iterdir()}
        assert kept <= {release.name for release in releases} and len(kept) <= 2

    changes = each_cut(base, third, next_deploys)
    assert changes > 37


def test_cut_before_each_change_while_what_is_not_whole_is_replaced(quick_folder: Path) -> None:
    """The environment of `current` has no manifest or is incomplete."""
    base = quick_folder / "board"
    first, second = releases = [checkout(quick_folder, name, "venv") for name in ("a", "b")]
    deploy(base, first)
    (base / "opt/headband/current/venv" / MANIFEST).unlink()

    def still_runs(prefix: Path) -> None:
        assert_whole(prefix, releases)
        deploy(prefix, second)
        assert assert_whole(prefix, releases) is second

    each_cut(base, second, still_runs)

    (base / "opt/headband/current/models/weights.bin").unlink()

    def is_mended(prefix: Path) -> None:
        assert current(prefix) == first.name and (prefix / "opt/headband/current/host/app.py").exists()
        deploy(prefix, first)
        assert assert_whole(prefix, releases) is first

    each_cut(base, first, is_mended)


def test_a_file_system_that_cannot_swap_two_folders_gets_whole_ones_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_exchange_names", lambda one, other: False)
    release = checkout(tmp_path, "a", "venv")
    deploy(tmp_path / "board", release)
    (tmp_path / "board/opt/headband/current/models/weights.bin").unlink()
    (tmp_path / "board/opt/headband/current/venv/bin/python").unlink()
    deploy(tmp_path / "board", release)
    assert_whole(tmp_path / "board", [release])
    assert not list(tmp_path.glob("board/opt/headband/*/*.part"))


def test_the_disk_has_each_step_before_the_next_one_counts_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk may reorder writes between two syncs: nothing is deleted in a folder before its new name is
    synced, and no folder gets its name before its contents are synced.
    """
    first, second, third = (checkout(tmp_path, name, f"venv-{name}") for name in ("a", "b", "c"))
    base = tmp_path / "board"
    deploy(base, first)
    deploy(base, second)
    opt = base / "opt/headband"
    unsafe: set[Path] = set()  # names in these folders are not on the disk yet
    unwritten: set[Path] = set()  # files in these folders are not on the disk yet
    named: list[str] = []

    def folder_of(path: Path) -> Path:
        return opt.joinpath(*path.relative_to(opt).parts[:2])

    def watched(name: str) -> None:
        plain = getattr(os, name)

        def call(*words: Any, **more: Any) -> Any:
            places = [Path(os.fspath(each)) for each in words if isinstance(each, str | Path)]
            if "dir_fd" in more and more["dir_fd"] is not None:
                places = [Path(os.readlink(f"/proc/self/fd/{more['dir_fd']}")) / places[0]]
            inside = [place for place in places if place.is_relative_to(opt) and place != opt]
            if name in ("unlink", "rmdir") and inside and inside[0].parts[-2] != "store":
                gone = folder_of(inside[0])
                assert gone.name.endswith((".part", ".new")) and gone.parent not in unsafe, gone
            if name == "rename" and len(inside) == 2 and inside[0].is_dir():
                assert inside[1].name.endswith(".part") or inside[0] not in unwritten, inside
                unsafe.add(inside[1].parent)
                named.append(inside[1].name)
            if name in ("link", "symlink", "mkdir") and inside:
                unwritten.add(folder_of(inside[-1]))
            return plain(*words, **more)

        monkeypatch.setattr(os, name, call)

    def sync() -> None:
        unwritten.clear()

    def fsync(descriptor: int) -> None:
        unsafe.discard(Path(os.readlink(f"/proc/self/fd/{descriptor}")))

    for name in ("rename", "unlink", "rmdir", "link", "symlink", "mkdir"):
        watched(name)
    monkeypatch.setattr(os, "sync", sync)
    monkeypatch.setattr(os, "fsync", fsync)
    deploy(base, third)
    assert [name.endswith(".part") for name in named] == [False, False, True, True]
    assert not unsafe
