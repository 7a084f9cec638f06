"""Where a command is asked to leave its files, tried before it works for them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from host.usage import UsageError


def writable_file(path: Path | None, what: str) -> None:
    """Raises UsageError, one sentence, unless a file can be written at `path`; None asks for none. What a
    file holds is kept, and none is left behind.
    """
    if path is None:
        return
    try:
        folder = path.resolve().parent
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file for {what}.")
        if not folder.is_dir():
            raise UsageError(f"The folder {folder} for {what} does not exist.")
        if path.exists():
            path.open("ab").close()
            return
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); name another for {what}.") from None
    _try(folder, what)


def writable_folder(path: Path | None, what: str) -> None:
    """Raises UsageError, one sentence, unless `path` is a folder for new files or can become one; None asks
    for none.
    """
    if path is None:
        return
    try:
        there = next(above for above in (path.resolve(), *path.resolve().parents) if above.exists())
        if not there.is_dir():
            raise UsageError(f"{there} is no folder; name one for {what}.")
    except OSError as error:
        raise UsageError(f"{path} cannot be used ({error.strerror}); name another for {what}.") from None
    _try(there, what)


def _try(folder: Path, what: str) -> None:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise UsageError(
            f"Nothing can be written in the folder {folder} ({error.strerror}); name another for {what}."
        ) from None
