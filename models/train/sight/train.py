"""Trains the ViT and the decoder together from random weights, and writes vit.onnx and decoder.gguf.

    python -m models.train.sight.train --out models/packs/micro

Batches depend only on the seed and the step. An interrupted run resumes from its checkpoint in
.cache/train/vlm.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from models.train.sight.batches import Arrays, BatchPlan, clip_batch, scene_batch, training_batch
from models.train.sight.export_decoder import write_gguf
from models.train.sight.export_vit import write_onnx
from models.train.sight.loss import Batch, exact, losses
from models.train.sight.model import Vlm, VlmConfig
from models.train.sight.muon import Muon
from models.train.sight.vocabulary import Words
from models.train.world.drawing import render
from models.train.world.questions import ask_many
from models.train.world.scenes import random_clip, random_scene

_WARM_UP_STEPS = 150
_STEADY_SHARE = 0.55
_AVERAGE_DECAY = 0.998
_MUON_GAIN = 2.0


class Batches(Dataset[Arrays]):
    """Training batches by step, from `first` on."""

    def __init__(self, words: Words, plan: BatchPlan, first: int, steps: int) -> None:
        self.words, self.plan, self.first, self.steps = words, plan, first, steps

    def __len__(self) -> int:
        return self.steps - self.first

    def __getitem__(self, index: int) -> Arrays:
        return training_batch(self.first + index, self.words, self.plan)


def tensors(arrays: Arrays) -> Batch:
    """The same arrays as tensors."""
    return {key: torch.from_numpy(value) for key, value in arrays.items()}


def _single_threaded_worker(_: int) -> None:
    torch.set_num_threads(1)


def validation_batches(
    words: Words, scenes: int = 224, clips: int = 64
) -> Iterator[tuple[Arrays, list[list[str]]]]:
    """Validation scenes and clips with the family of each question; about half of the sentences are of the
    training split.
    """
    rng = random.Random("validation")
    for start in range(0, scenes, 32):
        views = [random_scene(rng, "validation") for _ in range(min(32, scenes - start))]
        asked = [ask_many(view, rng, "validation", 4) + ask_many(view, rng, "train", 5) for view in views]
        pairs = [[(item, True) for item in items] for items in asked]
        yield scene_batch(views, pairs, words, 192), [[item.family for item in items] for items in asked]
    for start in range(0, clips, 16):
        films = [random_clip(rng, "validation") for _ in range(min(16, clips - start))]
        asked = [ask_many(film, rng, "validation", 3) + ask_many(film, rng, "train", 4) for film in films]
        pairs = [[(item, True) for item in items] for items in asked]
        yield clip_batch(films, pairs, words, 192), [[item.family for item in items] for items in asked]


def validate(model: Vlm, batches: list[tuple[Arrays, list[list[str]]]]) -> dict[str, float]:
    """Share of exactly right answers by family, and over all ("all")."""
    model.eval()
    results: dict[str, list[bool]] = defaultdict(list)
    for arrays, families in batches:
        for (sequence, question), right in exact(model, tensors(arrays)).items():
            results[families[sequence][question]].append(right)
    model.train()
    every = [right for answers in results.values() for right in answers]
    return {"all": sum(every) / len(every), **{f: sum(v) / len(v) for f, v in sorted(results.items())}}


def optimizers(model: Vlm, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for convolutions and for the matrices inside blocks, AdamW for everything else."""
    inside = [p for name, p in model.named_parameters() if "blocks" in name or "stem" in name]
    matrices = [p for p in inside if p.ndim >= 2]
    ours = {id(p) for p in matrices}
    rest = [p for p in model.parameters() if id(p) not in ours]
    return [Muon(matrices, lr=rate), torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)]


def schedule(step: int, steps: int, sight_steps: int) -> float:
    """Learning-rate factor: warm-up at the start and when questions begin, constant, linear decay to 0.01."""
    steady = steps * _STEADY_SHARE
    since = step - sight_steps if step >= sight_steps else step
    if since < _WARM_UP_STEPS:
        return (since + 1) / _WARM_UP_STEPS
    return 1.0 if step < steady else max((steps - step) / (steps - steady), 0.01)


def auxiliary_weight(step: int, steps: int) -> float:
    """Weight of the auxiliary losses: 1 at first, falling to 0.4."""
    return max(0.4, min(1.0, 1.6 * (1 - step / steps)))


@torch.no_grad()
def average(averaged: Vlm, model: Vlm, decay: float) -> None:
    """Updates the exponential moving average `averaged` of the parameters; running statistics are copied."""
    for slow, fast in zip(averaged.parameters(), model.parameters(), strict=True):
        slow.lerp_(fast, 1 - decay)
    for slow, fast in zip(averaged.buffers(), model.buffers(), strict=True):
        slow.copy_(fast)


