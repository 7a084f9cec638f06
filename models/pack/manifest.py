"""A pack's manifest, `pack.toml`: files with size, SHA-256, licence and source, and the bricks.

A file's `repository`, `file` and `revision` say where it is published, in the layout of a model hub. A file
with `made_from` is not published: it is converted from those other files of the manifest. Size and SHA-256
may be missing where they cannot be known beforehand; `models.install.staging` records those of the first such
file that is installed, and afterwards accepts no other. An `optional` file is one that a conversion reads
where there is one, and that not every revision of a repository has. A brick's table `npu` names the same
network compiled for a chip's NPU: the pack is complete without that file, and uses it where it is present.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hw.settings import SettingsError
from models.pack.manifest_tables import FileTable, check_pack

LONGEST_MANIFEST_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FILE_TABLE = re.compile(r"[ \t]*\[\[[ \t]*file[ \t]*\]\]")


class PackError(Exception):
    """A pack that cannot be used; the message is a sentence for the user, with what to do."""


@dataclass(frozen=True)
class Seal:
    """The expected size and checksum of a file. size_bytes: 0 if unknown; sha256: lower-case hex, empty if
    unknown.
    """

    size_bytes: int = 0
    sha256: str = ""


@dataclass(frozen=True)
class FileSource:
    """Where a file is published: a hub's repository "owner/name", the path in it and its revision."""

    repository: str
    file: str
    revision: str

    def __str__(self) -> str:
        return f"{self.repository}@{self.revision}:{self.file}"


@dataclass(frozen=True)
class PackFile:
    """One file of a pack. path: relative to the pack's folder; recorded: where its SHA-256 comes from, if not
    from the manifest's author; optional: whether a fetch passes it over where it is not published.
    """

    path: str
    size_bytes: int
    sha256: str
    licence: str
    source: FileSource | None = None
    made_from: tuple[str, ...] = ()
    recorded: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Manifest:
    """The contents of a manifest. text: of the file; bricks: the tables, as read."""

    name: str
    root: Path
    text: str
    version: str
    description: str
    licence: str
    restore: str
    files: tuple[PackFile, ...]
    bricks: Mapping[str, Mapping[str, Any]]
    self_test: str = ""
    """What the recogniser makes of the sound of the built-in question; "" where any words will do."""

    @property
    def sources(self) -> tuple[PackFile, ...]:
        """Files from which others are converted and that no brick reads."""
        used = self._read_by_bricks | self._read_by_npu
        origins = {path for file in self.files for path in file.made_from} - used
        return tuple(file for file in self.files if file.path in origins)

    @property
    def needed(self) -> tuple[PackFile, ...]:
        """Files without which the pack cannot be used."""
        others = {*self.sources, *self.extras}
        return tuple(file for file in self.files if file not in others)

    @property
    def extras(self) -> tuple[PackFile, ...]:
        """Files that only an NPU reads. The pack can be used without them."""
        paths = self._read_by_npu - self._read_by_bricks
        return tuple(file for file in self.files if file.path in paths)

    @property
    def present(self) -> tuple[PackFile, ...]:
        """The needed files, and those extras that are in the pack's folder."""
        there = tuple(file for file in self.extras if inside(self.root, file.path).is_file())
        return self.needed + there

    @property
    def _read_by_bricks(self) -> set[str]:
        return {path for brick in self.bricks.values() for path in brick.get("files", {}).values()}

    @property
    def _read_by_npu(self) -> set[str]:
        return {path for brick in self.bricks.values() for path in npu_files(brick.get("npu", {}))}

    def licences(self) -> dict[str, list[str]]:
        """The files under each licence."""
        result: dict[str, list[str]] = {}
        for file in self.files:
            result.setdefault(file.licence or self.licence or "no licence stated", []).append(file.path)
        return result


