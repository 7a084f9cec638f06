"""What a release is made of: this checkout's files, each known by its SHA-256, and an environment."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from host import __version__

ROOT = Path(__file__).parents[2]
FOLDERS = ("firmware", "host", "hw", "models", "power")
FILES = ("requirements-native.cmake", "LICENSE", "NOTICE")
COMPILE_WITH = "requirements-native.cmake"


@dataclass(frozen=True)
class Item:
    """One file that is sent."""

    path: Path
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Environment:
    """What the venv on the headband is filled with, by file name. `build` compiles `sources` there."""

    wheels: dict[str, Item]
    build: dict[str, Item]
    sources: dict[str, Item]
    compile_with: str = ""
    """SHA-256 of what changes how they are compiled."""

    @property
    def compiled(self) -> str:
        """Name of the wheels that are compiled on the headband."""
        return _short([self.compile_with, *_shas(self.sources), *_shas(self.build)])

    @property
    def name(self) -> str:
        """Of the venv: the same for the same locks."""
        return _short([self.compiled, *_shas(self.wheels)])


@dataclass(frozen=True)
class Release:
    """One version of the application with its environment."""

    files: dict[str, Item]
    """By path within the release."""
    environment: Environment
    board: str
    """Kind of board, for settings that are not there yet."""
    version: str = __version__
    """Of the application, for the person."""

    @cached_property
    def name(self) -> str:
        """The same for the same contents."""
        return _short(
            [self.environment.name, *(f"{path} {item.sha256}" for path, item in self.files.items())]
        )

    def __str__(self) -> str:
        return f"release {self.version} ({self.name})"

    @cached_property
    def items(self) -> dict[str, Item]:
        """All that the headband must have, by SHA-256."""
        parts = (self.files, self.environment.wheels, self.environment.build, self.environment.sources)
        return {item.sha256: item for part in parts for item in part.values()}

    def request(self) -> dict[str, object]:
        """As the headband's side reads it."""
        return {
            "id": self.name,
            "version": self.version,
            "board": self.board,
            "release": {path: item.sha256 for path, item in self.files.items()},
            "files": {sha: item.size_bytes for sha, item in self.items.items()},
            "venv": self.environment.name,
            "venv_bytes": 4 * sum(item.size_bytes for item in self.environment.wheels.values()),
            "wheels": _by_name(self.environment.wheels),
            "build_wheels": _by_name(self.environment.build),
            "sources": _by_name(self.environment.sources),
            "compiled": self.environment.compiled,
        }


def item(path: Path) -> Item:
    """Reads the file."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Item(path, digest, path.stat().st_size)


def application(root: Path = ROOT) -> dict[str, Item]:
    """The application's files in a checkout, without what is generated from them."""
    found = [root / name for name in FILES if (root / name).exists()]
    for folder in FOLDERS:
        found += (
            path for path in (root / folder).rglob("*") if path.is_file() and _meant(path.relative_to(root))
        )
    return {path.relative_to(root).as_posix(): item(path) for path in sorted(found)}


def _meant(path: Path) -> bool:
    hidden = any(part.startswith(".") or part == "__pycache__" for part in path.parts)
    return not hidden and path.suffix not in (".pyc", ".orig", ".rej")


def _shas(items: dict[str, Item]) -> list[str]:
    return [f"{name} {each.sha256}" for name, each in sorted(items.items())]


def _by_name(items: dict[str, Item]) -> dict[str, str]:
    return {name: each.sha256 for name, each in items.items()}


def _short(parts: list[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
