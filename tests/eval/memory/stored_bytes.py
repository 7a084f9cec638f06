"""What a store has on the disk for a view, with an activation and without."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from host.config import MemoryConfig
from host.memory.brick import _jpeg
from host.memory.store import MemoryStore
from host.memory.values import Moment, NewView
from models.brick import Activation
from models.pack.catalogue import Pack
from models.pack.chain import Chain
from tests.eval.eye.page import Table
from tests.eval.eye.pieces import Rgb


def table(pack: Pack, chain: Chain, pictures: Sequence[Rgb], kept: float, views: int) -> Table:
    """kept: views that the gate keeps, on average, of a day of so many views."""
    config = MemoryConfig()
    jpegs = [_jpeg(rgb, config.picture_px, config.picture_quality) for rgb in pictures]
    encoder = str(pack.bricks["vision"].options["encoder"])
    without, with_one = (_bytes(jpegs, chain, encoder, each) for each in (False, True))
    picture = sum(map(len, jpegs)) / len(jpegs)
    rows = [
        ("a remembered view, in the database", f"{without:.0f}"),
        ("of it the picture (drawn, 224 px)", f"{picture:.0f}"),
        ("of it the place, sealed", f"{chain.embedding + 44}"),
        ("a view that stopped early, with its activation in 4 bits", f"{with_one:.0f}"),
    ]
    day_mb = [kept * size / 1e6 for size in (without, with_one)]
    most = config.activation_bytes
    notes = [
        f"A day of {views} views, of which the gate keeps {kept:.0f}: {day_mb[0]:.1f} MB, and "
        f"{day_mb[1]:.1f} where all stopped early and none was taken on. {most / 1e6:.0f} MB of activations, "
        f"the most that is kept, are those of {most / (with_one - without):.0f} views."
    ]
    return Table("Bytes", ("what", "bytes"), rows, notes)


def _bytes(jpegs: Sequence[bytes], chain: Chain, encoder: str, early: bool) -> float:
    """Bytes of the database's file for a view."""
    chance = np.random.default_rng(0)
    vector = np.full(chain.embedding, chain.embedding**-0.5, np.float32)
    depth = chain.exit_depths[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        store = MemoryStore(path, bytes(32), MemoryConfig())
        for at, jpeg in enumerate(jpegs):
            now = Moment("boot", float(at), 1_790_000_000.0 + at)
            rows = chance.standard_normal(chain.activation).astype(np.float32)
            begun = Activation(depth, encoder, rows) if early else None
            view = NewView(now, jpeg, vector=vector, depth=depth, encoder=encoder, activation=begun)
            store.add(view, now)
        store.rebuild()
        size = path.stat().st_size
        store.close()
    return size / len(jpegs)
