"""Imports packs' files from a folder, for example a USB stick: found by name, accepted by SHA-256.

A folder may hold the files as a pack names them, as their publisher does, or in the layout of
`huggingface_hub`'s cache, where every file lies under its SHA-256. A `pack.toml` there defines a new pack, or
the sizes and SHA-256 that a known pack's manifest leaves open. A file that no SHA-256 tells from others is
that of the pack beside whose `pack.toml` it lies.

The folder is not trusted: only regular files are opened, a symbolic link is followed only inside the folder,
and a file of the wrong format is refused where its SHA-256 is not known.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from models.atomic_file import sync_folder
from models.install.fetch import InstallResult, finish
from models.install.file_formats import format_fault
from models.install.http_download import TransferContext
from models.install.regular_file import open_within, within
from models.install.staging import COPY, Store, StoreError
from models.install.stated_values import printable
from models.pack.brick_table import brick_specs
from models.pack.catalogue import PACKS_FOLDER, missing_files
from models.pack.manifest import Manifest, PackError, PackFile, Seal, read_manifest


@dataclass(frozen=True)
class Offer:
    """A pack that has files in the folder. seals: sizes and SHA-256 from the folder's pack.toml, by path.
    stated: that pack.toml, where something is taken from it.
    """

    manifest: Manifest
    seals: Mapping[str, Seal]
    stated: Manifest | None = None


def offers(
    folder: Path, name: str = "", say: Callable[[str], None] = lambda sentence: None
) -> tuple[Offer, ...]:
    """Packs that may have files in the folder: known ones, and those with a pack.toml in it.

    name: only this pack; say: takes a sentence about what is passed over because there is something else to
    take: a folder in it whose pack.toml can't be used, as other programs have files of that name too, and
    another version of a pack that comes with the program. Raises PackError for these where there is nothing
    else, for an unreadable folder, an unknown name, a folder whose own pack.toml can't be used, and two of
    them in it that say different things of one pack.
    """
    if not os.path.isdir(folder):  # False, not an error, for a name that no folder can have
        raise PackError(f"There is no folder {folder}.")
    found: dict[str, Offer] = {}
    for path in sorted(PACKS_FOLDER.glob("*/pack.toml")):
        manifest = read_manifest(path.parent)
        found[manifest.name] = Offer(manifest, {})
    shipped = {known for known, offer in found.items() if not missing_files(offer.manifest)}
    manifests, unusable = _manifests(folder)
    of_program = {known: offer.manifest.text for known, offer in found.items()}
    for there in manifests:
        if name and there.name != name:
            continue
        if there.name in shipped and there.text != of_program[there.name]:
            unusable.append(
                PackError(
                    f"{there.root} has a pack '{there.name}', as the one that comes with this program is "
                    "called: give it another name in its pack.toml."
                )
            )
            continue
        if other := next((each for each in manifests if _differ(each, there)), None):
            raise PackError(
                f"{there.root} and {other.root} both have a pack '{there.name}', and not the same one: "
                "import the folder of one of them."
            )
        seals = {file.path: Seal(file.size_bytes, file.sha256) for file in there.files}
        known = found[there.name].manifest if there.name in found else there
        counts = known is there or not all(file.sha256 for file in known.files)
        found[there.name] = Offer(known, seals if counts else {}, there if counts else None)
    if name and name not in found:
        raise next(iter(unusable), PackError(f"Neither this program nor {folder} knows a pack '{name}'."))
    files = _walk(folder)
    offered = tuple(
        offer for known, offer in found.items()
        if known not in shipped and (not name or known == name)
        and any(True for file in offer.manifest.files for _ in _candidates(file, files))
    )  # fmt: skip
    if unusable and not offered:
        raise unusable[0]
    for problem in unusable:
        say(f"Passed over: {problem}")
    return offered


def _manifests(folder: Path) -> tuple[list[Manifest], list[PackError]]:
    """What the pack.toml of a folder and of those in it say, and why others of those in it can't be used.
    Raises PackError where its own can't.
    """
    found, unusable = [], []
    for path in (folder / "pack.toml", *sorted(folder.glob("*/pack.toml"))):
        if not _lies_in(path, folder):
            continue
        try:
            there = read_manifest(path.parent)
            brick_specs(there)
        except PackError as problem:
            if path.parent == folder:
                raise
            unusable.append(problem)
        else:
            found.append(there)
    return found, unusable


def _differ(one: Manifest, other: Manifest) -> bool:
    """Whether two manifests say different things of the pack of one name."""
    return one.name == other.name and one.text != other.text


def import_pack_files(offer: Offer, folder: Path, line: TransferContext = TransferContext()) -> InstallResult:  # noqa: B008 - frozen
    """Copy the files that the pack lacks; install the pack if it is complete then. Converted files that are
    not published replace earlier ones.

    Raises StoreError or PackError with one sentence.
    """
    store = Store(offer.manifest)
    files = _walk(folder, line.say)
    with store.locked():
        here = {file.path: found for file in offer.manifest.files if (found := store.located(file))}
        unwanted = {file.path for file in offer.manifest.sources} - {file.path for file in store.wanted()}
        taken, recorded, strange = [], [], []
        homes = {path.parent for path in files if path.name == "pack.toml"}
        for file in offer.manifest.files:
            own = bool(file.made_from) and not file.sha256
            if file.path in unwanted or (file.path in here and not own):
                continue
            expected = Seal() if own else store.expected(file)
            if not expected.sha256:
                expected = offer.seals.get(file.path, expected)
            vouched = bool(store.expected(file).sha256) and not own
            candidates, of_others = _own_first(offer, _candidates(file, files), homes)
            if not expected.sha256 and of_others:
                strange += [] if candidates else [file.path]
            else:
                candidates += of_others
            for candidate in candidates:
                try:
                    seal = _copy(_Wanted(candidate, folder, file, expected, vouched), store, line)
                except _Unfit as unfit:
                    line.say(f"{printable(candidate)} is not taken: {unfit}")
                    continue
                if file.path in here and seal == store.expected(file):
                    # One that is not installed yet was replaced by this copy.
                    if here[file.path].resolve() == store.staged(file):
                        store.note_verified(file, seal)
                    else:
                        store.staged(file).unlink()
                    break
                line.say(f"{file.path}: taken from {printable(candidate)}")
                first_of_its_kind = not store.expected(file).sha256
                store.record_arrival(file, seal, "at first import")
                taken.append(file)
                if first_of_its_kind:
                    recorded.append(file)
                break
        if strange:
            line.say(
                f"Nothing beside the pack.toml of another pack is taken for {', '.join(strange)} of pack "
                f"'{store.manifest.name}': no SHA-256 says whose it is."
            )
        return finish(store, tuple(taken), tuple(recorded))


def _walk(folder: Path, say: Callable[[str], None] = lambda sentence: None) -> tuple[Path, ...]:
    """Every file in the folder and its folders. A folder in it that this user may not look into, such as a
    disk's `lost+found`, is told of and passed over. Raises StoreError for one that can't be read otherwise.
    """

    def refuse(error: OSError) -> None:
        if isinstance(error, PermissionError) and Path(error.filename) != folder:
            say(f"{printable(error.filename)} is passed over: this user may not read it")
            return
        raise StoreError(f"{error.filename} can't be read ({error.strerror}).") from error

    return tuple(
        Path(root) / name for root, _, names in os.walk(folder, onerror=refuse) for name in sorted(names)
    )


def _candidates(file: PackFile, files: tuple[Path, ...]) -> Iterator[Path]:
    """Files that may be this one. Without a SHA-256 the parent folders have to match too, because names such
    as `model.safetensors` are not specific.
    """
    names = {PurePath(file.path).name}
    if file.source:
        names.add(PurePath(file.source.file).name)
    for path in files:
        if file.sha256:
            fits = path.name in names or path.name == file.sha256
        else:
            cached = file.source and f"models--{file.source.repository.replace('/', '--')}" in path.parts
            fits = _ends_with(path, file.path)
            fits = fits or bool(cached and file.source and _ends_with(path, file.source.file))
        if fits:
            yield path


def _own_first(
    offer: Offer, candidates: Iterator[Path], homes: Container[Path]
) -> tuple[list[Path], list[Path]]:
    """The candidates beside the offer's own pack.toml and beside none, in that order, and those that lie
    beside the pack.toml of another pack. homes: the folders with a pack.toml.
    """
    root = offer.stated.root if offer.stated else None
    home = {path: next((each for each in path.parents if each in homes), None) for path in candidates}
    own = [path for path, found in home.items() if found is not None and found == root]
    loose = [path for path, found in home.items() if found is None]
    return own + loose, [path for path in home if path not in {*own, *loose}]


def _ends_with(path: Path, relative: str) -> bool:
    parts = PurePath(relative).parts
    return path.parts[-len(parts) :] == parts


class _Unfit(Exception):
    """The found file is not the wanted one; the text says why."""


@dataclass(frozen=True)
class _Wanted:
    """One file to copy. vouched: its SHA-256 was known before the import."""

    origin: Path
    folder: Path
    file: PackFile
    expected: Seal
    vouched: bool


def _copy(wanted: _Wanted, store: Store, line: TransferContext) -> Seal:
    """Copy and hash a file. Raises _Unfit for another or an unreadable file."""
    origin, expected = wanted.origin, wanted.expected
    target = store.staged(wanted.file)
    target.parent.mkdir(parents=True, exist_ok=True)
    copy_path = target.with_name(target.name + COPY)
    try:
        source = open_within(origin, wanted.folder)
    except OSError as error:
        raise _Unfit(printable(error)) from error
    other = f"it is damaged or another file than pack '{store.manifest.name}' needs"
    with source:
        size = os.fstat(source.fileno()).st_size
        if expected.size_bytes and size != expected.size_bytes:
            raise _Unfit(other)
        store.make_room(size)
        digest = hashlib.sha256()
        try:
            with open(copy_path, "wb") as copy:
                for piece in _pieces(source, size):
                    copy.write(piece)
                    digest.update(piece)
                    line.progress(copy.tell(), size)
                copied = copy.tell()
                copy.flush()
                os.fsync(copy.fileno())
        except OSError as error:
            _remove(copy_path)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            reason = "the disk is full" if full else error.strerror
            raise StoreError(
                f"{printable(origin)} can't be copied ({reason}); nothing of it was kept."
            ) from error
        except BaseException:  # Ctrl-C, or nobody reads what is printed
            _remove(copy_path)
            raise
    seal = Seal(copied, digest.hexdigest())
    wrong = copied != size or (expected.sha256 and seal.sha256 != expected.sha256)
    fault = "" if wrong or wanted.vouched else format_fault(copy_path, target.name)
    if wrong or fault:
        copy_path.unlink()
        raise _Unfit(f"it is {fault}" if fault else other)
    copy_path.replace(target)
    for begun in (".part", ".part.json"):
        target.with_name(target.name + begun).unlink(missing_ok=True)
    sync_folder(target.parent)
    return seal


def _remove(path: Path) -> None:
    """Removes what was copied of a file, as far as the disk lets it."""
    with contextlib.suppress(OSError):
        path.unlink()


def _pieces(source: IO[bytes], size: int) -> Iterator[bytes]:
    """A file in pieces, up to its size; a read error ends it early, which the caller detects by the size."""
    with contextlib.suppress(OSError):
        while size > 0 and (piece := source.read(min(size, 1 << 20))):
            size -= len(piece)
            yield piece


def _lies_in(path: Path, folder: Path) -> bool:
    """Is it a regular file, with symbolic links only inside the folder?"""
    try:
        return within(path, folder).is_file()
    except OSError:
        return False
