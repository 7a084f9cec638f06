"""The microcontroller's flash file system in memory, with a loss of power at any step."""

from __future__ import annotations

import errno
import io
import os
from typing import Any


class PowerCut(BaseException):
    """The power is lost; nothing on the board continues."""


class Flash:
    """Files by absolute path, with the calls of `os` and `open` that MicroPython has.

    Every operation that changes something is a step, and so is every byte written. Power is lost before step
    number `cut_at`. `torn`: a file that was being written keeps the bytes written so far; otherwise it is as
    before it was opened, as littlefs guarantees.
    """

    def __init__(self, files: dict[str, bytes] | None = None, *, torn: bool = False) -> None:
        self.files = dict(files or {})
        self.folders = {path[: path.rfind("/", 1)] for path in self.files if path.count("/") > 1}
        self.folders |= {folder[: folder.find("/", 1)] for folder in self.folders if folder.count("/") > 1}
        self.torn = torn
        self.steps = 0
        self.operations: list[int] = []
        """Step numbers at which an operation began."""
        self.cut_at: int | None = None
        self.flip: str | None = None
        """A path whose written bytes are wrong."""
        self.full = False
        """The flash is full."""

    def step(self, bytes_to_write: int = 0) -> int:
        """Count an operation; returns how many of the bytes are written before the loss of power."""
        if bytes_to_write == 0:
            self.operations.append(self.steps)
            bytes_to_write = 1
        left = bytes_to_write if self.cut_at is None else min(bytes_to_write, self.cut_at - self.steps)
        if left <= 0:
            raise PowerCut
        self.steps += left
        return left

    def open(self, path: str, mode: str = "r") -> io.IOBase:
        path = _absolute(path)
        if "w" not in mode:
            if path not in self.files:
                raise OSError(errno.ENOENT, path)
            data = self.files[path]
            return io.BytesIO(data) if "b" in mode else io.StringIO(data.decode())
        if path.rpartition("/")[0] not in self.folders | {""}:
            raise OSError(errno.ENOENT, path)
        if self.full:
            raise OSError(errno.ENOSPC, path)
        self.step()
        return _Written(self, path)

    def listdir(self, path: str = "/") -> list[str]:
        folder = _absolute(path).rstrip("/")
        if folder and folder not in self.folders:
            raise OSError(errno.ENOENT, path)
        everything = [*self.files, *self.folders]
        inside = [each[len(folder) + 1 :] for each in everything if each.startswith(folder + "/")]
        return sorted({name for name in inside if name and "/" not in name})

    def stat(self, path: str) -> tuple[int, ...]:
        path = _absolute(path)
        if path in self.folders:
            return (0x4000, *[0] * 9)
        if path in self.files:
            return (0x8000, 0, 0, 0, 0, 0, len(self.files[path]), 0, 0, 0)
        raise OSError(errno.ENOENT, path)

    def remove(self, path: str) -> None:
        path = _absolute(path)
        if path not in self.files:
            raise OSError(errno.ENOENT, path)
        self.step()
        del self.files[path]

    def rename(self, path: str, target: str) -> None:
        path, target = _absolute(path), _absolute(target)
        if path not in self.files:
            raise OSError(errno.ENOENT, path)
        self.step()
        self.files[target] = self.files.pop(path)

    def mkdir(self, path: str) -> None:
        path = _absolute(path)
        if path in self.folders:
            raise OSError(errno.EEXIST, path)
        self.step()
        self.folders.add(path)


class _Written(io.IOBase):
    """A file being written."""

    def __init__(self, flash: Flash, path: str) -> None:
        self._flash, self._path = flash, path
        self._data = b""
        if flash.torn:
            flash.files[path] = b""

    def write(self, data: Any) -> int:
        data = data.encode() if isinstance(data, str) else bytes(data)
        if data:
            if self._path == self._flash.flip:
                data = bytes([data[0] ^ 1]) + data[1:]
            self._flash.operations.append(self._flash.steps)
            taken = self._flash.step(len(data))
            self._data += data[:taken]
            if self._flash.torn:
                self._flash.files[self._path] = self._data
            if taken < len(data):
                raise PowerCut
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._flash.files[self._path] = self._data

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None or issubclass(kind, Exception):
            self.close()  # a loss of power does not close files

    def __del__(self) -> None:
        """Do nothing: a file that was not closed is not written."""


def _absolute(path: str) -> str:
    return os.path.normpath("/" + path.lstrip("/"))
