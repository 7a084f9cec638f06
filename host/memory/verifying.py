"""Opens every value of a store, and lets SQLite check its file."""

from __future__ import annotations

import sqlite3

from host.memory.database import MOST_S, is_damage, senseless
from host.memory.sealing import Seal, SealBroken
from host.memory.tables.activations import Activations
from host.memory.tables.boots import SENSIBLE
from host.memory.tables.looked_through import LookedThrough
from host.memory.values import Verified

_READ = f"""
SELECT vector, name, jpeg,
    boot IN (SELECT number FROM boots WHERE {SENSIBLE}) AND typeof(bytes) = 'integer'
    AND typeof(monotonic_s) = 'real' AND abs(monotonic_s) < {MOST_S}
    AND typeof(reason) = 'text' AND typeof(encoder) = 'text'
    AND typeof(depth) = 'integer' AND typeof(kept) = 'integer'
FROM views LEFT JOIN pictures ON view = views.number WHERE views.number = ?
"""
"""The sealed values of a view, and whether the others can have been written so."""


def verified(
    database: sqlite3.Connection, seal: Seal, activations: Activations, things: LookedThrough
) -> Verified:
    """What is damaged; no view that another process deletes meanwhile, which may, as nothing is locked
    throughout. Raises `sqlite3.Error`.
    """
    bad, missed = set(), set()
    found = [str(text) for (text,) in database.execute("PRAGMA integrity_check(20)")]
    for number in _numbers(database):
        try:
            row = database.execute(_READ, (number,)).fetchone()
            if row is None:
                missed.add(number)
                continue
            vector, name, jpeg, sensible = row
            if not sensible:
                raise senseless(number)
            values = (("vector", vector), ("name", name), ("picture", b"" if jpeg is None else jpeg))
            for column, sealed in values:
                if sealed is not None:
                    seal.open(sealed, column, number)
        except (SealBroken, sqlite3.DatabaseError) as error:
            if not isinstance(error, SealBroken) and not is_damage(error):
                raise
            bad.add(number)
    if missed:
        bad |= missed.intersection(_numbers(database))
    problems = [] if found == ["ok"] else found
    return Verified(sorted(bad), activations.damaged(), problems, things.damaged())


def last_number(database: sqlite3.Connection) -> int:
    """The highest number of a view that a damaged file tells, 0 without any. Where it tells all three of the
    highest row, the highest picture and the last number that was given, the middle one counts: a damaged one
    may be any number. Raises `sqlite3.Error`.
    """
    ends = "SELECT max(number) FROM views", "SELECT max(view) FROM pictures"
    told = [number for query in ends if (number := _told(database, query)) is not None]
    # Of the last number that was given the view may be forgotten.
    given = _told(database, "SELECT max(seq) FROM sqlite_sequence WHERE name = 'views'")
    if len(told) == len(ends) and given is not None:
        return sorted((*told, given))[1]
    return max(told) if told else given or 0


def _numbers(database: sqlite3.Connection) -> list[int]:
    return [number for (number,) in database.execute("SELECT number FROM views ORDER BY number")]


def _told(database: sqlite3.Connection, query: str) -> int | None:
    """One number; None where it isn't there, or can't be read."""
    try:
        (number,) = database.execute(query).fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return None
    return number if isinstance(number, int) else None
