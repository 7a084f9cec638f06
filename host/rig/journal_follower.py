"""The journal as the rig follows it, while the headband writes on."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from host.observe.journal import rotated
from power.rig.activity import STANDBY, JournalLine


class RigFault(Exception):
    """The headband on the rig does not do what it is told; one sentence."""


class JournalFollower:
    """Every line that carries the headband's clock, in the order of writing, from the file before the last
    rotation on.
    """

    def __init__(self, path: Path) -> None:
        """Raises `RigFault` when there is no such journal."""
        self._path = path
        self._lines: list[JournalLine] = []
        self._file: int | None = None
        self._read_to = 0
        self._news = 0
        if rotated(path).exists():
            self._read(rotated(path))
            self._read_to = 0
        self.look()

    @property
    def lines(self) -> Sequence[JournalLine]:
        """Those read so far."""
        return self._lines

    def look(self) -> int:
        """Reads what the journal got since the last look, and tells how many lines; one that is still being
        written waits. Raises `RigFault` when the journal is gone.
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
        news, self._news = self._news, 0
        return news

    def count(self, event: str) -> int:
        """Lines of that event."""
        return sum(1 for line in self._lines if line["event"] == event)

    def last(self, event: str, field: str) -> object:
        """That field of the last line of the event; None without one."""
        return next((line[field] for line in reversed(self._lines) if line["event"] == event), None)

    @property
    def state(self) -> object:
        """The last state of the interaction region."""
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
        whole = text.rfind(b"\n") + 1
        self._read_to += whole
        for row in text[:whole].splitlines():
            line = _line(row)
            if line is None:
                continue
            if self._lines and line["mono_s"] < self._lines[-1]["mono_s"]:
                self._lines.clear()  # the computer was started anew, and so was its clock
            self._lines.append(line)
            self._news += 1


def _line(row: bytes) -> JournalLine | None:
    """A line with the headband's clock; None for any other, and for one that a power cut has damaged."""
    try:
        line = json.loads(row)
        whole = isinstance(line["event"], str) and math.isfinite(line["mono_s"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return line if whole else None
