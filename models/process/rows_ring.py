"""The ring that a pack's bricks share: so many slots, each for the largest rows or activation of its eyes."""

from __future__ import annotations

from models.pack.catalogue import Pack
from models.pack.chain import EYE, RECALL_EYE, REFLEX, reflex_eye
from models.ring.ring import Ring

RING_SLOTS = 4 + 4 + 8
"""For two questions, one of which may end while the next begins, about two pictures each; for the encodings
of recent views; and for a group of a clip's pictures (`models.sensing.configuration.TOGETHER`), which lie
there before and after their next blocks. A slot that nothing was ever put into takes no memory.
"""


def ring_of(pack: Pack) -> Ring | None:
    """A new ring for the pack; None where nothing would go through it."""
    values = slot_values(pack)
    return Ring.create(RING_SLOTS, 1, values) if values else None


def slot_values(pack: Pack) -> int:
    """The most values that a slot of the ring has to hold: a picture's rows, or an eye's activation; 0 for a
    pack without eyes, or with eyes whose rows nobody reads.
    """
    return max((_eye_values(pack, eye) for eye in (EYE, RECALL_EYE) if eye in pack.bricks), default=0)


def _eye_values(pack: Pack, eye: str) -> int:
    options = pack.bricks[eye].options
    closed = REFLEX in pack.bricks and reflex_eye(pack.bricks) == eye
    read = closed or (eye == EYE and "llm" in pack.bricks)
    tokens, width = int(options.get("tokens", 0)), int(options.get("width", 0))
    deep = int(options.get("activation_tokens") or tokens) * int(options.get("activation_width") or width)
    chained = bool(options.get("depth"))
    return max(tokens * width if read or chained else 0, deep if chained else 0)
