"""Collects the files of a pack, and installs the complete pack in one atomic step.

    <cache>/parts/NAME/      complete, verified files, and partial `.part` files
    <cache>/store/NAME-xxxx/ a complete pack: its files, and the manifest with every size and SHA-256
    <cache>/packs/NAME       a link to the installed one; replacing the link is the switch
    <cache>/known-files.json SHA-256 that were recorded at the first download or import

A running program keeps the folder it started with: the previous one is deleted only at the next switch.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from models import atomic_file as durable
from models.atomic_file import sync_folder
from models.install.stated_values import whole_number
from models.pack.cache import cache_folder
from models.pack.catalogue import fault_of, read_memo, verify_files, write_memo
from models.pack.manifest import Manifest, PackError, PackFile, Seal, inside, read_manifest, with_seals

COPY = ".copy"
"""What the name of a file ends in while it is copied."""
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of a disk without links, or of a link to another disk."""
SPARE_BYTES = 64 << 20
"""Disk space that stays free for other programs."""


class StoreError(Exception):
    """A file or pack could not be installed; the message is one sentence for a person."""


class NotPublished(StoreError):
    """The server does not have the file."""


class Store:
    """The staged files of one pack."""

    def __init__(self, manifest: Manifest, doubts: set[str] | None = None) -> None:
        """doubts: gets a sentence where the recorded SHA-256 can't be read; there are none then. Without it
        that raises StoreError.
        """
        self.manifest, self._doubts = manifest, doubts
        self.cache = cache_folder()
        self.parts = self.cache / "parts" / manifest.name
        self._link = self.cache / "packs" / manifest.name
        self._known_path = self.cache / "known-files.json"
        self._memo = read_memo()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Held while files are installed; what a copy that was killed left is removed first. Raises
        StoreError when another process holds it. A file system without locks lets everybody in.
        """
        self.parts.mkdir(parents=True, exist_ok=True)
        with open(self.parts / ".lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"Files of pack '{self.manifest.name}' are being brought already.") from None
            except OSError:
                pass
            for left in self.parts.rglob(f"*{COPY}"):
                if left.is_file():
                    left.unlink()
            yield

    def expected(self, file: PackFile) -> Seal:
        """Required size and SHA-256: the manifest's, else those recorded at the first download or import."""
        known = self._known().get(_identity(self.manifest, file), {})
        size_bytes = file.size_bytes or whole_number(known.get("size"))
        return Seal(size_bytes, file.sha256 or str(known.get("sha256", "")))

    def staged(self, file: PackFile) -> Path:
        """Path of the file in the staging folder."""
        return inside(self.parts, file.path)

    def located(self, file: PackFile) -> Path | None:
        """The complete, verified file in the staging folder or in the installed pack; None without one."""
        sealed = self._sealed(file)
        if not sealed.sha256:
            return None
        for root in (self.parts, self._link):
            path = root / file.path
            with contextlib.suppress(PackError):  # a link that leads out of the folder
                if path.is_file() and not fault_of(root, sealed, self._memo):
                    return path
        return None

    def record_arrival(self, file: PackFile, seal: Seal, how: str) -> None:
        """Record that the staged file is complete and verified. how: text for a person, stored when the
        SHA-256 is recorded for the first time.
        """
        self.note_verified(file, seal)
        if not file.sha256:
            with open(
                self._known_path.with_suffix(".lock"), "w"
            ) as lock:  # another process may install another pack
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
                known = self._known()
                known[_identity(self.manifest, file)] = {
                    "size": seal.size_bytes,
                    "sha256": seal.sha256,
                    "recorded": f"{how} on {datetime.now(UTC).date().isoformat()}",
                }
                write_whole(self._known_path, json.dumps(known, indent=1) + "\n")

    def note_verified(self, file: PackFile, seal: Seal) -> None:
        """Remember that the staged file has this size and SHA-256, so that it is not read again."""
        path = self.staged(file)
        stat = path.stat()
        self._memo[str(path)] = [stat.st_size, stat.st_mtime_ns, stat.st_ino, seal.sha256]
        write_memo(self._memo)

    def wanted(self) -> tuple[PackFile, ...]:
        """Files to download: published, missing, and not only inputs of a finished conversion."""
        here = {file.path for file in self.manifest.files if self.located(file)}
        converted = {
            file.path for file in self.manifest.sources
            if all(made.path in here for made in self.manifest.files if file.path in made.made_from)
        }  # fmt: skip
        return tuple(
            file for file in self.manifest.files if file.source and file.path not in here | converted
        )

    def lacking(self) -> tuple[PackFile, ...]:
        """Missing files that the pack needs."""
        return tuple(file for file in self.manifest.needed if not self.located(file))

    def make_room(self, more_bytes: int) -> None:
        """Raises StoreError when the disk has less than `more_bytes` plus `SPARE_BYTES` free."""
        there = next(path for path in (self.parts, *self.parts.parents) if path.is_dir())
        free = shutil.disk_usage(there).free
        if free < more_bytes + SPARE_BYTES:
            raise StoreError(
                f"{there} has {free / 1e6:.0f} MB free, and pack '{self.manifest.name}' needs "
                f"{(more_bytes + SPARE_BYTES) / 1e6:.0f} MB: make room, or set HEADBAND_CACHE to a "
                "folder on a larger disk."
            )

    def is_current(self) -> bool:
        """True when this manifest, completed, is that of the installed pack."""
        try:
            return self._link.is_dir() and read_manifest(self._link).text == self._filled_in()
        except PackError:
            return False

    def switch(self) -> Path:
        """Install the pack atomically in place of the previous one; returns its folder.

        Raises StoreError when a file is missing, and PackError when one is damaged.
        """
        files = {file.path: self.located(file) for file in self.manifest.needed}
        files |= {file.path: found for file in self.manifest.extras if (found := self.located(file))}
        absent = [path for path, found in files.items() if found is None]
        if absent:
            raise StoreError(f"Pack '{self.manifest.name}' still lacks {', '.join(absent)}.")
        store = self.cache / "store"
        store.mkdir(parents=True, exist_ok=True)
        before = self._link.resolve() if self._link.is_symlink() else None
        for old in store.glob(f"{self.manifest.name}-????????"):
            # The cache may be reached by a link, or named from the working folder.
            if old.resolve() != before:
                _remove_tree(old)
        if self._link.is_dir() and not self._link.is_symlink():
            raise StoreError(f"{self._link} is a folder that was put there by hand; move it away first.")
        folder = Path(tempfile.mkdtemp(prefix=f"{self.manifest.name}-", dir=store))
        try:
            self._fill(folder, {path: found for path, found in files.items() if found})
            verify_files(read_manifest(folder))
            self._point_to(folder)
        except BaseException:
            if not (self._link.is_symlink() and self._link.resolve() == folder.resolve()):
                shutil.rmtree(folder, ignore_errors=True)
            raise
        for file in self.manifest.needed + self.manifest.extras:
            self.staged(file).unlink(missing_ok=True)
        return folder.resolve()

    def _fill(self, folder: Path, files: Mapping[str, Path]) -> None:
        folder.chmod(0o755)
        for relative, found in files.items():
            target = folder / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            if _link(found.resolve(), target):
                self._memo[str(target.resolve())] = self._memo[str(found.resolve())]
        write_memo(self._memo)
        write_whole(folder / "pack.toml", self._filled_in())
        for place in {folder, folder.parent, *(folder / relative for relative in files)}:
            sync_folder(place if place.is_dir() else place.parent)

    def _point_to(self, folder: Path) -> None:
        self._link.parent.mkdir(parents=True, exist_ok=True)
        beginning = f".{self._link.name}."
        for left in self._link.parent.glob(f"{beginning}*"):  # by a switch that was killed
            if left.is_symlink() and left.name.removeprefix(beginning).isdigit():
                left.unlink()
        fresh = self._link.with_name(f"{beginning}{os.getpid()}")
        # resolved paths: the folder of packs may be a link to another disk
        try:
            fresh.symlink_to(os.path.relpath(folder.resolve(), self._link.parent.resolve()))
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            raise StoreError(
                f"No link can be made in {self._link.parent} ({error.strerror}), as on a disk in the format "
                "of a stick: set HEADBAND_CACHE to a folder on another disk."
            ) from error
        fresh.replace(self._link)
        sync_folder(self._link.parent)

    def _sealed(self, file: PackFile) -> PackFile:
        seal = self.expected(file)
        return replace(file, size_bytes=seal.size_bytes, sha256=seal.sha256)

    def _filled_in(self) -> str:
        known = self._known()
        open_files = [file for file in self.manifest.files if not (file.sha256 and file.size_bytes)]
        said = {file.path: known.get(_identity(self.manifest, file), {}) for file in open_files}
        return with_seals(
            self.manifest.text,
            {file.path: self.expected(file) for file in open_files if self.expected(file).sha256},
            {path: str(entry["recorded"]) for path, entry in said.items() if "recorded" in entry},
        )

    def _known(self) -> dict[str, dict[str, str | int]]:
        try:
            if not self.cache.is_dir():
                return {}
            known = json.loads(self._known_path.read_text())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            doubt = (
                f"{self._known_path} can't be read ({why}): it says which files were trusted at first use; "
                "move it away to have them trusted anew."
            )
            if self._doubts is None:
                raise StoreError(doubt) from error
            self._doubts.add(doubt)
            return {}
        entries = known.items() if isinstance(known, dict) else ()
        return {identity: entry for identity, entry in entries if isinstance(entry, dict)}


def _remove_tree(folder: Path) -> None:
    """Removes a folder, also where somebody took away its permission to be written; what the disk keeps all
    the same is tried again at the next switch.
    """
    for place, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _link(source: Path, target: Path) -> bool:
    """A second name for a file; where the disk has none, or the name is on another disk, a copy. Returns
    whether it is the same file.
    """
    try:
        os.link(source, target)
        return True
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    shutil.copyfile(source, target)
    with open(target, "rb+") as copy:
        os.fsync(copy.fileno())
    return False


def _identity(manifest: Manifest, file: PackFile) -> str:
    return str(file.source) if file.source else f"{manifest.name}:{file.path}"


def write_whole(path: Path, text: str) -> None:
    """As `models.atomic_file.write_whole`; raises StoreError."""
    try:
        durable.write_whole(path, text)
    except OSError as error:
        raise StoreError(f"{path} can't be written ({error.strerror}).") from error
