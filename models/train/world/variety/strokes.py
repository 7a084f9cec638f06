"""Other hands that draw the two worlds: lines, outlines, fillings and backgrounds, at random.

A thing that is drawn otherwise shall be understood too. Some hands are kept back from training, so
that confidence can be judged on something new.
"""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from models.train.world.drawing import mask_of
from models.train.world.home.picture.pen import Pen, Points, shade
from models.train.world.scenes import Rgb, Thing


@dataclass(frozen=True)
class Hand:
    """How the home is drawn. width: of lines, times the usual. wobble: of corners, units. outline: "" as
    usual, "none", "ink" (nearly black) or "light". jitter: of fillings, grey levels. seed: of what is random.
    stretch: of every thing, across and along, times the usual; slant: what lies higher is so much further to
    the right, in parts of its height.
    """

    width: float = 1.0
    wobble: float = 0.0
    outline: str = ""
    jitter: int = 0
    seed: int = 0
    stretch: tuple[float, float] = (1.0, 1.0)
    slant: float = 0.0

    def pen(self, image: Image.Image, pose: tuple[float, ...]) -> Pen:
        """A pen that draws so."""
        return LoosePen(image, pose, self)


USUAL_HAND = Hand()


def random_hand(rng: random.Random, unseen: bool) -> Hand:
    """Half of those of training are the usual one; those that are kept back have other outlines."""
    if unseen:
        return Hand(
            rng.uniform(0.3, 3.0), rng.uniform(0.3, 0.9), rng.choice(("none", "light")), rng.randint(4, 12),
            rng.getrandbits(32), *_form(rng),
        )  # fmt: skip
    if rng.random() < 0.5:
        return Hand()
    return Hand(
        rng.uniform(0.4, 2.2), rng.choice((0.0, rng.uniform(0.0, 0.6))), rng.choice(("", "", "ink")),
        rng.randint(0, 9), rng.getrandbits(32), *_form(rng),
    )  # fmt: skip


def _form(rng: random.Random) -> tuple[tuple[float, float], float]:
    """Stretch and slant."""
    return (rng.uniform(0.84, 1.2), rng.uniform(0.86, 1.14)), rng.uniform(-0.12, 0.12)


class LoosePen(Pen):
    """Draws polygons and lines as a `Hand` does; words as usual, so that they can be read."""

    def __init__(self, image: Image.Image, pose: tuple[float, ...], hand: Hand) -> None:
        super().__init__(image, pose)
        self._hand, self._rng = hand, random.Random(hand.seed)

    def thing_at(self, x: float, y: float, design: str, size: tuple[float, float]) -> Pen:
        other, hand = self.at(x, y), self._hand
        a, b, c, d, e, f = other._pose
        across, along = hand.stretch
        lean = hand.slant * along
        other._pose = (a * across, b * across, c * along - a * lean, d * along - b * lean, e, f)
        return other

    def _moved(self, points: Points) -> Points:
        most, rng = self._hand.wobble, self._rng
        if not most:
            return points
        most = min(most, 0.05 * max(max(x for x, _ in points) - min(x for x, _ in points), 0.1))
        return [(x + rng.uniform(-most, most), y + rng.uniform(-most, most)) for x, y in points]

    def polygon(self, points: Points, fill: Rgb | None, edge: Rgb | None = None, width: float = 0.9) -> None:
        hand = self._hand
        if fill is not None and hand.jitter:
            by = self._rng.randint(-hand.jitter, hand.jitter)
            red, green, blue = (min(255, max(0, part + by)) for part in fill)
            fill = (red, green, blue)
        if fill is not None and edge is not None and hand.outline:
            edge = {"none": None, "ink": shade(edge, 0.35), "light": shade(fill, 1.6)}[hand.outline]
        super().polygon(self._moved(points), fill, edge, width * hand.width)

    def line(self, points: Points, fill: Rgb, width: float) -> None:
        super().line(points, fill, width * min(1.6, max(0.7, self._hand.width)))


