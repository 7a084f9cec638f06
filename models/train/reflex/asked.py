"""What each word of a question says about whether the network will answer it: `asked` of `words.json`.

A logistic regression on the different words of a question, fitted on the views that training held back, of
which each question counts as answered where a sentence is said at normal caution. How high the sum has to be
is chosen on validation: the highest at which the questions that are still asked have `KEPT` of all answers. A
question costs the front and a layer or two, and those that compare or describe are hardly ever answered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits

from models.bricks.text import PADDING
from models.train.reflex.batches import Examples

KEPT = 0.95
"""Share of the answers on validation that is kept."""
_PENALTY = 1.0
_ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class Asked:
    """weights: float32 [words], the first of every question. share, kept: of validation's questions those
    that are asked, and of its answers those that are given all the same.
    """

    weights: NDArray[np.float32]
    share: float
    kept: float


def different_words(examples: Examples, count: int) -> NDArray[np.float32]:
    """float32 [N, count]: 1 for each word of a question, and for the first, which none has."""
    found = np.zeros((len(examples), count), np.float32)
    questions, places = np.nonzero(examples.words != PADDING)
    found[questions, examples.words[questions, places]] = 1
    found[:, 0] = 1
    return found


def fitted(words: NDArray[np.float32], answered: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The weights, [count]. words: [N, count]."""
    inputs, wanted = torch.from_numpy(words), torch.from_numpy(answered.astype(np.float32))
    weights = torch.zeros(words.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=_ITERATIONS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        wrong = binary_cross_entropy_with_logits(inputs @ weights, wanted, reduction="sum")
        whole: torch.Tensor = wrong + 0.5 * _PENALTY * (weights[1:] ** 2).sum()
        whole.backward()  # type: ignore[no-untyped-call]
        return whole

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return weights.detach().numpy()


def asked_by_words(
    fit: tuple[Examples, NDArray[np.bool_]], validation: tuple[Examples, NDArray[np.bool_]], count: int
) -> Asked:
    """fit, validation: questions, and whether each is answered. count: words of the vocabulary."""
    weights = fitted(different_words(fit[0], count), fit[1])
    sums, answered = different_words(validation[0], count) @ weights, validation[1]
    order = np.sort(sums[answered])
    least = float(order[int((1 - KEPT) * len(order))]) if len(order) else 0.0
    weights = weights.copy()
    weights[0] -= least - 1e-4
    asked = sums >= least
    return Asked(weights, float(asked.mean()), float(asked[answered].mean()) if answered.any() else 1.0)
