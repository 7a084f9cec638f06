"""A stranger's picture as pixels: distance fields, gradients, soft shadows, light, noise and JPEG."""

from __future__ import annotations

import io
import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tests.eval.stranger import letters, shapes
from tests.eval.stranger.backdrop import backdrop
from tests.eval.stranger.shapes import Field
from tests.eval.stranger.truth import Board, Item, Picture, Rgb, Style

_SHADOW_AWAY, _SHADOW_SOFT = 0.18, 0.30
"""Offset and softness of a shadow, in radii."""


def render(picture: Picture, frame: int = 0) -> NDArray[np.uint8]:
    """uint8 [height, width, 3]. Frames of a pair differ in noise and very little in light."""
    style = picture.style
    canvas: Field = backdrop(style, picture.width, picture.height)
    x = np.arange(picture.width, dtype=np.float32)[None, :] + 0.5
    y = np.arange(picture.height, dtype=np.float32)[:, None] + 0.5
    x, y = np.broadcast_arrays(x, y)
    for item in picture.items:
        _draw_item(canvas, x, y, item, style)
    if picture.board is not None:
        _draw_board(canvas, x, y, picture.board, style)
    rng = np.random.default_rng((style.seed, frame))
    away = ((x / picture.width - 0.5) ** 2 + (y / picture.height - 0.5) ** 2) * 2
    light = style.gain * rng.uniform(0.98, 1.02) * (1 - style.vignette * away)
    canvas = canvas * light[:, :, None]
    canvas += rng.standard_normal(light.shape)[:, :, None] * style.grain
    canvas += rng.standard_normal(canvas.shape) * (style.grain / 3)
    return _compressed(np.clip(canvas, 0, 255).astype(np.uint8), style.quality)


def _compressed(pixels: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file).convert("RGB")).copy()


def _window(canvas: Field, x: float, y: float, half_width: float, half_height: float) -> tuple[slice, slice]:
    """Rows and columns around a thing, clear of the picture's borders."""
    height, width = canvas.shape[:2]
    rows = slice(max(0, math.floor(y - half_height)), min(height, math.ceil(y + half_height)))
    return rows, slice(max(0, math.floor(x - half_width)), min(width, math.ceil(x + half_width)))


def _cover(distance: Field, soft: float) -> Field:
    """How much of each pixel is covered, 0 to 1, [h, w, 1]; distance in px, softened over `soft` px."""
    share = np.clip(0.5 - distance / soft, 0, 1)
    return (share * share * (3 - 2 * share))[:, :, None].astype(np.float32)


def _mix(under: Field, over: Field, cover: Field) -> None:
    under += (over - under) * cover


def _draw_item(canvas: Field, x: Field, y: Field, item: Item, style: Style) -> None:
    reach = item.radius * 1.6 + 2
    window = _window(canvas, item.x, item.y, reach, reach)
    part = canvas[window]
    across, down = ((axis[window] - at) / item.radius for axis, at in ((x, item.x), (y, item.y)))
    dark = np.float32(0.35) * part
    shade = shapes.outline(item.kind, across - _SHADOW_AWAY, down - _SHADOW_AWAY, item.lean_deg)
    _mix(part, dark, _cover(shade, _SHADOW_SOFT) * style.shadow)
    distance = shapes.outline(item.kind, across, down, item.lean_deg)
    paint = _shaded(item.rgb, across, down, style.gloss)
    rim = np.clip(1 + distance * 9, 0, 1)[:, :, None] * style.rim
    paint = paint * (1 - 0.3 * rim)
    _mix(part, paint, _cover(distance * item.radius, style.edge))


def _shaded(rgb: Rgb, across: Field, down: Field, gloss: float) -> Field:
    """The colour, lighter at the top left and darker at the bottom right."""
    slope = np.clip(-(across + down) * 0.35, -0.5, 0.5)[:, :, None]
    paint = np.asarray(rgb, np.float32)
    return np.clip(paint * (1 + 0.3 * gloss * slope) + 22 * gloss * slope, 0, 255)


def _draw_board(canvas: Field, x: Field, y: Field, board: Board, style: Style) -> None:
    window = _window(canvas, board.x, board.y, board.half_width + 12, board.half_height + 12)
    part = canvas[window]
    across, down = x[window] - board.x, y[window] - board.y
    shade = shapes.box(across - 4, down - 4, board.half_width, board.half_height, board.corner)
    _mix(part, np.float32(0.4) * part, _cover(shade, 7.0) * style.shadow)
    plate = shapes.box(across, down, board.half_width, board.half_height, board.corner)
    _mix(part, np.asarray(board.rgb, np.float32), _cover(plate, style.edge))
    ink = np.asarray(board.ink, np.float32)
    _mix(part, ink, _cover(np.abs(plate + 3) - 0.6, style.edge) * style.rim)
    lines = letters.written(across, down, board.text, board.letter_height, board.slant)
    _mix(part, ink, _cover(lines - board.stroke / 2, style.edge))
