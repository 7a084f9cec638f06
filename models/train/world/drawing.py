"""Renders a scene: background, things, sign, lighting and noise; unusable pictures are dark or blurred."""

from __future__ import annotations

import colorsys
import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from models.train.world.scenes import SIDE_PX, Scene, Sign, Thing, sign_font

_SUPER = 3
Points = tuple[tuple[float, float], ...]


def _heart() -> Points:
    points = []
    for step in range(40):
        t = 2 * math.pi * step / 40
        x = 16 * math.sin(t) ** 3
        y = -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t))
        points.append((x / 17, (y + 2.5) / 17))
    return tuple(points)


def _star() -> Points:
    return tuple(
        (math.sin(math.pi * k / 5) * r, -math.cos(math.pi * k / 5) * r)
        for k, r in ((k, 1.0 if k % 2 == 0 else 0.42) for k in range(10))
    )


_W = 0.34
_OUTLINES: dict[str, Points] = {
    "square": ((-0.82, -0.82), (0.82, -0.82), (0.82, 0.82), (-0.82, 0.82)),
    "triangle": ((0.0, -0.98), (0.95, 0.72), (-0.95, 0.72)),
    "diamond": ((0.0, -1.0), (0.72, 0.0), (0.0, 1.0), (-0.72, 0.0)),
    "cross": (
        (-_W, -0.95), (_W, -0.95), (_W, -_W), (0.95, -_W), (0.95, _W), (_W, _W),
        (_W, 0.95), (-_W, 0.95), (-_W, _W), (-0.95, _W), (-0.95, -_W), (-_W, -_W),
    ),
    "star": _star(),
    "heart": _heart(),
}  # fmt: skip


def _arc(first_deg: float, last_deg: float, radius: float = 0.95, x: float = 0.0, y: float = 0.0) -> Points:
    degrees = np.linspace(first_deg, last_deg, 24)
    return tuple(
        (x + radius * math.cos(math.radians(d)), y + radius * math.sin(math.radians(d))) for d in degrees
    )


_UNNAMED_OUTLINES: dict[str, Points] = {
    "pentagon": tuple(
        (math.sin(k * math.tau / 5) * 0.95, math.cos(k * math.tau / 5) * 0.95) for k in range(5)
    ),
    "bar": ((-0.95, -0.3), (0.95, -0.3), (0.95, 0.3), (-0.95, 0.3)),
    "trapezium": ((-0.5, -0.6), (0.5, -0.6), (0.95, 0.6), (-0.95, 0.6)),
    "slanted": ((-0.4, -0.6), (0.95, -0.6), (0.4, 0.6), (-0.95, 0.6)),
    "arrow": ((-0.95, -0.3), (0.1, -0.3), (0.1, -0.8), (0.95, 0.0), (0.1, 0.8), (0.1, 0.3), (-0.95, 0.3)),
    "corner": ((-0.8, -0.9), (-0.1, -0.9), (-0.1, 0.2), (0.8, 0.2), (0.8, 0.9), (-0.8, 0.9)),
    "tee": (
        (-0.9, -0.9),
        (0.9, -0.9),
        (0.9, -0.3),
        (0.3, -0.3),
        (0.3, 0.9),
        (-0.3, 0.9),
        (-0.3, -0.3),
        (-0.9, -0.3),
    ),
    "hourglass": ((-0.75, -0.85), (0.75, -0.85), (0.12, 0.0), (0.75, 0.85), (-0.75, 0.85), (-0.12, 0.0)),
    "chevron": ((-0.9, -0.7), (0.0, 0.0), (0.9, -0.7), (0.9, 0.1), (0.0, 0.8), (-0.9, 0.1)),
    "half": _arc(0, 180),
    "wedge": ((0.0, 0.0), *_arc(30, 300)),
    "crescent": (*_arc(50, 310), *_arc(290, 70, 0.7, 0.45)),
    "drop": ((0.0, -0.98), *_arc(-20, 200, 0.62, 0.0, 0.3)),
    "oval": tuple((x, 0.5 * y) for x, y in _arc(0, 345)),
}
UNNAMED_SHAPES = tuple(_UNNAMED_OUTLINES)
"""Shapes that no question names, for augmented training pictures only; drawn at any angle."""


def outline(shape: str) -> Points:
    """The corners of a named shape within -1 to 1; KeyError for circle and ring, which have none."""
    return _OUTLINES[shape]


def mask_of(thing: Thing) -> tuple[Image.Image, tuple[int, int]]:
    """Where a thing is, 255 inside, with antialiased edges; and the place of its top left corner."""
    left, top = int(thing.x - thing.radius_px) - 1, int(thing.y - thing.radius_px) - 1
    side = int(2 * thing.radius_px) + 4
    mask = Image.new("L", (side * _SUPER, side * _SUPER))
    pen = ImageDraw.Draw(mask)
    cx, cy, r = (thing.x - left) * _SUPER, (thing.y - top) * _SUPER, thing.radius_px * _SUPER
    if thing.shape in ("circle", "ring"):
        pen.ellipse((cx - 0.95 * r, cy - 0.95 * r, cx + 0.95 * r, cy + 0.95 * r), fill=255)
        if thing.shape == "ring":
            pen.ellipse((cx - 0.52 * r, cy - 0.52 * r, cx + 0.52 * r, cy + 0.52 * r), fill=0)
    else:
        cos, sin = math.cos(math.radians(thing.angle_deg)) * r, math.sin(math.radians(thing.angle_deg)) * r
        outline = _OUTLINES.get(thing.shape) or _UNNAMED_OUTLINES[thing.shape]
        pen.polygon([(cx + x * cos - y * sin, cy + x * sin + y * cos) for x, y in outline], fill=255)
    return mask.reduce(_SUPER), (left, top)


