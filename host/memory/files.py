"""Which files a memory is made of. Without SQLite, which only the memory brick loads."""

from __future__ import annotations

from pathlib import Path

from models.atomic_file import sync_folder

_BESIDE = ("", "-wal", "-shm", "-journal")


def files(path: Path) -> list[Path]:
    """The database and what SQLite writes beside it, as far as they are there."""
    return [each for each in (path.with_name(path.name + end) for end in _BESIDE) if each.exists()]


def removed(path: Path) -> None:
    """Deletes the database and what is beside it, and syncs that. Raises `OSError`."""
    for each in reversed(files(path)):  # the database last: without it the others mean nothing
        each.unlink()
    if path.parent.is_dir():
        sync_folder(path.parent)
