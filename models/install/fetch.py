"""Downloads a pack's published files one after the other, then installs the pack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from models.install.file_formats import format_fault
from models.install.http_download import DownloadRequest, TransferContext, download
from models.install.hub_urls import address
from models.install.staging import NotPublished, Store, StoreError
from models.pack.manifest import PackFile


@dataclass(frozen=True)
class InstallResult:
    """Result of a download or import. pack: the installed pack's folder, None while files are missing."""

    files: tuple[PackFile, ...]
    recorded: tuple[PackFile, ...]
    lacking: tuple[PackFile, ...]
    pack: Path | None


def bytes_to_fetch(store: Store) -> int:
    """Bytes still to download, as far as sizes are known; partial downloads are subtracted."""
    total = 0
    for file in store.wanted():
        part = DownloadRequest("", store.staged(file), store.expected(file)).part
        here = part.stat().st_size if part.is_file() else 0
        total += max(0, store.expected(file).size_bytes - here)
    return total


def fetch(store: Store, context_for: Callable[[PackFile], TransferContext], base: str = "") -> InstallResult:
    """Download missing files; install the pack if it is complete then.

    base: the server, see `models.install.hub_urls`. An optional file that the server does not have is passed
    over. Raises StoreError or PackError with one sentence; complete files are kept and not downloaded again,
    partial ones are resumed.
    """
    with store.locked():
        wanted = store.wanted()
        requests = {
            file: DownloadRequest(
                address(file.source, base), store.staged(file), store.expected(file),
                lambda path, name=file.path: format_fault(path, name),  # type: ignore[misc]
            )
            for file in wanted if file.source
        }  # fmt: skip
        store.make_room(bytes_to_fetch(store))
        fetched, recorded = [], []
        for file, request in requests.items():
            first_of_its_kind = not request.expected.sha256
            line = replace(context_for(file), make_room=store.make_room)
            try:
                seal = download(request, line)
            except StoreError as error:
                if file.optional and isinstance(error, NotPublished):
                    line.say(f"{file.path} is not published there; the conversion does without it")
                    continue
                if first_of_its_kind or file.sha256:
                    raise
                raise StoreError(
                    f"{str(error)[:-1]}; the pack's author doesn't know this file's SHA-256, so it must be "
                    f"the one recorded here when it first came: remove its entry from "
                    f"{store.cache / 'known-files.json'} to trust another."
                ) from error
            store.record_arrival(file, seal, "at first fetch")
            fetched.append(file)
            if first_of_its_kind:
                recorded.append(file)
        return finish(store, tuple(fetched), tuple(recorded))


def finish(store: Store, files: tuple[PackFile, ...], recorded: tuple[PackFile, ...]) -> InstallResult:
    """Install the pack if it is complete."""
    lacking = store.lacking()
    pack = store.switch() if not lacking and (files or not store.is_current()) else None
    return InstallResult(files, recorded, lacking, pack)
