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
    confirmed: bool
    tried: bool
    complete: bool
    """It has a manifest, or is confirmed: then the loader starts it without one too."""
    damaged: bool
    """A file is not what the manifest lists."""

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, int]:
        """The best slot has the greatest: damaged ones last, the others as the loader ranks them, but one
        that was never started after the confirmed ones.
        """
        known, untried = self.serial is not None, not (self.confirmed or self.tried)
        return (not self.damaged, self.confirmed, known, untried, self.serial or 0)


@dataclass(frozen=True)
class BoardFiles:
    """The firmware files on a board."""

    hashes: dict[str, str]
    """SHA-256 in hexadecimal by path, of the loader, `main.py` and all files in the slots."""
    slots: tuple[Slot, ...]
    foreign: bool
    """`main.py` belongs to another program: there is no loader."""
    running: str | None = None
    """Name of the slot that runs; None where that is not known."""

    @property
    def fallback(self) -> Slot | None:
        """The slot that a roll-back starts: the one that runs, else the best one that is not damaged."""
        kept = self._kept
        return None if kept is None or (kept.damaged and kept.name != self.running) else kept

    @property
    def target(self) -> str:
        """Name of the slot to write: the other one."""
        kept = self._kept
        return next(name for name in SLOTS if kept is None or name != kept.name)

    @property
    def _kept(self) -> Slot | None:
        there = [slot for slot in self.slots if slot.complete or slot.name == self.running]
        return max(there, key=lambda slot: (slot.name == self.running, slot.rank), default=None)

    @property
    def next_serial(self) -> int:
        """Serial number for the slot that is written next."""
        return max((slot.serial for slot in self.slots if slot.serial is not None), default=0) + 1


def read_board(flash: BoardFlash, running: str | None = None) -> BoardFiles:
    """Reads hashes and slot states from a board; `running` is the slot that runs. Raises `LinkError`."""
    there = flash.tree()
    ours = [path for path in there if path.startswith(tuple(f"/{slot}/" for slot in SLOTS))]
    hashes = flash.hashes([path for path in (*ours, "/loader.py", "/main.py") if path in there])
    foreign = "/main.py" in there and "/loader.py" not in there
    return BoardFiles(hashes, tuple(_slot(flash, name, there, hashes) for name in SLOTS), foreign, running)


def _slot(flash: BoardFlash, name: str, there: list[str], hashes: dict[str, str]) -> Slot:
    folder = f"/{name}/"
    serial: int | None = None
    files: dict[str, str] = {}
    text = flash.read(f"{folder}manifest") if f"{folder}manifest" in there else None
    try:
        found = json.loads(text or "")
        serial, files = int(found["serial"]), dict(found["files"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        pass
    confirmed = f"{folder}confirmed" in there
    return Slot(
        name,
        serial,
        confirmed,
        tried=f"{folder}tried" in there,
        complete=serial is not None
        or (confirmed and any(path.startswith(f"{folder}pmu/") for path in there)),
        damaged=any(hashes.get(folder + file) != check for file, check in files.items()),
    )


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
