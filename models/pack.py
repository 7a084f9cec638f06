"""Model packs: a TOML manifest naming files (size, SHA-256, licence) and, per brick, runtime and settings.

python -m models.pack verify models/packs/micro     check every file
python -m models.pack seal models/packs/micro       write the files' present sizes and SHA-256 into pack.toml
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.brick import BrickSpec, Placement

PACKS_FOLDER = Path(__file__).parent / "packs"
RUNTIME_MODULES = {
    "whisper.cpp": "models.bricks.stt",
    "onnxruntime": "models.bricks.vision",
    "llama.cpp": "models.bricks.llm",
    "piper": "models.bricks.tts",
}
_TOP_KEYS = {"name", "version", "description", "licence", "restore", "file", "brick"}
_BRICK_KEYS = {"runtime", "placement", "memory_mib", "files", "settings"}


class PackError(Exception):
    """A pack that can't be used; the message is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class PackFile:
    """One file of a pack. path: relative to the pack's folder."""

    path: str
    size_bytes: int
    sha256: str
    licence: str


@dataclass(frozen=True)
class Pack:
    """A verified pack. bricks: by name, in the order of the manifest."""

    name: str
    root: Path
    version: str
    description: str
    licence: str
    files: tuple[PackFile, ...]
    bricks: Mapping[str, BrickSpec]


def cache_folder() -> Path:
    """Where this project keeps what it can make again: $HEADBAND_CACHE, else ~/.cache/headband."""
    return Path(os.environ.get("HEADBAND_CACHE") or Path.home() / ".cache" / "headband")


def pack_names() -> tuple[str, ...]:
    """Names of the packs that are on this machine."""
    folders = (PACKS_FOLDER, cache_folder() / "packs")
    return tuple(dict.fromkeys(p.parent.name for f in folders for p in sorted(f.glob("*/pack.toml"))))


def find_pack(name_or_path: str | Path) -> Path:
    """Folder of a pack by name or path. Raises PackError."""
    text = str(name_or_path)
    given = Path(text).expanduser()
    if given.name == "pack.toml":
        given = given.parent
    candidates = [given] if os.sep in text or given.is_dir() else []
    candidates += [PACKS_FOLDER / text, cache_folder() / "packs" / text]
    for folder in candidates:
        if (folder / "pack.toml").is_file():
            return folder.resolve()
    known = ", ".join(pack_names()) or "none"
    raise PackError(f"There is no model pack '{text}'; packs on this machine: {known}.")


def _manifest(root: Path) -> dict[str, Any]:
    try:
        with open(root / "pack.toml", "rb") as file:
            return tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise PackError(f"The pack manifest {root / 'pack.toml'} can't be read: {error}.") from error


def _inside(root: Path, relative: str) -> Path:
    path = (root / relative).resolve()
    if not path.is_relative_to(root.resolve()):
        raise PackError(f"The pack in {root} names a file outside its folder: {relative}.")
    return path


def _brick_spec(pack: str, root: Path, name: str, entry: Mapping[str, Any], listed: set[str]) -> BrickSpec:
    unknown = set(entry) - _BRICK_KEYS
    if unknown:
        raise PackError(f"Pack '{pack}', brick '{name}': unknown key {sorted(unknown)[0]!r} in pack.toml.")
    try:
        module = RUNTIME_MODULES[entry["runtime"]]
        placement = Placement(entry.get("placement", "cpu"))
        memory_mib = int(entry["memory_mib"])
    except (KeyError, ValueError) as error:
        raise PackError(
            f"Pack '{pack}', brick '{name}': missing or wrong value {error} in pack.toml."
        ) from error
    settings = dict(entry.get("settings", {}))
    options: dict[str, Any] = dict(settings)
    for key, relative in entry.get("files", {}).items():
        if relative not in listed:
            raise PackError(
                f"Pack '{pack}', brick '{name}': {relative} isn't listed under [[file]] in pack.toml."
            )
        if key in settings:
            raise PackError(
                f"Pack '{pack}', brick '{name}': {key!r} is both a file and a setting in pack.toml."
            )
        options[key] = str(_inside(root, relative))
    return BrickSpec(name, placement, memory_mib, module, options)


