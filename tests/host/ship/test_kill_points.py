"""A power cut before each single disk operation of a deploy: `current` is complete, and so is the release
that the next deploy makes current, also if that release was being deleted.

The remote side's process ends at that operation.
"""

from __future__ import annotations

import os
import signal
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


def stopping(prefix: Path, release: Release) -> int:
    """The process of a deploy that stops before each change to the disk until it is told to go on."""
    pid = os.fork()  # for an audit hook stays as long as its process
    if pid == 0:

        def before(event: str, values: tuple[Any, ...]) -> None:
            opened = event == "open" and isinstance(values[2], int) and values[2] & (os.O_WRONLY | os.O_RDWR)
            swaps = event == "ctypes.dlsym" and values[1] == "renameat2"
            if event in CHANGES or opened or swaps:
                os.kill(os.getpid(), signal.SIGSTOP)

        try:
            sys.addaudithook(before)
            deploy(prefix, release)
            os._exit(0)
        except BaseException as problem:
            print(repr(problem), file=sys.stderr)
        finally:
            os._exit(1)
    return pid


def copied(base: Path, name: str) -> Path:
    """Copies a tree with its hard links, whose number shows whether a release needs a file."""
    prefix = base.with_name(name)
    subprocess.run(["cp", "-a", base, prefix], check=True)
    return prefix


def each_cut(base: Path, release: Release, then: Callable[[Path], None]) -> int:
    """Deploys with a cut before the first change, the second, and so on; returns the number of changes.

    A cut leaves what the changes before it have made, and nothing of what the process holds: what is on the
    disk of a deploy that has stopped there. One deploy that stops again and again shows the disk of each cut.
    """
    prefix = copied(base, "deploying")
    pid = stopping(prefix, release)
    changes = 0
    try:
        while os.WIFSTOPPED(status := os.waitpid(pid, os.WUNTRACED)[1]):
            disk = copied(prefix, f"cut-{changes}")
            try:
                then(disk)
            except (AssertionError, DeployRefused, OSError) as problem:
                raise AssertionError(f"cut before change {changes}: {problem}") from problem
            subprocess.run(["rm", "-rf", disk], check=True)
            changes += 1
            os.kill(pid, signal.SIGCONT)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    assert os.waitstatus_to_exitcode(status) == 0, "what failed is on stderr"
    then(prefix)
    subprocess.run(["rm", "-rf", prefix], check=True)
    return changes


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
