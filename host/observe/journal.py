"""The journal: one JSON line per event, bounded in memory, on disk and in age, readable by its owner alone.
No audio, no images, no transcript unless asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hw.device import Clock
from hw.finite import finite
from hw.private_file import private
from models.atomic_file import PRIVATE

GAP = "gap"
"""`event` of the line after lines that could not be written."""
MAX_AGE_S = 7 * 86_400.0
"""A file is rotated once its first line is this old, and the rotated one removed once its last line is."""


class Journal:
    """Keeps the last `keep` events in memory and appends all to a file. The file is rotated once, so it takes
    less than twice `max_bytes` on disk, and holds nothing older than twice `MAX_AGE_S`.

    Fields of every line: `t` (seconds since the epoch), `mono_s` (seconds of the board's monotonic clock),
    `event`; the rest depends on the event; a number that is none (NaN, infinite) is null. When the file
    cannot be written, `problem` says why, `report` is told the first time, and the headband continues. The
    next line that can be written follows one, `gap`, with the number of the `lost` lines.
    """

    def __init__(
        self, path: Path | None, clock: Clock, *, max_bytes: int = 1_000_000, keep: int = 500
    ) -> None:
        self._path = path
        self._clock = clock
        self._max_bytes = max_bytes
        self.recent: deque[dict[str, Any]] = deque(maxlen=keep)
        self.problem: str | None = None
        self.report: Callable[[str], None] = lambda problem: None
        """Called once, with the first `problem`."""
        self._reported = False
        self._lost = 0
        self._began_s: float | None = None
        self._whole = False
        """Whether the file surely ends with a whole line: a cut of the power may have torn the last."""

    def write(self, event: str, **fields: Any) -> None:
        """Records one event."""
        now = {"t": round(self._clock.time(), 3), "mono_s": round(self._clock.monotonic(), 4)}
        line = {**now, "event": event, **fields}
        self.recent.append(line)
        if self._path is None:
            return
        try:
            self._rotate(now["t"])
            with open(self._path, "a", encoding="utf-8", opener=private) as file:
                torn = "" if self._whole or _ends_a_line(self._path) else "\n"
                gap = _as_line({**now, "event": GAP, "lost": self._lost}) if self._lost else ""
                file.write(f"{torn}{gap}{_as_line(line)}")
            self.problem, self._whole, self._lost = None, True, 0
        except OSError as error:
            self._whole = False
            self._lost += 1
            self._failed(f"The journal {self._path} cannot be written: {error.strerror or error}.")

    def sync(self) -> None:
        """Syncs everything written so far to the disk, so that a power cut does not lose it."""
        if self._path is None:
            return
        try:
            with self._path.open("rb") as file:
                os.fsync(file.fileno())
        except OSError as error:
            self._failed(f"The journal {self._path} cannot be saved: {error.strerror or error}.")

    def _failed(self, problem: str) -> None:
        self.problem = problem
        if not self._reported:
            self._reported = True
            self.report(problem)

    def _rotate(self, now_s: float) -> None:
        """Puts a file aside that is too large or too old, and removes what was put aside too long ago. Times
        after `now_s`, of a clock that was put back, count as new.
        """
        assert self._path is not None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        before = rotated(self._path)
        with contextlib.suppress(FileNotFoundError):
            if now_s - before.stat().st_mtime > MAX_AGE_S:
                before.unlink()
        with contextlib.suppress(FileNotFoundError):
            size = self._path.stat().st_size
            if self._began_s is None and self._path.is_file():
                self._path.chmod(PRIVATE)
                self._began_s = _first_line_s(self._path, now_s)
            if size > self._max_bytes or now_s - (self._began_s or now_s) > MAX_AGE_S:
                self._path.replace(before)
                self._began_s = now_s


def _as_line(fields: dict[str, Any]) -> str:
    try:
        text = json.dumps(fields, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(finite(fields), ensure_ascii=False)
    return f"{text}\n"


def _ends_a_line(path: Path) -> bool:
    """Whether the next line may follow at once."""
    with path.open("rb") as file:
        if not file.seekable() or file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _first_line_s(path: Path, otherwise: float) -> float:
    """The time of a file's first line."""
    try:
        with path.open(encoding="utf-8") as file:
            return float(json.loads(file.readline())["t"])
    except (ValueError, KeyError, TypeError):
        return otherwise


def rotated(path: Path) -> Path:
    """Path of the rotated file, which has the lines before those in `path`."""
    return path.parent / f"{path.stem}.old.jsonl"
