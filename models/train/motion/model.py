"""The network of the motion brick: what a unit shows beside its neighbours, and an answer from all units.

A unit's part runs when its successor arrives, the answer's part once, when the question is known.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from models.train.motion.answer_part import AnswerPart
from models.train.motion.shape import Aggregation, Shape
from models.train.motion.unit_part import UnitPart


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
