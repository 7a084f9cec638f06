"""The stored activations: where the encoder stopped early with a view, so that it can go on from there.

One row for a view, in 4 bits and sealed; it is deleted with its view. An activation is worth less than its
view: one that is lost, damaged or of another encoder costs the time to begin at the picture again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from host.memory.sealing import Seal, SealBroken
from models import activation_codec
from models.activation_codec import CodecError
from models.brick import Activation

_COLUMN = "activation"


class Activations:
    """The table of activations of an open store. `put`, `delete` and `trim` are part of the caller's
    transaction.
    """

    def __init__(self, database: sqlite3.Connection, seal: Seal) -> None:
        self._database, self._seal = database, seal

    def put(self, view: int, activation: Activation) -> bool:
        """Stores the activation of a view that has none; False for one that can't be stored."""
        try:
            plain = activation_codec.encode(activation, "int4")
        except CodecError:
            return False
        sealed = self._seal.seal(plain, _COLUMN, view)
        self._database.execute("INSERT INTO activations(view, data) VALUES (?, ?)", (view, sealed))
        return True

    def get(self, view: int, encoder: str) -> Activation | None:
        """The activation of a view, rows float32 by value; None without one that can be opened and that this
        encoder made.
        """
        found = self._database.execute("SELECT data FROM activations WHERE view = ?", (view,)).fetchone()
        if found is None:
            return None
        try:
            return activation_codec.decode(self._seal.open(found[0], _COLUMN, view), encoder)
        except (SealBroken, CodecError):
            return None

    def delete(self, view: int) -> None:
        """Deletes the activation of a view; harmless without one."""
        self._database.execute("DELETE FROM activations WHERE view = ?", (view,))

    def trim(self, most_bytes: int, expired: Iterable[int]) -> None:
        """Deletes those of the expired views, and then the oldest until the others fit."""
        for view in expired:
            self.delete(view)
        _, size = self.counted()
        last = 0
        for view, one in self._database.execute("SELECT view, length(data) FROM activations ORDER BY view"):
            if size <= most_bytes:
                break
            last, size = view, size - one
        self._database.execute("DELETE FROM activations WHERE view <= ?", (last,))

    def counted(self) -> tuple[int, int]:
        """How many there are, and their bytes."""
        query = "SELECT count(*), total(length(data)) FROM activations"
        count, size = self._database.execute(query).fetchone()
        return int(count), int(size)

    def damaged(self) -> list[int]:
        """Numbers of the views whose activation can't be opened."""
        bad = []
        for (view,) in self._database.execute("SELECT view FROM activations ORDER BY view").fetchall():
            found = self._database.execute("SELECT data FROM activations WHERE view = ?", (view,)).fetchone()
            if found is None:  # its view is gone meanwhile, or at full depth
                continue
            try:
                self._seal.open(found[0], _COLUMN, view)
            except SealBroken:
                bad.append(view)
        return bad
