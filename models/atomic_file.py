"""Whole-file replacement: after a crash or a power cut a small file has its old content or its new one.

A deploy sends this module to a headband's computer too: standard library only.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

PRIVATE = 0o600
"""Permissions of what is kept about the wearer: for the owner alone."""


def write_whole(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Replaces a file in one step and syncs it to the disk; creates its folder. Text is written as UTF-8.
    mode: its permissions (default: as the umask says). Raises `OSError` with the file's name; then, and where
    Ctrl-C ends it, the old file and nothing else is there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with naming(path):
            with fresh.open("wb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(path.parent)


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Has an `OSError` name the file that was to be written: that of a full disk names none, and others the
    file of the moment.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def sync_folder(folder: Path) -> None:
    """Syncs the names in a folder to the disk. Raises `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
