"""The tables of vectors and of things of an open store: made from its rows, and kept up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from host.memory.database import senseless
from host.memory.sealing import Seal, SealBroken
from host.memory.tables.looked_through import LookedThrough
from host.memory.things import SeenThing, ThingIndex
from host.memory.vectors import VectorTable

_READ_ROWS = 1000


class Scan:
    """One table for each encoder, and an index of things; in memory only."""

    def __init__(self, database: sqlite3.Connection, seal: Seal, looked_through: LookedThrough) -> None:
        self._database, self._seal, self._looked_through = database, seal, looked_through
        self.things = ThingIndex()
        self._tables: dict[str, VectorTable] = {}
        self._version: int | None = None
        self._last_number = 0
        self.damaged: set[int] = set()
        """Rows that can't be opened; they are skipped."""

    def __len__(self) -> int:
        return sum(len(table) for table in self._tables.values())

    def table(self, encoder: str) -> VectorTable | None:
        """The vectors of an encoder; None without any."""
        return self._tables.get(encoder)

    def clear(self) -> None:
        """The next `refresh` reads every row."""
        self._tables.clear()
        self.things.clear()
        self.damaged.clear()
        self._version, self._last_number = None, 0

    def refresh(self) -> None:
        """Reads what was added since; after a change by another process, every row. Raises
        `sqlite3.Error`.
        """
        (version,) = self._database.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self.clear()
        while rows := self._database.execute(
            "SELECT number, encoder, vector, data FROM views LEFT JOIN things ON view = number "
            "WHERE number > ? ORDER BY number LIMIT ?",
            (self._last_number, _READ_ROWS),
        ).fetchall():
            for number, encoder, sealed, seen in rows:
                if number <= self._last_number:  # a damaged tree is not in order
                    raise senseless(number)
                self._last_number = number
                if sealed is not None:
                    self._take(number, encoder, sealed)
                things = None if seen is None else self._looked_through.opened(number, seen)
                if things is not None:
                    self.things.add(number, things)
        self._version = version

    def replace(
        self, number: int, encoder: str, sealed: bytes, things: Sequence[SeenThing] | None = None
    ) -> None:
        """A row has another place now. things: what was found there; None: as it was."""
        if number > self._last_number:
            return
        self._remove_place({number})
        self._take(number, encoder, sealed)
        if things is not None:
            self.things.remove({number})
            self.things.add(number, things)

    def remove(self, numbers: set[int]) -> None:
        """Rows are gone."""
        self._remove_place(numbers)
        self.things.remove(numbers)

    def _remove_place(self, numbers: set[int]) -> None:
        for table in self._tables.values():
            table.remove(numbers)
        self.damaged -= numbers

    def _take(self, number: int, encoder: str, sealed: bytes) -> None:
        """Puts a row into its table, or notes that it is damaged."""
        try:
            data = self._seal.open(sealed, "vector", number)
            if encoder not in self._tables:
                self._tables[encoder] = VectorTable(len(data) - 4)
            self._tables[encoder].add(number, data)
        except (SealBroken, ValueError):
            self.damaged.add(number)
