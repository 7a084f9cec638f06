"""Draws polygons, ovals, lines and words in room units, through a camera's pose."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from models.train.world.scenes import Rgb, sign_font

Points = Sequence[tuple[float, float]]


def shade(rgb: Rgb, factor: float) -> Rgb:
    """`rgb` darker for a factor below 1, nearer to white for one above 1 (2 is white)."""
    if factor <= 1:
        red, green, blue = (round(part * factor) for part in rgb)
    else:
        red, green, blue = (round(part + (255 - part) * (factor - 1)) for part in rgb)
    return red, green, blue


def differs_from(image: Image.Image | NDArray[np.integer], rgb: Rgb) -> NDArray[np.bool_]:
    """bool [height, width]: where something was drawn on a ground of `rgb`."""
    red, green, blue = np.asarray(image).transpose(2, 0, 1)
    return np.asarray((red != rgb[0]) | (green != rgb[1]) | (blue != rgb[2]))


def luminance(rgb: Rgb) -> float:
    """Brightness as the eye weighs it, 0 to 255."""
    return 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2]


def edge_of(rgb: Rgb) -> Rgb:
    """The colour of the outline of something in `rgb`: darker, or lighter around what is nearly black."""
    return shade(rgb, 0.45) if luminance(rgb) > 60 else shade(rgb, 1.38)


def ink_on(rgb: Rgb) -> Rgb:
    """Black or white, whichever can be read on `rgb`."""
    return (20, 20, 24) if luminance(rgb) > 130 else (245, 245, 245)


@cache
def _unit_circle(steps: int) -> tuple[tuple[float, float], ...]:
    return tuple(
        (math.cos(math.tau * step / steps), math.sin(math.tau * step / steps)) for step in range(steps)
    )


class Pen:
    """Draws on `image`; (x, y) lands at (ax + cy + e, bx + dy + f) pixels for `pose` (a, b, c, d, e, f)."""

    def __init__(self, image: Image.Image, pose: tuple[float, ...]) -> None:
        self._image, self._draw, self._pose = image, ImageDraw.Draw(image), pose
        self._scale = math.sqrt(abs(pose[0] * pose[3] - pose[1] * pose[2]))

    def at(self, x: float, y: float, scale: float = 1.0, angle_deg: float = 0.0, flip: bool = False) -> Pen:
        """A pen whose origin is (x, y), enlarged by `scale`, turned clockwise, mirrored left to right."""
        a, b, c, d, e, f = self._pose
        cos, sin = math.cos(math.radians(angle_deg)) * scale, math.sin(math.radians(angle_deg)) * scale
        side = -1 if flip else 1
        pose = (
            (a * cos + c * sin) * side, (b * cos + d * sin) * side, c * cos - a * sin, d * cos - b * sin,
            a * x + c * y + e, b * x + d * y + f,
        )  # fmt: skip
        other = copy.copy(self)
        other._pose, other._scale = pose, self._scale * scale
        return other

    def thing_at(self, x: float, y: float, design: str, size: tuple[float, float]) -> Pen:
        """A pen for a thing that stands or hangs at (x, y). design: the same for things of one form; size:
        width and height of its box, units.
        """
        return self.at(x, y)

    def _placed(self, points: Points) -> list[tuple[float, float]]:
        a, b, c, d, e, f = self._pose
        return [(a * x + c * y + e, b * x + d * y + f) for x, y in points]

    def polygon(self, points: Points, fill: Rgb | None, edge: Rgb | None = None, width: float = 0.9) -> None:
        """A filled polygon, with an outline of `width` units where `edge` is given."""
        placed = self._placed(points)
        if fill is not None:
            self._draw.polygon(placed, fill=fill)
        if edge is not None:
            self._stroke([*placed, placed[0], placed[1]], edge, width)

    def rect(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: Rgb | None,
        edge: Rgb | None = None,
        width: float = 0.9,
    ) -> None:
        """An upright rectangle."""
        self.polygon(((left, top), (right, top), (right, bottom), (left, bottom)), fill, edge, width)

    def cross(self, x: float, y: float, size: float, fill: Rgb) -> None:
        """A cross with thick arms, as on a medicine box, which reach `size` units from (x, y)."""
        arm = size * 0.36
        self.rect(x - arm, y - size, x + arm, y + size, fill)
        self.rect(x - size, y - arm, x + size, y + arm, fill)

    def rounded(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        corner: float,
        fill: Rgb | None,
        edge: Rgb | None = None,
        width: float = 0.9,
    ) -> None:
        """An upright rectangle with round corners of radius `corner`."""
        corner = min(corner, (right - left) / 2, (bottom - top) / 2)
        centres = (
            (right - corner, bottom - corner),
            (left + corner, bottom - corner),
            (left + corner, top + corner),
            (right - corner, top + corner),
        )
        circle = _unit_circle(16)
        points = [
            (
                cx + corner * circle[(4 * quarter + step) % 16][0],
                cy + corner * circle[(4 * quarter + step) % 16][1],
            )
            for quarter, (cx, cy) in enumerate(centres)
            for step in range(5)
        ]
        self.polygon(points, fill, edge, width)

    def oval(
        self,
        x: float,
        y: float,
        radius_x: float,
        radius_y: float,
        fill: Rgb | None,
        edge: Rgb | None = None,
        width: float = 0.9,
    ) -> None:
        """An ellipse around (x, y)."""
        circle = _unit_circle(28)
        self.polygon([(x + radius_x * cx, y + radius_y * cy) for cx, cy in circle], fill, edge, width)

    def arc(
        self,
        x: float,
        y: float,
        radius_x: float,
        radius_y: float,
        first_deg: float,
        last_deg: float,
        fill: Rgb,
        width: float,
    ) -> None:
        """A part of an ellipse as a line; 0 degrees is to the right, 90 is down."""
        turns = [math.radians(first_deg + (last_deg - first_deg) * step / 14) for step in range(15)]
        self.line([(x + radius_x * math.cos(t), y + radius_y * math.sin(t)) for t in turns], fill, width)

    def line(self, points: Points, fill: Rgb, width: float) -> None:
        """A line through `points`, `width` units wide."""
        self._stroke(self._placed(points), fill, width)

    def _stroke(self, placed: list[tuple[float, float]], fill: Rgb, width: float) -> None:
        self._draw.line(placed, fill=fill, width=max(1, round(width * self._scale)), joint="curve")

    def picture(self, left: float, top: float, right: float, bottom: float, rgba: NDArray[np.uint8]) -> None:
        """A picture, uint8 [h, w, 4], over an upright rectangle; it turns with the pen."""
        (x0, y0), (x1, y1), (x2, y2) = self._placed(((left, top), (right, top), (left, bottom)))
        high, wide = rgba.shape[:2]
        per_px = wide / math.hypot(x1 - x0, y1 - y0) + high / math.hypot(x2 - x0, y2 - y0)
        smaller = max(1, math.floor(per_px / 2))
        image = Image.fromarray(rgba).convert("RGBa").reduce(smaller)
        across, down = (x1 - x0) / image.width, (y1 - y0) / image.width
        other_across, other_down = (x2 - x0) / image.height, (y2 - y0) / image.height
        size = across * other_down - down * other_across
        xs, ys = (x0, x1, x2, x1 + x2 - x0), (y0, y1, y2, y1 + y2 - y0)
        at_x, at_y = max(0, math.floor(min(xs))), max(0, math.floor(min(ys)))
        to_x, to_y = min(self._image.width, math.ceil(max(xs))), min(self._image.height, math.ceil(max(ys)))
        if to_x <= at_x or to_y <= at_y:
            return
        from_x, from_y = at_x - x0, at_y - y0
        back = (
            other_down / size, -other_across / size, (other_down * from_x - other_across * from_y) / size,
            -down / size, across / size, (across * from_y - down * from_x) / size,
        )  # fmt: skip
        turned = image.transform(
            (to_x - at_x, to_y - at_y), Image.Transform.AFFINE, back, Image.Resampling.BILINEAR
        ).convert("RGBA")
        self._image.paste(turned.convert("RGB"), (at_x, at_y), turned.getchannel("A"))

    def text(self, x: float, y: float, text: str, height: float, fill: Rgb) -> None:
        """Words around (x, y) in letters `height` units high; they turn with the pen."""
        size_px = round(height * self._scale / 0.72)
        if size_px < 4:
            return
        font = sign_font(size_px)
        left, top, right, bottom = font.getbbox(text, anchor="mm")
        width_px, height_px = int(right - left) + 4, int(bottom - top) + 4
        mask = Image.new("L", (width_px, height_px))
        ImageDraw.Draw(mask).text(
            (2 - left, 2 - top), text, fill=255, font=font, anchor="mm", stroke_width=0.4
        )
        a, b, c, d, e, f = self._pose
        turned = mask.rotate(math.degrees(math.atan2(c, d)), Image.Resampling.BICUBIC, expand=True)
        corner = (round(a * x + c * y + e - turned.width / 2), round(b * x + d * y + f - turned.height / 2))
        self._image.paste(fill, corner, turned)
