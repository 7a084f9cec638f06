"""The memory's key in a file, on a computer without a PMU. It protects nothing from who has that computer's
disk.
"""

from __future__ import annotations

import os
from pathlib import Path

from hw.device import DeviceError
from hw.key_page import CODE_BYTES, KEY_BYTES, KeyRefused


class FileKeyPage:
    """`hw.key_page.KeyPage` on a file of code and key."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def present(self) -> bool:
        return len(self._content()) == CODE_BYTES + KEY_BYTES

    def read(self, code: bytes) -> bytes:
        content = self._content()
        if content[:CODE_BYTES] != code or len(content) != CODE_BYTES + KEY_BYTES:
            raise KeyRefused(f"{self._path} has no key for this code")
        return content[CODE_BYTES:]

    def keep(self, code: bytes, key: bytes) -> None:
        if self.present() and self._content() != code + key:
            raise KeyRefused(f"{self._path} has a key already")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(code + key)
                file.flush()
                os.fsync(file.fileno())
            self._synced()
        except OSError as error:
            raise DeviceError(f"The memory's key can't be kept in {self._path}: {error.strerror}.") from None

    def destroy(self) -> None:
        try:
            if self._path.exists():
                with self._path.open("r+b") as file:  # over the old content, where the disk writes in place
                    file.write(bytes(CODE_BYTES + KEY_BYTES))
                    file.flush()
                    os.fsync(file.fileno())
                self._path.unlink()
                self._synced()
        except OSError as error:
            raise DeviceError(f"The memory's key {self._path} can't be removed: {error.strerror}.") from None

    def _content(self) -> bytes:
        try:
            content = self._path.read_bytes() if self._path.exists() else b""
        except OSError as error:
            raise DeviceError(f"The memory's key {self._path} can't be read: {error.strerror}.") from None
        return b"" if not any(content) else content  # zeros: a `destroy` that was cut short

    def _synced(self) -> None:
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
