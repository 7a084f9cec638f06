"""Days of the generator as they are remembered: what was seen, and the views that the view gate keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.sensing import view_gate
from models.brick import BrickSpec
from models.pack.chain import Chain
from models.train.world.home.day import day
from models.train.world.variety.designs.redesign import one_design_each
from tests.eval.eye.held_home import picture_of
from tests.eval.eye.pieces import Eye, Rgb, loaded
from tests.eval.memory.days import placed
from tests.eval.memory_voice.past import Past, Sight, sight_of

FIRST_SEED = 9_700
STOPS = (0.1, 1.0)
"""Questions are asked after these shares of a day's views."""
DESIGNS = "designs"
"""Validation days whose things have designs that are kept back from training: no held-out data, but as new to
the eye, so that choices can be made on them.
"""
LATER_S = 90.0
"""So long after the last view."""


@dataclass(frozen=True, eq=False)
class WornDay:
    """kept: numbers of the sights that the gate keeps; pictures, places: theirs, places at full depth,
    float32 [kept, embedding].
    """

    seed: int
    sights: tuple[Sight, ...]
    kept: tuple[int, ...]
    pictures: tuple[Rgb, ...]
    places: NDArray[np.float32]

    def until(self, share: float) -> tuple[Past, int]:
        """What was seen in this share of the views, and how many kept ones are among them."""
        number = max(1, round(share * len(self.sights)))
        part = self.sights[:number]
        return Past(part, part[-1].at_s + LATER_S), sum(each < number for each in self.kept)


def worn(spec: BrickSpec, chain: Chain, seed: int, views: int, split: str, folder: Path | None) -> WornDay:
    """The day of that seed. spec: the eye; folder: where what was made of it is kept for the next time."""
    drawn = day(seed, views, "validation" if split == DESIGNS else split).views
    if split == DESIGNS:
        drawn = one_design_each(drawn, seed)
    sights = tuple(sight_of(view) for view in drawn)
    file = None if folder is None else folder / f"{split}_{seed}_{views}.npz"
    if file is not None and file.is_file():
        with np.load(file) as found:
            kept = tuple(int(each) for each in found["kept"])
            return WornDay(seed, sights, kept, tuple(found["pictures"]), found["places"])
    kept_of: list[int] = []
    pictures: list[Rgb] = []
    seen: tuple[view_gate.Measured, ...] = ()
    for at, view in enumerate(drawn):
        picture = picture_of(view)
        verdict = view_gate.gate(picture, seen)
        seen = view_gate.remembered(seen, verdict)
        if verdict.kept:
            kept_of.append(at)
            pictures.append(picture)
    with loaded(spec) as brick:
        places = placed(Eye(brick), chain, pictures)[-1]
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(file, kept=np.array(kept_of), pictures=np.stack(pictures), places=places)
    return WornDay(seed, sights, tuple(kept_of), tuple(pictures), places)
