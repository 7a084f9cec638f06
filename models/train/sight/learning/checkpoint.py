"""The state of a training run on disk, replaced atomically."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from models.train.beginning import KEY, require_same_beginning
from models.train.sight.model import Vlm


@dataclass
class Trained:
    """What is trained, its moving average, and the optimisers' state."""

    model: Vlm
    averaged: Vlm
    optimizers: list[torch.optim.Optimizer]


@dataclass
class Progress:
    """How far a run is. `steps` and `decay`: its planned end; `finishing`: that end was asked for with
    `--finish-in` and holds for the next starts.
    """

    step: int = 0
    best: float = 0.0
    spent_s: float = 0.0
    steps: int = 0
    decay: int = 0
    finishing: bool = False


def save(path: Path, trained: Trained, progress: Progress, begun: str = "") -> None:
    """Writes the checkpoint. begun: as `models.train.beginning` makes it, "" for none."""
    state = {
        "model": trained.model.state_dict(),
        "averaged": trained.averaged.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in trained.optimizers],
        "progress": asdict(progress),
        KEY: begun,
    }
    unfinished = path.with_suffix(".new")
    torch.save(state, unfinished)
    os.replace(unfinished, path)


def restore(path: Path, trained: Trained, device: str, begun: str = "") -> Progress | None:
    """Reads the checkpoint into `trained`; None where there is none. Raises SystemExit where it began
    otherwise than `begun` says.
    """
    if not path.exists():
        return None
    state = torch.load(path, weights_only=True, map_location=device)
    require_same_beginning(path, state, begun)
    trained.model.load_state_dict(state["model"])
    trained.averaged.load_state_dict(state["averaged"])
    for optimizer, optimizer_state in zip(trained.optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(optimizer_state)
    return Progress(**state["progress"])
