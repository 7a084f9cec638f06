"""Heals all exits of a pack from pictures, and says what that did on those that were held back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.pack.catalogue import Pack
from models.pack.chain import Chain
from models.train.recall.heal import methods
from models.train.recall.heal.eye import Eye, read
from models.train.recall.heal.fit import Plan
from models.train.recall.heal.methods import Both, Views
from models.train.recall.heal.stems import Stems

CHANGES = ("better", "exits", "blocks")
"""What may change: the exits alone, or also the blocks, exit by exit; or what turns out better."""
WORTH = 0.02
"""Share of the held-back views by which changed blocks have to gain more than the exits alone do: the bricks
that read the blocks have to be trained anew.
"""
FEWEST_STEPS = 100
"""Of each exit: few pictures are seen the more often."""


def plan_for(views: int) -> Plan:
    """How long an exit learns from so many views."""
    steps = max(1, views // Plan.batch)
    epochs = max(Plan.epochs, -(-FEWEST_STEPS // steps))
    return Plan(epochs=epochs, patience=max(Plan.patience, epochs // 4))


@dataclass(frozen=True, eq=False)
class Healed:
    """blocks: whether more than the exits has changed. before, after: `nearest` of each exit."""

    eye: Eye
    blocks: bool
    before: Mapping[int, float]
    after: Mapping[int, float]

    @property
    def gain(self) -> float:
        """Mean over the exits before full depth, a share of the views."""
        return float(np.mean([self.after[depth] - self.before[depth] for depth in sorted(self.after)[:-1]]))


def heal(pack: Pack, chain: Chain, parts: tuple[Stems, Stems], change: str, seed: int) -> Healed:
    """An eye that learned from the first part, judged by the second. change: one of `CHANGES`. Raises
    CannotHeal for an eye of another form.
    """
    options = pack.bricks["vision"].options
    eye = read({key: Path(options[key]) for key in chain.keys}, chain)
    training, validation = (methods.views_of(eye, torch.from_numpy(each)) for each in parts)
    plan, found = plan_for(len(training.stems)), []
    for blocks in (False, True):
        if change in (CHANGES[0], CHANGES[1 + blocks]):
            found.append(_healed(eye.copied(), blocks, (training, validation), plan, seed))
    return chosen(found)


def chosen(found: Sequence[Healed]) -> Healed:
    """The last one, that of the blocks, where it gains by `WORTH` more than the first."""
    return found[-1] if found[-1].gain >= found[0].gain + WORTH else found[0]


def _healed(eye: Eye, blocks: bool, views: Both, plan: Plan, seed: int) -> Healed:
    torch.manual_seed(seed)
    print("exits and blocks, exit by exit:" if blocks else "exits alone:", flush=True)
    before = nearest(eye, views[1])
    for stage in (methods.progressive if blocks else methods.heads)(eye, views, plan, seed):
        now = nearest(eye, views[1])[stage.depth]
        print(
            f"  exit after block {stage.depth}: {100 * before[stage.depth]:.1f} % of the latest pictures "
            f"were nearest to their own full depth, {100 * now:.1f} % are",
            flush=True,
        )
    if blocks:
        print(f"  what the decoder reads has moved by {100 * rows_moved(eye, views[1]):.1f} % of its size")
    return Healed(eye, blocks, before, nearest(eye, views[1]))


def nearest(eye: Eye, views: Views) -> dict[int, float]:
    """For each exit the share of views that are nearer than all others, there, to their own place at full
    depth before any change.
    """
    found, at, activations = {}, 0, views.stems
    for depth in eye.depths:
        activations, at = methods.taken(eye, activations, at, depth), depth
        scores = views.places @ methods.placed(eye, activations, depth).T
        found[depth] = float((scores.argmax(1) == torch.arange(len(scores))).float().mean())
    return found


@torch.no_grad()
def rows_moved(eye: Eye, views: Views) -> float:
    """How much of its size what the decoder reads has changed by: root of mean squares."""
    rows: Tensor = eye.rows(methods.taken(eye, views.stems, 0, len(eye.blocks)))
    return float(((rows - views.rows).square().mean() / views.rows.square().mean()).sqrt())
