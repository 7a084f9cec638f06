"""Changes to files and folders that are atomic: after a power cut each is either complete or not begun. Sent
to the headband's computer: standard library only.

A folder whose name ends in `.part` is incomplete: a deploy was creating or deleting it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

from models.atomic_file import sync_folder, write_whole

PART = ".part"
_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux, for renameat2(2)."""


def begin_folder(folder: Path) -> Path:
    """Creates an empty `.part` folder beside `folder`, in place of one that an interrupted deploy left."""
    part = folder.with_name(folder.name + PART)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def finish_folder(part: Path, folder: Path) -> None:
    """Syncs a folder from `begin_folder` to the disk, then renames it to `folder`. An incomplete folder of
    that name is replaced by an exchange of names, so that the name always exists (`current` may point to it),
    and deleted.
    """
    os.sync()
    if not folder.is_dir():
        part.rename(folder)
        sync_folder(folder.parent)
        return
    if not _exchange_names(part, folder):  # a file system without RENAME_EXCHANGE
        old = begin_folder(folder.with_name(folder.name + ".old"))
        folder.rename(old)
        part.rename(folder)
        part = old
    sync_folder(folder.parent)
    shutil.rmtree(part)


def remove_folder(folder: Path) -> None:
    """Deletes a folder; it is renamed to `.part` first, so that its name never refers to a part of it."""
    if not folder.name.endswith(PART):
        part = begin_folder(folder)
        folder.rename(part)
        sync_folder(folder.parent)
        folder = part
    shutil.rmtree(folder)


def _exchange_names(one: Path, other: Path) -> bool:
    """Exchanges the names of two folders in one step; returns False where the system cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        swap = libc.renameat2
    except AttributeError:
        return False
    return bool(swap(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def point_link(link: Path, target: str) -> bool:
    """Makes `link` a symbolic link to `target`, in one step; returns False where it is that already."""
    if link.is_symlink() and os.readlink(link) == target:
        return False
    link.parent.mkdir(parents=True, exist_ok=True)
    scratch = link.with_name(f".{link.name}.new")
    scratch.unlink(missing_ok=True)
    scratch.symlink_to(target)
    scratch.replace(link)
    sync_folder(link.parent)
    return True


def has_content(path: Path, content: bytes) -> bool:
    """Whether a file is there with that content."""
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def update_file(path: Path, content: bytes, mode: int = 0o644) -> bool:
    """Replaces a small file as a whole, and returns True; returns False where it has that content already.
    Files that an interrupted call left beside it are removed.
    """
    if has_content(path, content):
        return False
    for leftover in path.parent.glob(f"{path.name}.*.new"):
        leftover.unlink()
    write_whole(path, content, mode)
    return True
