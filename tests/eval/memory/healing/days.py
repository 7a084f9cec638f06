"""Held-out days for healing: the views that the gate keeps, as far as the stem, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.sensing import view_gate
from models.pack.chain import Chain
from tests.eval.eye.days import candidates
from tests.eval.eye.held_home import picture_of
from tests.eval.eye.pieces import Eye, Rgb
from tests.eval.memory.days import BATCH, Places

MOST_NEAR = 400
"""Of a day's views that the gate refuses as repetitions, so many are asked for."""


@dataclass(frozen=True, eq=False)
class HeldDay:
    """One day. stems: the file with the kept views' activations of depth 0; full: the pack's own places at
    full depth, [views, embedding]; queries and right, bool [queries, views]: in words; near: places at full
    depth of repetitions, and repeats: the number of the kept view that each repeats.
    """

    stems: Path
    full: Places
    queries: tuple[str, ...]
    right: NDArray[np.bool_]
    near: Places
    repeats: NDArray[np.intp]


def held_day(eye: Eye, chain: Chain, seed: int, views: int, folder: Path) -> HeldDay:
    """The day of that seed, made once and kept in the folder."""
    file, stems = folder / f"healing_{seed}_{views}.npz", folder / f"healing_{seed}_{views}.npy"
    if not (file.is_file() and stems.is_file()):
        _make(eye, chain, seed, views, file, stems)
    with np.load(file) as found:
        return HeldDay(
            stems, found["full"], tuple(found["queries"]), found["right"], found["near"], found["repeats"]
        )


def _make(eye: Eye, chain: Chain, seed: int, views: int, file: Path, stems: Path) -> None:
    day = candidates(seed, views)
    seen: tuple[view_gate.Measured, ...] = ()
    kept: list[int] = []
    measured: list[view_gate.Measured] = []
    pictures: list[Rgb] = []
    near: list[Rgb] = []
    repeats: list[int] = []
    for at, view in enumerate(day.views):
        picture = picture_of(view)
        verdict = view_gate.gate(picture, seen)
        seen = view_gate.remembered(seen, verdict)
        if verdict.kept:
            kept.append(at)
            measured.append(verdict.measured)
            pictures.append(picture)
        elif verdict.same_as is not None and len(near) < MOST_NEAR:
            near.append(picture)
            repeats.append(next(n for n, each in enumerate(measured) if each is verdict.same_as))
    file.parent.mkdir(parents=True, exist_ok=True)
    starts = range(0, len(pictures), BATCH)
    activations = [each for at in starts for each in eye.encode(pictures[at : at + BATCH], 0)]
    np.save(stems, np.stack([np.asarray(each.rows, np.float32) for each in activations]))
    depth = chain.exit_depths[-1]
    full = np.concatenate([eye.embed(eye.resume(activations[at : at + BATCH], depth)) for at in starts])
    again = [eye.embed(eye.encode(near[at : at + BATCH], depth)) for at in range(0, len(near), BATCH)]
    np.savez(
        file,
        full=full,
        queries=np.array([query.text for query in day.queries]),
        right=day.right[:, kept],
        near=np.concatenate(again) if again else np.zeros((0, full.shape[1]), np.float32),
        repeats=np.array(repeats, np.intp),
    )
