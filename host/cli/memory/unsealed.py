"""`headband memory export` and `report`: what leaves the memory unsealed, for its owner alone."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from host.cli.memory.opened import Opened, found_by_words
from host.memory.database import unreadable
from host.memory.report import WARNING, html_report
from host.memory.things import SeenThing
from host.memory.values import Damaged, MemoryProblem, Row
from host.terminal.output_paths import refuse_same_file, writable_file, writable_folder
from host.terminal.usage import UsageError
from models.atomic_file import PRIVATE, naming, sync_folder, write_whole


def export(opened: Opened, options: argparse.Namespace) -> int:
    """`headband memory export`; returns the exit code."""
    folder: Path = options.folder
    writable_folder(folder, "the pictures")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder.")
    rows, damage = _left(opened)
    index, problems = [], []
    with _all_or_nothing(folder) as saved:
        for number, row in rows.items():
            try:
                picture = opened.store.picture(number)
            except MemoryProblem as problem:
                problems.append(problem)
                continue
            if picture is not None:
                seen = None if row is None else opened.store.things(number)
                index.append(_exported(folder, number, row, picture, seen, saved))
            elif row is not None:
                problems.append(MemoryProblem(f"View {number} has no picture any more."))
        if damage is not None and not index:
            raise Damaged(unreadable(opened.store.path, "no picture is left")) from damage
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        saved.append(folder / "views.json")
        write_whole(saved[-1], json.dumps(index, indent=1), PRIVATE)
    for told in problems:
        print(told, file=sys.stderr)
    bare = sum(rows[view["number"]] is None for view in index)
    if bare:
        print(f"Of {bare} of them only the picture is left, and not when it was taken.", file=sys.stderr)
    views = "1 view is" if len(index) == 1 else f"{len(index)} views are"
    print(f"{views} in {folder}. Who has this folder has the pictures: they are not sealed.")
    return 0 if len(index) == len(rows) and damage is None else 1


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[list[Path]]:
    """Gives a list for the files that are saved in a folder, and removes those where Ctrl-C or an error ends
    it: the pictures are not sealed, and lack their index.
    """
    there, saved = folder.is_dir(), list[Path]()
    try:
        yield saved
    except BaseException:
        for path in saved:
            with suppress(OSError):
                path.unlink()
        if not there:
            with suppress(OSError):
                folder.rmdir()
        raise


def _left(opened: Opened) -> tuple[Mapping[int, Row | None], Damaged | None]:
    """The views by number, oldest first; None where the row is lost, and what is damaged then."""
    try:
        return {row.number: row for row in opened.store.rows(opened.now)}, None
    except Damaged as damage:
        return opened.store.salvaged(opened.now), damage


def _exported(
    folder: Path,
    number: int,
    row: Row | None,
    picture: bytes,
    seen: Sequence[SeenThing] | None,
    saved: list[Path],
) -> dict[str, Any]:
    """Saves a picture; what the index says of it. row: None where it is lost; seen: the things in it, None
    where no object detector looked.
    """
    name = f"{number:06d}.jpg"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    saved.append(folder / name)
    write_whole(folder / name, picture, PRIVATE)
    if row is not None:
        os.utime(folder / name, (row.time_s, row.time_s))
    things = {} if seen is None else {"things": [asdict(each) for each in seen]}
    return {**({"number": number} if row is None else asdict(row)), **things, "file": name}


def report(opened: Opened, options: argparse.Namespace) -> int:
    """`headband memory report`; returns the exit code."""
    writable_file(options.out, "the report")
    refuse_same_file((options.out,), opened.files)
    if options.pack is not None and not options.query:
        raise UsageError("--pack places the words of --query: give both, or neither.")
    found = found_by_words(opened, options, options.query, 10, None) if options.query else []
    recalled = list(zip(options.query, found, strict=True))
    page = html_report(opened.store.rows(opened.now), opened.store.picture, recalled)
    save(options.out, (piece.encode() for piece in page))
    print(f"The report is {options.out}. {WARNING}")
    return 0


def save(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a file that only its owner may read, piece by piece and whole or not at all, or into the pipe or
    device of that name.
    """
    if path.exists() and not path.is_file():
        with naming(path), path.open("wb") as file:
            file.writelines(pieces)
        return
    named = path
    path = path.resolve()
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with naming(named):
            with fresh.open("wb") as file:
                os.fchmod(file.fileno(), PRIVATE)
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(path.parent)
