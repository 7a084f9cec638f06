"""Memory of this process and its descendants, read from /proc.

RSS counts a page in every process that maps it; PSS divides it among them, so only PSS may be summed. The
fork server's children share its pages, which is why the tree is measured in PSS.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time
from dataclasses import dataclass, field

_KIB_PER_MIB = 1024.0
_M_ARENA_MAX = -8
"""malloc.h of glibc: largest number of heaps of a process."""
_M_MMAP_THRESHOLD, _MAPPED_BYTES = -3, 128 * 1024
"""malloc.h of glibc: blocks from this size on are mapped by themselves; glibc begins with this size."""


@dataclass(frozen=True)
class Usage:
    """One process's memory, MiB. own: peak of what it shares with nobody."""

    rss_mib: float
    peak_rss_mib: float
    own_mib: float


def _sizes(path: str) -> dict[str, int]:
    """The kB lines of a file in /proc; empty for a process that is gone or may not be read."""
    values = {}
    try:
        with open(path) as file:
            for line in file:
                key, _, rest = line.partition(":")
                parts = rest.split()
                if len(parts) == 2 and parts[1] == "kB":
                    values[key] = int(parts[0])
    except OSError:
        return {}
    return values


def _status(pid: int | str) -> dict[str, int]:
    return _sizes(f"/proc/{pid}/status")


def _rollup(pid: int | str) -> dict[str, int]:
    return _sizes(f"/proc/{pid}/smaps_rollup")


class UsageMeter:
    """Reads this process's usage. Private pages are counted only when the peak has grown, because counting
    takes milliseconds for a large model.
    """

    def __init__(self) -> None:
        self._last: Usage | None = None

    def read(self) -> Usage:
        """Usage now."""
        status = _status("self")
        rss, peak = status["VmRSS"] / _KIB_PER_MIB, status["VmHWM"] / _KIB_PER_MIB
        if self._last is not None and peak <= self._last.peak_rss_mib:
            own = self._last.own_mib
        else:
            private = sum(_rollup("self").get(key, 0) for key in ("Private_Clean", "Private_Dirty"))
            own = private / _KIB_PER_MIB + peak - rss
        self._last = Usage(rss, peak, own)
        return self._last


def rss_mib(pid: int | str) -> float:
    """Resident memory of a process, MiB; 0 for one that is gone."""
    return _status(pid).get("VmRSS", 0) / _KIB_PER_MIB


def pss_mib(pid: int) -> float:
    """Proportional memory of a process, MiB; 0 for one that is gone or may not be read."""
    return _rollup(pid).get("Pss", 0) / _KIB_PER_MIB


def children(pid: int) -> list[int]:
    """Direct children of a process, dead ones that nobody reaped included."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        pass
    return found


def tree(pid: int | None = None) -> list[int]:
    """A process and everything below it, parents first."""
    pids = [pid or os.getpid()]
    for parent in pids:
        pids += children(parent)
    return pids


def use_one_heap() -> None:
    """Make threads that start later allocate from malloc's main heap, where memory is free, instead of heaps
    of their own, and keep pictures and sounds out of it (glibc; elsewhere nothing happens).

    By itself glibc puts blocks as large as the largest one freed so far into the heap. There small blocks
    that stay keep the pages beside them: 7 MiB after six turns, of which most were free.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)


def trim_heap() -> None:
    """Return malloc's free pages to the system (glibc; elsewhere nothing happens)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def unmap_idle_code() -> None:
    """Unmap pages of program code that were mapped by fault-around and are not used.

    A page fault maps neighbouring pages that are in the page cache: 7 MiB more after an install than after a
    boot. Only executable file mappings are unmapped; they are read-only, so pages in use are mapped again.
    Nothing happens without /proc or madvise.
    """
    madvise = getattr(ctypes.CDLL(None), "madvise", None)
    try:
        with open("/proc/self/maps") as file:
            lines = [line.split() for line in file]
    except OSError:
        return
    for span, access, *_, name in lines:
        if madvise is not None and access == "r-xp" and name.startswith("/"):
            start, end = (int(address, 16) for address in span.split("-"))
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTNEED)


@dataclass
class Peak:
    """The largest memory seen, MiB: of the whole tree, and of the main process alone (RSS)."""

    tree_mib: float = 0.0
    main_rss_mib: float = 0.0
    samples: int = 0
    by_pid_mib: dict[int, float] = field(default_factory=dict)
    """each process's largest PSS"""


class PeakSampler:
    """Samples the tree's memory in a thread: `with PeakSampler() as peak: ...`.

    A sample walks page tables (some milliseconds for a large model), so the period bounds the cost.
    """

    def __init__(self, period_s: float = 0.02) -> None:
        self.peak = Peak()
        self._period_s = period_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="memory")

    def __enter__(self) -> Peak:
        self._thread.start()
        return self.peak

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.sample()

    def sample(self) -> None:
        """Take one sample now."""
        peak, total = self.peak, 0.0
        for pid in tree():
            size = pss_mib(pid)
            total += size
            peak.by_pid_mib[pid] = max(size, peak.by_pid_mib.get(pid, 0.0))
        peak.tree_mib = max(peak.tree_mib, total)
        peak.main_rss_mib = max(peak.main_rss_mib, rss_mib(os.getpid()))
        peak.samples += 1

    def _watch(self) -> None:
        while not self._stop.is_set():
            start_s = time.monotonic()
            self.sample()
            self._stop.wait(max(self._period_s, time.monotonic() - start_s))
