"""A disk that loses what was not synced: from the changes of a program below a folder it makes the folder
that a power cut between two of them may leave.

The disk keeps less than ext4 promises. Of the names that no sync of their folder has secured, any may be
missing and any may be there, whatever was changed first; a rename is there as a whole or not at all. Of the
content that no sync of its file has secured, any beginning may be there, the rest zeros or missing.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Names = dict[str, int]


@dataclass
class Inode:
    """A file (`data`), a symbolic link (`target`) or a folder (`names`: name -> inode)."""

    data: bytes | None = None
    target: str | None = None
    names: Names | None = None
    mode: int = 0o644

    def copy(self) -> Inode:
        """A copy whose names can be changed."""
        return Inode(self.data, self.target, None if self.names is None else dict(self.names), self.mode)


@dataclass(frozen=True)
class Change:
    """One change of the disk. `kind`: names, data, mode, fsync, sync or mark."""

    kind: str
    names: tuple[tuple[int, str, int | None], ...] = ()
    """Folder, name, and the inode that it names then."""
    inode: int = 0
    data: bytes = b""
    mode: int = 0
    mark: Any = None


@dataclass
class Recording:
    """What a program changed: the disk before, and each change."""

    before: dict[int, Inode]
    inodes: dict[int, Inode]
    """Every inode that was ever there, as it was created."""
    changes: list[Change] = field(default_factory=list)

    def marks(self, cut: int) -> list[Any]:
        """The marks before a cut."""
        return [change.mark for change in self.changes[:cut] if change.kind == "mark"]

    def deletes(self, cut: int) -> bool:
        """Whether the last change before a cut only takes a name away."""
        names = self.changes[cut - 1].names
        return bool(names) and all(inode is None for _, _, inode in names)

    def cut(self, cut: int, chance: random.Random, kept: float) -> dict[int, Inode]:
        """The disk that is left after the first `cut` changes. kept: probability that an unsynced change is
        there; 1: every one, as after the death of a process.
        """
        disk = {number: inode.copy() for number, inode in self.inodes.items()}
        for number, inode in self.before.items():
            disk[number] = inode.copy()
        secured: set[int] = set()
        everything = False
        there: list[tuple[Change, bool]] = []
        for change in reversed(self.changes[:cut]):
            if change.kind == "sync":
                everything = True
            elif change.kind == "fsync":
                secured.add(change.inode)
            else:
                touched = {folder for folder, _, _ in change.names} or {change.inode}
                there.append((change, everything or bool(touched & secured)))
        for change, sure in reversed(there):
            if change.kind == "mark" or not (sure or chance.random() < kept):
                continue
            for folder, name, target in change.names:
                name_it(disk[folder], name, target)
            if change.kind == "data":
                disk[change.inode].data = change.data if sure or kept == 1 else torn(change.data, chance)
            elif change.kind == "mode":
                disk[change.inode].mode = change.mode
        return disk


def name_it(folder: Inode, name: str, inode: int | None) -> None:
    """Changes what a name in a folder stands for; None: nothing."""
    assert folder.names is not None
    folder.names.pop(name, None)
    if inode is not None:
        folder.names[name] = inode


def torn(data: bytes, chance: random.Random) -> bytes:
    """Content that was on its way to the disk."""
    there = chance.choice((0, len(data), chance.randint(0, len(data))))
    return data[:there] + bytes(len(data) - there) * chance.randint(0, 1)


def written(disk: dict[int, Inode], folder: Path, inode: int = 0) -> None:
    """Makes a new folder with the contents of a disk, with its hard links."""
    made: dict[int, Path] = {}

    def write(number: int, path: Path) -> None:
        each = disk[number]
        if each.names is not None:
            path.mkdir()
            for name, within in each.names.items():
                write(within, path / name)
        elif number in made:
            os.link(made[number], path, follow_symlinks=False)
            return
        elif each.target is not None:
            path.symlink_to(each.target)
        else:
            path.write_bytes(each.data or b"")
            path.chmod(each.mode)
        made[number] = path

    write(inode, folder)
