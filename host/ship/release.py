"""A release: the application's files in this checkout, each with its SHA-256, and a Python environment."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from host import __version__

ROOT = Path(__file__).parents[2]
FOLDERS = ("firmware", "host", "hw", "models", "power")
FILES = ("requirements-native.cmake", "LICENSE", "NOTICE")
COMPILE_WITH = "requirements-native.cmake"


@dataclass(frozen=True)
class ReleaseFile:
    """One file that is sent."""

    path: Path
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Environment:
    """Packages of the venv on the headband, by file name. `build`: the wheels that compile
    `sources` there.
    """

    wheels: dict[str, ReleaseFile]
    build: dict[str, ReleaseFile]
    sources: dict[str, ReleaseFile]
    compile_with: str = ""
    """SHA-256 of the CMake settings that `sources` are compiled with."""
    left_out: tuple[str, ...] = ()
    """Patterns of the wheels' files that are not installed, except `kept`; see `host.packages.left_out`."""
    kept: tuple[str, ...] = ()
    described: dict[str, ReleaseFile] = field(default_factory=dict)
    """Files of the release that tell what is in the environment, by path within the release."""

    @property
    def compiled(self) -> str:
        """Name of the folder for wheels that the headband compiles."""
        return _digest([self.compile_with, *_names_and_hashes(self.sources), *_names_and_hashes(self.build)])

    @property
    def name(self) -> str:
        """Name of the venv; equal lock files give equal names."""
        return _digest([self.compiled, *_names_and_hashes(self.wheels), *self.left_out, *self.kept])


@dataclass(frozen=True)
class Release:
    """One version of the application with its environment."""

    files: dict[str, ReleaseFile]
    """By path within the release."""
    environment: Environment
    board: str
    """Kind of board, written to a headband that has no settings."""
    version: str = __version__
    """Of the application, for the person."""
    commit: str = ""
    """That its files are of, for the person; it is no part of the release's name."""

    @cached_property
    def name(self) -> str:
        """Name of the release; equal contents give equal names."""
        return _digest(
            [self.environment.name, *(f"{path} {item.sha256}" for path, item in self.files.items())]
        )

    def __str__(self) -> str:
        return f"release {self.version} ({self.name})"

    @cached_property
    def files_by_sha(self) -> dict[str, ReleaseFile]:
        """All files that the headband needs, by SHA-256."""
        parts = (self.files, self.environment.wheels, self.environment.build, self.environment.sources)
        return {item.sha256: item for part in parts for item in part.values()}

    def request(self) -> dict[str, object]:
        """The request that `host.ship.onboard` reads."""
        return {
            "id": self.name,
            "version": self.version,
            "commit": self.commit,
            "board": self.board,
            "release": {path: item.sha256 for path, item in self.files.items()},
            "files": {sha: item.size_bytes for sha, item in self.files_by_sha.items()},
            "venv": self.environment.name,
            "venv_bytes": 4 * sum(item.size_bytes for item in self.environment.wheels.values()),
            "wheels": _hash_by_name(self.environment.wheels),
            "left_out": self.environment.left_out,
            "kept": self.environment.kept,
            "build_wheels": _hash_by_name(self.environment.build),
            "sources": _hash_by_name(self.environment.sources),
            "compiled": self.environment.compiled,
        }


def release_file(path: Path) -> ReleaseFile:
    """A file with its SHA-256 and size; reads it."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ReleaseFile(path, digest, path.stat().st_size)


def application(root: Path = ROOT) -> dict[str, ReleaseFile]:
    """The application's files in a checkout, by path, without generated and hidden ones."""
    found = [root / name for name in FILES if (root / name).exists()]
    for folder in FOLDERS:
        found += (
            path
            for path in (root / folder).rglob("*")
            if path.is_file() and _is_source(path.relative_to(root))
        )
    return {path.relative_to(root).as_posix(): release_file(path) for path in sorted(found)}


def _is_source(path: Path) -> bool:
    hidden = any(part.startswith(".") or part == "__pycache__" for part in path.parts)
    return not hidden and path.suffix not in (".pyc", ".orig", ".rej")


def _names_and_hashes(items: dict[str, ReleaseFile]) -> list[str]:
    return [f"{name} {each.sha256}" for name, each in sorted(items.items())]


def _hash_by_name(items: dict[str, ReleaseFile]) -> dict[str, str]:
    return {name: each.sha256 for name, each in items.items()}


def _digest(parts: list[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
