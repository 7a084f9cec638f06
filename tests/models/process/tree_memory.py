"""Memory of this process and its descendants."""

from __future__ import annotations

from models.process.rss import pss_mib, tree


def tree_pss_mib() -> float:
    """PSS of this process and all its descendants, MiB: every shared page is counted once."""
    return sum(pss_mib(pid) for pid in tree())
