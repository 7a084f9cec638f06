"""Chooses which of the two slots on a board a deploy writes, and what it has to copy there.

`firmware/loader.py` describes the files of a slot.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from host.flash.image import FirmwareImage
from hw.pmu_usb.flash_files import BoardFlash

SLOTS = ("slot_a", "slot_b")
STATE_FILES = ("manifest", "confirmed", "tried")
"""State files of a slot, in the order in which a deploy removes them before it writes the slot; a slot
without a manifest is incomplete.
"""


@dataclass(frozen=True)
class Slot:
    """State of one slot on the board."""

    name: str
    serial: int | None
    """Of the manifest; None for an incomplete slot."""
    commit: str | None
    confirmed: bool
    tried: bool


@dataclass(frozen=True)
class BoardFiles:
    """The firmware files on a board."""

    hashes: dict[str, str]
    """SHA-256 in hexadecimal by path, of the loader, `main.py` and all files in the slots."""
    slots: tuple[Slot, ...]
    foreign: bool
    """`main.py` belongs to another program: there is no loader."""

    @property
    def fallback(self) -> Slot | None:
        """The slot that a roll-back starts: the newest confirmed one, else the newest complete one."""
        complete = [slot for slot in self.slots if slot.serial is not None]
        return max(complete, key=lambda slot: (slot.confirmed, slot.serial), default=None)

    @property
    def target(self) -> str:
        """Name of the slot to write: the other one."""
        fallback = self.fallback
        return next(name for name in SLOTS if fallback is None or name != fallback.name)

    @property
    def next_serial(self) -> int:
        """Serial number for the slot that is written next."""
        return max((slot.serial for slot in self.slots if slot.serial is not None), default=0) + 1


def read_board(flash: BoardFlash) -> BoardFiles:
    """Reads hashes and slot states from a board. Raises `LinkError`."""
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
    """File operations after which a slot holds an image."""

    send: tuple[str, ...]
    """Names of files to send over USB."""
    copy: dict[str, str]
    """Name -> path of a file on the board with the same content."""
    remove: tuple[str, ...]
    """Paths in the slot that the image does not have."""


def plan_copy(board: BoardFiles, image: FirmwareImage) -> CopyPlan:
    """The plan that sends the fewest files over USB."""
    slot = f"/{board.target}/"
    state_files = {slot + state_file for state_file in STATE_FILES}
    by_hash = {check: path for path, check in board.hashes.items() if not path.startswith(slot)}
    hashes = image.hashes
    wrong = [name for name, check in hashes.items() if board.hashes.get(slot + name) != check]
    copy = {name: by_hash[hashes[name]] for name in wrong if hashes[name] in by_hash}
    wanted = {slot + name for name in image.files}
    there = {path for path in board.hashes if path.startswith(slot)}
    return CopyPlan(
        send=tuple(name for name in wrong if name not in copy),
        copy=copy,
        remove=tuple(sorted(there - wanted - state_files)),
    )
