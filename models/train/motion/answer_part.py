"""An answer from all units of a clip, in the network of the motion brick.

The question attends to every unit's cells, and two dilated depth-wise temporal convolutions, squeeze and
excitation, and attention over time follow (E4 of MMEdge, SenSys 2025).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.motion.shape import Aggregation, Shape, cell_places, in_places


class AnswerPart(nn.Module):
    """Cells of all units and a question -> logits."""

    def __init__(self, shape: Shape, aggregation: Aggregation = "order") -> None:
        super().__init__()
        self.shape, self.aggregation = shape, aggregation
        wide, long = shape.cells_width, shape.time_width
        self.family = nn.Embedding(shape.families + 1, wide)
        self.thing, self.other = nn.Embedding(shape.things + 1, wide), nn.Embedding(shape.things + 1, wide)
        self.asks = nn.Linear(wide, shape.looks * wide)
        self.key, self.value = nn.Linear(wide, wide), nn.Linear(wide, wide // 2)
        side = round(shape.tokens**0.5)
        self.register_buffer("places", cell_places(side))
        self.gather = nn.Linear(shape.looks * (wide // 2 + 3) + wide + 2, long)
        self.in_room = nn.Linear(2 * shape.looks + 2, long)
        nn.init.zeros_(self.in_room.weight)
        nn.init.zeros_(self.in_room.bias)
        self.along = nn.ModuleList(
            nn.Conv1d(long, long, 3, padding=gap, dilation=gap, groups=long) for gap in (1, 2)
        )
        self.across = nn.ModuleList(nn.Linear(long, long) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(long) for _ in range(2))
        self.squeeze, self.excite = nn.Linear(long, long // 4), nn.Linear(long // 4, long)
        self.attend = nn.Linear(long, 2)
        self.deep, self.last = nn.Linear(6 * long + wide, 192), nn.Linear(192, shape.labels)
        self.register_buffer("temperature", torch.ones(()))

    def forward(
        self, cells: Tensor, ages_s: Tensor, turns: Tensor, question: Tensor, present: Tensor
    ) -> Tensor:
        """cells: [b, n, cells, w]; ages_s: [b, n]; turns: [b, n, 2], how far the picture came since the first
        unit, to the right and down, in parts of its side; question: [b, 3]; present: bool [b, n], units that
        are.
        """
        return self.from_seen(*self.seen(cells), ages_s, turns, question, present)

    def seen(self, cells: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the cells, which do not depend on the question."""
        return self.key(cells), self.value(cells)

    def from_seen(
        self,
        keys: Tensor,
        values: Tensor,
        ages_s: Tensor,
        turns: Tensor,
        question: Tensor,
        present: Tensor,
    ) -> Tensor:
        """The answer from keys and values, [b, n, cells, w] each."""
        return self.from_scores(self.scores(keys, question), values, ages_s, turns, question, present)

    def asked(self, question: Tensor) -> Tensor:
        """A question as numbers, [b, w]."""
        asked: Tensor = self.family(question[:, 0]) + self.thing(question[:, 1]) + self.other(question[:, 2])
        return asked

    def scores(self, keys: Tensor, question: Tensor) -> Tensor:
        """How much each look of a question is at each cell, before the softmax, [b, n, looks, cells]."""
        looks, wide = self.shape.looks, keys.shape[3]
        queries = self.asks(self.asked(question)).reshape(len(question), 1, looks, wide)
        return queries @ keys.transpose(2, 3) * wide**-0.5

    def from_scores(
        self,
        scores: Tensor,
        values: Tensor,
        ages_s: Tensor,
        turns: Tensor,
        question: Tensor,
        present: Tensor,
    ) -> Tensor:
        """The answer from what the looks are at."""
        batch, units = scores.shape[:2]
        asked = self.asked(question)
        wide = asked.shape[1]
        weights = scores.softmax(3)
        looked = weights @ values
        where = weights @ self.places
        strength = scores.logsumexp(3, keepdim=True)
        found = torch.cat((looked, where, strength), 3).reshape(batch, units, -1)
        gaps_s = functional.pad(ages_s[:, :-1] - ages_s[:, 1:], (1, 0))
        asked_too = asked[:, None].expand(batch, units, wide)
        steps = self.gather(torch.cat((found, asked_too, ages_s[..., None], gaps_s[..., None]), 2))
        turned = turns.flip(2) * in_places(round(self.shape.tokens**0.5))
        room = (where - turned[:, :, None]).flatten(2)
        steps = steps + self.in_room(torch.cat((room, turned), 2))
        there = present[..., None].to(steps.dtype)
        steps = functional.gelu(steps) * there
        if self.aggregation == "order":
            steps = self._in_order(steps, there)
        return self.last(functional.gelu(self.deep(self._pooled(steps, present, asked)))) / self.temperature

    def _in_order(self, steps: Tensor, there: Tensor) -> Tensor:
        for along, across, norm in zip(self.along, self.across, self.norms, strict=True):
            further = along(norm(steps).mul(there).transpose(1, 2)).transpose(1, 2)
            steps = (steps + across(functional.gelu(further))) * there
        mean = steps.sum(1) / there.sum(1)
        gates = torch.sigmoid(self.excite(functional.relu(self.squeeze(mean))))
        return steps * gates[:, None]

    def _pooled(self, steps: Tensor, present: Tensor, asked: Tensor) -> Tensor:
        there = present[..., None].to(steps.dtype)
        mean = steps.sum(1) / there.sum(1)
        number = present.sum(1) - 1
        last = torch.gather(steps, 1, number[:, None, None].expand(-1, 1, steps.shape[2]))[:, 0]
        if self.aggregation == "mean":
            parts = [mean] * 6
        elif self.aggregation == "last":
            parts = [last] * 6
        elif self.aggregation == "ends":
            parts = [steps[:, 0], last, last - steps[:, 0]] * 2
        else:
            weights = self.attend(steps).masked_fill(~present[..., None], -1e4).softmax(1)
            attended = weights.transpose(1, 2) @ steps
            most = steps.masked_fill(~present[..., None], -1e4).amax(1)
            parts = [attended[:, 0], attended[:, 1], most, steps.sum(1) / 8.0, steps[:, 0], last]
        return torch.cat((*parts, asked), 1)