class SteadyPen(LoosePen):
    """Draws what is the same in two views in the same way in both, whatever else is in view."""

    def polygon(self, points: Points, fill: Rgb | None, edge: Rgb | None = None, width: float = 0.9) -> None:
        self._rng = random.Random(hash((self._hand.seed, fill or (-1, -1, -1), len(points))))
        super().polygon(points, fill, edge, width)


@dataclass(frozen=True)
class Brush:
    """How shapes are drawn. border: "" for none, "dark", "light" or "ink", `border_px` wide; filling: flat,
    gradient or hatched; squeezed: height of a thing, times the usual.
    """

    border: str = ""
    border_px: int = 3
    filling: str = "flat"
    squeezed: float = 1.0

    def draw(self, image: Image.Image, thing: Thing) -> None:
        """Pastes one thing."""
        mask, (left, top) = mask_of(thing)
        if self.squeezed != 1:
            height = max(4, round(mask.height * self.squeezed))
            top += (mask.height - height) // 2
            mask = mask.resize((mask.width, height), Image.Resampling.BILINEAR)
        image.paste(self._filled(thing.rgb, mask.size), (left, top), mask)
        if self.border:
            inner = mask.filter(ImageFilter.MinFilter(self.border_px))
            rgb = {"dark": shade(thing.rgb, 0.55), "light": shade(thing.rgb, 1.5), "ink": (18, 18, 20)}
            image.paste(rgb[self.border], (left, top), ImageChops.subtract(mask, inner))

    def _filled(self, rgb: Rgb, size: tuple[int, int]) -> Image.Image:
        if self.filling == "flat":
            return Image.new("RGB", size, rgb)
        x, y = np.meshgrid(np.linspace(-1, 1, size[0]), np.linspace(-1, 1, size[1]))
        factor = 1 + 0.14 * (x + y) / 2
        if self.filling == "hatched":
            factor = np.where(((x + y) * max(size) / 6).astype(int) % 2 == 0, 1.0, 0.82)
        tones = np.clip(np.asarray(rgb, float) * factor[..., None], 0, 255)
        return Image.fromarray(tones.astype(np.uint8))


USUAL_BRUSH = Brush()


def random_brush(rng: random.Random, unseen: bool) -> Brush:
    """Half of those of training are the usual one; hatching and light borders are kept back."""
    if unseen:
        border = rng.choice(("", "light"))
        filling = "hatched" if not border or rng.random() < 0.5 else "flat"
        return Brush(border, rng.choice((3, 5)), filling, rng.uniform(0.88, 1.0))
    if rng.random() < 0.5:
        return Brush()
    return Brush(
        rng.choice(("", "dark", "ink")), rng.choice((3, 3, 5)), rng.choice(("flat", "gradient")),
        rng.choice((1.0, rng.uniform(0.92, 1.0))),
    )  # fmt: skip


def random_ground(rng: random.Random, side_px: int, unseen: bool) -> Image.Image | None:
    """Another background for shapes, of medium brightness; None for the usual one, in half of training."""
    if not unseen and rng.random() < 0.5:
        return None
    one, two = (
        np.asarray(colorsys.hsv_to_rgb(rng.random(), rng.uniform(0, 0.22), rng.uniform(0.38, 0.64))) * 255
        for _ in range(2)
    )
    across = rng.uniform(-1, 1), rng.uniform(-1, 1)
    x, y = np.meshgrid(np.linspace(0, 1, side_px), np.linspace(0, 1, side_px))
    way = across[0] * x + across[1] * y
    if unseen:  # stripes or tiles
        cells = rng.uniform(4, 12)
        share = ((way if rng.random() < 0.5 else x) * cells).astype(int) % 2
        if rng.random() < 0.5:
            share = share ^ ((y * cells).astype(int) % 2)
        two = one + np.clip(two - one, -16, 16)
        share = share.astype(float)
    else:
        share = np.clip((way - way.min()) / (np.ptp(way) + 1e-6), 0, 1)
        if rng.random() < 0.4:  # a wall and a table
            share = (share > rng.uniform(0.3, 0.7)).astype(float)
            two = one + np.clip(two - one, -40, 40)
    tones = one * (1 - share[..., None]) + two * share[..., None]
    return Image.fromarray(np.clip(tones, 0, 255).astype(np.uint8))