def npu_files(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The files of a brick's table `npu`: one graph, or the graphs of a chain."""
    single = (str(entry["file"]),) if entry.get("file") else ()
    return (*single, *map(str, entry.get("files", {}).values()))


def read_manifest(root: Path) -> Manifest:
    """The manifest in a folder. Raises PackError with one sentence."""
    path = root / "pack.toml"
    try:
        if not path.is_file():  # opening a named pipe would block until something writes to it
            raise FileNotFoundError(f"there is no file {path}")
        with path.open(encoding="utf-8-sig") as stream:  # some editors put a mark at the start of UTF-8
            text = stream.read(LONGEST_MANIFEST_BYTES + 1)
        if len(text) > LONGEST_MANIFEST_BYTES:
            raise PackError(f"The pack manifest {path} is longer than {LONGEST_MANIFEST_BYTES} bytes.")
        data = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise PackError(f"The pack manifest {path} can't be read: {_reason(error)}.") from error
    name = str(data.get("name", root.name))
    if not _NAME.fullmatch(name):
        raise PackError(f"The pack manifest {path} has no usable name: {name!r}.")
    try:
        table = check_pack(data, path)
    except SettingsError as error:
        raise PackError(str(error)) from error
    files = tuple(_file(root, entry) for entry in table.file)
    listed = {file.path for file in files}
    if len(listed) < len(files):
        twice = next(file.path for file in files if [each.path for each in files].count(file.path) > 1)
        raise PackError(f"Pack '{name}': {twice} is listed twice under [[file]] in pack.toml.")
    for file in files:
        for origin in file.made_from:
            if origin not in listed:
                raise PackError(
                    f"Pack '{name}': {origin}, which {file.path} is made from, isn't listed in pack.toml."
                )
    keys = ("version", "description", "licence", "restore", "self_test")
    words = {key: str(data.get(key, "")) for key in keys}
    of_files = [
        (f"the {key} of {each.path}", str(getattr(each, key)))
        for each in files
        for key in ("licence", "recorded")
    ]
    for key, said in (*words.items(), *of_files):
        if not said.isprintable():
            raise PackError(f"Pack '{name}': {key} has characters in pack.toml that can't be shown.")
    return Manifest(name, root, text, files=files, bricks=data.get("brick", {}), **words)


def _reason(error: Exception) -> str:
    """Why a manifest can't be read; the end of a sentence."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _file(root: Path, entry: FileTable) -> PackFile:
    inside(root, entry.path)
    source = None
    if entry.repository:
        source = FileSource(entry.repository, entry.file or entry.path, entry.revision or "main")
    return PackFile(
        entry.path, entry.size, entry.sha256, entry.licence, source, entry.made_from, entry.recorded,
        entry.optional,
    )  # fmt: skip


def inside(root: Path, relative: str) -> Path:
    """The path of a file of a pack; every path in a manifest is checked here. Raises PackError for one
    outside the pack's folder, for one that a symbolic link leads out of it, and for a name that is reserved
    for temporary files.
    """
    plain = PurePosixPath(relative)
    path = Path(os.path.realpath(root / relative)) if "\0" not in relative else root
    if plain.is_absolute() or ".." in plain.parts:
        raise PackError(f"The pack in {root} names a file outside its folder: {relative!r}.")
    if not path.is_relative_to(os.path.realpath(root)):
        raise PackError(
            f"In the pack in {root}, {relative!r} is a link to something outside its folder: put the file "
            "itself there."
        )
    own = plain.name in ("", "pack.toml") or plain.name.endswith((".part", ".part.json", ".copy"))
    hidden = any(part.startswith(".") for part in plain.parts)
    if own or hidden or str(plain) != relative or not relative.isprintable():
        raise PackError(f"The pack in {root} gives a file a name that can't be used: {relative!r}.")
    return path


def with_seals(text: str, seals: Mapping[str, Seal], recorded: Mapping[str, str] | None = None) -> str:
    """A manifest's text with these sizes and SHA-256 by path; everything else is unchanged. Raises PackError
    where a table of a file does not begin a line of its own, with each key on another.
    """
    blocks = re.split(r"(?m)^(?=[ \t]*\[)", text)
    for index, block in enumerate(blocks):
        if not _FILE_TABLE.match(block):
            continue
        try:
            path = tomllib.loads(block)["file"][0]["path"]
        except (tomllib.TOMLDecodeError, LookupError):  # a line inside a string that looks like a table
            continue
        if path not in seals:
            continue
        values = {"size": str(seals[path].size_bytes), "sha256": f'"{seals[path].sha256}"'}
        if recorded and path in recorded:
            values["recorded"] = f'"{recorded[path]}"'
        for key, value in values.items():
            block, count = re.subn(rf"(?m)^([ \t]*){key}[ \t]*=.*$", rf"\1{key} = {value}", block)
            if not count:
                block = re.sub(r"(?m)^([ \t]*)(path[ \t]*=.*)$", rf"\1\2\n\1{key} = {value}", block)
        blocks[index] = block
    made = "".join(blocks)
    _require_seals(made, seals)
    return made


def _require_seals(text: str, seals: Mapping[str, Seal]) -> None:
    """Raises PackError where a manifest's text does not have these sizes and SHA-256."""
    try:
        files = {
            file["path"]: Seal(file.get("size", 0), file.get("sha256", ""))
            for file in tomllib.loads(text)["file"]
        }
    except ValueError:
        files = {}
    for path, seal in seals.items():
        if files.get(path) != seal:
            raise PackError(
                f"Size and SHA-256 of {path} can't be written into pack.toml: its [[file]] has to begin a "
                "line of its own, with each key on another."
            )
