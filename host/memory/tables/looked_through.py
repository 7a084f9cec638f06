"""The table of what the object detector found in the views: one sealed row for each that it saw, also for one
that shows nothing. It is deleted with its view; one that can't be opened counts as not looked through.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from host.memory.sealing import Seal, SealBroken
from host.memory.things import SeenThing, things_packed, things_unpacked

_COLUMN = "things"


class LookedThrough:
    """The table `things` of an open store. `put` is part of the caller's transaction."""

    def __init__(self, database: sqlite3.Connection, seal: Seal) -> None:
        self._database, self._seal = database, seal

    def put(self, view: int, things: Sequence[SeenThing]) -> None:
        """Stores what a view shows, in place of what was found before."""
        sealed = self._seal.seal(things_packed(things), _COLUMN, view)
        self._database.execute("INSERT OR REPLACE INTO things(view, data) VALUES (?, ?)", (view, sealed))

    def get(self, view: int) -> tuple[SeenThing, ...] | None:
        """What a view shows; None where it was not looked through, or that can't be opened."""
        found = self._database.execute("SELECT data FROM things WHERE view = ?", (view,)).fetchone()
        return None if found is None else self.opened(view, found[0])

    def opened(self, view: int, sealed: bytes) -> tuple[SeenThing, ...] | None:
        """The same of a row that is read; None where it can't be opened."""
        try:
            return things_unpacked(self._seal.open(sealed, _COLUMN, view))
        except (SealBroken, ValueError):
            return None

    def counted(self) -> int:
        """How many views were looked through."""
        return int(self._database.execute("SELECT count(*) FROM things").fetchone()[0])

    def damaged(self) -> list[int]:
        """Numbers of the views of which that can't be opened."""
        numbers = self._database.execute("SELECT view FROM things ORDER BY view").fetchall()
        return [view for (view,) in numbers if self.get(view) is None and self._there(view)]

    def _there(self, view: int) -> bool:
        """False for one that is forgotten meanwhile."""
        query = "SELECT 1 FROM things WHERE view = ?"
        return self._database.execute(query, (view,)).fetchone() is not None
