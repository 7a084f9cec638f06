"""The sentences with which thresholds are chosen, of `tried.txt`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.eval.understood.sayings import Saying

_FILE = Path(__file__).with_name("tried.txt")


@cache
def tried() -> tuple[Saying, ...]:
    """All of them."""
    made = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            speaker, kind, thing, time, value, text = (part.strip() for part in line.split("|"))
            made.append(Saying(speaker, text, kind, thing, time, int(value) if value else None))
    return tuple(made)
