"""Rows that reach nobody: their request was cancelled as they were made."""

from __future__ import annotations

from models.brick import Activation, Embedding
from models.ring.ring import Ring


def free_undelivered(ring: Ring | None, chunk: object) -> None:
    """Frees the slot of a chunk of an answer that nobody gets; no effect on a chunk without one."""
    if ring is not None and isinstance(chunk, Embedding | Activation) and chunk.slot is not None:
        ring.discard(chunk.slot)
