"""What the motion brick's network says to the questions of a batch of clips, and the loss of that."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from models.train.motion.batches import Batch, allowed
from models.train.motion.model import Motion

SMOOTHING = 0.03
"""Of labels, over those that a question's family may have."""


def logits_of(model: Motion, batch: Batch, depth: int) -> tuple[Tensor, Tensor, Tensor]:
    """Logits of a batch's questions, -inf where the family does not allow a label; cells; scores of looks."""
    cells = model.cells(batch.clips, depth, batch.shifts)
    of, answer = batch.of_clip, model.answer
    keys, values = answer.seen(cells)
    scores = answer.scores(keys[of], batch.question)
    ages_s, turns, present = batch.ages_s[of], batch.turns[of], batch.present[of]
    found = answer.from_scores(scores, values[of], ages_s, turns, batch.question, present)
    return found + allowed(batch.question), cells, scores


def answer_loss(logits: Tensor, label: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy with smoothed labels; logits are -inf where a label is not allowed."""
    chances = functional.log_softmax(logits, 1)
    true = chances.gather(1, label[:, None])[:, 0]
    may = logits > float("-inf")
    others = chances.masked_fill(~may, 0.0).sum(1) / may.sum(1)
    return -((1 - smoothing) * true + smoothing * others).mean()
