"""Views, moments and stores for tests of the memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from host.config import MemoryConfig
from host.memory.store import MemoryStore
from host.memory.things import SeenThing
from host.memory.values import Moment, NewView, Vector
from models.brick import Activation

KEY = bytes(range(32))
START_S = 1_790_000_000.0
"""Wall clock at monotonic 0 of the boot "b1"."""


def at(seconds: float, boot: str = "b1") -> Moment:
    """A moment of a boot whose clock is right; "b2" begins a day after "b1"."""
    begins_s = START_S + (86_400.0 if boot == "b2" else 0.0)
    return Moment(boot, seconds, begins_s + seconds)


def direction(number: int, width: int = 8) -> Vector:
    """float32 [width] of length 1, another for every number."""
    vector = np.random.default_rng(number).standard_normal(width).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def shown(number: int) -> tuple[SeenThing, ...]:
    """What the object detector finds in a view of that number."""
    return (SeenThing("keys", 0.9, (("red", 1.0),)), SeenThing(f"thing {number}", 0.5))


def begun(number: int, encoder: str = "e") -> Activation:
    """What a view of that number is taken on from: 4 rows of 8 values, which 4 bits keep as they are."""
    rows = np.random.default_rng(number).integers(-7, 8, (4, 8)).astype(np.float32)
    rows[:, 0] = 7
    return Activation(3, encoder, rows)


def view(number: int, taken: Moment | None = None, **named: object) -> NewView:
    """A view in the direction of its number, taken at that second unless told."""
    picture = b"jpeg of view %d " % number * 20
    fields: dict[str, object] = {"vector": direction(number), "depth": 3, "encoder": "e", **named}
    return NewView(taken or at(float(number)), picture, **fields)  # type: ignore[arg-type]


def store(folder: Path, config: MemoryConfig | None = None, key: bytes = KEY) -> MemoryStore:
    """The store in a folder."""
    return MemoryStore(folder / "memory.db", key, config or MemoryConfig())
