"""Deletes views from the open database of the memory so that nothing of them is left in its files."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator

from host.memory.database import transaction, used_bytes, wiped
from host.memory.values import MemoryProblem

PART_BYTES = 4 * 1024**2
"""So much is deleted before it is overwritten."""


def deleted(
    database: sqlite3.Connection,
    numbers: Iterable[int],
    gone: Callable[[set[int]], None],
    most_s: float = math.inf,
) -> Iterator[int]:
    """Deletes views and overwrites them, in parts: all that is overwritten stands in the log until it is
    wiped, and the disk may have little room, or be slow. Gives how many are gone after each part, of which
    `gone` is told, and begins none after `most_s`. Raises `MemoryProblem` where another program keeps the
    log, and `sqlite3.Error`.
    """
    count, left, clean, more = 0, iter(numbers), True, True
    until_s = time.monotonic() + most_s
    while more:
        part: set[int] = set()
        with transaction(database):
            enough = used_bytes(database) - PART_BYTES
            for number in left:
                part.add(number)
                count += database.execute("DELETE FROM views WHERE number = ?", (number,)).rowcount
                if used_bytes(database) <= enough:
                    break
            else:
                more = False
        gone(part)
        clean = clean and wiped(database)
        yield count
        if time.monotonic() >= until_s:
            break
    if not clean and not wiped(database):
        raise MemoryProblem("It is forgotten, but another program still reads the memory: try again.")


def surplus(database: sqlite3.Connection, most_bytes: int) -> Iterator[int]:
    """Views until no more is used than may be, if each is deleted before the next is asked for: oldest first,
    and those that are kept for good last.
    """
    for (number,) in database.execute("SELECT number FROM views ORDER BY kept, number").fetchall():
        if used_bytes(database) <= most_bytes:
            return
        yield number
