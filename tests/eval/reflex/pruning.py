"""Which image rows go on after the first layer: the pack's way (V4), and simpler ones. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
RATIOS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0)


def kept_number(rows: int, ratio: float) -> int:
    """Rows that a ratio keeps, at least one."""
    return max(1, round(rows * ratio))


def largest(values: NDArray, number: int) -> NDArray[np.intp]:
    """Places of the largest values, in rising order of place."""
    chosen: NDArray[np.intp] = np.sort(np.argpartition(-values, number - 1)[:number])
    return chosen


def by_question(image: Rows, seen: Rows, saliency: Rows, number: int, seed: int) -> Rows:
    """V4: the rows that the question's words attend to most."""
    return image[largest(saliency, number)]


def at_random(image: Rows, seen: Rows, saliency: Rows, number: int, seed: int) -> Rows:
    """Any rows."""
    chosen = np.random.default_rng(seed).choice(len(image), number, replace=False)
    return image[np.sort(chosen)]


def by_picture(image: Rows, seen: Rows, saliency: Rows, number: int, seed: int) -> Rows:
    """The rows that differ most from the picture's mean row, before any question."""
    return image[largest(np.linalg.norm(seen - seen.mean(0), axis=1), number)]


def by_stride(image: Rows, seen: Rows, saliency: Rows, number: int, seed: int) -> Rows:
    """Rows at equal distances over the picture."""
    return image[((np.arange(number) + 0.5) * len(image) / number).astype(int)]


def by_pooling(image: Rows, seen: Rows, saliency: Rows, number: int, seed: int) -> Rows:
    """Means of rectangles of the grid; of a grid that is not square, of runs of rows."""
    side = round(len(image) ** 0.5)
    down, across = _rectangles(number, side) if side * side == len(image) else (number, 1)
    if across == 1:
        return np.stack([part.mean(0) for part in np.array_split(image, number)])
    grid = image.reshape(side, side, -1)
    pooled = [
        part.mean((0, 1))
        for band in np.array_split(grid, down, 0)
        for part in np.array_split(band, across, 1)
    ]
    return np.stack(pooled)


def _rectangles(number: int, side: int) -> tuple[int, int]:
    """Rows and columns of about equal rectangles, as many as `number` allows."""
    fits = [
        (down, across)
        for down in range(1, side + 1)
        for across in range(1, side + 1)
        if down * across <= number and down * across > 0.85 * number
    ]
    return min(fits, key=lambda each: (abs(each[0] - each[1]), -each[0] * each[1])) if fits else (number, 1)


Way = Callable[[Rows, Rows, Rows, int, int], Rows]
WAYS: Mapping[str, Way] = {
    "question (V4)": by_question,
    "random": at_random,
    "picture only": by_picture,
    "stride": by_stride,
    "pooling": by_pooling,
}
"""image: rows after the first layer, [n, W]. seen: the front's rows, [n, W]. saliency: [n]. number: rows to
keep. seed: of `at_random`.
"""
