"""Files of an export that are replaced together, so that none of an earlier export stays among them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MOVING = ".moving"
"""Stands in a folder while an export is moved into it."""


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """A new folder for all files of `folder`, which takes its place when they are complete. Where the work is
    cut before, `folder` stays as it was; cut between two renames, it is missing until the next export.
    """
    unfinished, earlier = (folder.with_name(f".{folder.name}.{state}") for state in ("new", "old"))
    if earlier.is_dir() and not folder.exists():
        os.rename(earlier, folder)
    with _new_folder(unfinished):
        yield unfinished
        shutil.rmtree(earlier, ignore_errors=True)
        if folder.is_dir():
            os.rename(folder, earlier)
        os.rename(unfinished, folder)
    shutil.rmtree(earlier, ignore_errors=True)


@contextmanager
def moved_in(out: Path, subfolder: str) -> Iterator[Path]:
    """A new folder for files that replace those in `out` when all are complete; `subfolder` there has no
    others afterwards. Where the move is cut, `moved_whole` is false until the next one is done.
    """
    with _new_folder(out / ".new") as unfinished:
        yield unfinished
        (out / _MOVING).touch()
        (out / subfolder).mkdir(exist_ok=True)
        for path in sorted((out / subfolder).iterdir()):
            if path.is_file() and not (unfinished / subfolder / path.name).exists():
                path.unlink()
        for path in sorted(unfinished.rglob("*.*")):
            os.replace(path, out / path.relative_to(unfinished))
        (out / _MOVING).unlink()


def moved_whole(out: Path) -> bool:
    """Whether the files in `out` are those of one export."""
    return not (out / _MOVING).exists()


@contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """An empty folder, which is not there afterwards."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
