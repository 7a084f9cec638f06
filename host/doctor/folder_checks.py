"""Checks of `headband doctor` for the files and folders that the headband writes: it writes a temporary file
there.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from host.doctor.finding import Finding
from models.pack.cache import cache_folder

LEAST_FREE_MIB = 200
_BLOCK = bytes(4096)
_FIXES = {
    errno.EROFS: "make its file system writable (dmesg tells why it is not), or name another place",
    errno.ENOSPC: "free some space there",
    errno.EDQUOT: "free some space there",
    errno.EISDIR: "move that folder away",
    errno.ENOTDIR: "move away what stands where a folder belongs, or name another place",
}
_OTHERWISE = "let this user write there, or name another place"


def state_files(state_folder: Path) -> dict[str, Path]:
    """The files beside the journal: description for a person -> path."""
    names = {
        "the journal": "journal.jsonl", "what the wearer has set": "kept.json", "the ledger": "energy.json",
    }  # fmt: skip
    return {what: state_folder / name for what, name in names.items()}


def writing_finding(files: Mapping[str, Path]) -> Finding:
    """Checks that the headband can write `files` (description -> path), temporary files and packs."""
    problems: dict[str, list[str]] = {}
    fixes: dict[str, None] = {}

    def tried(what: str, where: Path) -> None:
        try:
            _try_file(where) if what in files else _try_folder(where)
        except OSError as error:
            reason = error.strerror or str(error)
            place = where if error.errno == errno.EISDIR or what not in files else where.parent
            problems.setdefault(f"cannot be written ({reason}: {place})", []).append(what)
            fix = _FIXES.get(error.errno or 0, _OTHERWISE)
            named = {"packs": "$HEADBAND_CACHE", "temporary files": "$TMPDIR"}.get(what, "[journal] path")
            fixes[f"{fix} ({named})" if fix.endswith("another place") else fix] = None

    for what, path in files.items():
        tried(what, path)
    try:
        tried("temporary files", Path(tempfile.gettempdir()))
    except FileNotFoundError:
        problems["have no folder that can be written"] = ["temporary files"]
        fixes["make /tmp writable"] = None
    tried("packs", cache_folder())
    if problems:
        says = "; ".join(f"{', '.join(whats)} {problem}" for problem, whats in problems.items())
        return Finding("writing", "broken", f"{says[:1].upper()}{says[1:]}.", f"{'; '.join(fixes)}.")
    without = "" if files else "; the journal is in memory only"
    listed = ", ".join([*files, "temporary files"])
    return Finding("writing", "ok", f"takes {listed} and packs{without}")


def disk_finding(folder: Path) -> Finding:
    """Checks the free space on the journal's disk."""
    there = next(path for path in (folder, *folder.parents) if path.is_dir())
    free_mib = shutil.disk_usage(there).free / 2**20
    if free_mib < LEAST_FREE_MIB:
        return Finding("disk", "broken", f"{there} has {free_mib:.0f} MiB left.", "free some space there.")
    return Finding("disk", "ok", f"{free_mib / 1024:.1f} GiB free at {there}")


def _try_file(path: Path) -> None:
    """Checks that a file can be appended to and replaced. Raises OSError."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.stat().st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))
    _try_folder(path.parent)


def _try_folder(folder: Path) -> None:
    """Writes a temporary file in a folder, or in the folder where it would be created. Raises OSError."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
    with tempfile.TemporaryFile(dir=there) as file:
        file.write(_BLOCK)
        file.flush()
        os.fsync(file.fileno())
