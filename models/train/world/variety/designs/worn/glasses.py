"""Glasses in six forms, every part of them varied at random."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, luminance, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.worn.parts import METAL, accent, cord, smooth, tone


def _glasses(
    pen: Pen,
    rng: random.Random,
    rgb: Rgb,
    shape: tuple[float, float, float, float],
    rim: float,
    lens: Rgb | None,
    yaw: float,
    pitch: float,
    folded: bool = False,
    half_rim: bool = False,
    bridges: int = 1,
) -> None:
    """Glasses seen from `yaw` and `pitch` degrees; shape: height, squareness, lift, taper."""
    tall, power, lift, taper = shape
    wide, gap = rng.uniform(7.6, 8.6), rng.uniform(1.5, 2.4)
    cos, sin = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))

    def seen(x: float, y: float, z: float) -> tuple[float, float]:
        """Where a spot lies in the picture; z counts backwards."""
        back = z * cos - x * sin
        turned, tilt = x * cos + z * sin, math.radians(pitch)
        return turned, y * math.cos(tilt) - back * math.sin(tilt)

    rims: list[list[tuple[float, float, float]]] = []
    for side in (-1, 1):
        ring = []
        for step in range(32):
            c, s = math.cos(math.tau * step / 32), math.sin(math.tau * step / 32)
            reach = (abs(c) ** power + abs(s) ** power) ** (-1 / power)
            x, y = c * reach, s * reach
            across = x * wide * (1 - taper * (y + 0.3)) - taper * (y + 1) * 1.5
            ring.append((side * (wide + gap + across), y * tall - lift * ((x + 1) / 2) ** 2 * (1 - y), 0.0))
        rims.append(ring)
    hinge, top = 2 * wide + gap + rim * 0.3 + taper * 4, -tall * 0.55 - lift * 0.8
    length, bend = rng.uniform(22, 27), rng.uniform(2.5, 4)
    arms = []
    for side in (-1, 1):
        if folded:
            rise = rng.uniform(-1.5, 1.5)
            path = [(side * hinge, top, 1.5), (-side * hinge * 0.6, top + rise, 2.5)]
            path.append((-side * hinge * 0.85, top + rise + bend * 1.5, 2.5))
        else:
            path = [(side * hinge, top, 0.0), (side * hinge * 0.97, top, length * 0.72)]
            path.append((side * hinge * 0.93, top + bend, length))
        arms.append(path)
    flat = [seen(*spot) for part in (*rims, *arms) for spot in part]
    left, right = min(x for x, _ in flat) - rim / 2, max(x for x, _ in flat) + rim / 2
    low, high = max(y for _, y in flat) + rim / 2, min(y for _, y in flat) - rim / 2
    scale = min(rng.uniform(38, 43) / (right - left), rng.uniform(16, 18.5) / (low - high))
    pen = pen.at(-(left + right) / 2 * scale, -low * scale, scale)
    arm_rgb = accent(rng, rgb) if rng.random() < 0.12 else tone(rgb, rng.uniform(0, 0.25))
    for path in arms:
        cord(pen, smooth([seen(*spot) for spot in path], closed=False), arm_rgb, max(rim * 0.75, 1.3))
    inner = gap + (0.8 if power < 2.4 else 0.2)
    for k in range(bridges):
        y = top * (0.55 if bridges == 1 else 0.2) - k * tall * 0.62
        bow = [(-inner - k, y + 0.8), (0.0, y - (0.9 if k == 0 else 0.1)), (inner + k, y + 0.8)]
        cord(pen, smooth([seen(x, v, 0) for x, v in bow], closed=False), rgb, max(rim * 0.8, 1.2))
    for ring in rims:
        spots = [seen(*spot) for spot in ring]
        if lens is not None:
            pen.polygon(spots, lens, shade(lens, 0.6), 0.6)
            x, y = sum(p[0] for p in spots) / 32, sum(p[1] for p in spots) / 32
            for k in range(rng.randint(0, 2)):
                pen.line([(x - 3 + k * 2.2, y + 1.8), (x - 0.5 + k * 2.2, y - 2.2)], shade(lens, 1.45), 0.9)
        rimmed = [*spots[15:], *spots[:2]] if half_rim else [*spots, spots[0], spots[1]]
        if half_rim:
            pen.line([*spots, spots[0]], shade(METAL, 0.7), 0.5)
        cord(pen, rimmed, rgb, rim)
    if rng.random() < 0.4:
        for side in (-1, 1):
            pen.oval(*seen(side * hinge, top, 0), 0.6, 0.6, shade(METAL, 1.5))


def draw_glasses(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Round, half-rimmed, thick dark, folded, seen from the side, or with drop-shaped tinted lenses."""
    clear = rng.choice([None, (222, 234, 240), (236, 240, 240), shade(rgb, 1.75), (205, 222, 232)])
    dark = rng.choice([(48, 50, 56), (66, 58, 50), (40, 52, 62), shade(rgb, 0.35)])
    dark = shade(dark, 1.25) if luminance(rgb) < 60 else dark
    u, yaw, lean = rng.uniform, rng.uniform(-16, 16), rng.uniform(-5, 5)
    pen = pen.at(0, -1, 1, lean)
    if form == 0:
        _glasses(pen, rng, rgb, (u(7.2, 8.4), 2, 0, 0), u(1.5, 2.6), clear, yaw, u(0, 14))
    elif form == 1:
        shape = (u(4.6, 5.6), u(3.2, 5), u(0, 0.4), u(0, 0.08))
        _glasses(pen, rng, rgb, shape, u(1.9, 3), clear, yaw, u(22, 34), half_rim=rng.random() < 0.6)
    elif form == 2:
        shape = (u(6.6, 7.8), u(2.6, 3.4), u(0.5, 2.4), u(0.06, 0.16))
        _glasses(pen, rng, rgb, shape, u(2.8, 3.9), dark, yaw, u(0, 12))
    elif form == 3:
        shape = (u(5.6, 7.4), u(2, 4), u(0, 0.8), u(0, 0.1))
        lens = clear if rng.random() < 0.5 else None
        _glasses(pen, rng, rgb, shape, u(1.9, 3.2), lens, yaw, u(-6, 12), folded=True)
    elif form == 4:
        shape, side = (u(5.6, 7.2), u(2, 4), u(0, 1), u(0, 0.12)), rng.choice((-1, 1))
        lens = dark if rng.random() < 0.3 else clear
        _glasses(pen, rng, rgb, shape, u(1.9, 3.2), lens, side * u(30, 48), u(14, 24))
    else:
        lens = rng.choice([shade(rgb, 0.6), shade(rgb, 0.75), shade(rgb, 1.3), dark])
        _glasses(
            pen,
            rng,
            rgb,
            (u(6.6, 7.8), 2.5, u(0, 0.5), u(0.14, 0.24)),
            u(1.4, 2.2),
            lens,
            yaw,
            u(0, 12),
            bridges=2,
        )
