"""Pictures that the view gate is judged on: the drawn home's, and a stranger's, spoilt by other code."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from models.train.world.home.day import day
from models.train.world.home.picture.render import render as render_home
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.home.views import Camera, View
from tests.eval.stranger.compose import random_pair, random_picture
from tests.eval.stranger.render import render as render_stranger

Rgb = NDArray[np.uint8]
Pair = tuple[Rgb, Rgb]
Gaze = tuple[object, ...]
_MARGIN = 0.08


def home_pictures(seed: int, count: int, split: str) -> Iterator[tuple[str, Rgb]]:
    """Quality (clear, dark, blurred) and picture: random views, 40 % of them unusable; as many of a day."""
    rng = random.Random(f"gate pictures {seed}")
    views = [random_view(rng, split, 0.4) for _ in range(count // 2)]
    views += rng.sample(day(seed, 1000, split).views, count - len(views))
    for view in views:
        yield view.light.quality, render_home(view)


def home_day(seed: int, views: int, split: str) -> Iterator[tuple[Gaze, str, Rgb]]:
    """A day in order of time: what the wearer looks at, quality and picture. Views of one gaze are
    near-duplicates: the head moves a little, the light changes by 3 %.
    """
    for view in day(seed, views, split).views:
        gaze = (view.place, view.things, replace(view.light, level=0.0), view.cover)
        yield gaze, view.light.quality, render_home(view)


def _looked_again(view: View, rng: random.Random) -> Rgb:
    """The view after a small motion of the head, as in a day."""
    at, light = view.camera, view.light
    camera = Camera(
        at.x + rng.gauss(0, 0.012) * at.field,
        at.y + rng.gauss(0, 0.012) * at.field,
        at.field * (1 + rng.gauss(0, 0.008)),
        at.roll_deg + rng.gauss(0, 0.6),
    )
    light = replace(light, level=light.level * rng.uniform(0.97, 1.03))
    return render_home(replace(view, camera=camera, light=light, look=rng.getrandbits(32)))


def home_pairs(seed: int, count: int, split: str) -> Iterator[tuple[Pair, Pair]]:
    """A near-duplicate, and a real change: one thing that was seen is gone, or one more is there."""
    rng = random.Random(f"gate pairs {seed}")
    while count:
        view = random_view(rng, split, 0.0)
        seen = [thing for thing in truth_of(view).seen if not thing.held]
        if not seen:
            continue
        count -= 1
        kind = rng.choice(seen).kind
        without = replace(view, things=tuple(thing for thing in view.things if thing.kind != kind))
        change = [_looked_again(view, rng), _looked_again(without, rng)]
        rng.shuffle(change)
        yield (_looked_again(view, rng), _looked_again(view, rng)), (change[0], change[1])


def plain_walls(seed: int, count: int) -> Iterator[Rgb]:
    """One colour, light that falls off to one side, noise."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        down, across = np.mgrid[0:240, 0:320] / 320
        angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.15)
        light = 1 + slope * (np.cos(angle) * across + np.sin(angle) * down)
        wall = light[:, :, None] * rng.uniform(80, 190, 3) + rng.standard_normal((240, 320, 3)) * rng.uniform(
            1, 4
        )
        yield wall.clip(0, 255).astype(np.uint8)


def _moved_head(rgb: Rgb, rng: random.Random) -> Rgb:
    """The middle of a picture, moved and zoomed by about one per cent."""
    height, width = rgb.shape[:2]
    dx, dy = rng.gauss(0, 0.012) * width, rng.gauss(0, 0.012) * height
    zoom = _MARGIN + rng.gauss(0, 0.004)
    box = (width * zoom + dx, height * zoom + dy, width * (1 - zoom) + dx, height * (1 - zoom) + dy)
    size = round(width * (1 - 2 * _MARGIN)), round(height * (1 - 2 * _MARGIN))
    return np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.BICUBIC, box=box))


