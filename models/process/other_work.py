"""How many cores other programs keep busy, from what the kernel counts (proc(5)).

The threads that compute a model wait for each other after every layer, so all of them go at the pace of the
slowest. Where another program takes a part of one core, a thread more than there are free cores makes the
model slower: on two cores beside one busy program a recogniser takes 1.4 times as long with two threads as
with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

_LEAST_TICKS = 20
"""Of each core, 0.01 s long as a rule, between two looks: less says too little."""
_NICE, _IDLE, _IOWAIT, _STEAL = 1, 3, 4, 7
"""Columns of /proc/stat. What runs at a lower priority, as a deploy does, gives way."""
_USER_TICKS, _SYSTEM_TICKS = 11, 12
"""Columns of /proc/PID/stat, counted after the name."""


@dataclass(frozen=True)
class _Look:
    """Ticks of all cores together since they started, and of one's own processes by number."""

    cores: int
    every: int
    busy: int
    own: dict[int, int]


class OtherWork:
    """Looks whenever it is asked, and compares with the look before. own: gives the numbers of the processes
    that are not others.
    """

    def __init__(self, own: Callable[[], Iterable[int]], proc: Path = Path("/proc")) -> None:
        self._own, self._proc = own, proc
        self._last: _Look | None = None
        self._cores_taken = 0

    def free(self, threads: int) -> int:
        """How many of so many threads find a core that no other program keeps busy; 1 at least. All of them
        where the kernel does not say.
        """
        now = self._look()
        if now is None:
            return threads
        self._compare(now)
        return max(1, min(threads, now.cores - self._cores_taken))

    def _compare(self, now: _Look) -> None:
        last = self._last
        if last is not None and now.every - last.every < _LEAST_TICKS * now.cores:
            return
        self._last = now
        # What a process that has ended did since the last look would pass for another program's.
        if last is None or last.cores != now.cores or not last.own.keys() <= now.own.keys():
            return
        own = sum(ticks - last.own.get(pid, 0) for pid, ticks in now.own.items())
        others = now.busy - last.busy - own
        self._cores_taken = max(0, round(others / (now.every - last.every) * now.cores))

    def _look(self) -> _Look | None:
        try:
            rows = [row for row in (self._proc / "stat").read_text().splitlines() if row.startswith("cpu")]
            counted = [int(each) for each in rows[0].split()[1 : 2 + _STEAL]]
        except (OSError, ValueError, IndexError):
            return None
        cores = len(rows) - 1
        if len(counted) <= _STEAL or cores < 1:
            return None
        every = sum(counted)
        busy = every - counted[_IDLE] - counted[_IOWAIT] - counted[_NICE]
        ticks = {pid: self._ticks(pid) for pid in self._own()}
        return _Look(cores, every, busy, {pid: each for pid, each in ticks.items() if each is not None})

    def _ticks(self, pid: int) -> int | None:
        try:
            columns = (self._proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
            return int(columns[_USER_TICKS]) + int(columns[_SYSTEM_TICKS])
        except (OSError, ValueError, IndexError):
            return None
