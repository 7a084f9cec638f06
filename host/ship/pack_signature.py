"""A pack's signature, `pack.toml.sig` beside its `pack.toml`, which has the SHA-256 of every file."""

from __future__ import annotations

from pathlib import Path

from host.ship.signing import find_key
from host.ship.target.receive import PACKS, NotTrusted, UnknownKey, signers, verify
from models.atomic_file import write_whole
from models.install.regular_file import open_within
from models.install.stated_values import printable
from models.pack.catalogue import load_pack
from models.pack.manifest import Manifest, PackError, read_manifest

SIGNATURE = "pack.toml.sig"
_MOST_BYTES = 1 << 14


class UnsignedPack(NotTrusted):
    """The pack has no signature of a trusted key, which is nothing unusual for somebody else's pack."""


def verify_pack(manifest: Manifest, trusted_in: Path) -> None:
    """Verifies the signature of the manifest as it was read. `trusted_in`: stands for `/` of the computer
    whose trusted keys count. Raises `UnsignedPack`, or `NotTrusted` where the signature is of something else.
    """
    what = f"pack '{manifest.name}' in {printable(manifest.root)}"
    try:
        with open_within(manifest.root / SIGNATURE, manifest.root) as file:
            signature = file.read(_MOST_BYTES)
    except OSError:
        raise UnsignedPack(f"There is no signature of {what}.") from None
    try:
        verify(manifest.text.encode(), signature, signers(trusted_in), PACKS, what)
    except UnknownKey as problem:
        raise UnsignedPack(str(problem)) from None
    if left_open := _without_hash(manifest):
        raise UnsignedPack(f"The signature of {what} says nothing of {', '.join(left_open)}.")


def sign_pack(folder: Path, key: Path | None) -> Path:
    """Reads every file of a pack and signs its manifest; returns the signature's path. Raises `PackError`,
    `RemoteError`.
    """
    manifest = read_manifest(folder)
    if left_open := _without_hash(manifest):
        raise PackError(
            f"{folder / 'pack.toml'} has no SHA-256 of {', '.join(left_open)}, so a signature would say "
            f"nothing of it: `python -m models.pack.catalogue seal {folder}` writes it."
        )
    load_pack(folder.resolve())  # a bare name would be that of an installed pack
    path = folder / SIGNATURE
    write_whole(path, find_key(key, []).sign(manifest.text.encode(), PACKS))
    return path


def _without_hash(manifest: Manifest) -> list[str]:
    return [file.path for file in (*manifest.needed, *manifest.extras) if not file.sha256]
