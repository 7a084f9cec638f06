"""A training of the network for closed questions, step by step, and its checkpoint."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor
from torch.func import functional_call

from models.train.beginning import KEY, beginning, require_same_beginning
from models.train.muon import Muon
from models.train.reflex.batches import Batch, Examples, vocabulary
from models.train.reflex.examples import Source
from models.train.reflex.export import FOLDER
from models.train.reflex.learning.begin import begun_with, learns
from models.train.reflex.learning.loss import losses
from models.train.reflex.learning.plan import Plan, keep_of, noisy, rate_factor
from models.train.reflex.model import Front, Layer, Reflex, shape_of

_AVERAGE_DECAY = 0.998
_MUON_GAIN = 2.0


def optimizers(model: Reflex, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside blocks and layers, AdamW for everything else that is learnt; the exit
    scores are fitted later.
    """
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad and ".score." not in name]
    inside = [p for name, p in named if p.ndim == 2 and "norm" not in name and _hidden(name)]
    ours = {id(p) for p in inside}
    rest = [p for _, p in named if id(p) not in ours]
    return [Muon(inside, lr=rate), torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)]


def _hidden(name: str) -> bool:
    outer = ("embed", "place", "pool", "answers.weight", "answerable.")
    return not any(part in name for part in outer)


class Run:
    """A training: network, average, optimisers, and how far it is."""

    def __init__(
        self,
        folder: Path,
        source: Source,
        row_width: int,
        plan: Plan,
        seed: int,
        device: str,
        begun_from: Path | None = None,
    ) -> None:
        """folder: of the checkpoint. begun_from: the checkpoint of another run, from whose averaged weights
        this one begins where it has no checkpoint yet. Raises SystemExit for a checkpoint of another plan or
        of other first weights.
        """
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(seed)
        shape = shape_of(source.table, len(vocabulary(source.words)), row_width, **dict(plan.sizes))
        self.model = Reflex(shape).to(device)
        for name, value in self.model.named_parameters():
            value.requires_grad_(learns(name, plan.frozen))
        self.averaged = copy.deepcopy(self.model)
        self.optimizers = optimizers(self.model, plan.rate)
        self.path, self.plan, self.seed, self.device = folder / "last.pt", plan, seed, device
        self.step, self.spent_s = 0, 0.0
        self._words = vocabulary(source.words)
        self._begun = beginning([] if begun_from is None else [_weights_at(begun_from)])
        self._half = device != "cpu" or torch.cpu._is_amx_tile_supported()
        if begun_from is not None and not self.path.exists():
            ours = self.model.state_dict()
            weights = begun_with(begun_from, ours, self._words, self.model.shape, device, plan.frozen)
            self.model.load_state_dict(weights)
            self.averaged.load_state_dict(weights)
        self._restore()

    def _restore(self) -> None:
        if not self.path.exists():
            return
        state = torch.load(self.path, weights_only=True, map_location=self.device)
        if state["plan"] != json.loads(json.dumps(asdict(self.plan))):
            raise SystemExit(f"{self.path} is of a run with another plan ({state['plan']}): remove it first.")
        require_same_beginning(self.path, state, self._begun)
        self.model.load_state_dict(state["model"])
        self.averaged.load_state_dict(state["averaged"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.step, self.spent_s = state["step"], state["spent_s"]

    def save(self) -> None:
        """Writes the checkpoint, atomically."""
        unfinished = self.path.with_suffix(".new")
        state = {
            "model": self.model.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "plan": json.loads(json.dumps(asdict(self.plan))),
            "words": self._words,
            KEY: self._begun,
            "step": self.step,
            "spent_s": self.spent_s,
        }
        torch.save(state, unfinished)
        os.replace(unfinished, self.path)

    @property
    def done(self) -> float:
        """How much of the training is done, 0 to 1."""
        if self.plan.minutes:
            return min(1.0, self.spent_s / (60 * self.plan.minutes))
        return self.step / self.plan.steps

    def _forward(self, batch: Batch, rows: Tensor, keep: float) -> tuple[Front, list[Layer]]:
        """What the network says, with arithmetic in bfloat16 where that is faster; losses, gradients and
        weights are of 32 bits.
        """
        kind = torch.bfloat16 if self._half else torch.float32
        weights = {name: value.to(kind) for name, value in self.model.named_parameters()}
        front, layers = functional_call(
            self.model, weights, (batch.words, batch.mask, rows.to(kind), batch.pictures, keep)
        )
        front = replace(front, answerable=front.answerable.float(), causes=front.causes.float())
        return front, [replace(layer, answers=layer.answers.float()) for layer in layers]

    def update(self, examples: Examples) -> dict[str, Tensor]:
        """One step; the parts of its loss."""
        plan = self.plan
        for optimizer in self.optimizers:
            gain = _MUON_GAIN if isinstance(optimizer, Muon) else 1.0
            for group in optimizer.param_groups:
                group["lr"] = gain * plan.rate * rate_factor(self.step, self.done)
        batch = examples.training(self.step, self.seed, plan.pictures, plan.questions).to(self.device)
        keep = keep_of(self.step, self.done, self.seed)
        rows = noisy(batch.rows, plan.noise, hash((self.seed, self.step)))
        self.model.train()
        front, layers = self._forward(batch, rows, keep)
        parts = losses(front, layers, batch, self.model.shape.groups)
        loss: Tensor = torch.stack(list(parts.values())).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            decay = min(_AVERAGE_DECAY, (self.step + 1) / (self.step + 20))
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.model.parameters()), 1 - decay)
        self.step += 1
        return {name: part.detach() for name, part in parts.items()}


def _weights_at(begun_from: Path) -> Path:
    """The checkpoint, or a pack's folder of the network."""
    return begun_from / FOLDER if begun_from.is_dir() else begun_from
