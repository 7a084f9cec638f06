"""Memory of this process and its descendants."""

from __future__ import annotations

from pathlib import Path

from models.process.rss import pss_mib, tree


def tree_pss_mib() -> float:
    """PSS of this process and all its descendants, MiB: every shared page is counted once."""
    return sum(pss_mib(pid) for pid in tree())


def tree_anonymous_mib() -> float:
    """The part of it that belongs to no file, MiB. Other programs with the same libraries do not change it: a
    page of a file counts the less in a process, the more processes map it.
    """
    return sum(_anonymous_kib(pid) for pid in tree()) / 1024


def _anonymous_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:")), 0)
