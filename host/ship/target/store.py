"""The files of the releases on a headband's computer, under their SHA-256. Sent to the headband's computer:
standard library only.

A file that is replaced gets a new inode: releases are hard links to stored files, and what a release shares
with a damaged file stays as it is until that release is built again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from host.ship.running import DeployRefused
from host.ship.verity import seal
from host.ship.whole import has_file
from models.atomic_file import sync_folder

_BLOCK, _LINE_BYTES = 1 << 18, 256
_INCOMING = "incoming"


class FileStore:
    """A folder of files, named by their SHA-256."""

    def __init__(self, folder: Path, digest: Callable[[Path], str]) -> None:
        """digest: returns a file's SHA-256."""
        self.folder, self._digest = folder, digest

    def has(self, sha256: str, size_bytes: int) -> bool:
        """Whether the file is here with that size and content; it is read."""
        return has_file(self.folder / sha256, size_bytes, sha256, self._digest)

    def damaged(self, files: Mapping[str, int]) -> bool:
        """Whether one of these files (SHA-256 -> bytes) is here with another content."""
        return any(
            os.path.lexists(self.folder / sha) and not self.has(sha, size) for sha, size in files.items()
        )

    def verified(self, sha256: str) -> Path:
        """Path of a file whose content has just been compared. Raises `DeployRefused` without such a file."""
        path = self.folder / sha256
        with suppress(OSError):
            if self._digest(path) == sha256:
                return path
        raise DeployRefused(
            "Another deploy to this headband came between, or its disk lost a file: "
            "run the same command again."
        )

    def receive(self, stream: IO[bytes], signed: Mapping[str, int]) -> None:
        """Stores files from a stream: for each one a line `SHA256 BYTES`, then its bytes. `signed`: the files
        that may come, SHA-256 -> bytes. Raises `DeployRefused`, `OSError`.
        """
        scratch = self.folder / _INCOMING
        while line := stream.readline(_LINE_BYTES).split():
            sha, left = line[0].decode(errors="replace"), signed.get(line[0].decode(errors="replace"))
            if left is None or line[1:] != [str(left).encode()]:
                raise DeployRefused("A file came that is not one of those that were signed.", code=2)
            digest = hashlib.sha256()
            scratch.unlink(missing_ok=True)
            with open(scratch, "wb") as file:
                while left:
                    block = stream.read(min(left, _BLOCK))
                    if not block:
                        raise DeployRefused("The files ended early: run the same command again.", code=2)
                    digest.update(block)
                    file.write(block)
                    left -= len(block)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != sha:
                raise DeployRefused("A file is not as it was signed: run the same command again.", code=2)
            seal(scratch)
            scratch.replace(self.folder / sha)
        sync_folder(self.folder)

    def delete_incomplete(self) -> None:
        """Deletes the file that an interrupted call was receiving."""
        (self.folder / _INCOMING).unlink(missing_ok=True)

    def delete_unused(self, kept: Mapping[str, int]) -> None:
        """Deletes the files that neither a release links nor `kept` names."""
        for path in self.folder.iterdir():
            if path.name not in kept and path.stat().st_nlink == 1:
                path.unlink()
