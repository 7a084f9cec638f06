"""Where a command is asked to leave its files, looked at before it works for them."""

from __future__ import annotations

import os
from pathlib import Path

from host.cli import UsageError


def writable_file(path: Path | None, what: str) -> None:
    """Raises UsageError, one sentence, unless a file can be written at `path`; None asks for none."""
    if path is None:
        return
    folder = path.resolve().parent
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file for {what}.")
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} for {what} does not exist.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"{path} for {what} may not be written by this user.")


def writable_folder(path: Path | None, what: str) -> None:
    """Raises UsageError, one sentence, unless `path` is a folder for new files or can become one; None asks
    for none.
    """
    if path is None:
        return
    there = next(above for above in (path.resolve(), *path.resolve().parents) if above.exists())
    if not there.is_dir():
        raise UsageError(f"{there} is no folder; name one for {what}.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"In the folder {there} this user may write nothing; name another one for {what}.")
