"""The views that the wearer wants remembered, sealed in one database, and found again by an exact scan.

    store = MemoryStore(path, key, config)
    number = store.add(view, now)
    store.search(query, encoder, 10, now)

Not for several threads. Other processes may use the same file: what they change is noticed.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from host.config import MemoryConfig
from host.memory.clocks import DOUBTED_S
from host.memory.database import (
    FULL,
    compacted,
    connected,
    failing,
    forgetting,
    is_damage,
    left_bytes,
    senseless,
    transaction,
    used_bytes,
)
from host.memory.deleting import PART_BYTES, deleted, surplus
from host.memory.files import real
from host.memory.scan import Scan
from host.memory.sealing import Seal, SealBroken
from host.memory.tables.activations import Activations
from host.memory.tables.boots import Boots
from host.memory.tables.forgotten import Forgotten
from host.memory.tables.looked_through import LookedThrough
from host.memory.tables.rows import Rows, within
from host.memory.things import UNSEEN, Seen, SeenThing
from host.memory.values import (
    Damaged,
    KeyWrong,
    Match,
    MemoryProblem,
    MemoryStatus,
    Moment,
    NewView,
    NoRoom,
    Row,
    Vector,
    Verified,
)
from host.memory.vectors import packed
from host.memory.verifying import last_number, verified
from models.brick import Activation

_KEY_PROOF = b"this key seals this memory"
RETAIN_EVERY = 64
"""Views after which `add` deletes what is too old or too much, in however many openings of the store."""
MOST_VIEWS = 1_000_000_000
"""No view has a higher number."""
LEAST_LEFT_BYTES = 4 * PART_BYTES
"""Where the disk has less left nothing is added: to forget something wants room as well."""
RETAIN_S = 10.0
"""Longest time of one `retain`, seconds, but for its last part: who asks the memory waits for it."""


class MemoryStore:
    """An open store. Every method raises `MemoryProblem`, in one sentence."""

    def __init__(
        self, path: Path, key: bytes, config: MemoryConfig, *, create: bool = True, alone: bool = False
    ) -> None:
        """create, alone: as of `connected`. Raises `KeyWrong` when the rows were sealed with another key."""
        self.path, self._config = path, config
        self._seal = Seal(key)
        self._database = connected(path, create=create, alone=alone)
        self._boots = Boots(self._database)
        self._rows = Rows(self._database, self._seal, self._boots)
        self._forgotten = Forgotten(self._database, self._seal)
        self._looked_through = LookedThrough(self._database, self._seal)
        self._scan = Scan(self._database, self._seal, self._looked_through)
        self._activations = Activations(self._database, self._seal)
        try:
            with failing(path, opening=True):
                self._check_key()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Closes the file. Harmless when repeated."""
        self._database.close()
        self._scan.clear()

    def add(self, view: NewView, now: Moment) -> int:
        """Remembers a view, and returns its number once it survives a cut of the power; 0 for one that was
        taken before the wearer had something forgotten, and is not remembered unless it is kept.
        """
        with failing(self.path), transaction(self._database):
            if left_bytes(self._database, self.path) < LEAST_LEFT_BYTES:
                raise NoRoom(FULL)
            if not view.kept and self._forgotten.holds_for(view.taken):
                return 0
            boot = self._boots.note(view.taken)
            self._boots.note(now)
            number = self._next_number()
            vector = None if view.vector is None else self._sealed(packed(view.vector), "vector", number)
            name = self._sealed(view.name.encode(), "name", number) if view.name else None
            picture = self._sealed(view.jpeg, "picture", number)
            self._database.execute(
                "INSERT INTO views(number, boot, monotonic_s, reason, depth, encoder, kept, bytes, name, "
                "wall_s, vector) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                (number, boot, view.taken.monotonic_s, view.reason, view.depth, view.encoder, view.kept,
                 len(picture), name, view.taken.wall_s, vector),
            )  # fmt: skip
            self._database.execute("INSERT INTO pictures(view, jpeg) VALUES (?, ?)", (number, picture))
            if view.activation is not None and self._config.activation_bytes:
                self._activations.put(number, view.activation)
            if view.things is not None:
                self._looked_through.put(number, view.things)
        if number % RETAIN_EVERY == 0:  # by its number: the memory's process may end after any view
            try:
                self.retain(now)
            except Damaged:
                raise
            except MemoryProblem:
                pass  # the view is stored; what could not be deleted now is deleted later
        return number

    def place(self, number: int, vector: Vector, depth: int, encoder: str) -> bool:
        """`place_all` of one view; False for one that is gone."""
        return bool(self.place_all({number: vector}, depth, encoder))

    def place_all(
        self,
        vectors: Mapping[int, Vector],
        depth: int,
        encoder: str,
        things: Mapping[int, Sequence[SeenThing]] | None = None,
    ) -> list[int]:
        """Replaces places of views by those at full depth, and deletes the activations, all at once; returns
        the numbers of the views that are not gone. things: what was found in those that were looked through.
        """
        seen = things or {}
        sealed = {each: self._sealed(packed(vector), "vector", each) for each, vector in vectors.items()}
        update, there = "UPDATE views SET vector = ?, depth = ?, encoder = ? WHERE number = ?", []
        with failing(self.path), transaction(self._database):
            for each, place in sealed.items():
                if self._database.execute(update, (place, depth, encoder, each)).rowcount:
                    there.append(each)
                    if each in seen:
                        self._looked_through.put(each, seen[each])
                self._activations.delete(each)
        for each in there:
            self._scan.replace(each, encoder, sealed[each], seen.get(each))
        return there

    def shallow(
        self, encoder: str, depth: int, before: int, count: int, *, look_through: bool = False
    ) -> list[int]:
        """Views that this encoder has not placed after so many blocks or more, and with `look_through` those
        that no object detector saw: of those before the number `before`, the newest.
        """
        with failing(self.path):
            found = self._database.execute(
                "SELECT number FROM views WHERE number < ? AND NOT (vector IS NOT NULL AND encoder = ? "
                "AND depth >= ? AND NOT (? AND number NOT IN (SELECT view FROM things))) "
                "ORDER BY number DESC LIMIT ?",
                (before, encoder, depth, look_through, count),
            )
            numbers = [number for (number,) in found]
            if any(number >= before for number in numbers):  # a damaged tree is not in order
                raise senseless(max(numbers))
        return numbers

    def keep(self, number: int, name: str = "") -> bool:
        """Keeps a view for good, with what the wearer calls it; False for a view that is gone."""
        with failing(self.path), transaction(self._database):
            sealed = self._sealed(name.encode(), "name", number) if name else None
            return self._database.execute(
                "UPDATE views SET kept = 1, name = coalesce(?, name) WHERE number = ?", (sealed, number)
            ).rowcount > 0  # fmt: skip

    def search(
        self,
        query: Vector,
        encoder: str,
        count: int,
        now: Moment,
        since_s: float | None = None,
        until_s: float | None = None,
        thing: str = "",
        colour: str = "",
    ) -> list[Match]:
        """The views most alike to a place in the recall space, float32 [embedding], best first; of the times
        from `since_s` to `until_s`, seconds since 1970. Views that another encoder placed are not among them.
        thing, colour: what is asked for; the latest views in which the object detector found that, as many
        again, are among them as well.
        """
        with failing(self.path):
            self._scan.refresh()
            table = self._scan.table(encoder)
            if table is None:
                return []
            if table.width != len(query):
                raise MemoryProblem("The question is placed by another encoder than the views.")
            rows = self._boots.numbers_between(now, since_s, until_s)
            if rows is None:
                return []
            scores = dict(table.nearest(query, count, *rows))
            seen: dict[int, Seen] = {}
            if thing:
                shown = self._scan.things.views_with(thing, colour)
                more = [each for each in shown.latest(*rows, count) if each not in scores]
                scores |= table.scores(query, more)
                seen = dict.fromkeys(self._scan.things.looked_through(list(scores)), UNSEEN)
                seen |= shown.of(list(scores))
            between = within(self._rows.read(list(scores), now), since_s, until_s)
        matches = [Match(row, scores[row.number], seen.get(row.number)) for row in between]
        return sorted(matches, key=lambda match: (-match.score, -match.row.number))

    def things(self, number: int) -> tuple[SeenThing, ...] | None:
        """What the object detector found in a view; None where it did not look, or the view is gone."""
        with failing(self.path):
            return self._looked_through.get(number)

    def rows(self, now: Moment, since_s: float | None = None, until_s: float | None = None) -> list[Row]:
        """All views of these times, oldest first."""
        with failing(self.path):
            between = self._boots.numbers_between(now, since_s, until_s)
            if between is None:
                return []
            found = self._rows.read(range(between[0], between[1] + 1), now)
        return within(found, since_s, until_s)

    def surest(
        self, now: Moment, parts: int, since_s: float | None = None, until_s: float | None = None
    ) -> list[Row]:
        """Of each of so many parts of these times, with as many views in each, the view that shows the
        wearer's things most surely, the latest first; none of a part in which nothing was found.
        """
        rows = self.rows(now, since_s, until_s)
        if not rows:
            return []
        with failing(self.path):
            self._scan.refresh()
        numbers = [row.number for row in rows]
        shown, step = self._scan.things.surely_shown(min(numbers), max(numbers)), max(1, len(rows) // parts)
        found = []
        for last in range(len(rows) - 1, -1, -step)[:parts]:
            part = [row for row in rows[max(0, last - step + 1) : last + 1] if row.number in shown]
            if part:
                found.append(max(part, key=lambda row: (shown[row.number], row.number)))
        return found

    def named(self, now: Moment, since_s: float | None = None, until_s: float | None = None) -> list[Row]:
        """The views of these times that the wearer has given a name, oldest first."""
        with failing(self.path):
            found = self._rows.read(self._rows.named(), now)
        return within(found, since_s, until_s)

    def salvaged(self, now: Moment) -> dict[int, Row | None]:
        """What a damaged file still has, read one by one: the views by number, oldest first. None: the row is
        lost; the picture may be whole, or the view may have been forgotten.
        """
        found: dict[int, Row | None] = {}
        with failing(self.path):
            for number in range(1, last_number(self._database) + 1):
                try:
                    found |= {row.number: row for row in self._rows.read([number], now)}
                except sqlite3.DatabaseError as error:
                    if not is_damage(error):
                        raise
                    found[number] = None
        return found

    def row(self, number: int, now: Moment) -> Row | None:
        """One view; None if it is gone."""
        with failing(self.path):
            return next(iter(self._rows.read([number], now)), None)

    def picture(self, number: int) -> bytes | None:
        """The JPEG of a view; None if it is gone. Raises `MemoryProblem` for a damaged one."""
        try:
            with failing(self.path):
                found = self._one("SELECT jpeg FROM pictures WHERE view = ?", number)
            return None if found is None else self._seal.open(found[0], "picture", number)
        except (Damaged, SealBroken):
            raise MemoryProblem(f"The picture of view {number} is damaged.") from None

    def activation(self, number: int, encoder: str) -> Activation | None:
        """What this encoder can go on from with a view that stopped early; None without it."""
        with failing(self.path):
            return self._activations.get(number, encoder)

    def forget(self, numbers: Iterable[int]) -> int:
        """Deletes views and overwrites them; returns how many there were, once none can come back."""
        with forgetting(), failing(self.path):
            return max(self._delete(numbers))

    def forget_since(self, since_s: float, now: Moment) -> int:
        """`forget` of all views from that time on, seconds since 1970. Of those that were taken before now,
        `add` takes none any more.
        """
        return max(self.forgetting_since(since_s, now))

    def forgetting_since(self, since_s: float, now: Moment, until_s: float | None = None) -> Iterator[int]:
        """`forget_since` as it goes on: gives how many views are gone so far, and all are when it ends.
        until_s: later ones stay, and may still be added.
        """
        with forgetting(), failing(self.path):
            with transaction(self._database):
                lost = self._boots.unplaced(now)
                if lost is not None:
                    raise senseless(lost)
                numbers = [row.number for row in self.rows(now, since_s, until_s)]
                later_s = 0.0 if until_s is None else max(0.0, self._boots.time_of(now) - until_s)
                self._forgotten.note(replace(now, monotonic_s=now.monotonic_s - later_s))
            yield from self._delete(numbers)

    def retain(self, now: Moment) -> int:
        """Deletes what is older or larger than the settings allow, oldest first and kept ones last; returns
        how many views: 0 once all of these are gone, for which it may take several calls of `RETAIN_S`.
        Activations go by their own limit, those of kept views by age as well, and boots without views by age.
        """
        with forgetting(), failing(self.path):
            now = replace(now, doubted=now.monotonic_s < DOUBTED_S)
            limit_s = self._boots.time_of(now) - self._config.retention_days * 86_400
            old = self.rows(now, None, limit_s)
            with transaction(self._database):
                self._activations.trim(self._config.activation_bytes, (row.number for row in old))
            gone = chain(
                (row.number for row in old if not row.kept), surplus(self._database, self._config.max_bytes)
            )
            first = next(gone, None)
            count = 0 if first is None else max(self._delete(chain((first,), gone), RETAIN_S))
            with transaction(self._database):
                self._boots.delete_before(limit_s, now)
        return count

    def status(self, now: Moment) -> MemoryStatus:
        """What is in the store."""
        with failing(self.path):
            self._scan.refresh()
            views, kept, placed = self._one("SELECT count(*), total(kept), count(vector) FROM views")
            times = [row.time_s for row in self.rows(now)]
            counted = "SELECT {0}, count(*) FROM views WHERE vector IS NOT NULL GROUP BY {0}"
            by, depths = (
                self._database.execute(counted.format(each))
                for each in ("CAST(encoder AS TEXT)", "CAST(depth AS INTEGER)")
            )
            return MemoryStatus(
                views, int(kept), used_bytes(self._database), min(times, default=None),
                max(times, default=None), len(self._scan.damaged), views - placed, dict(by), dict(depths),
                self._looked_through.counted(), *self._activations.counted(),
            )  # fmt: skip

    def verify(self) -> Verified:
        """Opens every value."""
        with failing(self.path):
            return verified(self._database, self._seal, self._activations, self._looked_through)

    def rebuild(self) -> int:
        """Makes the table of vectors anew from the rows, and the file compact; returns the rows in it. A file
        that is not whole stays as it is.
        """
        with failing(self.path):
            (found,) = self._one("PRAGMA quick_check(1)")
            if found != "ok":
                raise Damaged(
                    f"The memory {self.path} is damaged, so it was left as it is; `headband memory verify` "
                    "says which views."
                )
            compacted(self._database, real(self.path).parent)
            self._scan.clear()
            self._scan.refresh()
        return len(self._scan)

    def time_of(self, now: Moment) -> float:
        """Seconds since 1970 at this moment, as `host.memory.clocks` knows best."""
        with failing(self.path):
            return self._boots.time_of(now)

    def _check_key(self) -> None:
        found = self._one("SELECT value FROM about WHERE name = 'key'")
        if found is None:
            with transaction(self._database):
                proof = self._sealed(_KEY_PROOF, "key", 0)
                self._database.execute("INSERT OR IGNORE INTO about VALUES ('key', ?)", (proof,))
            return
        try:
            self._seal.open(found[0], "key", 0)
        except SealBroken:
            raise KeyWrong("The memory was sealed with another key, so it can't be opened.") from None

    def _next_number(self) -> int:
        """Of a new view: none is given twice, as far as the last one that was given can be read."""
        (last,) = self._one(
            "SELECT coalesce(max(number), 0) FROM (SELECT max(number) AS number FROM views UNION ALL "
            "SELECT seq FROM sqlite_sequence WHERE name = 'views' AND typeof(seq) = 'integer' AND seq < ?)",
            MOST_VIEWS,
        )
        return int(last) + 1

    def _delete(self, numbers: Iterable[int], most_s: float = math.inf) -> Iterator[int]:
        return deleted(self._database, numbers, self._scan.remove, most_s)

    def _sealed(self, plain: bytes, column: str, row: int) -> bytes:
        return self._seal.seal(plain, column, row)

    def _one(self, query: str, *values: Any) -> Any:
        found: sqlite3.Cursor = self._database.execute(query, values)
        return found.fetchone()
