"""A training of eye, text tower and decoder, step by step, from random weights or the network of a pack."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from pathlib import Path

import torch
from torch import Tensor

from models.train.muon import Muon
from models.train.sight.data.labels import Arrays
from models.train.sight.data.pixel_augmentation import augmented
from models.train.sight.data.training_batches import BatchPlan
from models.train.sight.learning.checkpoint import Progress, Trained, restore, save
from models.train.sight.learning.schedule import HEADS_ALONE_STEPS, LEAST_AUXILIARY, auxiliary_weight
from models.train.sight.loss import losses
from models.train.sight.model import Vlm, VlmConfig
from models.train.sight.restored import restored
from models.train.sight.text_words import TextWords
from models.train.sight.validation import tensors
from models.train.sight.vocabulary import Words
from models.train.sight.widened import widened

_AVERAGE_DECAY = 0.998
_MUON_GAIN = 2.0
_SEEDS = 1_000_000_000
"""Between the seeds of two runs, for each step of which another one is needed."""
_IN_A_PACK = ("vit", "text", "decoder")
_THE_EYE = ("vit.", "text.")


def optimizers(model: Vlm, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for convolutions and for the matrices inside blocks, AdamW for everything else that is trained."""
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    matrices = [p for name, p in named if ("blocks" in name or "stem" in name) and p.ndim in (2, 4)]
    ours = {id(p) for p in matrices}
    rest = [p for _, p in named if id(p) not in ours]
    return [Muon(matrices, lr=rate), torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)]


@torch.no_grad()
def average(averaged: Vlm, model: Vlm, decay: float) -> None:
    """Updates the exponential moving average `averaged` of the parameters; running statistics are copied."""
    torch._foreach_lerp_(list(averaged.parameters()), list(model.parameters()), 1 - decay)
    for slow, fast in zip(averaged.buffers(), model.buffers(), strict=True):
        slow.copy_(fast)


def _restored(pack: Path) -> tuple[Vlm, Words, TextWords]:
    """The network of a pack. Raises SystemExit with one sentence where it has none of this form."""
    try:
        return restored(pack)
    except (OSError, LookupError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise SystemExit(f"{pack} has no network that this training can begin with ({reason}).") from error


class Training:
    """A run: the network, its average, the optimisers, and what is logged."""

    def __init__(
        self, cache: Path, rate: float, plan: BatchPlan, device: str, pack: Path | None = None, seed: int = 1,
        kept_blocks: int = 0, hidden: int = 0, augmented_pixels: bool = False, decoder_only: bool = False,
        begun: str = "",
    ) -> None:  # fmt: skip
        cache.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(1)
        if pack is not None:
            model, self.words, self.text_words = _restored(pack)
            deeper = len(model.vit.blocks) - kept_blocks
            widened(model, [0] * kept_blocks + [hidden] * deeper, hidden)
        else:
            if not (cache / "words.json").exists():
                Words.train().save(cache / "words.json")
                TextWords.collect().save(cache / "text.json")
            self.words = Words.load(cache / "words.json")
            self.text_words = TextWords.load(cache / "text.json")
            model = Vlm(VlmConfig(vocab=len(self.words), text_vocab=len(self.text_words)))
        self.from_pack, self.seed = pack is not None, seed
        self._kept = tuple(f"vit.blocks.{index}." for index in range(kept_blocks))
        if kept_blocks:
            self._kept += ("vit.stem.",)
        if decoder_only:
            self._kept = _THE_EYE
        self._decoder_only = decoder_only
        self.eye_of = pack if decoder_only else None
        model.to(device)
        self.trained = Trained(model, copy.deepcopy(model), optimizers(model, rate))
        self.cache, self.rate, self.plan, self.device = cache, rate, plan, device
        self.begun = begun
        self.progress = restore(cache / "last.pt", self.trained, device, begun) or Progress()
        self._changes = torch.Generator(device).manual_seed(seed) if augmented_pixels else None
        self._sums: dict[str, Tensor] = {}
        self._counts: dict[str, int] = defaultdict(int)

    def step(self, step: int, arrays: Arrays, factor: float) -> None:
        """One update of the network and of its average. factor: of the learning rate."""
        model, plan = self.trained.model, self.plan
        for optimizer in self.trained.optimizers:
            for group in optimizer.param_groups:
                gain = _MUON_GAIN if isinstance(optimizer, Muon) else 1.0
                group["lr"] = gain * self.rate * factor
        alone = self.from_pack and step < HEADS_ALONE_STEPS
        if self.from_pack:
            model.vit.stem.eval()  # its batch norms are folded
            for name, parameter in model.named_parameters():
                learns = not alone or name.partition(".")[0] not in _IN_A_PACK
                parameter.requires_grad_(learns and not name.startswith(self._kept))
        frozen = plan.sight_steps <= step < plan.sight_steps + plan.rest_steps
        batch = tensors(arrays, self.device)
        torch.manual_seed(self.seed * _SEEDS + step)  # the loss draws which exits learn
        if self._changes is not None:
            self._changes.manual_seed(self.seed * _SEEDS + step)
            batch["pixels"] = augmented(batch["pixels"], self._changes, 2 if "change" in batch else 1)
        parts = losses(model, batch, frozen or self._decoder_only)
        auxiliary = sum(value for key, value in parts.items() if key != "answer")
        weight = LEAST_AUXILIARY if self.from_pack and not alone else auxiliary_weight(step)
        loss: Tensor = parts.get("answer", 0.0) + weight * auxiliary
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        for optimizer in self.trained.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        average(self.trained.averaged, model, min(_AVERAGE_DECAY, (step + 1) / (step + 20)))
        for key, value in parts.items():
            self._sums[key] = self._sums.get(key, 0.0) + value.detach()
            self._counts[key] += 1

    def report(self, step: int, seconds: float) -> None:
        """Prints the mean losses since the last report."""
        means = {key: round(float(value) / self._counts[key], 3) for key, value in self._sums.items()}
        print(json.dumps({"step": step, "seconds": round(seconds), **means}), flush=True)
        self._sums.clear()
        self._counts.clear()

    def save(self) -> None:
        """Writes the checkpoint."""
        save(self.cache / "last.pt", self.trained, self.progress, self.begun)
