"""Manifests of folders on the headband's computer, by which a deploy knows which of them are complete. A
manifest lists the folder's files with sizes and SHA-256 and is written last. Sent to the headband's computer:
standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
_NONE_KNOWN: Mapping[str, str] = {}


@dataclass(frozen=True)
class FolderManifest:
    """Contents of a manifest, by path within its folder."""

    files: Mapping[str, tuple[int, str]]
    """Size in bytes and SHA-256."""
    links: Mapping[str, str]
    """Target of each symbolic link."""


def sha256_of(path: Path, *, from_disk: bool = False) -> str:
    """SHA-256 of a file's content, in hexadecimal. from_disk: reads what the disk has, also where memory
    still has the file as it was written; not so for pages that a program has mapped.
    """
    with open(path, "rb") as file:
        if from_disk:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(file, "sha256").hexdigest()


class FileDigests:
    """SHA-256 of files during one call, each read once: releases and the store share files by hard links.

    Nothing is remembered from call to call: flash that loses a bit changes neither inode, size nor time, so a
    list of files verified earlier would miss the damage that this looks for.
    """

    def __init__(self, *, from_disk: bool) -> None:
        """from_disk: as of `sha256_of`."""
        self._from_disk = from_disk
        self._known: dict[tuple[int, int, int, int], str] = {}

    def __call__(self, path: Path) -> str:
        """SHA-256 of a file's content, in hexadecimal. Raises `OSError`."""
        found = path.stat()
        key = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if key not in self._known:
            self._known[key] = sha256_of(path, from_disk=self._from_disk)
        return self._known[key]


def write_manifest(folder: Path, known: Mapping[str, str] = _NONE_KNOWN) -> list[str]:
    """Writes the manifest of a folder that is complete; returns the names of its files. known: SHA-256 of
    files that need not be read.
    """
    files, links = {}, {}
    for path in _files_below(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            links[name] = os.readlink(path)
        elif name != MANIFEST:
            files[name] = (path.stat().st_size, known.get(name) or sha256_of(path))
    listed = {"files": files, "links": links}
    (folder / MANIFEST).write_text(json.dumps({**listed, "sha256": _digest(listed)}))
    return [*files, MANIFEST]


def read_manifest(folder: Path) -> FolderManifest | None:
    """A folder's manifest; None without an undamaged one. One that an earlier version wrote has no SHA-256
    of its own.
    """
    try:
        table = json.loads((folder / MANIFEST).read_text())
        if table.pop("sha256", None) not in (None, _digest(table)):
            return None
        files = {str(name): (int(size), str(sha)) for name, (size, sha) in table["files"].items()}
        return FolderManifest(files, {str(name): str(target) for name, target in table["links"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _digest(table: Mapping[str, Any]) -> str:
    """SHA-256 of what a manifest lists."""
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def is_complete(folder: Path, *, read: bool, digest: Callable[[Path], str] = sha256_of) -> bool:
    """Whether every listed file and link exists with the listed size or target. read: compares the SHA-256
    too, which `digest` returns.
    """
    return next(damaged_files(folder, digest if read else None), None) is None


def is_whole_release(release: Path) -> bool:
    """Whether a release and its Python environment are complete; every byte is read, from the disk."""
    digest = FileDigests(from_disk=True)
    return all(is_complete(each, read=True, digest=digest) for each in (release, release / "venv"))


def damaged_in_release(release: Path) -> Iterator[str]:
    """Names of the files of a release and its Python environment that are damaged; every byte is read, from
    the disk.
    """
    digest = FileDigests(from_disk=True)
    for folder in ("", "venv/"):
        yield from (f"{folder}{name}" for name in damaged_files(release / folder, digest))


def damaged_files(folder: Path, digest: Callable[[Path], str] | None = sha256_of) -> Iterator[str]:
    """Names of the files and links of a folder that are missing or not as its manifest lists them; the
    manifest's own name where it can't be read. digest: returns the SHA-256; None: sizes only.
    """
    listed = read_manifest(folder)
    if listed is None:
        yield MANIFEST
        return
    yield from (name for name, target in listed.links.items() if not _links_to(folder / name, target))
    for name, (size, sha) in listed.files.items():
        if not has_file(folder / name, size, sha if digest else None, digest or sha256_of):
            yield name


def has_file(
    path: Path, size_bytes: int, sha256: str | None = None, digest: Callable[[Path], str] = sha256_of
) -> bool:
    """Whether `path` is a regular file of that size and, if given, with that SHA-256 (by `digest`)."""
    try:
        found = path.lstat()
        return (
            (found.st_mode & 0o170000) == 0o100000
            and found.st_size == size_bytes
            and (sha256 is None or digest(path) == sha256)
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