def load_pack(name_or_path: str | Path, *, verify: bool = True) -> Pack:
    """Read a pack and check its files' sizes and SHA-256 (remembered by size and time of change).

    Raises PackError with one sentence: unknown pack, bad manifest, missing, short or damaged file.
    """
    root = find_pack(name_or_path)
    data = _manifest(root)
    name = str(data.get("name", root.name))
    unknown = set(data) - _TOP_KEYS
    if unknown:
        raise PackError(f"Pack '{name}': unknown key {sorted(unknown)[0]!r} in pack.toml.")
    try:
        files = tuple(
            PackFile(f["path"], int(f["size"]), str(f["sha256"]), str(f.get("licence", "")))
            for f in data["file"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise PackError(f"Pack '{name}': a [[file]] entry lacks {error} in pack.toml.") from error
    listed = {file.path for file in files}
    bricks = {
        key: _brick_spec(name, root, key, entry, listed) for key, entry in data.get("brick", {}).items()
    }
    if verify:
        verify_files(name, root, files, str(data.get("restore", "")))
    text = {key: str(data.get(key, "")) for key in ("version", "description", "licence")}
    return Pack(name, root, files=files, bricks=bricks, **text)


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def verify_files(pack: str, root: Path, files: tuple[PackFile, ...], restore: str = "") -> None:
    """Compare files with the manifest. Raises PackError naming the file and how to restore it."""
    fix = f"restore it with: {restore}" if restore else "copy the pack again"
    memo_path = cache_folder() / "verified.json"
    memo = _read_memo(memo_path)
    fresh = dict(memo)
    for file in files:
        path = _inside(root, file.path)
        try:
            stat = path.stat()
        except OSError:
            raise PackError(f"Pack '{pack}' lacks {file.path} (looked in {root}); {fix}") from None
        if stat.st_size != file.size_bytes:
            raise PackError(
                f"Pack '{pack}': {file.path} has {stat.st_size} bytes instead of {file.size_bytes}; {fix}"
            )
        seal = [stat.st_size, stat.st_mtime_ns, stat.st_ino, file.sha256]
        if memo.get(str(path)) == seal:
            continue
        if sha256_of(path) != file.sha256:
            raise PackError(
                f"Pack '{pack}': {file.path} is damaged (its SHA-256 doesn't match pack.toml); {fix}"
            )
        fresh[str(path)] = seal
    if fresh != memo:
        _write_memo(memo_path, fresh)


def _read_memo(path: Path) -> dict[str, Any]:
    try:
        memo = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return memo if isinstance(memo, dict) else {}


def _write_memo(path: Path, memo: dict[str, Any]) -> None:
    """The memo only saves time, so a folder that can't be written is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(f".{os.getpid()}")
        scratch.write_text(json.dumps({p: s for p, s in memo.items() if Path(p).exists()}))
        scratch.replace(path)
    except OSError:
        return


def seal(folder: Path) -> list[str]:
    """Write present sizes and SHA-256 into pack.toml, keeping everything else; returns one line per file."""
    manifest = folder / "pack.toml"
    blocks = re.split(r"(?m)^(?=\[)", manifest.read_text())
    report = []
    for index, block in enumerate(blocks):
        if not block.startswith("[[file]]"):
            continue
        relative = tomllib.loads(block)["file"][0]["path"]
        path = _inside(folder, relative)
        if not path.is_file():
            raise PackError(f"{path} doesn't exist, so the pack can't be sealed.")
        values = {"size": str(path.stat().st_size), "sha256": f'"{sha256_of(path)}"'}
        for key, value in values.items():
            block, count = re.subn(rf"(?m)^{key}\s*=.*$", f"{key} = {value}", block)
            if not count:
                block = re.sub(r"(?m)^(path\s*=.*)$", rf"\1\n{key} = {value}", block)
        blocks[index] = block
        report.append(f"{relative}: {values['size']} bytes, {values['sha256'][1:13]}...")
    manifest.write_text("".join(blocks))
    return report


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit 2 with one sentence for a pack that can't be used."""
    parser = argparse.ArgumentParser(prog="python -m models.pack", description="Check or seal a model pack.")
    parser.add_argument("action", choices=["verify", "seal"])
    parser.add_argument("pack", help="name or folder of the pack")
    options = parser.parse_args(arguments)
    try:
        folder = find_pack(options.pack)
        if options.action == "seal":
            print("\n".join(seal(folder)))
        pack = load_pack(folder)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    total_mib = sum(file.size_bytes for file in pack.files) / 2**20
    print(f"pack '{pack.name}': {len(pack.files)} files, {total_mib:.1f} MiB, all as listed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
