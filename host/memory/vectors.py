"""Places in the recall space as int8 with a scale, and the exact scan over them.

The table is in memory only and always made anew from the store. Of vectors of length 1 the rounding moves a
cosine by about 0.002. The query is not rounded, so the scores are exact for what is stored, and nothing is
left to rescore.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host.memory.values import Vector

BLOCK_ROWS = 2048
"""Rows that are turned to float32 at once: they stay in the cache."""


def packed(vector: Vector) -> bytes:
    """float32 [n] as a float32 scale and int8 [n]."""
    largest = float(np.abs(vector).max(initial=0.0))
    scale = np.float32(largest / 127 if largest else 1.0)
    return scale.tobytes() + np.rint(vector / scale).astype(np.int8).tobytes()


def unpacked(data: bytes) -> tuple[np.float32, NDArray[np.int8]]:
    """The scale, and int8 [n]. Raises `ValueError` for data of another form."""
    if len(data) < 5:
        raise ValueError("too short for a vector")
    return np.frombuffer(data, np.float32, 1)[0], np.frombuffer(data, np.int8, offset=4)


@dataclass(eq=False)
class _Block:
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]
    numbers: NDArray[np.int64]
    used: int = 0


class VectorTable:
    """Vectors of one encoder by row number."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._blocks: list[_Block] = []

    def __len__(self) -> int:
        return sum(int((block.numbers[: block.used] > 0).sum()) for block in self._blocks)

    def add(self, number: int, data: bytes) -> None:
        """Takes in what `packed` gave. Raises `ValueError` for another width."""
        scale, values = unpacked(data)
        if len(values) != self.width:
            raise ValueError(f"a vector has {len(values)} values, not {self.width}")
        if not self._blocks or self._blocks[-1].used == BLOCK_ROWS:
            self._blocks.append(_Block(
                np.zeros((BLOCK_ROWS, self.width), np.int8), np.zeros(BLOCK_ROWS, np.float32),
                np.zeros(BLOCK_ROWS, np.int64),
            ))  # fmt: skip
        block = self._blocks[-1]
        block.rows[block.used], block.scales[block.used] = values, scale
        block.numbers[block.used] = number
        block.used += 1

    def remove(self, numbers: set[int]) -> None:
        """Takes rows out; their values are overwritten."""
        gone = np.fromiter(numbers, np.int64, len(numbers))
        for block in self._blocks:
            rows = np.isin(block.numbers, gone)
            block.rows[rows], block.scales[rows], block.numbers[rows] = 0, 0, 0
        self._blocks = [block for block in self._blocks if block.numbers.any()]

    def nearest(
        self, query: Vector, count: int, first: int = 1, last: int | None = None
    ) -> list[tuple[int, float]]:
        """The rows most alike to float32 [width], best first: (number, cosine). first, last: only rows of
        these numbers and between.
        """
        best: list[tuple[float, int]] = []
        query = np.ascontiguousarray(query, np.float32)
        floats = np.empty((BLOCK_ROWS, self.width), np.float32)
        for block in self._blocks:
            numbers = block.numbers[: block.used]
            wanted = numbers >= max(1, first)
            if last is not None:
                wanted &= numbers <= last
            if not wanted.any():
                continue
            np.copyto(floats[: block.used], block.rows[: block.used])
            scores = (floats[: block.used] @ query) * block.scales[: block.used]
            scores[~wanted] = -np.inf
            top = np.argpartition(scores, -count)[-count:] if count < len(scores) else range(len(scores))
            best += [(float(scores[at]), int(numbers[at])) for at in top if wanted[at]]
        best.sort(key=lambda each: (-each[0], -each[1]))
        return [(number, score) for score, number in best[:count]]

    def scores(self, query: Vector, numbers: Sequence[int]) -> dict[int, float]:
        """The cosines of float32 [width] to the rows of these numbers that are there."""
        wanted = np.array(sorted(numbers), np.int64)
        found: dict[int, float] = {}
        for block in self._blocks:
            rows = np.flatnonzero(np.isin(block.numbers[: block.used], wanted))
            scores = (block.rows[rows].astype(np.float32) @ query.astype(np.float32)) * block.scales[rows]
            found |= {int(block.numbers[at]): float(score) for at, score in zip(rows, scores, strict=True)}
        return found
