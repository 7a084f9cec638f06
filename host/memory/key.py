"""The memory's key: made on the host, kept by the PMU, and destroyed before what it sealed.

    key = new_or_known_key(page, folder)

The PMU shows its key for the code in `memory.code`, which is on the host's disk; neither is of use alone.
`memory.keeper` says where the key is: with another board than the one that remembered, nothing is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from host.memory.files import files, removed
from host.memory.values import MemoryProblem, NotHere
from hw.device import DeviceError
from hw.key_page import CODE_BYTES, KEY_BYTES, Keeper, KeyPage, KeyRefused
from models.atomic_file import PRIVATE, sync_folder, write_whole

DATABASE, CODE, KEEPER = "memory.db", "memory.code", "memory.keeper"
"""Names in the folder of what is kept."""
LOST = "The memory's key is gone, so what was remembered can't be read any more and has been deleted."
DESTROYED = "The key is destroyed, so nobody can read what was remembered, but it is still there."
ELSEWHERE: Mapping[str, str] = {
    "microcontroller": "The key of what is remembered is in the microcontroller of a headband, which this "
    "board is not: say which, for example --board rk3566.",
    "file": "The key of what is remembered is in a file of this computer, where this board does not look: "
    "say which does, --board laptop or --board emulated.",
}
"""By keeper, what is said with another board."""
_KEEPS: Mapping[Keeper, str] = {
    "microcontroller": "The microcontroller keeps",
    "file": "The memory's key file here holds",
}


class _Unreadable(MemoryProblem):
    """A file beside the memory is there and can't be read, so nobody knows what it says."""


def known_key(page: KeyPage, folder: Path) -> bytes | None:
    """The key; None where none is kept. What a key that is gone has sealed is deleted. Raises `MemoryProblem`
    when the PMU does not answer, keeps the key of another headband, or is not where the key is; then nothing
    is deleted.
    """
    _check_keeper(page, folder)
    try:
        if not page.present():
            _delete(folder)
            return None
        return page.read(_code(folder))
    except KeyRefused:
        raise MemoryProblem(_refused(page, folder)) from None
    except DeviceError as error:
        raise MemoryProblem(str(error)) from None


def is_lost(page: KeyPage, folder: Path) -> bool:
    """Whether something is sealed with a key that is gone. Raises `MemoryProblem`."""
    _check_keeper(page, folder)
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
        write_whole(folder / KEEPER, page.keeper, PRIVATE)
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
    read either, and the next start deletes the rest. Raises `MemoryProblem`: nothing is forgotten, or the key
    is destroyed and something is left that nobody can read.
    """
    try:
        with suppress(_Unreadable):  # then the key that is here goes
            _check_keeper(page, folder)
        page.destroy()
    except NotHere as error:
        raise NotHere(f"Nothing is forgotten. {error}") from None
    except (DeviceError, MemoryProblem) as error:
        raise MemoryProblem(f"Nothing is forgotten. {error}") from None
    try:
        _delete(folder)
    except MemoryProblem as problem:
        raise MemoryProblem(f"{DESTROYED} {problem}") from None


def _refused(page: KeyPage, folder: Path) -> str:
    """Why the key is not shown for the code that is here."""
    if files(folder / DATABASE) and len(_content(folder / CODE)) != CODE_BYTES:
        return (
            f"The memory's code {folder / CODE} is missing or damaged, so what was remembered can't be read: "
            "put it back from a copy, or give up what is remembered with `headband memory forget --all`."
        )
    return (
        f"{_KEEPS[page.keeper]} the key of another headband's memory: `headband memory forget --all` "
        "destroys it."
    )


def _code(folder: Path) -> bytes:
    """The code; zeros, which open nothing, without one."""
    code = _content(folder / CODE)
    return code if len(code) == CODE_BYTES else bytes(CODE_BYTES)


def _content(path: Path) -> bytes:
    """What a file holds; b"" where there is none. Raises `_Unreadable`."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""  # nothing is kept, or by version 0.2.0, which made no keeper
    except OSError as error:
        raise _Unreadable(f"The memory's file {path} can't be read: {error.strerror}.") from None


def _check_keeper(page: KeyPage, folder: Path) -> None:
    """Raises `NotHere` where the folder's key is not in what `page` reads, and `_Unreadable`."""
    keeper = _content(folder / KEEPER).decode(errors="replace")
    if keeper in ELSEWHERE and keeper != page.keeper and files(folder / DATABASE):
        raise NotHere(ELSEWHERE[keeper])


def _delete(folder: Path) -> None:
    try:
        if files(folder / DATABASE):
            removed(folder / DATABASE)
        beside = [each for each in (folder / CODE, folder / KEEPER) if each.exists()]
        for each in beside:
            each.unlink()
        if beside:
            sync_folder(folder)
    except OSError as error:
        raise MemoryProblem(f"What was remembered can't be deleted: {error.strerror}.") from None
