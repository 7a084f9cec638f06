"""Which files a memory is made of. Without SQLite, which only the memory brick loads."""

from __future__ import annotations

import os
from pathlib import Path

from host.memory.values import MemoryProblem
from models.atomic_file import sync_folder

_BESIDE = ("", "-wal", "-shm", "-journal")


def real(path: Path) -> Path:
    """The file that a link leads to: SQLite keeps what belongs to a database beside that."""
    return Path(os.path.realpath(path))


def files(path: Path) -> list[Path]:
    """The database and what SQLite writes beside it, as far as they are there. Raises `MemoryProblem` where
    that can't be seen.
    """
    found = real(path)
    try:
        return [each for each in (found.with_name(found.name + end) for end in _BESIDE) if each.exists()]
    except OSError as error:
        raise MemoryProblem(f"The memory {path} can't be opened: {error.strerror}.") from None


def removed(path: Path) -> None:
    """Deletes the database and what is beside it, and syncs that. Raises `OSError` or `MemoryProblem`."""
    for each in reversed(files(path)):  # the database last: without it the others mean nothing
        each.unlink()
    folder = real(path).parent
    if folder.is_dir():
        sync_folder(folder)
