"""The recall space: contrastive loss between pictures and captions, and distillation to earlier exits."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from models.train.sight.data.captioned import TRUE, UNJUDGED

_SOFTEST = 50.0
TRUNK_SHARE = 0.25
"""Share of an early exit's gradient that reaches the blocks before it."""


def contrast(pictures: Tensor, captions: Tensor, match: Tensor, scale: Tensor) -> Tensor:
    """Mean cross entropy of caption to pictures and of picture to captions.

    `pictures` [p, e] and `captions` [k, e] of length 1; `match` int8 [p, k]: every true pair is right, and an
    unjudged one is left out.
    """
    logits = pictures @ captions.T * scale.exp().clamp(max=_SOFTEST)
    true = match == TRUE
    logits = logits.masked_fill(match == UNJUDGED, -1e4)
    total = logits.new_zeros(())
    for dim in (0, 1):
        chance = logits.log_softmax(dim)
        found = true.sum(dim)
        mean = (chance * true).sum(dim) / found.clamp(min=1)
        total = total - mean[found > 0].sum() / (found > 0).sum().clamp(min=1)
    return total / 2


def recall_losses(
    embeddings: list[tuple[Tensor, float]], captions: Tensor, match: Tensor, scale: Tensor
) -> dict[str, Tensor]:
    """`embeddings`: of each exit [p, e] with its weight, the deepest last. Contrastive at every exit, and
    distance of the earlier ones from the deepest, which is not changed by that.
    """
    parts = [weight * contrast(embedding, captions, match, scale) for embedding, weight in embeddings]
    deepest = embeddings[-1][0].detach()
    far = [1 - (embedding * deepest).sum(-1).mean() for embedding, _ in embeddings[:-1]]
    found = {"recall": parts[-1]}
    if far:
        found["early"] = torch.stack(parts[:-1]).mean()
        found["distil"] = torch.stack(far).mean()
    return found


def lessened(activation: Tensor, share: float = TRUNK_SHARE) -> Tensor:
    """The same values, with only `share` of the gradient."""
    return activation.detach() * (1 - share) + activation * share


@torch.no_grad()
def found_among(
    pictures: Tensor, captions: Tensor, match: Tensor, ks: tuple[int, ...] = (1, 5)
) -> list[float]:
    """Share of captions for which a true picture is among the `k` nearest, for each of `ks`."""
    order = (F.normalize(captions, dim=-1) @ pictures.T).argsort(1, descending=True)
    hits = (match.T == TRUE).gather(1, order)
    return [float(hits[:, :k].any(1).float().mean()) for k in ks]
