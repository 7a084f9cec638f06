"""Memory of this process and of the whole tree below it, read from /proc.

RSS counts a page in every process that maps it; PSS divides it among them, so only PSS may be summed. The
fork server's children share its pages, which is why the tree is measured in PSS.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from dataclasses import dataclass, field

_KIB_PER_MIB = 1024.0


@dataclass(frozen=True)
class Usage:
    """One process's memory, MiB. own: peak beyond what it shared with the fork server when it was forked."""

    rss_mib: float
    peak_rss_mib: float
    own_mib: float


def _status(pid: int | str) -> dict[str, int]:
    """The kB lines of /proc/<pid>/status."""
    values = {}
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            key, _, rest = line.partition(":")
            parts = rest.split()
            if len(parts) == 2 and parts[1] == "kB":
                values[key] = int(parts[0])
    return values


def own_usage(base: Usage | None = None) -> Usage:
    """This process now. base: its usage when it was forked."""
    status = _status("self")
    rss, peak = status["VmRSS"] / _KIB_PER_MIB, status["VmHWM"] / _KIB_PER_MIB
    return Usage(rss, peak, peak - base.rss_mib if base else 0.0)


def rss_mib(pid: int) -> float:
    """Resident memory of a process, MiB; 0 for one that is gone."""
    try:
        return _status(pid).get("VmRSS", 0) / _KIB_PER_MIB
    except OSError:
        return 0.0


def pss_mib(pid: int) -> float:
    """Proportional memory of a process, MiB; 0 for one that is gone or may not be read."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) / _KIB_PER_MIB
    except OSError:
        pass
    return 0.0


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


def tree_pss_mib(pid: int | None = None) -> float:
    """Memory of a process and everything below it, MiB, every shared page counted once."""
    return sum(pss_mib(p) for p in tree(pid))


def trim_heap() -> None:
    """Return malloc's free pages to the system (glibc; elsewhere nothing happens)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@dataclass
class Peak:
    """The largest memory seen, MiB: of the whole tree, and of the main process alone (RSS)."""

    tree_mib: float = 0.0
    main_rss_mib: float = 0.0
    samples: int = 0
    by_pid_mib: dict[int, float] = field(default_factory=dict)
    """each process's largest PSS"""


class PeakSampler:
    """Watches the tree's memory on a thread while it is entered: `with PeakSampler() as peak: ...`.

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
