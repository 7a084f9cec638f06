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


def made_folder(path: Path | None, what: str) -> None:
    """Makes the folder and those above it where they lack; None asks for none. Raises UsageError, one
    sentence, when that fails or nothing can be written in it.
    """
    if path is None:
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{path} is no folder; name one for {what}.") from None
    except OSError as error:
        raise UsageError(f"The folder {path} for {what} cannot be made: {error.strerror}.") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"In the folder {path} for {what} this user may write nothing.")
