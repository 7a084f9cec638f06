"""Trains a deeper decoder on the finished eye, and exports eye, text tower and decoder.

    python -m models.train.sight.train_decoder --eye .cache/train/vlm --out .cache/train/vlm/out

The eye and the text tower stay as `models.train.sight.train` left them: their averaged weights, without
gradient. The eye knows the things of a picture long before the decoder has learned to tell them; a step
without the eye's gradient costs two thirds with four layers, and about the same with six. The decoder begins
as the trained one with more layers in between, which change nothing at first: what they add is zero (the
identity start of Net2Net, Chen et al. 2016).

Batches depend on the seed and the step only. An interrupted run resumes from decoder.pt in the folder of
the eye, written every four minutes, on SIGTERM and on Ctrl-C.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from models.train.muon import Muon
from models.train.sight.data.labels import Arrays
from models.train.sight.data.loader import Batches, worker
from models.train.sight.data.training_batches import BatchPlan
from models.train.sight.learning.checkpoint import Progress, Trained, restore, save
from models.train.sight.learning.run import average, optimizers
from models.train.sight.loss import losses
from models.train.sight.model import Vlm, VlmConfig
from models.train.sight.text_words import TextWords
from models.train.sight.train import keep_best
from models.train.sight.validation import home_checks, shape_checks, tensors
from models.train.sight.vocabulary import Words
from models.train.stopping import stopping

LAYERS = 6
DECAY = 0.8
"""Share of the steps in which the learning rate falls."""
PLAN = BatchPlan(sight_steps=0, rest_steps=0, picture_only_share=0.0, captions=0)
FIRST_STEP = 10_000_000
"""Batches are those from this step on, which the training of the eye does not reach."""
_TRAINED = ("decoder.", "grounding_head.", "change_head.", "before_head.")
_AUXILIARY = 0.2
"""Weight of the losses other than the answer's."""
_WARM_UP_STEPS = 150
_AVERAGE_DECAY = 0.998
_MUON_GAIN = 2.0
_SAVE_EVERY_S = 240.0


