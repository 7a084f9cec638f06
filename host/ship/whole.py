"""Manifests of folders on the headband's computer, by which a deploy knows which of them are complete. A
manifest lists the folder's files with sizes and SHA-256 and is written last. Sent to the headband's computer:
standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "manifest.json"
_NONE_KNOWN: Mapping[str, str] = {}


@dataclass(frozen=True)
class FolderManifest:
    """Contents of a manifest, by path within its folder."""

    files: Mapping[str, tuple[int, str]]
    """Size in bytes and SHA-256."""
    links: Mapping[str, str]
    """Target of each symbolic link."""


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, known: Mapping[str, str] = _NONE_KNOWN) -> None:
    """Writes the manifest of a folder that is complete. known: SHA-256 of files that need not be read."""
    files, links = {}, {}
    for path in _files_below(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            links[name] = os.readlink(path)
        elif name != MANIFEST:
            files[name] = (path.stat().st_size, known.get(name) or sha256_of(path))
    (folder / MANIFEST).write_text(json.dumps({"files": files, "links": links}))


def read_manifest(folder: Path) -> FolderManifest | None:
    """A folder's manifest; None without a readable one."""
    try:
        table = json.loads((folder / MANIFEST).read_text())
        files = {str(name): (int(size), str(sha)) for name, (size, sha) in table["files"].items()}
        return FolderManifest(files, {str(name): str(target) for name, target in table["links"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def is_complete(folder: Path, *, read: bool) -> bool:
    """Whether every listed file and link exists with the listed size or target. read: compares the SHA-256
    too.
    """
    listed = read_manifest(folder)
    if listed is None:
        return False
    return all(_links_to(folder / name, target) for name, target in listed.links.items()) and all(
        has_file(folder / name, size, sha if read else None) for name, (size, sha) in listed.files.items()
    )


def has_file(path: Path, size_bytes: int, sha256: str | None = None) -> bool:
    """Whether `path` is a regular file of that size and, if given, with that SHA-256."""
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


def _files_below(folder: Path) -> Iterator[Path]:
    """Every file, and every symbolic link, also those to folders."""
    for place, folders, files in os.walk(folder):
        links = (name for name in folders if os.path.islink(os.path.join(place, name)))
        yield from (Path(place, name) for name in sorted([*links, *files]))
