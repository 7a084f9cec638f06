"""The boots that the store knows, and when a view of one was taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from host.memory.clocks import SET_FROM_S, Boot, newer_offset, offsets
from host.memory.database import MOST_S
from host.memory.values import Moment

_SECONDS = ("first_s", "last_s", "offset_s")
SENSIBLE = " AND ".join(f"typeof({each}) = 'real' AND abs({each}) < {MOST_S}" for each in _SECONDS)
"""Condition of SQL: the row of a boot can have been written so. By another no time of a view is told."""


def _first_s(at: Moment) -> float:
    """The first monotonic time of a boot of which nothing is noted yet: the present one, or its start where
    no wall clock says when that was, as otherwise no time would pass before its first view.
    """
    return at.monotonic_s if at.wall_s >= SET_FROM_S else min(0.0, at.monotonic_s)


class Boots:
    """The table `boots` of an open database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def note(self, at: Moment) -> int:
        """The number of a boot; what its clocks show now is noted. Within a transaction."""
        known = self._database.execute(
            f"SELECT {SENSIBLE}, number, first_s, last_s, offset_s FROM boots WHERE boot = ?", (at.boot,)
        ).fetchone()
        begun = _first_s(at), at.monotonic_s, at.wall_s - at.monotonic_s
        if known is None:
            added = self._database.execute(
                "INSERT INTO boots(boot, first_s, last_s, offset_s) VALUES (?,?,?,?)", (at.boot, *begun)
            )
            return int(added.lastrowid or 0)
        sensible, *rest = known
        boot = Boot(*rest)
        if not sensible:
            self._database.execute(
                "UPDATE boots SET first_s = ?, last_s = ?, offset_s = ? WHERE number = ?",
                (*begun, boot.number),
            )
            return boot.number
        self._database.execute(
            "UPDATE boots SET first_s = min(first_s, ?), last_s = max(last_s, ?), offset_s = ? "
            "WHERE number = ?",
            (at.monotonic_s, at.monotonic_s, newer_offset(boot, at.monotonic_s, at.wall_s), boot.number),
        )
        return boot.number

    def time_of(self, moment: Moment) -> float:
        """Seconds since 1970 of a moment that is now, as `host.memory.clocks` knows best."""
        boots = self._with(moment)
        number = next(number for number, (boot, _) in boots.items() if boot == moment.boot)
        return moment.monotonic_s + offsets([each for _, each in boots.values()])[number]

    def delete_before(self, limit_s: float, now: Moment) -> None:
        """Deletes the boots that ended before that time, seconds since 1970, and of which no view is left.
        The last one stays: after it one is placed whose clock was never set. Within a transaction.
        """
        shift = self.offsets(now)
        found = self._database.execute(
            f"SELECT number, last_s FROM boots WHERE {SENSIBLE} AND number NOT IN (SELECT boot FROM views) "
            "AND number < (SELECT max(number) FROM boots)"
        )
        old = [(number,) for number, last_s in found if last_s + shift[number] < limit_s]
        self._database.executemany("DELETE FROM boots WHERE number = ?", old)

    def offsets(self, now: Moment) -> Mapping[int, float]:
        """Boot number -> seconds to add to its monotonic time."""
        return offsets([boot for _, boot in self._with(now).values()])

    def unplaced(self, now: Moment) -> int | None:
        """A view of a boot that is not known, so that its time is not either; None without one."""
        known = self.offsets(now)
        each = self._database.execute("SELECT boot, min(number) FROM views GROUP BY boot")
        return next((number for boot, number in each if boot not in known), None)

    def numbers_between(
        self, now: Moment, since_s: float | None, until_s: float | None
    ) -> tuple[int, int] | None:
        """The first and the last view of these times, seconds since 1970; None if there is none. Between them
        may be one of another time, where views were not remembered in the order in which they were taken.
        """
        if since_s is None and until_s is None:
            ends = self._database.execute("SELECT min(number), max(number) FROM views").fetchone()
            return None if ends[0] is None else (ends[0], ends[1])
        bounds: list[int] = []
        for number, offset_s in self.offsets(now).items():
            least = -1e300 if since_s is None else since_s - offset_s
            most = 1e300 if until_s is None else until_s - offset_s
            ends = self._database.execute(
                "SELECT min(number), max(number) FROM views WHERE boot = ? AND monotonic_s BETWEEN ? AND ?",
                (number, least, most),
            ).fetchone()
            bounds += [end for end in ends if end is not None]
        return (min(bounds), max(bounds)) if bounds else None

    def _with(self, now: Moment) -> dict[int, tuple[str, Boot]]:
        """The boots by number, with the present one as it is now; without those whose row is damaged."""
        found: dict[int, tuple[str, Boot]] = {}
        present, last, before = None, 0, None
        for sensible, number, name, *rest in self._database.execute(
            f"SELECT {SENSIBLE}, number, boot, first_s, last_s, offset_s FROM boots"
        ):
            last = max(last, number)
            if sensible:
                found[number] = (name, Boot(number, *rest))
            if name == now.boot:
                present, before = number, found[number][1] if sensible else None
        number, at_s = last + 1 if present is None else present, now.monotonic_s
        offset_s = -at_s if now.doubted else newer_offset(before, at_s, now.wall_s)
        first_s, last_s = (_first_s(now), at_s) if before is None else (before.first_s, before.last_s)
        found[number] = (now.boot, Boot(number, min(first_s, at_s), max(last_s, at_s), offset_s))
        return dict(sorted(found.items()))
