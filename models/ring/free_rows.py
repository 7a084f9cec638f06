"""Rows that nobody reads are freed, whatever else an answer consists of."""

from __future__ import annotations

from models.brick import Activation, Embedding
from models.ring.ring import Ring


def free_rows(ring: Ring | None, chunk: object) -> None:
    """Frees the slot of a chunk of an answer; no effect on one without a slot, or whose rows were read."""
    if ring is not None and isinstance(chunk, Embedding | Activation) and chunk.slot is not None:
        ring.discard(chunk.slot)
