"""Changes to files that a cut of the power leaves either done or not begun. Sent to the headband's computer:
standard library only.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """The names in a folder reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fresh(folder: Path) -> Path:
    """An empty folder beside the place where it belongs; what an earlier try left there goes."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def finish(part: Path, folder: Path) -> None:
    """A folder from `fresh` is whole: everything in it reaches the disk, then it gets its name."""
    os.sync()
    part.rename(folder)
    sync_folder(folder.parent)


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
