"""`headband memory`: looks into what the headband remembers, on the disk of the computer that keeps it."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from host.app.open_board import chosen_board, open_board, usable_npu
from host.config import Config, with_pack
from host.memory.database import unreadable
from host.memory.files import files
from host.memory.key import DATABASE, LOST, forget_everything, is_lost, known_key
from host.memory.report import WARNING, html_report
from host.memory.store import MemoryStore
from host.memory.values import Damaged, Match, MemoryProblem, Moment, Row
from host.terminal.output_paths import writable_file, writable_folder
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError, print_json
from host.wearer.recording_request import headband_runs
from host.wearer.recording_state import recording_requests_path
from host.wearer.saved_settings import memory_folder, memory_key_file, saved_settings_path
from hw.board import Board
from hw.device import DeviceError
from hw.linux.system_clock import SystemClock, boot_id
from models.atomic_file import PRIVATE, write_whole
from models.brick import Phrase, Recall
from models.pack.catalogue import load_pack
from models.process.bricks import Bricks
from models.process.residency import Residency

RUNS = (
    'A headband runs with these settings: tell it "forget everything", or end it first '
    "(on a headband: sudo systemctl stop headband)."
)
NOTHING = "Nothing is remembered yet."


@dataclass
class _Opened:
    """The store of these settings, opened when it is first used."""

    config: Config
    folder: Path
    board: Board
    now: Moment
    opened: MemoryStore | None = None

    @property
    def store(self) -> MemoryStore:
        """The store. Raises `MemoryProblem` when nothing is remembered, or can be read."""
        if self.opened is None:
            assert self.board.key_page is not None
            lost = is_lost(self.board.key_page, self.folder)
            key = known_key(self.board.key_page, self.folder)
            if key is None or not files(self.folder / DATABASE):
                raise MemoryProblem(LOST if lost else NOTHING)
            self.opened = MemoryStore(self.folder / DATABASE, key, self.config.memory, create=False)
        return self.opened


def memory(options: argparse.Namespace) -> int:
    """`headband memory ACTION`; returns the exit code. Raises `UsageError`."""
    action = {
        "status": _status, "search": _search, "show": _show, "forget": _forget, "verify": _verify,
        "rebuild": _rebuild, "export": _export, "report": _report,
    }[options.action]  # fmt: skip
    try:
        with _memory_of(options) as opened:
            return action(opened, options)
    except MemoryProblem as problem:
        raise UsageError(str(problem)) from None


@contextmanager
def _memory_of(options: argparse.Namespace) -> Iterator[_Opened]:
    config = chosen_settings(options.config)
    folder = memory_folder(config)
    if folder is None:
        raise UsageError("Nothing is kept here ([journal] path is empty), so there is no memory.")
    board = open_board(chosen_board(config.board, options.board), key_file=memory_key_file(config))
    clock = SystemClock()
    opened = _Opened(config, folder, board, Moment(boot_id(), clock.monotonic(), clock.time()))
    try:
        if board.key_page is None:
            raise UsageError("This board has no microcontroller that keeps the memory's key.")
        yield opened
    finally:
        if opened.opened is not None:
            opened.opened.close()
        with suppress(DeviceError):
            asyncio.run(board.close())


def _status(opened: _Opened, options: argparse.Namespace) -> int:
    if not files(opened.folder / DATABASE):
        print_json({"memory": None}) if options.json else print(NOTHING)
        return 0
    status = opened.store.status(opened.now)
    if options.json:
        print_json({"memory": asdict(status)})
        return 0
    print(f"views      {status.views}, {status.kept} of them kept for good")
    if status.first_s is not None and status.last_s is not None:
        print(f"from       {_when(status.first_s)} to {_when(status.last_s)}")
    print(
        f"size       {status.size_bytes / 1e6:.1f} MB of at most {opened.config.memory.max_bytes / 1e6:.0f}"
    )
    print(f"kept for   {opened.config.memory.retention_days:g} days")
    if status.depths:
        placed = ", ".join(f"{views} after {depth}" for depth, views in sorted(status.depths.items()))
        print(f"placed     {placed} blocks of the encoder")
    if status.activations:
        print(
            f"begun      {status.activations} activations, {status.activation_bytes / 1e6:.1f} MB of at most "
            f"{opened.config.memory.activation_bytes / 1e6:.0f}, from which views are taken on"
        )
    if status.unembedded:
        print(f"unplaced   {status.unembedded} views can't be searched by words yet")
    if status.damaged:
        print(f"damaged    {status.damaged} views can't be opened; `headband memory verify` says which")
    return 0


def _search(opened: _Opened, options: argparse.Namespace) -> int:
    since_s = None if options.last is None else opened.store.time_of(opened.now) - options.last
    matches = _found(opened, options, [options.words], options.count, since_s)[0]
    if options.json:
        print_json({"words": options.words, "found": [{**asdict(m.row), "score": m.score} for m in matches]})
        return 0
    for match in matches:
        print(f"{match.score:6.3f}  {_line(match.row)}")
    if not matches:
        print("Nothing that was placed by this pack's encoder.")
    return 0


def _found(
    opened: _Opened, options: argparse.Namespace, questions: Sequence[str], count: int, since_s: float | None
) -> list[list[Match]]:
    pack = load_pack(with_pack(opened.config, options.pack).pack, npu=usable_npu(opened.config.board))
    if "text" not in pack.bricks:
        raise UsageError(f"Pack '{pack.name}' has no text tower, so views can't be searched by words.")

    async def placed() -> list[Recall]:
        bricks = Bricks(pack)
        try:
            await bricks.apply(Residency("one_at_a_time"))
            return [recall for words in questions async for recall in bricks.run("text", Phrase(words))]
        finally:
            await bricks.close()

    store = opened.store  # before the tower is loaded: there may be nothing to search
    return [
        store.search(recall.vector, recall.encoder, count, opened.now, since_s)
        for recall in asyncio.run(placed())
    ]


def _show(opened: _Opened, options: argparse.Namespace) -> int:
    writable_file(options.out, "the picture")
    row = opened.store.row(options.id, opened.now)
    picture = opened.store.picture(options.id)
    if row is None or picture is None:
        raise UsageError(f"There is no view {options.id}.")
    if options.out is not None:
        _save(options.out, picture)
    if options.json:
        print_json({"view": asdict(row)})
        return 0
    print(_line(row))
    print(f"gate       {row.reason}\nplaced     after {row.depth} blocks of {row.encoder or 'no encoder'}")
    print(f"picture    {row.picture_bytes} bytes{f', saved as {options.out}' if options.out else ''}")
    return 0


def _forget(opened: _Opened, options: argparse.Namespace) -> int:
    if [options.id is not None, options.last is not None, options.all].count(True) != 1:
        raise UsageError("Say what to forget: ID, --last TIME or --all.")
    if options.all:
        lock = recording_requests_path(saved_settings_path(opened.config))
        if lock is not None and headband_runs(lock):
            print(RUNS, file=sys.stderr)
            return 1
        assert opened.board.key_page is not None
        forget_everything(opened.board.key_page, opened.folder)
        print("Everything is forgotten: the key is destroyed, and what it sealed is deleted.")
        return 0
    if options.last is not None:
        count = opened.store.forget_since(opened.store.time_of(opened.now) - options.last, opened.now)
    else:
        count = opened.store.forget([options.id])
        if not count:
            raise UsageError(f"There is no view {options.id}.")
    print(f"Forgotten: {count} view{'' if count == 1 else 's'}.")
    return 0


def _verify(opened: _Opened, options: argparse.Namespace) -> int:
    found = opened.store.verify()
    if options.json:
        begun = {"damaged_activations": found.activations}
        print_json({"damaged": found.views, **begun, "problems": found.problems})
    else:
        for problem in found.problems:
            print(f"database: {problem}")
        views = ", ".join(map(str, found.views))
        print(f"damaged views: {views}" if found.views else "Every view is whole.")
        if found.activations:
            count = len(found.activations)
            print(f"damaged activations: {count}; their views are taken on from their pictures")
    return 1 if found.views or found.problems else 0


def _rebuild(opened: _Opened, options: argparse.Namespace) -> int:
    print(f"The index was made anew from {opened.store.rebuild()} rows.")
    return 0


def _export(opened: _Opened, options: argparse.Namespace) -> int:
    folder: Path = options.folder
    writable_folder(folder, "the pictures")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder.")
    rows, damage = _left(opened)
    index, problems = [], []
    with _all_or_nothing(folder):
        for number, row in rows.items():
            try:
                picture = opened.store.picture(number)
            except MemoryProblem as problem:
                problems.append(problem)
                continue
            if picture is not None:
                index.append(_exported(folder, number, row, picture))
        if damage is not None and not index:
            raise Damaged(unreadable(opened.store.path, "no picture is left")) from damage
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(folder / "views.json", json.dumps(index, indent=1), PRIVATE)
    for told in problems:
        print(told, file=sys.stderr)
    bare = sum(rows[view["number"]] is None for view in index)
    if bare:
        print(f"Of {bare} of them only the picture is left, and not when it was taken.", file=sys.stderr)
    print(f"{len(index)} views are in {folder}. Who has this folder has the pictures: they are not sealed.")
    return 0 if len(index) == len(rows) and damage is None else 1


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[None]:
    """Removes what was saved in a folder, which was empty or not there, where Ctrl-C or an error ends it: the
    pictures are not sealed, and lack their index.
    """
    there = folder.is_dir()
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for saved in folder.iterdir():
                saved.unlink()
            if not there:
                folder.rmdir()
        raise


def _left(opened: _Opened) -> tuple[Mapping[int, Row | None], Damaged | None]:
    """The views by number, oldest first; None where the row is lost, and what is damaged then."""
    try:
        return {row.number: row for row in opened.store.rows(opened.now)}, None
    except Damaged as damage:
        return opened.store.salvaged(opened.now), damage


def _exported(folder: Path, number: int, row: Row | None, picture: bytes) -> dict[str, Any]:
    """Saves a picture; what the index says of it. row: None where it is lost."""
    name = f"{number:06d}.jpg"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(folder / name, picture, PRIVATE)
    if row is not None:
        os.utime(folder / name, (row.time_s, row.time_s))
    return {**({"number": number} if row is None else asdict(row)), "file": name}


def _report(opened: _Opened, options: argparse.Namespace) -> int:
    writable_file(options.out, "the report")
    if options.pack is not None and not options.query:
        raise UsageError("--pack places the words of --query: give both, or neither.")
    found = _found(opened, options, options.query, 10, None) if options.query else []
    recalled = list(zip(options.query, found, strict=True))
    page = html_report(opened.store.rows(opened.now), opened.store.picture, recalled)
    _save(options.out, page.encode())
    print(f"The report is {options.out}. {WARNING}")
    return 0


def _save(path: Path, content: bytes) -> None:
    """Writes a file that only its owner may read, or into the pipe or device of that name."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        write_whole(path.resolve(), content, PRIVATE)


def _line(row: Row) -> str:
    kept = f", kept{f' as {row.name}' if row.name else ''}" if row.kept else ""
    return f"view {row.number}  {_when(row.time_s)}{kept}"


def _when(time_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_s))
