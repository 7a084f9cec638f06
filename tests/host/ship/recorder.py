"""Follows what a program changes below a folder, for `disk.py`: names by Python's audit events, contents when
the next change begins, and syncs.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from host.ship import atomic
from tests.host.ship.disk import Change, Inode, Recording, name_it


class Recorder:
    """Follows a program's changes below a folder by Python's audit events and its syncs."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._numbers: dict[int, int] = {}
        disk: dict[int, Inode] = {}
        self._scan(root, disk)
        self.recording = Recording({number: each.copy() for number, each in disk.items()}, {})
        self._live = disk
        self._open: tuple[int, str] | None = None

    def _scan(self, path: Path, disk: dict[int, Inode]) -> int:
        found = path.lstat()
        if found.st_ino in self._numbers:
            return self._numbers[found.st_ino]
        number = self._numbers[found.st_ino] = len(self._numbers)
        if stat.S_ISLNK(found.st_mode):
            disk[number] = Inode(target=os.readlink(path))
        elif stat.S_ISDIR(found.st_mode):
            disk[number] = Inode(names={})
            names = {each.name: self._scan(each, disk) for each in path.iterdir()}
            disk[number].names = names
        else:
            disk[number] = Inode(data=path.read_bytes(), mode=stat.S_IMODE(found.st_mode))
        return number

    def mark(self, mark: Any) -> None:
        """Notes something that is not on the disk."""
        self._settle()
        self.recording.changes.append(Change("mark", mark=mark))

    def event(self, event: str, values: tuple[Any, ...]) -> None:
        """One audit event, which comes before what it names happens."""
        match event:
            case "open":
                if isinstance(values[0], int) or not values[2] & (os.O_WRONLY | os.O_RDWR):
                    return
                if place := self._place(values[0], -1):
                    self._settle()
                    self._written(place, os.fspath(os.fsdecode(values[0])))
            case "os.rename":
                old, new = self._place(values[0], values[2]), self._place(values[1], values[3])
                if old and new and (inode := self._inode(old)) is not None:
                    self._change((*old, None), (*new, inode))
            case "os.link":
                old, new = self._place(values[0], values[2]), self._place(values[1], values[3])
                if old and new and self._inode(new) is None:
                    self._change((*new, self._inode(old)))
            case "os.symlink":
                if (new := self._place(values[1], values[2])) and self._inode(new) is None:
                    self._change((*new, self._made(Inode(target=os.fspath(values[0])))))
            case "os.mkdir":
                if (new := self._place(values[0], values[2])) and self._inode(new) is None:
                    self._change((*new, self._made(Inode(names={}))))
            case "os.remove" | "os.rmdir":
                if (old := self._place(values[0], values[1])) and self._inode(old) is not None:
                    self._change((*old, None))
            case "os.chmod":
                place = None if isinstance(values[0], int) else self._place(values[0], values[2])
                if place and (inode := self._inode(place)) is not None:
                    self._settle()
                    self.recording.changes.append(Change("mode", inode=inode, mode=values[1]))

    def swap(self, one: Path, other: Path) -> None:
        """Two names are exchanged."""
        first, second = self._place(one, -1), self._place(other, -1)
        assert first and second
        self._change((*first, self._inode(second)), (*second, self._inode(first)))

    def fsync(self, descriptor: int) -> None:
        """A file or folder is synced."""
        self._settle()
        place = self._place(os.readlink(f"/proc/self/fd/{descriptor}"), -1, folder=True)
        if place and (inode := self._inode(place)) is not None:
            self.recording.changes.append(Change("fsync", inode=inode))

    def sync(self) -> None:
        """Everything is synced."""
        self._settle()
        self.recording.changes.append(Change("sync"))

    def finish(self) -> Recording:
        """What was recorded."""
        self._settle()
        return self.recording

    def _place(self, path: Any, dir_fd: int | None, *, folder: bool = False) -> tuple[int, str] | None:
        """The inode of the folder of a path, and the name in it; None outside of the disk."""
        text = os.path.abspath(
            os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), os.fsdecode(path))
            if dir_fd is not None and dir_fd >= 0
            else os.fsdecode(path)
        )
        if folder and text == str(self._root):
            return (0, ".")
        above = Path(os.path.realpath(os.path.dirname(text)))
        if not above.is_relative_to(self._root):
            return None
        number = 0
        for part in above.relative_to(self._root).parts:
            names = self._live[number].names
            assert names is not None
            if part not in names:
                return None
            number = names[part]
        return (number, os.path.basename(text))

    def _inode(self, place: tuple[int, str]) -> int | None:
        if place[1] == ".":
            return place[0]
        names = self._live[place[0]].names
        return None if names is None else names.get(place[1])

    def _made(self, inode: Inode) -> int:
        number = len(self._numbers)
        self._numbers[-number] = number
        self._live[number] = inode
        self.recording.inodes[number] = inode.copy()
        return number

    def _written(self, place: tuple[int, str], path: str) -> None:
        number = self._inode(place)
        if number is None:
            number = self._made(Inode(data=b""))
            self._change((*place, number))
        self._open = (number, path)

    def _change(self, *names: tuple[int, str, int | None]) -> None:
        self._settle()
        self._open = None  # written by now, and its path may name another file after this
        for folder, name, inode in names:
            name_it(self._live[folder], name, inode)
        self.recording.changes.append(Change("names", tuple(names)))

    def _settle(self) -> None:
        """Notes what was written to the file that was opened last."""
        if self._open is None:
            return
        number, path = self._open
        with suppress(OSError):
            data = Path(path).read_bytes()
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if data != self._live[number].data:
                self._live[number].data = data
                self.recording.changes.append(Change("data", inode=number, data=data))
            if mode != self._live[number].mode:
                self._live[number].mode = mode
                self.recording.changes.append(Change("mode", inode=number, mode=mode))


_RECORDERS: list[Recorder] = []
"""The one that records now; an audit hook stays for as long as the process."""
_hooked: list[bool] = []


def _heard(event: str, values: tuple[Any, ...]) -> None:
    if _RECORDERS and (event == "open" or event.startswith("os.")):
        recorder = _RECORDERS.pop()  # what it does itself is not recorded
        try:
            recorder.event(event, values)
        finally:
            _RECORDERS.append(recorder)


def _quietly(call: Callable[..., None], *values: Any) -> None:
    recorder = _RECORDERS.pop()
    try:
        call(recorder, *values)
    finally:
        _RECORDERS.append(recorder)


@contextmanager
def recorded(root: Path) -> Iterator[Recorder]:
    """Records what this process changes below `root` within the block; the disk is not waited for."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_heard)
    before = (os.sync, os.fsync, atomic._exchange_names)

    def exchange(one: Path, other: Path) -> bool:
        _quietly(Recorder.swap, one, other)
        return before[2](one, other)

    os.sync = lambda: _quietly(Recorder.sync)
    os.fsync = lambda descriptor: _quietly(Recorder.fsync, descriptor)  # type: ignore[assignment]
    atomic._exchange_names = exchange
    _RECORDERS.append(Recorder(root))
    try:
        yield _RECORDERS[-1]
    finally:
        _RECORDERS.clear()
        os.sync, os.fsync, atomic._exchange_names = before
