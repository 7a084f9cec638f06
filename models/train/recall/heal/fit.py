"""One training: by AdamW, until a held-back day no longer gets better; the best state stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Plan:
    """rank: of the low-rank changes. rate: largest learning rate. patience: epochs without a better
    validation after which a training ends.
    """

    rank: int = 16
    epochs: int = 6
    batch: int = 32
    rate: float = 1e-2
    patience: int = 2

    @property
    def for_heads(self) -> Plan:
        """An exit alone costs so little that it learns twice as long."""
        return replace(self, epochs=2 * self.epochs)

    @property
    def for_full_depth(self) -> Plan:
        """Full depth begins near its target."""
        return replace(self, epochs=max(1, self.epochs // 4))


Part = tuple[int, Callable[[Tensor], Tensor]]
"""Number of views, and the mean loss of some of them by their numbers."""


def fit(parameters: Sequence[nn.Parameter], parts: tuple[Part, Part], plan: Plan, seed: int) -> float:
    """Trains the parameters in place on the first part, and judges them by the second: its mean loss after
    the best epoch, whose values they keep. What was before the first step counts, so nothing becomes worse.
    """
    shuffled = torch.Generator().manual_seed(seed)
    (views, loss_of), validation = parts
    steps_an_epoch = max(1, views // plan.batch)
    optimiser = torch.optim.AdamW(parameters, plan.rate, weight_decay=0.0)
    falling = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, plan.rate, total_steps=plan.epochs * steps_an_epoch, pct_start=0.1
    )
    best, kept, worse = judged(validation, plan.batch), _state(parameters), 0
    for parameter in parameters:
        parameter.requires_grad_(True)
    for _ in range(plan.epochs):
        order = torch.randperm(views, generator=shuffled)
        for step in range(steps_an_epoch):
            optimiser.zero_grad(set_to_none=True)
            value = loss_of(order[step * plan.batch : (step + 1) * plan.batch])
            value.backward()
            optimiser.step()
            falling.step()
        now = judged(validation, plan.batch)
        worse = 0 if now < best else worse + 1
        if now < best:
            best, kept = now, _state(parameters)
        if worse > plan.patience:
            break
    with torch.no_grad():
        for parameter, value in zip(parameters, kept, strict=True):
            parameter.copy_(value)
            parameter.requires_grad_(False)
    return best


@torch.no_grad()
def judged(part: Part, batch: int) -> float:
    """The mean loss, over batches in order."""
    views, loss_of = part
    starts = range(0, max(1, views - batch // 2), batch)
    return float(torch.stack([loss_of(torch.arange(at, min(at + batch, views))) for at in starts]).mean())


def _state(parameters: Sequence[nn.Parameter]) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in parameters]