def _draw_thing(image: Image.Image, thing: Thing) -> None:
    mask, corner = mask_of(thing)
    image.paste(thing.rgb, corner, mask)


def _draw_sign(image: Image.Image, sign: Sign) -> None:
    """Draws the sign's board, border and text."""
    pen = ImageDraw.Draw(image)
    half_w, half_h = sign.width_px / 2, sign.height_px / 2
    box = (sign.x - half_w, sign.y - half_h, sign.x + half_w, sign.y + half_h)
    pen.rectangle(box, fill=sign.rgb, outline=sign.ink)
    pen.text(
        (sign.x, sign.y),
        sign.text,
        fill=sign.ink,
        font=sign_font(sign.font_px),
        anchor="mm",
        stroke_width=0.4,
    )


@cache
def _noise_bank() -> NDArray[np.float32]:
    """Standard normal values, float32 [384, 384, 3], from which crops are taken."""
    return np.random.default_rng(7).standard_normal((384, 384, 3), dtype=np.float32)


@cache
def _ramps(side_px: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """x and y from -1 to 1, float32 [side_px, side_px] each."""
    axis, shape = np.linspace(-1, 1, side_px, dtype=np.float32), (side_px, side_px)
    return np.broadcast_to(axis[None, :], shape), np.broadcast_to(axis[:, None], shape)


def _background(rng: random.Random, side_px: int) -> Image.Image:
    """A background of medium brightness and low saturation, with smooth or fine variations of brightness."""
    base = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.0, 0.22), rng.uniform(0.40, 0.60))
    cells, bank = rng.choice((4, 6, 10, 16)), _noise_bank()
    row, column = rng.randrange(360), rng.randrange(360)
    clouds = bank[row : row + cells, column : column + cells, :1]
    tones = np.asarray(base, np.float32) * 255 + clouds * rng.uniform(2, 9)
    small = Image.fromarray(np.clip(tones, 0, 255).astype(np.uint8))
    return small.resize((side_px, side_px), Image.Resampling.BICUBIC)


def _blur(image: Image.Image, rng: random.Random) -> Image.Image:
    """Defocus or motion blur, so strong that neither shapes nor letters can be recognised."""
    scale = image.width / SIDE_PX
    if rng.random() < 0.5:
        return image.filter(ImageFilter.GaussianBlur(rng.uniform(9, 14) * scale))
    along, across = rng.uniform(24, 34) * scale, 4.0 * scale
    radius = (along, across) if rng.random() < 0.5 else (across, along)
    return image.filter(ImageFilter.BoxBlur(radius)).filter(ImageFilter.GaussianBlur(across))


def _enlarged(scene: Scene, scale: float) -> Scene:
    """The scene with every length multiplied by `scale`."""

    def sign(one: Sign) -> Sign:
        width_px, height_px, font_px = (each * scale for each in (one.width_px, one.height_px, one.font_px))
        board = replace(one, width_px=width_px, height_px=height_px, font_px=round(font_px))
        return replace(board, x=one.x * scale, y=one.y * scale)

    things = (
        replace(one, x=one.x * scale, y=one.y * scale, radius_px=one.radius_px * scale)
        for one in scene.things
    )
    return replace(
        scene,
        things=tuple(things),
        sign=sign(scene.sign) if scene.sign else None,
        notices=tuple(sign(one) for one in scene.notices),
    )


def render(
    scene: Scene,
    frame: int = 0,
    side_px: int = SIDE_PX,
    draw_thing: Callable[[Image.Image, Thing], None] = _draw_thing,
    ground: Image.Image | None = None,
) -> NDArray[np.uint8]:
    """The picture of `scene`, uint8 [side_px, side_px, 3], enlarged to that side (less than 384).

    `frame` is the number of the frame in a clip: frames with the same `look` have the same background, and
    slightly different lighting and noise. ground: another background.
    """
    rng = random.Random(scene.look)
    image = _background(rng, side_px)
    if ground is not None:
        image = ground.copy()
    if side_px != SIDE_PX:
        scene = _enlarged(scene, side_px / SIDE_PX)
    tilt_x, tilt_y, gain = rng.uniform(-0.16, 0.16), rng.uniform(-0.16, 0.16), rng.uniform(0.72, 1.12)
    grain, soft = rng.uniform(0.5, 7.0), rng.random() < 0.4
    softness = rng.uniform(0.3, 0.9)
    rng = random.Random(scene.look + 1 + frame)
    for thing in scene.things:
        draw_thing(image, thing)
    for sign in scene.signs:
        _draw_sign(image, sign)
    if scene.quality == "blurred":
        image = _blur(image, rng)
    elif soft:
        image = image.filter(ImageFilter.GaussianBlur(softness * side_px / SIDE_PX))
    pixels = np.asarray(image, np.float32)
    x, y = _ramps(side_px)
    light = (gain * rng.uniform(0.97, 1.03)) * (1 + tilt_x * x + tilt_y * y)
    if scene.quality == "dark":
        light, grain = light * rng.uniform(0.02, 0.065), rng.uniform(1.5, 4.0)
    row, column = rng.randrange(384 - side_px), rng.randrange(384 - side_px)
    noise = _noise_bank()[row : row + side_px, column : column + side_px]
    return np.clip(pixels * light[:, :, None] + noise * grain, 0, 255).astype(np.uint8)
