"""Trains the object detector on the rows of a pack's eye, which stays as it is.

    python -m models.train.detector.train --eye models/packs/micro --out DIR [--epochs 8]

Shards that are missing are drawn first (`data`). The state is stored after each epoch, and the same command
goes on from there. Writes DIR/reflex: the pack's reflex brick, with the average of the weights as its object
detector.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.train.detector.data import (
    SHARDS,
    add_arguments,
    eye_folder,
    read_shards,
    shard_path,
    write_shard,
)
from models.train.detector.export import export
from models.train.detector.model import CELL_OUTPUTS, Detector, Shape, loss_of, parts_of
from models.train.reflex.data import Eye
from models.train.stopping import Stopping, stopping
from models.train.world.variety.designs.from_cutouts import use_given

BATCH, RATE, EPOCHS = 128, 4e-3, 8
_AVERAGED, _WARM_UP = 0.995, 200
_TEMPERATURES = tuple(step / 20 for step in range(10, 41))
Data = dict[str, Tensor]


def tensors(folder: Path, part: str, count: int) -> Data:
    """The shards of a part; classes as int64."""
    found = {key: torch.from_numpy(value) for key, value in read_shards(folder, part, count).items()}
    return {key: value if value.is_floating_point() else value.long() for key, value in found.items()}


def batch(data: Data, chosen: Tensor) -> tuple[Tensor, Data]:
    """Rows and labels of some pictures."""
    some = {key: value[chosen] for key, value in data.items()}
    floats = {key: value.float() if value.is_floating_point() else value for key, value in some.items()}
    return floats.pop("rows"), floats


class Training:
    """A network in training, with the average of its weights."""

    def __init__(self, shape: Shape, seed: int, path: Path) -> None:
        torch.manual_seed(seed)
        self.path, self.epoch, self.step = path, 0, 0
        self.model = Detector(shape)
        self.average = AveragedModel(self.model, multi_avg_fn=get_ema_multi_avg_fn(_AVERAGED))
        self.optimiser = torch.optim.AdamW(self.model.parameters(), RATE, weight_decay=0.02)
        if path.exists():
            self._resume(torch.load(path, weights_only=True))

    def _resume(self, state: dict[str, object]) -> None:
        self.epoch, self.step = int(str(state["epoch"])), int(str(state["step"]))
        for name in ("model", "average", "optimiser"):
            getattr(self, name).load_state_dict(state[name])

    def keep(self) -> None:
        """Stores the state, atomically."""
        state = {"epoch": self.epoch, "step": self.step}
        state |= {name: getattr(self, name).state_dict() for name in ("model", "average", "optimiser")}
        unfinished = self.path.with_suffix(".part")
        torch.save(state, unfinished)
        os.replace(unfinished, self.path)

    def run_epoch(self, data: Data, epochs: int, stop: Stopping) -> float | None:
        """Its mean loss; None where a signal stopped it."""
        count = len(data["rows"])
        order = torch.randperm(count, generator=torch.Generator().manual_seed(self.epoch))
        per_epoch, total = count // BATCH, 0.0
        for at in range(per_epoch):
            if stop:
                return None
            share = self.step / (epochs * per_epoch)
            rate = RATE * min(1.0, (1 + self.step) / _WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * share))
            for group in self.optimiser.param_groups:
                group["lr"] = rate
            loss = loss_of(self.model, *batch(data, order[at * BATCH : (at + 1) * BATCH]))
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimiser.step()
            self.average.update_parameters(self.model)
            self.step += 1
            total += float(loss.detach())
        self.epoch += 1
        return total / per_epoch

    @property
    def best(self) -> Detector:
        """The network with the average of the weights."""
        found = self.average.module
        assert isinstance(found, Detector)
        return found.eval()


@torch.no_grad()
def judged(model: Detector, data: Data) -> dict[str, float]:
    """On validation pictures: of the items the share that is found; of what is found the share that is there;
    colours right; mean error of a middle, in cells; pictures all of whose cells are right.
    """
    right = found = there = colours = coloured = 0
    whole, error = 0.0, 0.0
    for at in range(0, len(data["rows"]), BATCH):
        rows, labels = batch(data, torch.arange(at, min(at + BATCH, len(data["rows"]))))
        cells = parts_of(model(rows)[0], CELL_OUTPUTS)
        said, true = cells["what"].argmax(2), labels["what"]
        known, hit = true >= 0, (said == true) & (true > 0)
        right += int(hit.sum())
        found += int(((said > 0) & known).sum())
        there += int((true > 0).sum())
        whole += float(((said == true) | ~known).all(1).sum())
        named = hit & (labels["colour"] > 0)
        coloured += int(named.sum())
        colours += int((cells["colour"].argmax(2) == labels["colour"])[named].sum())
        error += float((cells["offset"] - labels["offset"])[hit].abs().sum()) / 4
    return {
        "found": right / max(1, there), "there": right / max(1, found), "colours": colours / max(1, coloured),
        "error": error / max(1, right), "pictures": whole / len(data["rows"]),
    }  # fmt: skip


@torch.no_grad()
def measured(model: Detector, data: Data) -> dict[str, float]:
    """On validation pictures: the temperature with which the chances of what is in a cell fit best, and the
    standard deviations `middle_error` and `extent_error` of `models.pack.things_file.Things`.
    """
    logits, wanted, middles, halves = [], [], [], []
    for at in range(0, len(data["rows"]), BATCH):
        rows, labels = batch(data, torch.arange(at, min(at + BATCH, len(data["rows"]))))
        cells = parts_of(model(rows)[0], CELL_OUTPUTS)
        logits.append(cells["what"][labels["what"] >= 0])
        wanted.append(labels["what"][labels["what"] >= 0])
        hit = (cells["what"].argmax(2) == labels["what"]) & (labels["what"] > 0)
        middles.append((cells["offset"] - labels["offset"])[hit] / 2 / round(model.shape.tokens**0.5))
        halves.append((cells["half"][hit] - labels["half"][hit]) / labels["half"][hit].clamp(min=0.01))
    every, true = torch.cat(logits), torch.cat(wanted)
    losses = {each: float(functional.cross_entropy(every / each, true)) for each in _TEMPERATURES}
    return {
        "temperature": min(losses, key=lambda each: losses[each]),
        "middle_error": round(float(torch.cat(middles).square().mean().sqrt()), 4),
        "extent_error": round(float(torch.cat(halves).square().mean().sqrt()), 4),
    }


def trained(options: argparse.Namespace, stop: Stopping) -> tuple[Detector, dict[str, float], Eye]:
    """The network, trained to the end, and what was measured of it. Raises SystemExit where a signal stops
    it before.
    """
    use_given(options)
    eye = Eye(options.eye)
    folder = eye_folder(options.cache, eye)
    for part, count in {**SHARDS, "train": options.shards}.items():
        for number in range(count):
            if not shard_path(folder, part, number).exists():
                write_shard(eye, folder, part, number)
            if stop:
                raise stop.ended("Stopped; the same command goes on from there.")
    data = tensors(folder, "train", options.shards)
    validation = tensors(folder, "validation", SHARDS["validation"])
    training = Training(Shape(width=data["rows"].shape[2]), options.seed, folder / f"state-{options.seed}.pt")
    while training.epoch < options.epochs:
        begun_s = time.monotonic()
        loss = training.run_epoch(data, options.epochs, stop)
        if loss is None:
            raise stop.ended("Stopped; the same command goes on from the last whole epoch.")
        told = ", ".join(f"{key} {value:.4f}" for key, value in judged(training.best, validation).items())
        print(
            f"epoch {training.epoch}, loss {loss:.4f}, {time.monotonic() - begun_s:.0f} s: {told}", flush=True
        )
        training.keep()
    return training.best, measured(training.best, validation), eye


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for reflex/")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)  # arithmetic with denormal numbers is slow
    with stopping() as stop:
        model, found, eye = trained(options, stop)
        print(found, flush=True)
        export(model, options.eye, options.out, found, eye.identity)


if __name__ == "__main__":
    main()
