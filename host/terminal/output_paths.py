"""Where a command is asked to leave its files: tried before it works for them, and written at its end."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from host.terminal.usage import UsageError, one_line


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
            if path.is_file():
                path.open("ab").close()
            elif not os.access(
                path, os.W_OK
            ):  # a pipe that is opened and closed would have ended for its reader
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); name another for {what}.") from None
    _try(folder, what)


def apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Raises UsageError, one sentence, where an output is the same file as an input or as another output, by
    whatever name. None is no file; what is no regular file, such as /dev/null, may be named twice.
    """
    read = [path for path in inputs if path is not None]
    written = [path for path in outputs if path is not None]
    for place, output in enumerate(written):
        others = [(path, "this command reads") for path in read]
        others += [(path, "is written as well") for path in written[:place]]
        for other, what in others:
            if _same(output, other):
                which = "is a file that" if output == other else f"is the same file as {other}, which"
                raise UsageError(f"{output} {which} {what}; name another.")


def _same(first: Path, second: Path) -> bool:
    try:
        if first.exists() and second.exists():
            return first.is_file() and first.samefile(second)
        return first.resolve() == second.resolve()
    except (OSError, RuntimeError):  # a loop of links; what is wrong with either is said where it is used
        return False


def saved(write: Callable[[Path], object], path: Path | None) -> str | None:
    """Writes a file with `write`; None asks for none. Returns None, or one sentence why it could not be
    written: then what there is of it goes, and the command goes on.
    """
    if path is None:
        return None
    try:
        write(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            if path.is_file():
                path.resolve().unlink()
        return f"{path} could not be written ({error.strerror or error})."
    return None


def missed(problems: Iterable[str | None]) -> Sequence[str]:
    """Tells about the files that could not be written, and returns the sentences: with any, exit code 1."""
    told = [problem for problem in problems if problem is not None]
    for problem in told:
        print(one_line(problem), file=sys.stderr)
    return told


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
