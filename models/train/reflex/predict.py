"""What a network says to all questions of a part, layer by layer, with what is true: for thresholds and
evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from models.bricks.closed_sentence import AnswerTable
from models.train.reflex.batches import NONE, Examples
from models.train.reflex.model import Reflex

_AT_ONCE = 128


@dataclass(frozen=True, eq=False)
class Predictions:
    """Of N questions and L layers: answerable: [N], probability. causes: [N, C], probabilities. answers:
    float16 [L, N, A], logits. entropy: [L, N, H]. score: [L, N], probability that the layer is right. labels:
    int64 [N, 1 + blanks]. cause: int64 [N]. worth: [L, N], how right the answer is, 0 to 1. read: [N], the
    brick takes the question. mixes: [N], what is unseen about it.
    """

    table: AnswerTable
    answerable: NDArray[np.float32]
    causes: NDArray[np.float32]
    answers: NDArray[np.float16]
    entropy: NDArray[np.float32]
    score: NDArray[np.float32]
    labels: NDArray[np.int64]
    cause: NDArray[np.int64]
    worth: NDArray[np.float32]
    read: NDArray[np.bool_]
    mixes: NDArray[np.str_]

    @property
    def right(self) -> NDArray[np.bool_]:
        """[L, N]: the answer is the true one."""
        return self.worth > 0.5

    @property
    def handed_over(self) -> NDArray[np.bool_]:
        """[L, N]: the layer's likeliest form is the empty one."""
        forms = self.answers[..., : self.table.groups[0]]
        handed: NDArray[np.bool_] = forms.argmax(-1) == 0
        return handed

    def confidence(self, temperature: float, layer: NDArray[np.int64]) -> NDArray[np.float32]:
        """[N]: of each question's likeliest sentence after its layer, as `AnswerTable.answer` says it. layer:
        [N], from 0.
        """
        return _confidence(self.answers[layer, np.arange(len(layer))], self.table, temperature)


def _parts(logits: NDArray[np.floating], table: AnswerTable) -> list[NDArray[np.float32]]:
    return np.split(logits.astype(np.float32), np.cumsum(table.groups)[:-1], axis=-1)


def _confidence(logits: NDArray[np.float16], table: AnswerTable, temperature: float) -> NDArray[np.float32]:
    best = []
    for part in _parts(logits, table):
        part = part / temperature
        top = part.max(-1, keepdims=True)
        best.append(-np.log(np.exp(part - top).sum(-1)))
    has = np.zeros((len(table.forms), len(table.blanks)), np.float32)
    for form, blanks in enumerate(table.blanks_of_form):
        has[form, list(blanks)] = 1
    form = logits[:, : table.groups[0]].argmax(-1)
    values: NDArray[np.float32] = np.exp(best[0] + (has[form] * np.stack(best[1:], -1)).sum(-1))
    return values


def worth(
    logits: NDArray[np.floating], questions: NDArray[np.int64], examples: Examples
) -> NDArray[np.float32]:
    """[N]: 1 for the true form and values, the score of the value where an example has scores, else 0."""
    said = np.stack([part.argmax(-1) for part in _parts(logits, examples.table)], -1)
    labels = examples.labels[questions]
    made = ((said == labels) | (labels == NONE)).all(-1).astype(np.float32)
    for place, question in enumerate(questions):
        one = examples.examples[question]
        if one.scores:
            value = said[place, 1 + examples.scored_blank(int(question))]
            same_form = said[place, 0] == one.label.form
            made[place] = dict(one.scores).get(int(value), 0.0) if same_form else 0.0
    return made


@torch.no_grad()
def predictions(model: Reflex, examples: Examples, keep: float) -> Predictions:
    """All questions, none of which exits early. keep: share of the image rows after layer 1."""
    model.eval()
    device = next(model.parameters()).device
    found: dict[str, list[NDArray]] = {}

    def add(name: str, value: torch.Tensor | NDArray, kind: type = np.float32) -> None:
        array = value.cpu().numpy() if isinstance(value, torch.Tensor) else value
        found.setdefault(name, []).append(array.astype(kind))

    for numbers, batch in examples.in_order(_AT_ONCE):
        batch = batch.to(device)
        front, layers = model(batch.words, batch.mask, batch.rows, batch.pictures, keep)
        add("answerable", front.answerable.sigmoid())
        add("causes", front.causes.softmax(-1))
        add("answers", torch.stack([layer.answers for layer in layers]), np.float16)
        add("entropy", torch.stack([layer.entropy for layer in layers]))
        add("score", torch.stack([layer.score for layer in layers]).sigmoid())
        add("worth", np.stack([worth(layer.answers.cpu().numpy(), numbers, examples) for layer in layers]))
    joined = {
        name: np.concatenate(parts, axis=0 if name in ("answerable", "causes") else 1)
        for name, parts in found.items()
    }
    return Predictions(
        examples.table,
        joined["answerable"],
        joined["causes"],
        joined["answers"],
        joined["entropy"],
        joined["score"],
        examples.labels,
        examples.cause,
        joined["worth"],
        examples.read,
        examples.mixes,
    )


def right_by_layer(
    found: Predictions, chosen: Sequence[bool] | NDArray[np.bool_] | None = None
) -> list[float]:
    """Mean worth of each layer's answers, of all questions or of the chosen ones."""
    share = found.worth if chosen is None else found.worth[:, np.asarray(chosen)]
    return [float(layer.mean()) for layer in share]
