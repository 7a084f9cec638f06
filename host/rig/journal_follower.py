"""Reads a headband's journal while the headband writes it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from host.observe.journal import rotated
from power.rig.activity import STANDBY, JournalLine


class RigFault(Exception):
    """The headband on the rig does not do what the scenario asks for; one sentence."""


class JournalFollower:
    """Collects every line with the headband's clock (`mono_s`), in order, beginning with the rotated file."""

    def __init__(self, path: Path) -> None:
        """Raises `RigFault` when there is no such journal."""
        self._path = path
        self._lines: list[JournalLine] = []
        self._file: int | None = None
        self._read_to = 0
        self._new_lines = 0
        if rotated(path).exists():
            self._read(rotated(path))
            self._read_to = 0
        self.look()

    @property
    def lines(self) -> Sequence[JournalLine]:
        """The lines read so far."""
        return self._lines

    def look(self) -> int:
        """Reads the lines written since the last call, and returns their number; an incomplete line is read
        later. Raises `RigFault` when the journal cannot be read.
        """
        try:
            at = self._path.stat()
            if (self._file is not None and at.st_ino != self._file) or at.st_size < self._read_to:
                old = rotated(self._path)
                if old.exists() and old.stat().st_ino == self._file:
                    self._read(old)
                self._read_to = 0
            self._file = at.st_ino
            self._read(self._path)
        except OSError as error:
            raise RigFault(f"The journal {self._path} cannot be read: {error.strerror}.") from None
        new_lines, self._new_lines = self._new_lines, 0
        return new_lines

    def count(self, event: str) -> int:
        """Number of lines with that event."""
        return sum(1 for line in self._lines if line["event"] == event)

    def last(self, event: str, field: str) -> object:
        """A field of the last line with that event; None without such a line."""
        return next((line[field] for line in reversed(self._lines) if line["event"] == event), None)

    @property
    def state(self) -> object:
        """The current state of the interaction region."""
        for line in reversed(self._lines):
            if line["event"] == "start":
                break
            if line["event"] == "transition" and line["region"] == "interaction" and line["to"]:
                return line["to"]
        return STANDBY

    def _read(self, path: Path) -> None:
        with path.open("rb") as file:
            file.seek(self._read_to)
            text = file.read()
        complete = text.rfind(b"\n") + 1
        self._read_to += complete
        for row in text[:complete].splitlines():
            line = _line(row)
            if line is None:
                continue
            if self._lines and line["mono_s"] < self._lines[-1]["mono_s"]:
                self._lines.clear()  # the computer was restarted, and its clock with it
            self._lines.append(line)
            self._new_lines += 1


def _line(row: bytes) -> JournalLine | None:
    """A parsed line with the headband's clock; None for any other line, and for a damaged one."""
    try:
        line = json.loads(row)
        complete = isinstance(line["event"], str) and math.isfinite(line["mono_s"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return line if complete else None
