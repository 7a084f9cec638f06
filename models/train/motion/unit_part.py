"""What a unit shows beside its neighbours, in the network of the motion brick.

Alternating temporal shift and gated differences (E2, E3 of MMEdge, SenSys 2025), where each cell's content
was before, then spatial mixing.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.motion.shape import Shape, cell_places, in_places


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
        places = cell_places(side)
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
