"""The journal: one JSON line per event, bounded in memory and on disk. No audio, no images, no transcript
unless asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import deque
from pathlib import Path
from typing import Any

from hw.device import Clock


class Journal:
    """Keeps the last `keep` events in memory and appends all to a file. The file is rotated once, so it takes
    less than twice `max_bytes` on disk.

    Fields of every line: `t` (seconds since the epoch), `mono_s` (seconds of the board's monotonic clock),
    `event`; the rest depends on the event. When the file cannot be written, `problem` says why and the
    headband continues.
    """

    def __init__(
        self, path: Path | None, clock: Clock, *, max_bytes: int = 1_000_000, keep: int = 500
    ) -> None:
        self._path = path
        self._clock = clock
        self._max_bytes = max_bytes
        self.recent: deque[dict[str, Any]] = deque(maxlen=keep)
        self.problem: str | None = None

    def write(self, event: str, **fields: Any) -> None:
        """Records one event."""
        now = {"t": round(self._clock.time(), 3), "mono_s": round(self._clock.monotonic(), 4)}
        line = {**now, "event": event, **fields}
        self.recent.append(line)
        if self._path is None:
            return
        try:
            self._rotate()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self.problem = None
        except OSError as error:
            self.problem = f"The journal cannot be written: {error.strerror or error}."

    def sync(self) -> None:
        """Syncs everything written so far to the disk, so that a power cut does not lose it."""
        if self._path is None:
            return
        try:
            with self._path.open("rb") as file:
                os.fsync(file.fileno())
        except OSError as error:
            self.problem = f"The journal cannot be saved: {error.strerror or error}."

    def _rotate(self) -> None:
        assert self._path is not None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_size > self._max_bytes:
                self._path.replace(rotated(self._path))


def rotated(path: Path) -> Path:
    """Path of the rotated file, which has the lines before those in `path`."""
    return path.with_suffix(".old.jsonl")
