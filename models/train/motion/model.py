"""The network of the motion brick: what a unit shows beside its neighbours, and an answer from all units.

A unit's part runs when its successor arrives: alternating temporal shift and gated differences (E2, E3 of
MMEdge, SenSys 2025), where each cell's content was before, then spatial mixing. The answer's part runs once,
when the question is known: the question attends to every unit's cells, and two dilated depth-wise temporal
convolutions, squeeze and excitation, and attention over time follow (E4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

Aggregation = Literal["order", "mean", "last", "ends"]
"""How units become one answer: in their order; as their average (N4 of NanoMind); from the last unit alone;
from the difference between the first and the last.
"""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network. tokens: a square number."""

    tokens: int = 64
    width: int = 128
    cells_width: int = 64
    looks: int = 4
    time_width: int = 96
    depths: tuple[int, ...] = (3, 6, 12)
    families: int = 10
    things: int = 12
    labels: int = 30


class Mixing(nn.Module):
    """Neighbouring cells, and the mean of all, of each unit or picture, [n, cells, width]."""

    def __init__(self, width: int, side: int) -> None:
        super().__init__()
        self.side = side
        self.near = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, cells: Tensor) -> Tensor:
        units, count, width = cells.shape
        grid = cells.transpose(1, 2).reshape(units, width, self.side, self.side)
        near = self.norm(self.near(grid).flatten(2).transpose(1, 2))
        everywhere = near.mean(1, keepdim=True).expand(units, count, width)
        mixed: Tensor = self.narrow(functional.gelu(self.wide(torch.cat((near, everywhere), 2))))
        return cells + mixed


class Matching(nn.Module):
    """Where what each cell shows was in another unit: all its cells are compared with each of the other's,
    near ones first, by several measures (global matching as in GMFlow, Xu et al., CVPR 2022, on 8 x 8 cells).

    Each measure gives how far the cell's content has come, the same without the mean of all cells (which the
    head's turn moves alike), and how well it was found.
    """

    GIVES = 5
    """Numbers of each measure."""

    def __init__(self, width: int, side: int, measures: int = 4, key_width: int = 16) -> None:
        super().__init__()
        self.measures, self.key_width = measures, key_width
        self.query = nn.Linear(width, measures * key_width)
        self.key = nn.Linear(width, measures * key_width)
        self.nearness = nn.Parameter(torch.linspace(0.0, 3.0, measures))
        places = _places(side)
        apart = (places[:, None] - places[None]).square().sum(2)
        self.register_buffer("places", places, persistent=False)
        self.register_buffer("apart", apart, persistent=False)

    def forward(self, now: Tensor, other: Tensor) -> Tensor:
        """Two times [n, cells, width] -> [n, cells, measures * GIVES]."""
        units, cells = now.shape[:2]
        shape = units, cells, self.measures, self.key_width
        query = self.query(now).reshape(shape).transpose(1, 2)
        key = self.key(other).reshape(shape).permute(0, 2, 3, 1)
        likeness = query @ key * self.key_width**-0.5 - self.nearness.exp()[:, None, None] * self.apart
        came = self.places - likeness.softmax(3) @ self.places
        found = torch.cat((came, came - came.mean(2, keepdim=True), likeness.logsumexp(3, keepdim=True)), 3)
        return found.transpose(1, 2).reshape(units, cells, self.measures * self.GIVES)


def _places(side: int) -> Tensor:
    """Where the cells of a square lie, [cells, 2], down and across, from -1 to 1."""
    axis = torch.linspace(-1.0, 1.0, side)
    return torch.stack(torch.meshgrid(axis, axis, indexing="ij"), 2).flatten(0, 1)


class Steadying(nn.Module):
    """What differs between units when the turn of the head between them is taken out.

    The other unit is moved as far as the whole picture came (`models.sensing.registration`), so that what
    rests in the room lies in the same cells; with what is left goes how far each cell's content came beside
    the picture.
    """

    def __init__(self, width: int, side: int, measures: int) -> None:
        super().__init__()
        self.side, self.measures = side, measures
        self.inner = nn.Linear(2 * (width + 1 + 2 * measures + 3), width)
        self.outer = nn.Linear(width, width)
        nn.init.zeros_(self.outer.weight)
        nn.init.zeros_(self.outer.bias)
        self.register_buffer("axis", torch.linspace(-1.0, 1.0, side), persistent=False)

    def forward(
        self, now: Tensor, others: Sequence[Tensor], shifts: Tensor, matched: Sequence[Tensor]
    ) -> Tensor:
        """now, others: [n, cells, w]; shifts: [n, others, 3], right, down and surety; matched: of each other,
        from `Matching`. [n, cells, w].
        """
        beside = [
            self.beside(now, other, shifts[:, number], matched[number]) for number, other in enumerate(others)
        ]
        found: Tensor = self.outer(functional.gelu(self.inner(torch.cat(beside, 2))))
        return found

    def beside(self, now: Tensor, other: Tensor, shift: Tensor, matched: Tensor) -> Tensor:
        """Of one other unit: what differs, how much of each cell was in its picture, how far the cell's
        content came beside the picture (down and right) by each measure, and the shift, [n, cells, numbers].
        """
        units, cells = now.shape[:2]
        moved = torch.stack((shift[:, 1], shift[:, 0]), 1) * in_places(self.side)
        down, across = self._weights(moved[:, 0]), self._weights(moved[:, 1])
        rows = (down @ other.reshape(units, self.side, -1)).reshape(units, self.side, self.side, -1)
        steadied = (across[:, None] @ rows).reshape(units, cells, -1)
        inside = (down.sum(2)[:, :, None] * across.sum(2)[:, None]).reshape(units, cells, 1)
        left = now * inside - steadied
        came = matched.reshape(units, cells, self.measures, Matching.GIVES)[..., :2] - moved[:, None, None]
        told = shift[:, None].expand(units, cells, 3)
        return torch.cat((left, inside, came.flatten(2), told), 2)

    def _weights(self, moved: Tensor) -> Tensor:
        """Along one side, how much of each place there is in each, moved so far, [n, to, from]."""
        apart = (self.axis - moved[:, None])[:, :, None] - self.axis
        return functional.relu(1 - apart.abs() * ((self.side - 1) / 2))


