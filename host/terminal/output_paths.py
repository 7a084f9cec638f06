"""Output files of commands: checked before the work, written at its end."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from host.terminal.usage import UsageError, one_line

STANDARD_STREAM = Path("-")
"""What stands for standard input where a file is read; no command writes a file to standard output, which has
what it says.
"""


def writable_file(path: Path | None, what: str) -> None:
    """Raises UsageError, one sentence, unless a file can be written at `path` (None: no file is wanted). Does
    not change an existing file, and does not create one.
    """
    if path is None:
        return
    _no_stream(path, what)
    try:
        folder = path.resolve().parent
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file for {what}.")
        if not folder.is_dir():
            raise UsageError(f"The folder {folder} for {what} does not exist.")
        if path.exists():
            if path.is_file():
                path.open("ab").close()
            elif not os.access(path, os.W_OK):  # not opened: its reader would see the end of a pipe
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path} cannot be written ({_why(error)}); name another for {what}.") from None
    _try_folder(folder, what)


def refuse_same_file(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Raises UsageError, one sentence, if an output is the same file as an input or as another output, also
    under another name. None stands for no file; devices such as /dev/null may be named twice.
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
    except (OSError, RuntimeError):  # a loop of links, reported where the path is used
        return False


def save_file(write: Callable[[Path], object], path: Path | None) -> str | None:
    """Writes a file with `write` (path None: does nothing). Returns None, or one sentence why it could not be
    written; an incomplete file is deleted, also where Ctrl-C ends this, and one not yet begun stays.
    """
    if path is None:
        return None
    before = _written(path)
    try:
        write(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            if path.is_file() and _written(path) != before:
                path.resolve().unlink()
        if not isinstance(error, OSError):
            raise
        return f"{path} could not be written ({error.strerror or error})."
    return None


def _written(path: Path) -> tuple[int, int] | None:
    """When it was written last, and its size; None where nothing is."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def print_unsaved(problems: Iterable[str | None]) -> Sequence[str]:
    """Prints the sentences about files that could not be written, and returns them; any means exit code 1."""
    sentences = [problem for problem in problems if problem is not None]
    for problem in sentences:
        print(one_line(problem), file=sys.stderr)
    return sentences


def writable_folder(path: Path | None, what: str) -> None:
    """Raises UsageError, one sentence, unless `path` is a writable folder or can be created as one (None: no
    folder is wanted).
    """
    if path is None:
        return
    _no_stream(path, what)
    try:
        existing = next(above for above in (path.resolve(), *path.resolve().parents) if above.exists())
        if not existing.is_dir():
            raise UsageError(f"{existing} is no folder; name one for {what}.")
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path} cannot be used ({_why(error)}); name another for {what}.") from None
    _try_folder(existing, what)


def _why(error: OSError | RuntimeError) -> str | None:
    """The reason why a path can't be used; pathlib raises `RuntimeError` for a loop of links."""
    return error.strerror if isinstance(error, OSError) else os.strerror(errno.ELOOP)


def _no_stream(path: Path, what: str) -> None:
    if path == STANDARD_STREAM:
        raise UsageError(f"- is no name for {what}, which does not go to standard output; name another.")


def _try_folder(folder: Path, what: str) -> None:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise UsageError(
            f"Nothing can be written in the folder {folder} ({error.strerror}); name another for {what}."
        ) from None
