"""Rows that nobody reads are freed, whatever else an answer consists of."""

from __future__ import annotations

from models.brick import Activation, Embedding
from models.ring.ring import Ring


def free_rows(ring: Ring | None, chunk: object) -> bool:
    """Frees the slot of a chunk of an answer; no effect on one without a slot, or whose rows were read. False
    where somebody is reading them.
    """
    if ring is None or not isinstance(chunk, Embedding | Activation) or chunk.slot is None:
        return True
    ring.discard(chunk.slot)
    return not ring.still_has(chunk.slot)
