"""Which of the two slots on a board a deploy may write, and what has to be copied there.

What the files mean is said in `firmware/loader.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from host.flash.image import FirmwareImage
from hw.pmu_usb.flash_files import BoardFlash

SLOTS = ("slot_a", "slot_b")
MARKS = ("manifest", "confirmed", "tried")
"""In the order in which they go when a slot is written anew: without a manifest it is not whole."""


@dataclass(frozen=True)
class Slot:
    """One slot as it lies on the board."""

    name: str
    serial: int | None
    """None: not whole."""
    commit: str | None
    confirmed: bool
    tried: bool


@dataclass(frozen=True)
class BoardFiles:
    """What lies on a board."""

    hashes: dict[str, str]
    """SHA-256 in hexadecimal by path, of everything that concerns the firmware."""
    slots: tuple[Slot, ...]
    foreign: bool
    """A program that is not ours starts there."""

    @property
    def keep(self) -> Slot | None:
        """The slot to come back to: the newest confirmed one, else the newest whole one."""
        whole = [slot for slot in self.slots if slot.serial is not None]
        return max(whole, key=lambda slot: (slot.confirmed, slot.serial), default=None)

    @property
    def target(self) -> str:
        """The slot to write."""
        keep = self.keep
        return next(name for name in SLOTS if keep is None or name != keep.name)

    @property
    def next_serial(self) -> int:
        """For the slot that is written next."""
        return max((slot.serial for slot in self.slots if slot.serial is not None), default=0) + 1


def read_board(flash: BoardFlash) -> BoardFiles:
    """Look at everything on a board. Raises `LinkError`."""
    there = flash.tree()
    ours = [path for path in there if path.startswith(tuple(f"/{slot}/" for slot in SLOTS))]
    hashes = flash.hashes([path for path in (*ours, "/loader.py", "/main.py") if path in there])
    foreign = "/main.py" in there and "/loader.py" not in there
    return BoardFiles(hashes, tuple(_slot(flash, name, there) for name in SLOTS), foreign)


def _slot(flash: BoardFlash, name: str, there: list[str]) -> Slot:
    serial, commit = None, None
    text = flash.read(f"/{name}/manifest") if f"/{name}/manifest" in there else None
    try:
        found = json.loads(text or "")
        serial, commit = int(found["serial"]), str(found["commit"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        pass
    return Slot(name, serial, commit, f"/{name}/confirmed" in there, f"/{name}/tried" in there)


@dataclass(frozen=True)
class CopyPlan:
    """What to do to a slot so that it holds an image."""

    send: tuple[str, ...]
    """Names to send over USB."""
    copy: dict[str, str]
    """Name -> path on the board that holds the same already."""
    remove: tuple[str, ...]
    """Paths on the board that the image does not have."""


def plan_copy(board: BoardFiles, image: FirmwareImage) -> CopyPlan:
    """The least that has to be moved."""
    slot = f"/{board.target}/"
    marks = {slot + mark for mark in MARKS}
    by_hash = {check: path for path, check in board.hashes.items() if not path.startswith(slot)}
    wrong = [name for name, check in image.hashes.items() if board.hashes.get(slot + name) != check]
    copy = {name: by_hash[image.hashes[name]] for name in wrong if image.hashes[name] in by_hash}
    wanted = {slot + name for name in image.files}
    there = {path for path in board.hashes if path.startswith(slot)}
    return CopyPlan(
        send=tuple(name for name in wrong if name not in copy),
        copy=copy,
        remove=tuple(sorted(there - wanted - marks)),
    )
