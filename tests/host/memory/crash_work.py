"""The work whose power is cut by `tests.host.memory.crashes`: a store is filled, forgets, and opened again.

    python -m tests.host.memory.crash_work FOLDER

Every odd view is stored with what it is taken on from, every third with the things in it, and a view that is
placed at full depth gets them then.
After each step that is done it says so on standard output: + for a view that is remembered, - for one that
is forgotten, = for one that has its place at full depth.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from host.config import MemoryConfig
from host.memory.store import MemoryStore
from tests.host.memory.bench import at, begun, direction, shown, store, view

WHOLE = 12
"""Blocks of the whole encoder."""


def said(sign: str, *numbers: int) -> None:
    """One write, so that it stands at its place among the others."""
    os.write(1, f"{sign}{' '.join(map(str, numbers))}\n".encode())


def work(folder: Path) -> None:
    """The same every time, except for nonces."""
    number = 0

    def more(to: MemoryStore, count: int) -> None:
        nonlocal number
        for _ in range(count):
            number += 1
            activation = begun(number) if number % 2 else None
            things = shown(number) if number % 3 == 0 else None
            made = view(number, kept=number % 4 == 0, activation=activation, things=things)
            said("+", to.add(made, at(number)))

    filled = store(folder)
    more(filled, 6)
    filled.forget([2, 3])
    said("-", 2, 3)
    more(filled, 4)
    for deeper in (5, 9):
        filled.place_all({deeper: direction(deeper)}, WHOLE, "e", {deeper: shown(deeper)})
        said("=", deeper)
    filled.close()
    again = store(folder, MemoryConfig(retention_days=0.04))
    more(again, 3)
    filled_late = again.forget_since(again.time_of(at(number)) - 2.5, at(number))
    said("-", *range(number - filled_late + 1, number + 1))
    more(again, 3)
    again.rebuild()
    more(again, 2)
    again.close()


if __name__ == "__main__":
    work(Path(sys.argv[1]))
