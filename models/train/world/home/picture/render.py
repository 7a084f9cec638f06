"""Renders a view of the home: the place, the things, what stands in the way, then light, blur and noise."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.home.picture.places import draw_place
from models.train.world.home.picture.sprites import draw_thing
from models.train.world.home.things import size_of
from models.train.world.home.views import SIDE_PX, Camera, Cover, Light, Thing, View, in_front, pose_of
from models.train.world.scenes import Rgb

_SUPER = 2
_SKINS: tuple[Rgb, ...] = ((238, 200, 170), (214, 164, 126), (160, 112, 78), (104, 70, 50))


@cache
def _noise_bank() -> NDArray[np.float32]:
    """Standard normal values, float32 [640, 640], the same for the three colours of a pixel."""
    return np.random.default_rng(11).standard_normal((640, 640), dtype=np.float32)


@cache
def _ramp(side_px: int) -> NDArray[np.float32]:
    return np.linspace(-1, 1, side_px, dtype=np.float32)


def _cover(pen: Pen, cover: Cover) -> None:
    left, top, right, bottom, edge = cover.left, cover.top, cover.right, cover.bottom, edge_of(cover.rgb)
    middle = (left + right) / 2
    if cover.look == 1:
        pen.rounded(left, top, right, bottom, 4, cover.rgb, edge, 1.2)
        pen.rounded(left + 3, top + 3, right - 3, bottom - 3, 3, None, shade(cover.rgb, 0.8), 0.8)
        return
    pen.rect(left, top, right, bottom, cover.rgb, edge, 1.2)
    if cover.look == 0:
        pen.rect(middle - 3, top, middle + 3, bottom, shade(cover.rgb, 1.35))
    else:
        for share in (0.2, 0.45, 0.7):
            x = left + share * (right - left)
            pen.line(((x, top), (x + 1.5, bottom)), shade(cover.rgb, 0.8), 1.4)


def _hand(pen: Pen, skin: Rgb) -> None:
    """The forearm and the fingers that hold a thing; the origin is near the middle of its lower edge, the
    unit is its longer side.
    """
    edge = shade(skin, 0.6)
    pen.polygon(((-0.2, 0.14), (0.22, 0.14), (0.4, 1.5), (-0.18, 1.5)), skin, edge, 0.016)
    pen.rounded(-0.26, -0.12, 0.26, 0.26, 0.12, skin, edge, 0.016)
    for index in range(4):
        y = -0.13 + 0.085 * index
        pen.rounded(-0.29, y, 0.04, y + 0.085, 0.04, skin, edge, 0.014)
    pen.at(0.2, -0.02, 1, 24).rounded(-0.06, -0.17, 0.06, 0.12, 0.06, skin, edge, 0.014)


def _things(pen: Pen, view: View) -> None:
    held: list[Thing] = []
    for thing in in_front(view.things):
        if thing.held:
            held.append(thing)
            continue
        own = pen.thing_at(thing.x, thing.y, thing.design, size_of(thing.kind, thing.style))
        draw_thing(own, thing.kind, thing.style, thing.rgb, thing.label)
    if view.cover is not None:
        _cover(pen, view.cover)
    for thing in held:
        x, y, scale, angle_deg = pose_of(thing, view.camera)
        own = pen.at(x, y, scale, angle_deg)
        draw_thing(own, thing.kind, thing.style, thing.rgb, thing.label)
        longer = max(size_of(thing.kind, thing.style))
        skin = _SKINS[view.layout_number % len(_SKINS)]
        flat = 0.09 if size_of(thing.kind, thing.style)[1] < 0.6 * longer else 0.0
        _hand(own.at(0, flat * longer, longer), skin)


def _blurred(image: Image.Image, light: Light) -> Image.Image:
    """Defocus or motion blur; a strong one is computed on a smaller picture."""
    radius = light.blur * image.width
    if radius < 0.3:
        return image
    shrink = max(1, int(radius / 3))
    small, own = (image.reduce(shrink), radius / shrink) if shrink > 1 else (image, radius)
    if light.motion:
        along, across = own * 2.4, own * 0.3
        box = (along, across) if light.motion == "x" else (across, along)
        small = small.filter(ImageFilter.BoxBlur(box)).filter(ImageFilter.GaussianBlur(own * 0.4))
    else:
        small = small.filter(ImageFilter.GaussianBlur(own))
    return small.resize(image.size, Image.Resampling.BICUBIC) if shrink > 1 else small


def _span(camera: Camera) -> tuple[float, float, float, float]:
    corners = [camera.to_room(u, v) for u in (0.0, 1.0) for v in (0.0, 1.0)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def render(
    view: View, side_px: int = SIDE_PX, pen: Callable[[Image.Image, tuple[float, ...]], Pen] = Pen
) -> NDArray[np.uint8]:
    """The picture of `view`, uint8 [side_px, side_px, 3]; equal views give equal pictures. pen: makes what
    draws, from image and pose.
    """
    place = view.layout
    image = Image.new("RGB", (side_px * _SUPER, side_px * _SUPER), place.wall)
    pose = view.camera.pose(side_px * _SUPER)
    draw_place(pen(image, pose), place, _span(view.camera))
    _things(pen(image, pose), view)
    pixels = np.asarray(_blurred(image.reduce(_SUPER), view.light), np.float32)
    rng, light = random.Random(view.look), view.light
    ramp = _ramp(side_px)
    field = (1 + light.slope_y * ramp)[:, None] + (light.slope_x * ramp)[None, :]
    tint = np.array((1 + 0.12 * light.warmth, 1.0, 1 - 0.12 * light.warmth), np.float32)
    lit = pixels * (field * light.level).astype(np.float32)[:, :, None]
    lit *= tint
    row, column = rng.randrange(640 - side_px), rng.randrange(640 - side_px)
    lit += (_noise_bank()[row : row + side_px, column : column + side_px] * light.grain)[:, :, None]
    np.clip(lit, 0, 255, out=lit)
    return lit.astype(np.uint8)
