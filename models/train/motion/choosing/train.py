"""Trains the accuracy predictor and the stop gate from clips that `tried` has looked at in every way.

    python -m models.train.motion.choosing.train --cache DIR --out FOLDER [--seeds 5] [--motion MOTION]

writes FOLDER/choice-1.json and so on, a file for each seed, and blind-1.json and so on, whose predictor has
not seen any clip's first units and so knows configurations and families only; the first seed's choice also
into MOTION, which `models.train.motion.train` has written. Both networks learn from training clips; the epoch
and the gate's threshold are chosen on validation clips: the lowest threshold with which stopping costs at
most half a point of right answers, however often a picture is taken.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.atomic_file import write_whole
from models.pack.catalogue import load_pack
from models.sensing.accuracy import AccuracyPredictor, inputs
from models.sensing.choice_file import ChoiceFile
from models.sensing.stop_gate import CHECKPOINTS, StopGate
from models.small_network import Layer
from models.train.motion.choosing.rows import Checkpoint, Rows, checkpoints_of, gate_rows, predictor_rows
from models.train.motion.choosing.tried import CHECKED_STEPS, Tried, clips_in
from models.train.motion.export import add_choice
from models.train.pack import PACK
from models.train.world.clips.values import FAMILIES, LABELS

BATCH, RATE = 2048, 2e-3
FAMILY_UNKNOWN = 0.3
"""Share of rows without the question's family, as before the words are known."""
VIEW_UNKNOWN = 0.2
"""Share of rows with the mean of all clips' first units, as where none was looked at."""
LOSS_MOST = 0.005
"""Share of right answers that stopping may cost on validation clips, with pictures as often as usual and half
as often: half of what it may cost at all, as clips of other styles cost more.
"""
_THRESHOLDS = tuple(step / 400 for step in range(200, 400))


@dataclass(frozen=True)
class _Size:
    """hidden: values of each of two layers. epochs: of the training."""

    hidden: int
    epochs: int


_PREDICTOR, _GATE = _Size(48, 12), _Size(96, 24)


