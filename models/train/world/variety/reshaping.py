"""A pen that draws every thing in a form of its own (`forms`), the same in all views of a clip."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from models.train.world.home.picture.pen import Points, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.forms import Form, Reshaped
from models.train.world.variety.strokes import Hand, SteadyPen

_DETAIL, _LARGE = 0.03, 0.06
"""Of a thing's box: the largest part that may be left out, and the least that has a pattern."""
_STEPS = 5
"""Into which an edge is cut, so that it can bend."""


class ReshapingPen(SteadyPen):
    """Draws things in forms of their own, and the place as `hand` does."""

    def __init__(self, image: Image.Image, pose: tuple[float, ...], hand: Hand, reshaped: Reshaped) -> None:
        super().__init__(image, pose, hand)
        self._reshaped = reshaped
        self._form: Form | None = None
        self._size = 1.0, 1.0
        self._frame = pose

    def thing_at(self, x: float, y: float, design: str, size: tuple[float, float]) -> ReshapingPen:
        other = super().thing_at(x, y, design, size)
        assert isinstance(other, ReshapingPen)
        other._form = self._reshaped.form(design)
        other._size, other._frame = size, other._pose
        if other._form.shadowed:
            other._shadow()
        return other

    def _placed(self, points: Points) -> list[tuple[float, float]]:
        if self._form is None:
            return super()._placed(points)
        found = np.array(super()._placed(_finer(points) if len(points) < 9 else points))
        x, y = self._in_frame(found[:, 0], found[:, 1])
        a, b, c, d, e, f = self._frame
        x, y = self._form.placed(x, y, self._size).T
        return list(zip((a * x + c * y + e).tolist(), (b * x + d * y + f).tolist(), strict=True))

    def _in_frame(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pixels -> units around the middle of the thing's lower edge."""
        a, b, c, d, e, f = self._frame
        whole = a * d - b * c
        x, y = x - e, y - f
        return (d * x - c * y) / whole, (a * y - b * x) / whole

    def polygon(self, points: Points, fill: Rgb | None, edge: Rgb | None = None, width: float = 0.9) -> None:
        form = self._form
        if form is None or fill is None:
            super().polygon(points, fill, edge, width)
            return
        share = self._share(points)
        rng = random.Random(hash((form.seed, *fill, len(points), round(1000 * share))))
        if share < _DETAIL and rng.random() < form.without:
            return
        if form.tint:
            red, green, blue = (min(255, max(0, part + rng.randint(-form.tint, form.tint))) for part in fill)
            fill = red, green, blue
        super().polygon(points, fill, None if form.pattern else edge, width)
        if form.pattern and share > _LARGE:
            self._patterned(points, fill)
        if form.pattern and edge is not None:
            super().polygon(points, None, edge, width)

    def _share(self, points: Points) -> float:
        """Of the thing's box that the polygon's box takes up."""
        scale = self._scale / math.sqrt(
            abs(self._frame[0] * self._frame[3] - self._frame[1] * self._frame[2])
        )
        wide, tall = (max(each) - min(each) for each in zip(*points, strict=True))
        return wide * tall * scale**2 / (self._size[0] * self._size[1])

    def _patterned(self, points: Points, fill: Rgb) -> None:
        form = self._form
        assert form is not None
        placed = self._placed(points)
        left, top = (max(0, math.floor(min(each))) for each in zip(*placed, strict=True))
        right, bottom = (
            min(most, math.ceil(max(each)) + 1)
            for most, each in zip(self._image.size, zip(*placed, strict=True), strict=True)
        )
        if right <= left or bottom <= top:
            return
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in placed], fill=255)
        x, y = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5)
        weights = form.weights(*self._in_frame(x, y), self._size)[..., None]
        second = np.array(form.other or shade(fill, form.contrast), float)
        tones = np.array(fill, float) * (1 - weights) + second * weights
        self._image.paste(Image.fromarray(tones.astype(np.uint8)), (left, top), mask)

    def _shadow(self) -> None:
        """A soft dark oval under the thing."""
        a, b, _, _, e, f = self._frame
        wide = 0.6 * self._size[0] * math.hypot(a, b)
        tall = max(2.0, 0.22 * wide)
        box = [round(e - wide), round(f - tall), round(e + wide), round(f + tall)]
        mask = Image.new("L", (box[2] - box[0], box[3] - box[1]))
        ImageDraw.Draw(mask).ellipse((0, 0, *mask.size), fill=70)
        self._image.paste((0, 0, 0), (box[0], box[1]), mask)


def _finer(points: Points) -> Points:
    """With further points between each and the next."""
    found = []
    for (x, y), (next_x, next_y) in itertools.pairwise(points):
        for step in range(_STEPS):
            share = step / _STEPS
            found.append((x + (next_x - x) * share, y + (next_y - y) * share))
    return [*found, points[-1]]