def in_places(side: int) -> float:
    """What parts of the picture's side are multiplied by to be in the numbers of `_places`."""
    return 2 * side / (side - 1)


class UnitPart(nn.Module):
    """Activations of units and their neighbours, each [n, tokens, width] -> [n, tokens, cells_width].

    shifts: [n, 2, 3], how far the picture came since the unit before and since the one before that, to the
    right and down, in parts of its side, and how sure that is.
    """

    def __init__(self, shape: Shape, ordered: bool = True) -> None:
        super().__init__()
        self.ordered = ordered
        wide = shape.cells_width
        self.norm = nn.LayerNorm(shape.width)
        self.project = nn.Linear(shape.width, wide)
        self.differ, self.gate = nn.Linear(2 * wide, wide), nn.Linear(2 * wide, wide)
        self.place = nn.Parameter(torch.randn(shape.tokens, wide) * 0.02)
        side = round(shape.tokens**0.5)
        self.mixing = nn.ModuleList(Mixing(wide, side) for _ in range(2))
        self.matching = Matching(wide, side)
        self.came = nn.Linear(2 * self.matching.measures * Matching.GIVES, wide)
        nn.init.zeros_(self.came.weight)
        nn.init.zeros_(self.came.bias)
        self.steady = Steadying(wide, side, self.matching.measures)

    def forward(self, earlier: Tensor, before: Tensor, now: Tensor, after: Tensor, shifts: Tensor) -> Tensor:
        every = earlier, before, now, after
        earlier, before, now, after = (self.project(self.norm(each)) for each in every)
        return self.beside(earlier, before, now, after, shifts)

    def beside(self, earlier: Tensor, before: Tensor, now: Tensor, after: Tensor, shifts: Tensor) -> Tensor:
        """The same from what was projected already."""
        cells = now
        if self.ordered:
            group = now.shape[2] // 4
            cells = torch.cat((before[..., :group], after[..., group : 2 * group], now[..., 2 * group :]), 2)
            differences = torch.cat((now - before, now - earlier), 2)
            cells = cells + torch.sigmoid(self.gate(differences)) * self.differ(differences)
            matched = self.matching(now, before), self.matching(now, earlier)
            cells = cells + self.came(torch.cat(matched, 2))
            cells = cells + self.steady(now, (before, earlier), shifts, matched)
        cells = cells + self.place
        for each in self.mixing:
            cells = each(cells)
        return cells


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
        self.register_buffer("places", _places(side))
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


class Motion(nn.Module):
    """Both parts; one unit's part for every depth of the eye."""

    def __init__(self, shape: Shape, aggregation: Aggregation = "order") -> None:
        super().__init__()
        self.shape = shape
        ordered = aggregation == "order"
        self.units = nn.ModuleList(UnitPart(shape, ordered) for _ in shape.depths)
        self.answer = AnswerPart(shape, aggregation)

    def cells(self, clips: Sequence[Tensor], depth: int, shifts: Sequence[Tensor]) -> Tensor:
        """Cells of clips, each [units, tokens, width] -> [clips, most units, tokens, cells_width]. shifts: of
        each clip, [units, 2, 3].
        """
        part = self.units[depth]
        assert isinstance(part, UnitPart)
        projected = part.project(part.norm(torch.cat(tuple(clips))))
        near = (neighbours([len(clip) for clip in clips], offset) for offset in (-2, -1, 1))
        earlier, before, after = (projected.index_select(0, each) for each in near)
        found = part.beside(earlier, before, projected, after, torch.cat(tuple(shifts)))
        parts = found.split([len(clip) for clip in clips])
        return nn.utils.rnn.pad_sequence(list(parts), batch_first=True)


def neighbours(lengths: Sequence[int], offset: int) -> Tensor:
    """Of clips that lie one after the other: for each unit, the number of the one `offset` away; its own
    where there is none.
    """
    found, begun = [], 0
    for length in lengths:
        own = torch.arange(begun, begun + length)
        inside = (own + offset >= begun) & (own + offset < begun + length)
        found.append(torch.where(inside, own + offset, own))
        begun += length
    return torch.cat(found)