def places(before: int, after: int) -> list[int]:
    """The layers of a decoder of `after` layers that are those of one with `before`, spread evenly."""
    if not 0 < before <= after:
        raise ValueError(f"a decoder of {before} layers cannot become one of {after}")
    return [(number + 1) * after // before - after // before for number in range(before)]


def deepened(state: Mapping[str, Tensor], before: int, model: Vlm) -> None:
    """Puts the weights of a network whose decoder has `before` layers into `model`, whose decoder may have
    more. The added layers keep their random weights, except those that write: these are zero.
    """
    after = len(model.decoder.blocks)
    where = dict(zip(range(before), places(before, after), strict=True))
    prefix = "decoder.blocks."
    moved = {}
    for name, value in state.items():
        if name.startswith(prefix):
            layer, rest = name.removeprefix(prefix).split(".", 1)
            name = f"{prefix}{where[int(layer)]}.{rest}"
        moved[name] = value
    added = [number for number in range(after) if number not in where.values()]
    for number in added:
        block = model.decoder.blocks[number]
        nn.init.zeros_(block.out.weight)
        nn.init.zeros_(block.down.weight)
    missing, unexpected = model.load_state_dict(moved, strict=False)
    if unexpected or any(not name.startswith(tuple(f"{prefix}{n}." for n in added)) for name in missing):
        raise SystemExit(f"The checkpoint is of another network: {(missing + unexpected)[0]}.")


def rate_factor(step: int, steps: int) -> float:
    """Warm-up, constant, and in the last `DECAY` of the steps a linear fall to 0.01."""
    warm = min((step + 1) / _WARM_UP_STEPS, 1.0)
    return warm * min(1.0, max((steps - step) / (DECAY * steps), 0.01))


class Training:
    """The network with its frozen eye, the average, the optimisers, and how far it is."""

    def __init__(self, eye: Path, layers: int, rate: float, device: str) -> None:
        torch.manual_seed(2)
        self.words, self.text_words = Words.load(eye / "words.json"), TextWords.load(eye / "text.json")
        config = VlmConfig(vocab=len(self.words), text_vocab=len(self.text_words))
        model = Vlm(replace(config, layers=layers))
        state = torch.load(eye / "last.pt", weights_only=True, map_location="cpu")
        deepened(state["averaged"], config.layers, model)
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name.startswith(_TRAINED))
        model.to(device).eval()  # a network without dropout: only the eye's batch norms differ
        self.trained = Trained(model, copy.deepcopy(model), optimizers(model, rate))
        self.path, self.rate, self.device = eye / "decoder.pt", rate, device
        self.progress = restore(self.path, self.trained, device) or Progress()

    def step(self, number: int, arrays: Arrays, steps: int) -> dict[str, Tensor]:
        """One update; the parts of its loss."""
        model = self.trained.model
        for optimizer in self.trained.optimizers:
            gain = _MUON_GAIN if isinstance(optimizer, Muon) else 1.0
            for group in optimizer.param_groups:
                group["lr"] = gain * self.rate * rate_factor(number, steps)
        parts = losses(model, tensors(arrays, self.device), vit_frozen=True)
        auxiliary = torch.stack([part for name, part in parts.items() if name != "answer"]).sum()
        loss: Tensor = parts["answer"] + _AUXILIARY * auxiliary
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 5.0)
        for optimizer in self.trained.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        average(self.trained.averaged, model, min(_AVERAGE_DECAY, (number + 1) / (number + 20)))
        return {name: part.detach() for name, part in parts.items()}

    def batches(self, steps: int) -> Iterator[tuple[int, Arrays]]:
        """The remaining steps with their batches, which another process draws."""
        first = self.progress.step
        drawn = Batches(self.words, self.text_words, PLAN, FIRST_STEP + first, FIRST_STEP + steps)
        loader = DataLoader(drawn, batch_size=None, num_workers=1, prefetch_factor=8, worker_init_fn=worker)
        yield from enumerate(loader, first)

    def save(self) -> None:
        """Writes the checkpoint."""
        save(self.path, self.trained, self.progress)


def train(out: Path, run: Training, steps: int, check_every: int) -> None:
    """Trains up to step `steps`; validates every `check_every` steps and exports the best network.
    Raises SystemExit where a signal stops it before.
    """
    checks = [*shape_checks(run.words), *home_checks(run.words)]
    progress = run.progress
    started, before_s = time.monotonic(), progress.spent_s
    saved, sums, since = started, defaultdict[str, float](float), progress.step
    with stopping() as stop:
        for number, arrays in run.batches(steps):
            for name, part in run.step(number, arrays, steps).items():
                sums[name] += float(part)
            done = progress.step = number + 1
            progress.spent_s = before_s + time.monotonic() - started
            if done % 50 == 0:
                means = {name: round(value / (done - since), 3) for name, value in sums.items()}
                print(json.dumps({"step": done, "seconds": round(progress.spent_s), **means}), flush=True)
                sums, since = defaultdict(float), done
            if done % check_every == 0 or done == steps:
                keep_best(
                    run.trained.averaged, checks, progress, run.words, run.text_words, out, run.path.parent
                )
            if stop or done == steps or time.monotonic() - saved > _SAVE_EVERY_S:
                run.save()
                saved = time.monotonic()
            if stop:
                print(json.dumps({"stopped": done}), flush=True)
                if done < steps:
                    raise stop.ended(f"Stopped after step {done}; the same command goes on from there.")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--eye", type=Path, default=Path(".cache/train/vlm"), help="folder with last.pt")
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported files")
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--check-every", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1, help="of the arithmetic (default 1)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)  # gradients become denormal, and arithmetic with denormal numbers is slow
    options.out.mkdir(parents=True, exist_ok=True)
    run = Training(options.eye, options.layers, options.rate, options.device)
    train(options.out, run, options.steps, options.check_every)


if __name__ == "__main__":
    main()
