"""Changes to files that a cut of the power leaves either done or not begun. Sent to the headband's computer:
standard library only.

A folder whose name ends in `.part` is being made or being removed: nothing in it counts.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from contextlib import suppress
from pathlib import Path

PART = ".part"
_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""


def sync_folder(folder: Path) -> None:
    """The names in a folder reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fresh(folder: Path) -> Path:
    """An empty folder beside the place where it belongs; what an earlier try left there goes."""
    part = folder.with_name(folder.name + PART)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def finish(part: Path, folder: Path) -> None:
    """A folder from `fresh` is whole: everything in it reaches the disk, then it gets its name. What had that
    name, and was not whole, goes: the name is there all the while, since `current` may lead through it.
    """
    os.sync()
    if not folder.is_dir():
        part.rename(folder)
        sync_folder(folder.parent)
        return
    if not _exchange(part, folder):  # a file system that can't do that
        old = fresh(folder.with_name(folder.name + ".old"))
        folder.rename(old)
        part.rename(folder)
        part = old
    sync_folder(folder.parent)
    shutil.rmtree(part)


def remove(folder: Path) -> None:
    """A folder goes. It loses its name first: half of it never stands where the whole stood."""
    if not folder.name.endswith(PART):
        away = fresh(folder)
        folder.rename(away)
        sync_folder(folder.parent)
        folder = away
    shutil.rmtree(folder)


def _exchange(one: Path, other: Path) -> bool:
    """Two folders swap their names in one step; False where that can't be done."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        swap = libc.renameat2
    except AttributeError:
        return False
    return bool(swap(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def point(link: Path, target: str) -> None:
    """A link points somewhere else from now on."""
    if link.is_symlink() and os.readlink(link) == target:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    scratch = link.with_name(f".{link.name}.new")
    scratch.unlink(missing_ok=True)
    scratch.symlink_to(target)
    scratch.replace(link)
    sync_folder(link.parent)


def write_whole(path: Path, data: bytes, mode: int = 0o644) -> bool:
    """Write a small file, the old one or the new one at any moment; False where it says so already."""
    with suppress(OSError):
        if path.read_bytes() == data:
            return False
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    with open(scratch, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
    sync_folder(path.parent)
    return True
