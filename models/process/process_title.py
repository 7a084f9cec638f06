"""Sets a process's name, and reads the last line of its log."""

from __future__ import annotations

import ctypes
import os

_PR_SET_NAME = 15


def set_process_name(name: str) -> None:
    """Name shown by `ps` and `top`, at most 15 characters."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def last_line(fd: int, limit_bytes: int = 4096) -> str:
    """The last non-empty line of a log file, or ''."""
    size = os.fstat(fd).st_size
    text = os.pread(fd, limit_bytes, max(0, size - limit_bytes)).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
