"""How many threads compute a model of some size."""

from __future__ import annotations

SINGLE_THREAD_BYTES = 4 << 20
"""Below this, threads wait longer for each other than they compute: they meet after every layer."""


def threads_for(size_bytes: int) -> int:
    """Threads of a model or a piece of one, of that size; 0 for as many as the brick may use."""
    return 1 if size_bytes < SINGLE_THREAD_BYTES else 0
