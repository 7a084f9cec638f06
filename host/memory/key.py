"""The memory's key: made on the host, kept by the PMU, and destroyed before what it sealed.

    key = new_or_known_key(page, folder)

The PMU shows its key for the code in `memory.code`, which is on the host's disk; neither is of use alone.
"""

from __future__ import annotations

import os
from pathlib import Path

from host.memory.database import files, removed
from host.memory.values import MemoryProblem
from hw.device import DeviceError
from hw.key_page import CODE_BYTES, KEY_BYTES, KeyPage, KeyRefused
from models.atomic_file import PRIVATE, sync_folder, write_whole

DATABASE, CODE = "memory.db", "memory.code"
"""Names in the folder of what is kept."""
LOST = "The memory's key is gone, so what was remembered can't be read any more and has been deleted."


def known_key(page: KeyPage, folder: Path) -> bytes | None:
    """The key; None where none is kept. What a key that is gone has sealed is deleted. Raises `MemoryProblem`
    when the PMU does not answer, or keeps the key of another headband; then nothing is deleted.
    """
    try:
        if not page.present():
            _delete(folder)
            return None
        return page.read(_code(folder))
    except KeyRefused:
        raise MemoryProblem(
            "The microcontroller keeps the key of another headband's memory: `headband memory forget --all` "
            "destroys it."
        ) from None
    except DeviceError as error:
        raise MemoryProblem(str(error)) from None


def is_lost(page: KeyPage, folder: Path) -> bool:
    """Whether something is sealed with a key that is gone. Raises `MemoryProblem`."""
    try:
        return bool(files(folder / DATABASE)) and not page.present()
    except DeviceError as error:
        raise MemoryProblem(str(error)) from None


def new_or_known_key(page: KeyPage, folder: Path) -> bytes:
    """The key, a new one where none is kept. Raises `MemoryProblem`."""
    key = known_key(page, folder)
    if key is not None:
        return key
    key, code = os.urandom(KEY_BYTES), os.urandom(CODE_BYTES)
    try:
        write_whole(folder / CODE, code, PRIVATE)
        page.keep(code, key)
    except KeyRefused:
        raise MemoryProblem("The microcontroller could not keep a key for the memory.") from None
    except DeviceError as error:
        raise MemoryProblem(str(error)) from None
    except OSError as error:
        raise MemoryProblem(f"The memory can't be kept in {folder}: {error.strerror}.") from None
    return key


def forget_everything(page: KeyPage, folder: Path) -> None:
    """Destroys the key and then deletes what it sealed: after a cut of the power in between nothing can be
    read either, and the next start deletes the rest. Raises `MemoryProblem`; then nothing is forgotten.
    """
    try:
        page.destroy()
    except DeviceError as error:
        raise MemoryProblem(f"Nothing is forgotten. {error}") from None
    _delete(folder)


def _code(folder: Path) -> bytes:
    """The code; zeros, which open nothing, without one."""
    try:
        code = (folder / CODE).read_bytes()
    except OSError:
        code = b""
    return code if len(code) == CODE_BYTES else bytes(CODE_BYTES)


def _delete(folder: Path) -> None:
    try:
        if files(folder / DATABASE):
            removed(folder / DATABASE)
        if (folder / CODE).exists():
            (folder / CODE).unlink()
            sync_folder(folder)
    except OSError as error:
        raise MemoryProblem(f"What was remembered can't be deleted: {error.strerror}.") from None
