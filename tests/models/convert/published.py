"""Fetches the files that published checkpoints have beside their weights, for `test_published_files.py`:

    python -m tests.models.convert.published FOLDER

Those of the checkpoints that the packs here are made from, at the revision that their manifests name: config,
tokenizer, chat template and preprocessing, some MB. HEADBAND_HUB names another server, as for `headband
models fetch`. Exit status 0: they are there; 1: not, and one sentence says why.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from models.install.http_download import DownloadRequest, TransferContext, download
from models.install.hub_urls import address
from models.install.staging import NotPublished, StoreError
from models.pack.catalogue import PACKS_FOLDER
from models.pack.manifest import Manifest, PackError, PackFile, Seal, read_manifest

SMALL = (".json", ".jinja")
_AT_ONCE = TransferContext(sleep=lambda pause_s: None)


def named_packs() -> list[Manifest]:
    """The packs of this checkout that are converted from a published checkpoint."""
    packs = (read_manifest(path.parent) for path in sorted(PACKS_FOLDER.glob("*/pack.toml")))
    return [pack for pack in packs if list(beside_weights(pack))]


def beside_weights(pack: Manifest) -> Iterator[tuple[str, PackFile]]:
    """The folder, named as the checkpoint, and each small file of it."""
    for file in pack.sources:
        if file.source and file.path.endswith(SMALL):
            yield file.source.repository.rpartition("/")[2], file


def main(words: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.models.convert.published",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="gets a folder for each checkpoint")
    options = parser.parse_args(words)
    try:
        for pack in named_packs():
            for checkpoint, file in beside_weights(pack):
                path = options.folder / checkpoint / Path(file.path).name
                if not path.is_file():
                    print(_fetched(file, path))
    except (PackError, StoreError) as problem:
        print(f"The checkpoints' files can't be had here: {problem}", file=sys.stderr)
        return 1
    return 0


def _fetched(file: PackFile, path: Path) -> str:
    """Fetches a file; what happened. Raises PackError or StoreError."""
    assert file.source
    try:
        download(DownloadRequest(address(file.source), path, Seal(file.size_bytes, file.sha256)), _AT_ONCE)
    except NotPublished:
        if not file.optional:
            raise
        return f"{file.source} is not published there"
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
