"""The sentences with which thresholds are chosen, of `tried.txt`, and of `now.txt` and `others.txt` those of
eight and of sixteen other people about the view and the last seconds, or to somebody else.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.eval.understood.sayings import Saying


@cache
def tried() -> tuple[Saying, ...]:
    """Those with which thresholds are chosen."""
    return tuple(_read("tried.txt"))


@cache
def now() -> tuple[Saying, ...]:
    """Those of eight other people."""
    return tuple(_read("now.txt"))


@cache
def others() -> tuple[Saying, ...]:
    """Those of sixteen further people, most of them to somebody else."""
    return tuple(_read("others.txt"))


def _read(name: str) -> list[Saying]:
    made = []
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            speaker, kind, thing, time, value, text = (part.strip() for part in line.split("|"))
            made.append(Saying(speaker, text, kind, thing, time, int(value) if value else None))
    return made
