"""Held-out days as the memory has them: only the views that the view gate keeps, placed at every exit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.memory.vectors import packed, unpacked
from host.sensing import view_gate
from models.pack.catalogue import Pack
from models.pack.chain import Chain
from tests.eval.eye.days import Candidates, candidates
from tests.eval.eye.held_home import picture_of
from tests.eval.eye.pieces import Eye, Rgb

BATCH = 16
Places = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Remembered:
    """A held-out day. seen: views of the whole day; queries, about all that was seen, and right, bool
    [queries, views]: of the remembered views; answerable: bool [queries], by some view that was seen; places:
    float32 [exits, views, embedding].
    """

    seen: int
    queries: tuple[str, ...]
    right: NDArray[np.bool_]
    answerable: NDArray[np.bool_]
    places: Places


def of_pack(folder: Path, pack: Pack) -> Path:
    """Where in a folder stands what is kept of this pack: not where that of another eye or version does."""
    return folder / str(pack.bricks["vision"].options["encoder"]).replace(" ", "_")


def kept_of(day: Candidates) -> tuple[NDArray[np.intp], list[Rgb]]:
    """Numbers of the views that the gate keeps, in order, and their pictures."""
    seen: tuple[view_gate.Measured, ...] = ()
    kept, pictures = [], []
    for at, view in enumerate(day.views):
        picture = picture_of(view)
        verdict = view_gate.gate(picture, seen)
        seen = view_gate.remembered(seen, verdict)
        if verdict.kept:
            kept.append(at)
            pictures.append(picture)
    return np.array(kept, np.intp), pictures


def remembered(eye: Eye, chain: Chain, seed: int, views: int, folder: Path | None = None) -> Remembered:
    """The day of that seed. folder: where what was made of it is kept for the next time."""
    file = None if folder is None else folder / f"{seed}_{views}.npz"
    if file is not None and file.is_file():
        with np.load(file) as found:
            return Remembered(
                views, tuple(found["queries"]), found["right"], found["answerable"], found["places"]
            )
    day = candidates(seed, views)
    kept, pictures = kept_of(day)
    made = Remembered(
        views,
        tuple(query.text for query in day.queries),
        day.right[:, kept],
        np.asarray(day.right.any(axis=1), np.bool_),
        placed(eye, chain, pictures),
    )
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, queries=np.array(made.queries), right=made.right, answerable=made.answerable,
                 places=made.places)  # fmt: skip
    return made


def placed(eye: Eye, chain: Chain, pictures: list[Rgb]) -> Places:
    """Pictures at every exit, float32 [exits, pictures, embedding]."""
    batches = []
    for start in range(0, len(pictures), BATCH):
        activations = eye.encode(pictures[start : start + BATCH], chain.exit_depths[0])
        at_exits = []
        for depth in chain.exit_depths:
            activations = eye.resume(activations, depth)
            at_exits.append(eye.embed(activations))
        batches.append(np.stack(at_exits))
    return np.concatenate(batches, axis=1).astype(np.float32)


def as_stored(places: Places) -> Places:
    """Places [views, embedding] after they were stored and read."""
    pairs = (unpacked(packed(place)) for place in places)
    return np.stack([scale * values.astype(np.float32) for scale, values in pairs])
