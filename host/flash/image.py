"""The PMU's firmware as a deploy copies it: its files, their SHA-256, and the commit of the checkout."""

from __future__ import annotations

import functools
import hashlib
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from host.flash.drop_unused import prune
from host.flash.inline_constants import inline
from host.flash.mpy_cross import Compiler, can_load
from host.flash.shorten_names import shorten

FIRMWARE = Path(__file__).parents[2] / "firmware"
COMMIT_DIGITS = 8
UNKNOWN = "0" * COMMIT_DIGITS


@dataclass(frozen=True)
class FirmwareImage:
    """Files of one slot, and of the loader beside the slots."""

    commit: str
    """First 8 hexadecimal digits, with a `+` when the firmware folder differs from that commit; zeros when
    unknown."""
    files: dict[str, bytes]
    """Content by name within a slot, for example `pmu/app.py`."""
    loader: dict[str, bytes]
    """Content by path on the board. A deploy writes these to a board without them, otherwise only on request.
    """

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 in hexadecimal by name within a slot."""
        return {name: sha256(data) for name, data in self.files.items()}

    def fits(self, mpy: int) -> bool:
        """Whether a board can load every compiled file; `mpy` is the board's `sys.implementation._mpy`."""
        return all(can_load(mpy, data) for name, data in self.files.items() if name.endswith(".mpy"))

    def manifest(self, serial: int) -> bytes:
        """The file that marks a slot as complete; of two slots, the one with the higher `serial` is newer."""
        return json.dumps({"commit": self.commit, "serial": serial, "files": self.hashes}).encode()


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def firmware_image(
    folder: Path = FIRMWARE, commit: str | None = None, compiler: Compiler | None = None
) -> FirmwareImage:
    """The firmware in `folder`, compiled with `compiler`, or as Python source without one. `commit` replaces
    the commit that git reports.
    """
    commit = _commit(folder) if commit is None else commit
    sources = {path.stem: path.read_bytes() for path in sorted((folder / "pmu").glob("*.py"))}
    files = {}
    for name, source in {**_smaller(tuple(sources.items())), "build": _build(commit)}.items():
        if compiler is None:
            files[f"pmu/{name}.py"] = source
        else:
            files[f"pmu/{name}.mpy"] = compiler(_module_name(name), source)
    # main.py last: until it is written, nothing starts at a reset and the REPL answers.
    loader = {f"/{name}": (folder / name).read_bytes() for name in ("loader.py", "main.py")}
    return FirmwareImage(commit, files, loader)


def _build(commit: str) -> bytes:
    return f'"""Written at deploy time."""\n\nCOMMIT = "{commit}"\n'.encode()


@functools.lru_cache(maxsize=1)  # a deploy makes two images of the same sources
def _smaller(sources: tuple[tuple[str, bytes], ...]) -> Mapping[str, bytes]:
    """The modules without constants and what nothing refers to; the commit of `build` counts for neither."""
    return MappingProxyType(
        shorten(prune(inline({**dict(sources), "build": _build(UNKNOWN)}), ("board", "start")))
    )


def _module_name(name: str) -> str:
    """What a traceback shows in place of a file: the module's name, which the board keeps anyway."""
    return "pmu" if name == "__init__" else f"pmu.{name}"


def _commit(folder: Path) -> str:
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return UNKNOWN
    return commit[:COMMIT_DIGITS] + ("+" if _git(folder, "status", "--porcelain", "--", ".") else "")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
