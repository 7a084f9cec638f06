"""The rows of an open store: what is known of a view besides its picture."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from host.memory.database import MOST_S, senseless
from host.memory.sealing import OVERHEAD_BYTES, Seal, SealBroken
from host.memory.tables.boots import Boots
from host.memory.values import Moment, Row

_COLUMNS = "number, boot, monotonic_s, reason, depth, encoder, kept, bytes, name"
_TYPES = (int, int, float, str, int, str, int, int)
"""Of all but the name, which is sealed."""


class Rows:
    """The table `views` of an open database."""

    def __init__(self, database: sqlite3.Connection, seal: Seal, boots: Boots) -> None:
        self._database, self._seal, self._boots = database, seal, boots

    def read(self, numbers: Sequence[int], now: Moment) -> list[Row]:
        """The views of these numbers, without those that are gone. Raises `sqlite3.Error`, also for a row
        that makes no sense.
        """
        shift = self._boots.offsets(now)
        return [self._row(values, shift.get(values[1])) for values in self._values(numbers)]

    def named(self) -> list[int]:
        """The views that the wearer has given a name, oldest first."""
        query = "SELECT number FROM views WHERE name IS NOT NULL ORDER BY number"
        return [number for (number,) in self._database.execute(query)]

    def _row(self, values: tuple[Any, ...], offset_s: float | None) -> Row:
        number, _, monotonic_s, reason, depth, encoder, kept, size, name = values
        typed = all(isinstance(each, kind) for each, kind in zip(values, _TYPES, strict=False))
        if not typed or offset_s is None or not abs(monotonic_s + offset_s) < MOST_S:
            raise senseless(number)
        try:
            said = self._seal.open(name, "name", number).decode() if name is not None else ""
        except SealBroken:
            said = ""
        picture_bytes = max(0, size - OVERHEAD_BYTES)
        return Row(number, monotonic_s + offset_s, reason, depth, encoder, bool(kept), said, picture_bytes)

    def _values(self, numbers: Sequence[int]) -> Iterable[tuple[Any, ...]]:
        if isinstance(numbers, range):
            # All at once: a reading that a senseless row breaks off would stay open, as if another program
            # read, and keep what is forgotten in the log.
            return self._database.execute(
                f"SELECT {_COLUMNS} FROM views WHERE number BETWEEN ? AND ? ORDER BY number",
                (numbers.start, numbers.stop - 1),
            ).fetchall()
        one = f"SELECT {_COLUMNS} FROM views WHERE number = ?"
        return (row for number in numbers for row in self._database.execute(one, (number,)).fetchall())


def within(rows: Sequence[Row], since_s: float | None, until_s: float | None) -> list[Row]:
    """Those of these times: views are not always stored in the order in which they were taken."""
    least, most = -math.inf if since_s is None else since_s, math.inf if until_s is None else until_s
    return [row for row in rows if least <= row.time_s <= most]
