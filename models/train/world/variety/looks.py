"""Other looks of a finished picture: light, colours, texture and sharpness, at random.

They do not change what is true of a picture. Some looks are kept back from training.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter

Picture = NDArray[np.uint8]
_Change = Callable[[Image.Image, random.Random], Image.Image]


def _saturated(image: Image.Image, rng: random.Random) -> Image.Image:
    return ImageEnhance.Color(image).enhance(rng.uniform(0.7, 1.35))


def _contrasted(image: Image.Image, rng: random.Random) -> Image.Image:
    return ImageEnhance.Contrast(image).enhance(rng.uniform(0.75, 1.3))


def _tinted(image: Image.Image, rng: random.Random) -> Image.Image:
    gains = np.array([rng.uniform(0.9, 1.1) for _ in range(3)]) * rng.uniform(0.85, 1.12)
    return _by(image, gains)


def _lit_unevenly(image: Image.Image, rng: random.Random) -> Image.Image:
    coarse = np.array([[rng.uniform(0.78, 1.15) for _ in range(3)] for _ in range(3)], np.float32)
    field = Image.fromarray(coarse).resize(image.size, Image.Resampling.BICUBIC)
    return _by(image, np.asarray(field)[..., None])


def _softened(image: Image.Image, rng: random.Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.9)))


def _sharpened(image: Image.Image, rng: random.Random) -> Image.Image:
    return image.filter(ImageFilter.UnsharpMask(rng.uniform(0.8, 2.0), rng.randint(40, 140), 2))


def _noisy(image: Image.Image, rng: random.Random) -> Image.Image:
    noise = np.random.default_rng(rng.getrandbits(32)).normal(0, rng.uniform(2, 9), (*image.size[::-1], 3))
    return _of(np.asarray(image) + noise)


def _woven(image: Image.Image, rng: random.Random) -> Image.Image:
    x, y = np.meshgrid(np.arange(image.width), np.arange(image.height))
    turn, length = rng.uniform(0, np.pi), rng.uniform(2.5, 9)
    wave = np.sin((x * np.cos(turn) + y * np.sin(turn)) * 2 * np.pi / length)
    return _by(image, 1 + rng.uniform(0.02, 0.08) * wave[..., None])


def _turned(image: Image.Image, rng: random.Random) -> Image.Image:
    """A little turned and enlarged about its middle, so that no border shows."""
    angle = np.radians(rng.uniform(-3, 3))
    cos, sin = np.cos(angle) / 1.04, np.sin(angle) / 1.04
    cx, cy = image.width / 2, image.height / 2
    matrix = (cos, sin, cx - cos * cx - sin * cy, -sin, cos, cy + sin * cx - cos * cy)
    return image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)


def _posterised(image: Image.Image, rng: random.Random) -> Image.Image:
    levels = rng.randint(6, 9)
    return _of(np.round(np.asarray(image, np.float32) / 255 * (levels - 1)) * 255 / (levels - 1))


def _smeared(image: Image.Image, rng: random.Random) -> Image.Image:
    return image.filter(rng.choice((ImageFilter.MedianFilter(3), ImageFilter.ModeFilter(3))))


def _inked(image: Image.Image, rng: random.Random) -> Image.Image:
    grey = np.asarray(image.convert("L"), np.float32)
    down, right = np.gradient(grey)
    edges = np.clip(np.hypot(down, right) / 60, 0, 1)
    return _by(image, 1 - rng.uniform(0.3, 0.8) * edges[..., None])


def _dithered(image: Image.Image, rng: random.Random) -> Image.Image:
    tile = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 15 - 0.5
    size = image.height // 4 + 1, image.width // 4 + 1
    pattern = np.tile(tile, size)[: image.height, : image.width]
    return _of(np.asarray(image, np.float32) + rng.uniform(12, 30) * pattern[..., None])


def _coarse(image: Image.Image, rng: random.Random) -> Image.Image:
    share = rng.uniform(0.6, 0.85)
    small = image.resize((round(image.width * share), round(image.height * share)), Image.Resampling.BOX)
    return small.resize(image.size, Image.Resampling.NEAREST)


def _by(image: Image.Image, factor: NDArray[np.floating]) -> Image.Image:
    return _of(np.asarray(image, np.float32) * factor)


def _of(tones: NDArray[np.floating]) -> Image.Image:
    return Image.fromarray(np.clip(tones, 0, 255).astype(np.uint8))


TRAINED: tuple[_Change, ...] = (
    _saturated, _contrasted, _tinted, _lit_unevenly, _softened, _sharpened, _noisy, _woven, _turned,
)  # fmt: skip
KEPT_BACK: tuple[_Change, ...] = (_posterised, _smeared, _inked, _dithered, _coarse)


def varied(picture: Picture, rng: random.Random, unseen: bool) -> Picture:
    """The picture with up to three looks of training, or with one or two of those kept back."""
    number = rng.choice((1, 1, 2)) if unseen else rng.choice((0, 0, 1, 2, 3))
    image = Image.fromarray(picture)
    for change in rng.sample(KEPT_BACK if unseen else TRAINED, number):
        image = change(image, rng)
    return np.asarray(image)
