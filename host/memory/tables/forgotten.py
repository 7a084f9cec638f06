"""Until when the wearer last had something forgotten: a view that was taken before, and is not stored yet, is
not stored any more. It stands in the store, so that it holds for every process that adds to it.
"""

from __future__ import annotations

import json
import sqlite3

from host.memory.sealing import Seal, SealBroken
from host.memory.values import Moment

_COLUMN = "forgot"


class Forgotten:
    """One row of the table `about` of an open database; both methods are part of the caller's transaction."""

    def __init__(self, database: sqlite3.Connection, seal: Seal) -> None:
        self._database, self._seal = database, seal

    def note(self, until: Moment) -> None:
        """What was seen until then is forgotten."""
        if self.holds_for(until):
            return
        sealed = self._seal.seal(json.dumps([until.boot, until.monotonic_s]).encode(), _COLUMN, 0)
        self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (_COLUMN, sealed))

    def holds_for(self, taken: Moment) -> bool:
        """Whether something was forgotten in the same boot after that moment; a boot without a name is not
        known to be the same.
        """
        found = self._database.execute("SELECT value FROM about WHERE name = ?", (_COLUMN,)).fetchone()
        if found is None or not taken.boot:
            return False
        try:
            boot, monotonic_s = json.loads(self._seal.open(found[0], _COLUMN, 0))
        except SealBroken:
            return False
        return bool(boot == taken.boot and taken.monotonic_s < monotonic_s)
