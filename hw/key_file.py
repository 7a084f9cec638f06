"""The memory's key in a file, on a computer without a PMU. It protects nothing from who has that computer's
disk. A laptop and the emulated board keep it in the same form, so either opens what the other remembered.
"""

from __future__ import annotations

import os
from pathlib import Path

from hw.device import DeviceError
from hw.key_page import CODE_BYTES, KEY_BYTES, Keeper, KeyRefused

KEPT_BYTES = CODE_BYTES + KEY_BYTES
"""Length of the file: code and key."""


class FileKeyPage:
    """`hw.key_page.KeyPage` on a file of code and key."""

    keeper: Keeper = "file"

    def __init__(self, path: Path) -> None:
        self._path = path

    def present(self) -> bool:
        return bool(self._content())

    def read(self, code: bytes) -> bytes:
        content = self._content()
        if not content or content[:CODE_BYTES] != code:
            raise KeyRefused(f"{self._path} has no key for this code")
        return content[CODE_BYTES:]

    def keep(self, code: bytes, key: bytes) -> None:
        if self._content() not in (b"", code + key):
            raise KeyRefused(f"{self._path} has a key already")
        try:
            write_key_file(self._path, code + key)
        except OSError as error:
            raise DeviceError(f"The memory's key can't be kept in {self._path}: {error.strerror}.") from None

    def destroy(self) -> None:
        try:
            erase_key_file(self._path)
        except OSError as error:
            raise DeviceError(f"The memory's key {self._path} can't be removed: {error.strerror}.") from None

    def _content(self) -> bytes:
        content = key_file_content(self._path)
        if content and len(content) != KEPT_BYTES:
            raise unusable_key_file(self._path)
        return content


def key_file_content(path: Path) -> bytes:
    """What the file holds; b"" without one, and for an erased one. Raises `DeviceError`, for an empty file as
    well: nobody erased that.
    """
    if not os.path.lexists(path):
        return b""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DeviceError(f"The memory's key {path} can't be read: {error.strerror}.") from None
    if not content:
        raise unusable_key_file(path)
    return content if any(content) else b""  # zeros: an erasure that was cut short


def unusable_key_file(path: Path) -> DeviceError:
    """For a file that holds something else than a key: nobody knows that the key is gone."""
    return DeviceError(
        f"The memory's key {path} is damaged: put it back from a copy, or give up what it sealed with "
        "`headband memory forget --all`."
    )


def write_key_file(path: Path, content: bytes) -> None:
    """Replaces the file in one step, for its owner alone. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    _sync(path.parent)


def erase_key_file(path: Path) -> None:
    """Overwrites the file, where the disk writes in place, and removes it; a file of zeros, which may not be
    removed, is as good as none. Harmless without one. Raises `OSError`.
    """
    overwritten = path.exists()
    if overwritten:
        with path.open("r+b") as file:
            file.write(bytes(max(KEPT_BYTES, path.stat().st_size)))
            file.flush()
            os.fsync(file.fileno())
    if os.path.lexists(path):
        try:
            path.unlink()
        except OSError:
            if not overwritten:
                raise
            return
        _sync(path.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
