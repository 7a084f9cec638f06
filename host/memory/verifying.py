"""Opens every value of a store, and lets SQLite check its file."""

from __future__ import annotations

import sqlite3

from host.memory.activations import Activations
from host.memory.sealing import Seal, SealBroken
from host.memory.values import Verified


def verified(database: sqlite3.Connection, seal: Seal, activations: Activations) -> Verified:
    """What is damaged. Raises `sqlite3.Error`."""
    bad = []
    found = [str(text) for (text,) in database.execute("PRAGMA integrity_check(20)")]
    for (number,) in database.execute("SELECT number FROM views ORDER BY number").fetchall():
        read = "SELECT vector, name, jpeg FROM views LEFT JOIN pictures ON view = number WHERE number = ?"
        try:
            vector, name, jpeg = database.execute(read, (number,)).fetchone()
            values = (("vector", vector), ("name", name), ("picture", b"" if jpeg is None else jpeg))
            for column, sealed in values:
                if sealed is not None:
                    seal.open(sealed, column, number)
        except (SealBroken, sqlite3.DatabaseError) as error:
            if not isinstance(error, SealBroken) and error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            bad.append(number)
    return Verified(bad, activations.damaged(), [] if found == ["ok"] else found)