def _camera(pixels: NDArray[np.floating], rng: random.Random) -> Rgb:
    """Noise and JPEG of the camera, after light and lens."""
    noise = np.random.default_rng(rng.getrandbits(32)).standard_normal(pixels.shape) * rng.uniform(1, 3)
    file = io.BytesIO()
    Image.fromarray((pixels + noise).clip(0, 255).astype(np.uint8)).save(
        file, "JPEG", quality=rng.randint(60, 95)
    )
    return np.asarray(Image.open(file).convert("RGB"))


def _out_of_focus(rgb: Rgb, share: float, rng: random.Random) -> Rgb:
    """Gaussian blur with a deviation of `share` of the shorter side."""
    image = Image.fromarray(rgb).filter(ImageFilter.GaussianBlur(share * min(rgb.shape[:2])))
    return _camera(np.asarray(image, np.float32), rng)


def _shaken(rgb: Rgb, share: float, rng: random.Random) -> Rgb:
    """The mean along a line of `share` of the shorter side, in any direction."""
    angle, length = rng.uniform(0, np.pi), share * min(rgb.shape[:2])
    steps, reach = max(2, round(length)), round(length / 2) + 1
    wide = np.pad(rgb, ((reach, reach), (reach, reach), (0, 0)), "edge").astype(np.float32)
    total = np.zeros(rgb.shape, np.float32)
    for along in np.linspace(-length / 2, length / 2, steps):
        x, y = reach + round(along * np.cos(angle)), reach + round(along * np.sin(angle))
        total += wide[y : y + rgb.shape[0], x : x + rgb.shape[1]]
    return _camera(total / steps, rng)


def _lit(rgb: Rgb, level: float, rng: random.Random) -> Rgb:
    return _camera(rgb.astype(np.float32) * level, rng)


def stranger_pictures(seed: int, count: int) -> Iterator[tuple[str, Rgb]]:
    """How the picture was spoilt, if at all, and the picture; `count` of each."""
    rng = random.Random(f"gate stranger {seed}")
    for _ in range(count):
        scene = random_picture(rng, text=rng.choice(("", "", "exit")))
        rgb = render_stranger(scene)
        yield "clear", rgb
        yield "dim: light 0.3 to 0.6", _lit(rgb, rng.uniform(0.3, 0.6), rng)
        yield "soft: deviation 0.3 to 0.8 % of the side", _out_of_focus(rgb, rng.uniform(0.003, 0.008), rng)
        yield "empty backdrop", render_stranger(replace(scene, items=(), board=None))
        yield "dark: light 0.02 to 0.08", _lit(rgb, rng.uniform(0.02, 0.08), rng)
        yield "blurred: deviation 5 to 10 %", _out_of_focus(rgb, rng.uniform(0.05, 0.1), rng)
        yield "shaken: 25 to 50 % of the side", _shaken(rgb, rng.uniform(0.25, 0.5), rng)
        yield "between: light 0.1 to 0.25", _lit(rgb, rng.uniform(0.1, 0.25), rng)
        yield "between: deviation 2 to 4 %", _out_of_focus(rgb, rng.uniform(0.02, 0.04), rng)


def stranger_pairs(seed: int, count: int) -> Iterator[tuple[str, Pair]]:
    """What differs between two pictures, and these."""
    rng = random.Random(f"gate stranger pairs {seed}")
    for index in range(count):
        pair = random_pair(rng, 1)
        first, again, second = (
            render_stranger(pair.first),
            render_stranger(pair.first, 1),
            render_stranger(pair.second),
        )
        yield "the same: noise", (first, again)
        yield "the same: light by 20 %", (first, _lit(again, rng.choice((0.8, 1.2)), rng))
        yield "the same: the head moved", (_moved_head(first, rng), _moved_head(again, rng))
        if index % 2:
            first, second = second, first
        yield f"changed: one thing {pair.changes[0].how}", (_moved_head(first, rng), _moved_head(second, rng))
