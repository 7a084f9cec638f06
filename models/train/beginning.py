"""What a training began with, as its checkpoint has it: one that began otherwise is not gone on with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from models.pack.sha256 import sha256_of

KEY = "begun"
"""Of a checkpoint; those of earlier versions lack it and count as begun alike."""


def beginning(given: Iterable[Path], *options: object) -> str:
    """A mark of the files that a training begins with, folders with all that is in them, and of options that
    hold for the whole of it.
    """
    digest = hashlib.sha256(repr(options).encode())
    for each in given:
        digest.update(b"\0")
        for path in sorted(each.rglob("*")) if each.is_dir() else [each]:
            if path.is_file():
                digest.update(sha256_of(path).encode())
    return digest.hexdigest()[:16]


def require_same_beginning(path: Path, state: Mapping[str, Any], begun: str) -> None:
    """Raises SystemExit with one sentence where the checkpoint at `path` began otherwise. begun: as
    `beginning` makes it; "" is not compared.
    """
    if begun and state.get(KEY, "") not in ("", begun):
        raise SystemExit(
            f"{path} is of a run that began with other weights or options: begin as it did, or remove it "
            "first."
        )