def export(model: Vlm, words: Words, out: Path) -> None:
    """Writes vit.onnx and decoder.gguf into `out`, each replaced atomically."""
    out.mkdir(parents=True, exist_ok=True)
    for name, write in (
        ("vit.onnx", lambda path: write_onnx(model.vit, path)),
        ("decoder.gguf", lambda path: write_gguf(model.decoder, words, path)),
    ):
        unfinished = out / f".{name}.new"
        write(unfinished)
        os.replace(unfinished, out / name)


@torch.no_grad()
def write_reference(model: Vlm, words: Words, path: Path) -> None:
    """Writes a picture and a question with PyTorch's image rows and next-token logits, for
    `models.train.sight.export_parity`.
    """
    model.eval()
    scene = random_scene(random.Random("parity"), "train", 0.0)
    question = "what do you see"
    picture, ids = render(scene), words.prompt(question)
    rows = model.vit(torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255)
    stacked = model.rows(rows, torch.tensor([ids]))
    n = stacked.shape[1]
    mask = torch.ones(1, 1, n, n, dtype=torch.bool).tril()
    states, _ = model.decoder(stacked, torch.arange(n)[None], mask, 0)
    logits = model.decoder.logits(states[0, -1])
    np.savez(
        path,
        picture=picture,
        rows=rows[0].numpy(),
        question=question,
        ids=np.asarray(ids),
        logits=logits.numpy(),
    )
    model.train()


def train(out: Path, cache: Path, steps: int, plan: BatchPlan, rate: float, check_every: int) -> None:
    """Trains up to step `steps`; validates every `check_every` steps and exports the best model."""
    cache.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    if not (cache / "words.json").exists():
        Words.train().save(cache / "words.json")
    words = Words.load(cache / "words.json")
    model = Vlm(VlmConfig(vocab=len(words)))
    averaged, both = copy.deepcopy(model), optimizers(model, rate)
    first, best, spent_s = 0, 0.0, 0.0
    saved = cache / "last.pt"
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        model.load_state_dict(state["model"])
        averaged.load_state_dict(state["averaged"])
        for optimizer, optimizer_state in zip(both, state["optimizers"], strict=True):
            optimizer.load_state_dict(optimizer_state)
        first, best, spent_s = state["step"], state["best"], state["spent_s"]
    checks = list(validation_batches(words))
    loader = DataLoader(
        Batches(words, plan, first, steps),
        batch_size=None,
        num_workers=1,
        prefetch_factor=6,
        worker_init_fn=_single_threaded_worker,
    )
    sums: dict[str, float] = defaultdict(float)
    counts: dict[str, int] = defaultdict(int)
    started = time.monotonic()
    for step, batch in enumerate(loader, first):
        for optimizer in both:
            for group in optimizer.param_groups:
                gain = _MUON_GAIN if isinstance(optimizer, Muon) else 1.0
                group["lr"] = gain * rate * schedule(step, steps, plan.sight_steps)
        parts = losses(model, batch, plan.sight_steps <= step < plan.sight_steps + plan.rest_steps)
        auxiliary = sum((value for key, value in parts.items() if key != "answer"), torch.zeros(()))
        loss: Tensor = parts.get("answer", 0.0) + auxiliary_weight(step, steps) * auxiliary
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        for optimizer in both:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        average(averaged, model, min(_AVERAGE_DECAY, (step + 1) / (step + 20)))
        for key, value in parts.items():
            sums[key] += value.item()
            counts[key] += 1
        if step % 50 == 49:
            seconds = spent_s + time.monotonic() - started
            line = {
                "step": step + 1,
                "seconds": round(seconds),
                **{k: round(v / counts[k], 3) for k, v in sums.items()},
            }
            print(json.dumps(line), flush=True)
            sums.clear()
            counts.clear()
        if (step + 1) % check_every == 0 or step + 1 == steps:
            if step >= plan.sight_steps:
                shares = validate(averaged, checks)
                print("validation", json.dumps({k: round(v, 3) for k, v in shares.items()}), flush=True)
                if shares["all"] >= best:
                    best = shares["all"]
                    export(averaged, words, out)
                    write_reference(averaged, words, cache / "parity.npz")
            state = {
                "model": model.state_dict(), "averaged": averaged.state_dict(), "step": step + 1,
                "best": best,
                "optimizers": [optimizer.state_dict() for optimizer in both],
                "spent_s": spent_s + time.monotonic() - started,
            }  # fmt: skip
            torch.save(state, cache / "last.new")
            os.replace(cache / "last.new", saved)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for vit.onnx and decoder.gguf")
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/vlm"), help="checkpoints")
    parser.add_argument("--steps", type=int, default=16_000)
    parser.add_argument(
        "--sight-steps", type=int, default=BatchPlan().sight_steps, help="first steps, without questions"
    )
    parser.add_argument("--rest-steps", type=int, default=BatchPlan().rest_steps, help="then, decoder only")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--check-every", type=int, default=250)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # gradients become denormal, and arithmetic with denormal numbers is slow
    plan = BatchPlan(sight_steps=options.sight_steps, rest_steps=options.rest_steps)
    train(options.out, options.cache, options.steps, plan, options.rate, options.check_every)


if __name__ == "__main__":
    main()