def _network(wide: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(wide, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
    )


def _layers(network: nn.Sequential) -> tuple[Layer, ...]:
    return tuple(
        Layer(each.weight.detach().numpy().T.copy(), each.bias.detach().numpy().copy())
        for each in network
        if isinstance(each, nn.Linear)
    )


def _fitted(
    wide: int,
    size: _Size,
    batch: Callable[[Tensor], tuple[Tensor, Tensor]],
    rows: int,
    validation: tuple[Tensor, Tensor],
    seed: int,
) -> tuple[Layer, ...]:
    """The layers of the epoch with the least loss on validation rows. batch: rows -> inputs, targets."""
    torch.manual_seed(seed)
    network = _network(wide, size.hidden)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    steps = size.epochs * (1 + rows // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    best, kept = float("inf"), _layers(network)
    for _ in range(size.epochs):
        for numbers in torch.randperm(rows).split(BATCH):
            given, wanted = batch(numbers)
            loss = functional.binary_cross_entropy_with_logits(network(given)[:, 0], wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        with torch.no_grad():
            found = functional.binary_cross_entropy_with_logits(
                network(validation[0])[:, 0], validation[1]
            ).item()
        if found < best:
            best, kept = found, _layers(network)
    return kept


def predictor_of(
    training: Rows, validation: Rows, depths: Sequence[int], seed: int, *, views: bool = True
) -> AccuracyPredictor:
    """A trained predictor. views: it reads the first units; without, only their mean."""
    usual = training.view.mean(axis=0)

    def tensors(rows: Rows) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        view = rows.view if views else np.broadcast_to(usual, rows.view.shape).copy()
        return tuple(torch.from_numpy(each) for each in (view, rows.family, rows.way, rows.right))  # type: ignore[return-value]

    view, family, way, right = tensors(training)
    mean = torch.from_numpy(usual.astype(np.float32))
    view_v, family_v, way_v, right_v = tensors(validation)

    def batch(numbers: Tensor) -> tuple[Tensor, Tensor]:
        known = (torch.rand(len(numbers), 1) >= FAMILY_UNKNOWN).float()
        seen = (torch.rand(len(numbers), 1) >= VIEW_UNKNOWN).float()
        given = torch.cat(
            (seen * view[numbers] + (1 - seen) * mean, family[numbers] * known, way[numbers]), dim=1
        )
        return given, right[numbers]

    wide = inputs(len(FAMILIES), len(depths))
    checked = torch.cat((view_v, family_v, way_v), dim=1), right_v
    layers = _fitted(wide, _PREDICTOR, batch, len(right), checked, seed)
    return AccuracyPredictor(tuple(FAMILIES), tuple(depths), layers, usual.astype(np.float32))


def gate_of(training: Sequence[Tried], validation: Sequence[Tried], seed: int) -> StopGate:
    """A trained gate with its threshold."""
    features, same = (torch.from_numpy(each) for each in gate_rows(training, random.Random(seed)))
    checked = tuple(torch.from_numpy(each) for each in gate_rows(validation, random.Random(seed)))
    layers = _fitted(
        features.shape[1], _GATE, lambda numbers: (features[numbers], same[numbers]), len(same),
        (checked[0], checked[1]), seed,
    )  # fmt: skip
    gate = StopGate(tuple(FAMILIES), LABELS, layers, 1.0)
    return replace(gate, threshold=_threshold(gate, validation))


def _threshold(gate: StopGate, clips: Sequence[Tried]) -> float:
    """The lowest that costs no more than it may after either of `CHECKED_STEPS`; 1 where none does."""
    by_step = []
    for step in CHECKED_STEPS:
        checked = [each for clip in clips for each in checkpoints_of(clip, step, CHECKPOINTS) if each]
        by_step.append([([gate.probability(at.features) for at in each], each) for each in checked])
    return next(
        (
            threshold
            for threshold in _THRESHOLDS
            if max(_lost(threshold, checked) for checked in by_step) <= LOSS_MOST
        ),
        1.0,
    )


def _lost(threshold: float, checked: Sequence[tuple[Sequence[float], tuple[Checkpoint, ...]]]) -> float:
    """Share of right answers that stopping at a threshold costs. checked: of each question, what the gate
    says at its checkpoints.
    """
    right = [
        next(
            (at.right for chance, at in zip(*each, strict=True) if chance >= threshold), each[1][0].last_right
        )
        for each in checked
    ]
    return float(np.mean([each[0].last_right for _, each in checked]) - np.mean(right))


def main() -> None:
    """Trains both, and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--motion", type=Path, help="folder with motion/ that gets the choice of the first seed"
    )
    parser.add_argument("--pack", type=Path, default=PACK)
    options = parser.parse_args()
    pack = load_pack(options.pack)
    depths = tuple(pack.bricks["motion"].options["depths"])
    training, validation = (clips_in(options.cache, split) for split in ("train", "validation"))
    rows = [predictor_rows(clips, depths) for clips in (training, validation)]
    encoder = str(pack.bricks["vision"].options["encoder"]).rpartition(" ")[2]
    chosen = (
        f"Trained on {len(training)} dense training clips that the motion brick was not trained on; epoch "
        f"and threshold chosen on {len(validation)} validation clips: stopping costs at most "
        f"{LOSS_MOST:.1%} of right answers."
    )
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in range(1, options.seeds + 1):
        gate = gate_of(training, validation, seed)
        for name, views in (("choice", True), ("blind", False)):
            predictor = predictor_of(rows[0], rows[1], depths, seed, views=views)
            file = ChoiceFile(predictor, gate, encoder, chosen)
            write_whole(options.out / f"{name}-{seed}.json", file.text())
        print(f"seed {seed}: threshold {gate.threshold}", flush=True)
    if options.motion is not None:
        try:
            add_choice(options.motion, (options.out / "choice-1.json").read_text(encoding="utf-8"), encoder)
        except ValueError as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
