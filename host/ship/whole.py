"""Which folders on the headband's computer are whole. Each holds a manifest of its files with their sizes and
SHA-256, written when it is finished; a folder without one, or with other files than it says, is not whole.
Sent to the headband's computer: standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "manifest.json"
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Contents:
    """What a manifest lists, by path within its folder."""

    files: Mapping[str, tuple[int, str]]
    """Bytes and SHA-256."""
    links: Mapping[str, str]
    """Where each symbolic link points."""


def sha256_of(path: Path) -> str:
    """Reads the file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path, known: Mapping[str, str] = _NOTHING) -> None:
    """Lists what is in a folder that is complete. known: SHA-256 of files that need not be read for it."""
    files, links = {}, {}
    for path in _below(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            links[name] = os.readlink(path)
        elif name != MANIFEST:
            files[name] = (path.stat().st_size, known.get(name) or sha256_of(path))
    (folder / MANIFEST).write_text(json.dumps({"files": files, "links": links}))


def contents(folder: Path) -> Contents | None:
    """What its manifest lists; None without one that can be read."""
    try:
        table = json.loads((folder / MANIFEST).read_text())
        files = {str(name): (int(size), str(sha)) for name, (size, sha) in table["files"].items()}
        return Contents(files, {str(name): str(target) for name, target in table["links"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def whole(folder: Path, *, read: bool) -> bool:
    """Is everything there that its manifest lists, in the right sizes? read: and right in every byte."""
    listed = contents(folder)
    if listed is None:
        return False
    return all(_links_to(folder / name, target) for name, target in listed.links.items()) and all(
        is_file(folder / name, size, sha if read else None) for name, (size, sha) in listed.files.items()
    )


def is_file(path: Path, size_bytes: int, sha256: str | None = None) -> bool:
    """Is it there, of that size, and, where its SHA-256 is given, right in every byte?"""
    try:
        found = path.lstat()
        return (
            (found.st_mode & 0o170000) == 0o100000
            and found.st_size == size_bytes
            and (sha256 is None or sha256_of(path) == sha256)
        )
    except OSError:
        return False


def _links_to(path: Path, target: str) -> bool:
    try:
        return os.readlink(path) == target
    except OSError:
        return False


def _below(folder: Path) -> Iterator[Path]:
    """Every file, and every link also where it points to a folder."""
    for place, folders, files in os.walk(folder):
        links = (name for name in folders if os.path.islink(os.path.join(place, name)))
        yield from (Path(place, name) for name in sorted([*links, *files]))
