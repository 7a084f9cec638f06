"""Fits the exit scores (V3): is this layer's answer right? By logistic regression on a finished network.

Source: MobiVQA (SenSys 2022), second stage: c = w1 . e + w2 . p + b, with e the entropy of each head's
cross-modal attention and p the layer's answer probabilities, to which the logarithm of the odds of the
likeliest answer is added. The views are held back from the network's own
training, on which its answers are right too often.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from models.train.reflex.batches import Examples
from models.train.reflex.model import Reflex
from models.train.reflex.predict import predictions

_PENALTY = 1e-3


def fit_scores(
    model: Reflex, examples: Examples, keeps: Sequence[float], layers: Sequence[int] | None = None
) -> None:
    """Sets the weights of the scores of these layers, from 0; None: of all. keeps: the shares of image rows
    at which they have to hold.
    """
    found = [predictions(model, examples, keep) for keep in dict.fromkeys(keeps)]
    for number in range(len(model.layers)) if layers is None else layers:
        layer = model.layers[number]
        features, right = [], []
        for each in found:
            entropy = torch.from_numpy(each.entropy[number])
            answers = torch.from_numpy(each.answers[number].astype("float32"))
            with torch.no_grad():
                features.append(layer.features(entropy.to(layer.has), answers.to(layer.has)))
            right.append(torch.from_numpy(each.worth[number]).to(layer.has))
        weight, bias = logistic(torch.cat(features), torch.cat(right))
        with torch.no_grad():
            layer.score.weight.copy_(weight[None])
            layer.score.bias.copy_(bias)


def logistic(features: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Weights [values] and bias [1] of a logistic regression. features: [N, values]. right: [N], 0 to 1."""
    weight = torch.zeros(features.shape[1], device=features.device, requires_grad=True)
    bias = torch.zeros(1, device=features.device, requires_grad=True)
    solver = torch.optim.LBFGS([weight, bias], max_iter=150, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        solver.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(features @ weight + bias, right)
        loss = loss + _PENALTY * (weight**2).sum()
        loss.backward()
        return loss

    solver.step(closure)
    return weight.detach(), bias.detach()
