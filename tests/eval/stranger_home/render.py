"""A stranger's view of a home as pixels: distance fields, shaded paint, shadows, textures, lens, JPEG."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.train.cutouts import Cutout
from tests.eval.stranger import letters
from tests.eval.stranger.shapes import Field, box, segment
from tests.eval.stranger.truth import Rgb
from tests.eval.stranger_home.cutouts import sampled
from tests.eval.stranger_home.furniture import Block, blocks, tinted
from tests.eval.stranger_home.look_at import letter_share
from tests.eval.stranger_home.outlines import LABELS, parts
from tests.eval.stranger_home.scene import Cover, HomePicture, Look, Thing

PAPERS = ("plain", "stripes", "dots", "plaster", "tiles")
_PAINTS: Mapping[str, Rgb] = {
    "gold": (206, 164, 62), "metal": (138, 142, 152), "glass": (204, 222, 232), "screen": (26, 34, 52),
    "light": (242, 242, 240), "accent": (92, 182, 224), "money": (128, 178, 120), "coffee": (84, 52, 32),
    "paper": (250, 246, 234), "wood": (122, 84, 52), "red": (212, 42, 40),
}  # fmt: skip
_SKINS: tuple[Rgb, ...] = ((232, 190, 160), (196, 146, 110), (134, 92, 66), (92, 62, 46))


def render(picture: HomePicture, frame: int = 0) -> NDArray[np.uint8]:
    """uint8 [height, width, 3]. Frames of one look differ in the sensor's noise alone."""
    look = picture.look
    rng = np.random.default_rng(look.seed)
    x, y = _room_grid(picture)
    canvas = _walls(picture, x, y, rng)
    for piece in picture.furniture:
        for block in blocks(piece):
            _draw_block(canvas, x, y, block, picture)
    for thing in picture.things:
        _draw_thing(canvas, x, y, thing, picture)
    if picture.cover is not None:
        _draw_cover(canvas, x, y, picture.cover, picture)
    if picture.held is not None:
        _draw_held(canvas, picture.held, picture)
    return _photographed(canvas, look, picture.short, rng, frame)


def _room_grid(picture: HomePicture) -> tuple[Field, Field]:
    """Room units of every pixel's middle, float32 [height, width] each."""
    turn = math.radians(picture.lean_deg)
    across = (np.arange(picture.width, dtype=np.float32) + 0.5 - picture.width / 2)[None, :]
    down = (np.arange(picture.height, dtype=np.float32) + 0.5 - picture.height / 2)[:, None]
    scale = picture.px_per_unit
    return (
        (math.cos(turn) * across + math.sin(turn) * down) / scale + picture.at[0],
        (math.cos(turn) * down - math.sin(turn) * across) / scale + picture.at[1],
    )


def _cover_of(distance: Field, soft: float) -> Field:
    """How much of each pixel is painted, [h, w, 1]; distance in px."""
    share = np.clip(0.5 - distance / soft, 0, 1)
    return (share * share * (3 - 2 * share))[:, :, None].astype(np.float32)


def _walls(picture: HomePicture, x: Field, y: Field, rng: np.random.Generator) -> Field:
    look = picture.look
    wall, floor = (np.asarray(rgb, np.float32) for rgb in (look.wall, look.floor))
    outdoors = picture.place == "park"
    phase = rng.uniform(0, 6)
    match "plain" if outdoors else look.paper:
        case "stripes":
            fine = 9.0 * np.tanh(4 * np.sin(x * 42 + phase))
        case "dots":
            fine = np.where(np.hypot((x * 9 + phase) % 1 - 0.5, (y * 9) % 1 - 0.5) < 0.16, -14.0, 0.0)
        case "plaster":
            fine = 3.0 * rng.standard_normal(x.shape)
        case "tiles":
            fine = np.where((np.abs((x * 6) % 1 - 0.5) > 0.47) | (np.abs((y * 6) % 1 - 0.5) > 0.47), -16.0, 0)
        case _:
            fine = 5.0 * np.sin(x * 1.7 + phase) + (24.0 * (y - 0.4) if outdoors else 0.0)
    above = wall + fine.astype(np.float32)[:, :, None]
    if outdoors:
        blades = 9 * np.sin(x * 160 + 11 * np.sin(y * 70)) * rng.uniform(0.4, 1.0)
    else:
        blades = np.where(np.abs(((y - picture.floor_y) * 9) % 1 - 0.5) > 0.46, -16.0, 4 * np.sin(y * 190))
    below = floor + blades.astype(np.float32)[:, :, None]
    lower = _cover_of((picture.floor_y - y) * picture.px_per_unit, look.edge)
    canvas: Field = above + (below - above) * lower
    if not outdoors:
        skirting = np.abs(y - picture.floor_y + 0.015) - 0.015
        rim = np.asarray(tinted(look.wall, 0.8), np.float32)
        canvas += (rim - canvas) * _cover_of(skirting * picture.px_per_unit, look.edge)
    return canvas.astype(np.float32)


def _window(
    picture: HomePicture, left: float, top: float, right: float, bottom: float
) -> tuple[slice, slice]:
    """Rows and columns that show a rectangle of the room."""
    placed = [picture.to_picture(x, y) for x in (left, right) for y in (top, bottom)]
    columns, rows = [at for at, _ in placed], [at for _, at in placed]
    return (
        slice(max(0, math.floor(min(rows)) - 3), max(0, min(picture.height, math.ceil(max(rows)) + 3))),
        slice(max(0, math.floor(min(columns)) - 3), max(0, min(picture.width, math.ceil(max(columns)) + 3))),
    )


def _paint(rgb: Rgb, across: Field, down: Field, gloss: float) -> Field:
    """A colour, lighter at the top left; across and down: -1 to 1 within what is painted."""
    slope = np.clip(-(across + 1.4 * down) * 0.3, -0.5, 0.5)[:, :, None]
    return np.clip(np.asarray(rgb, np.float32) * (1 + 0.42 * gloss * slope) + 16 * gloss * slope, 0, 255)


def _draw_block(canvas: Field, x: Field, y: Field, block: Block, picture: HomePicture) -> None:
    reach_x, reach_y = block.half_width + 0.04, block.half_height + 0.04
    window = _window(picture, block.x - reach_x, block.y - reach_y, block.x + reach_x, block.y + reach_y)
    part = canvas[window]
    if not part.size:
        return
    across, down = x[window] - block.x, y[window] - block.y
    look, scale = picture.look, picture.px_per_unit
    shade = box(across - 0.012, down - 0.016, block.half_width, block.half_height, block.corner)
    part *= 1 - 0.4 * look.shadow * _cover_of(shade * scale, 0.03 * scale)
    paint = _paint(block.rgb, across / block.half_width, down / block.half_height, look.gloss)
    if block.grain:
        wood = np.sin(70 * down + 3 * np.sin(5 * across + block.x)) * 7 * block.grain
        paint = np.clip(paint + wood.astype(np.float32)[:, :, None], 0, 255)
    distance = box(across, down, block.half_width, block.half_height, block.corner)
    part += (paint - part) * _cover_of(distance * scale, look.edge)


def _draw_thing(canvas: Field, x: Field, y: Field, thing: Thing, picture: HomePicture) -> None:
    reach = max(thing.width, thing.height) * 0.75
    middle = thing.y - thing.height / 2
    window = _window(picture, thing.x - reach, middle - reach, thing.x + reach, middle + reach)
    part = canvas[window]
    if part.size:
        turn = math.radians(thing.lean_deg)
        dx, dy = x[window] - thing.x, y[window] - thing.y
        across = (math.cos(turn) * dx + math.sin(turn) * dy) / thing.height
        down = (math.cos(turn) * dy - math.sin(turn) * dx) / thing.height
        _fill_thing(part, across, down, thing, picture.look, thing.height * picture.px_per_unit)


def _fill_thing(part: Field, across: Field, down: Field, thing: Thing, look: Look, scale: float) -> None:
    """Paints a thing; scale: its height in px."""
    if thing.cutout is not None:
        _fill_cutout(part, across, down, thing.cutout, look, scale)
        return
    pale, black = sum(thing.rgb) > 560, sum(thing.rgb) <= 130
    paints = {
        **_PAINTS, "body": thing.rgb,
        "dark": (92, 92, 98) if black else tinted(thing.rgb, 0.5),
        "shade": (58, 58, 64) if black else tinted(thing.rgb, 0.78),
        "ink": (40, 40, 46) if sum(thing.rgb) > 330 else (228, 228, 232),
        "cross": (206, 36, 40) if pale else (248, 248, 246),
    }  # fmt: skip
    drawn = parts(thing.name, across, down)
    for distance, _ in drawn:
        lifted = np.roll(distance, (max(1, round(0.02 * scale)), max(1, round(0.02 * scale))), (0, 1))
        part *= 1 - 0.3 * look.shadow * _cover_of(lifted * scale, 0.07 * scale)
    aspect = thing.width / thing.height
    for distance, name in drawn:
        paint = _paint(paints[name], across * 2 / aspect, down * 2 + 1, look.gloss)
        part += (paint - part) * _cover_of(distance * scale, look.edge)
    if thing.label:
        at_x, at_y, _, _ = LABELS[thing.name]
        tall = letter_share(thing)
        lines = letters.written(across - at_x, down - at_y, thing.label, tall, 0.0) - tall * 0.085
        part += (np.asarray((24, 24, 30), np.float32) - part) * _cover_of(lines * scale, look.edge)


def _fill_cutout(part: Field, across: Field, down: Field, cutout: Cutout, look: Look, scale: float) -> None:
    """Paints somebody's picture of a thing, with a shadow; scale: its height in px."""
    paint, share = sampled(cutout, across, down, scale)
    far = max(1, round(0.02 * scale))
    part *= 1 - 0.3 * look.shadow * np.roll(share, (far, far), (0, 1))
    part += (paint - part) * share


def _draw_cover(canvas: Field, x: Field, y: Field, cover: Cover, picture: HomePicture) -> None:
    middle_x, middle_y = (cover.left + cover.right) / 2, (cover.top + cover.bottom) / 2
    half_x, half_y = (cover.right - cover.left) / 2, (cover.bottom - cover.top) / 2
    dark = tinted(cover.rgb, 0.82)
    for block in (
        Block(middle_x, middle_y, half_x, half_y, cover.rgb, 0.01),
        Block(middle_x, middle_y - half_y * 0.86, half_x, half_y * 0.1, dark),
        Block(middle_x, middle_y, half_x * 0.1, half_y, dark),
    ):
        _draw_block(canvas, x, y, block, picture)


def _draw_held(canvas: Field, held: Thing, picture: HomePicture) -> None:
    """The thing, a forearm from below, and fingers around the thing's lower part."""
    short, look = picture.short, picture.look
    across = ((np.arange(picture.width, dtype=np.float32) + 0.5) / short - held.x)[None, :]
    down = ((np.arange(picture.height, dtype=np.float32) + 0.5) / short - held.y)[:, None]
    across, down = np.broadcast_arrays(across, down)
    skin = _SKINS[look.seed % len(_SKINS)]
    length = picture.height / short - held.y + 0.3

    def limb(start: tuple[float, float], end: tuple[float, float], radius: float, rgb: Rgb) -> None:
        distance = segment(across, down, start, end) - radius
        paint = _paint(rgb, across * 6, down * 4, look.gloss)
        canvas[:] += (paint - canvas) * _cover_of(distance * short, look.edge)

    limb((0.03, 0.03), (0.1, length), 0.085, skin)
    _fill_thing(canvas, across / held.height, down / held.height, held, look, held.height * short)
    reach = min(max(held.width / 2, 0.07), 0.13)
    for finger in range(4):
        level = -0.1 + 0.045 * finger
        limb((-reach, level), (reach * 0.35, level + 0.012), 0.024, tinted(skin, 0.94 + 0.02 * finger))
    limb((reach, 0.04), (reach * 0.75, -0.1), 0.03, skin)


def _lens(canvas: Field, look: Look, short: int) -> Field:
    """A lens out of focus (a disc), or a shake (a line), by convolution."""
    if look.blur <= 0:
        return canvas
    height, width = canvas.shape[:2]
    radius = look.blur * short
    pad = math.ceil(radius) + 1
    filled = np.pad(canvas, ((pad, pad), (pad, pad), (0, 0)), mode="edge")
    y = np.fft.fftfreq(filled.shape[0], 1 / filled.shape[0])[:, None]
    x = np.fft.fftfreq(filled.shape[1], 1 / filled.shape[1])[None, :]
    if look.motion_deg is None:
        kernel: Field = np.clip(radius + 0.5 - np.hypot(x, y), 0, 1)
    else:
        turn = math.radians(look.motion_deg)
        end = (radius * 1.6 * math.cos(turn), radius * 1.6 * math.sin(turn))
        across, down = np.broadcast_arrays(x, y)
        kernel = np.clip(radius * 0.25 + 0.5 - segment(across, down, (-end[0], -end[1]), end), 0, 1)
    spectrum = np.fft.rfft2(kernel / kernel.sum())
    blurred = np.stack(
        [np.fft.irfft2(np.fft.rfft2(filled[:, :, c]) * spectrum, filled.shape[:2]) for c in range(3)], axis=2
    )
    return blurred[pad : pad + height, pad : pad + width].astype(np.float32)


def _photographed(
    canvas: Field, look: Look, short: int, rng: np.random.Generator, frame: int
) -> NDArray[np.uint8]:
    """Lens, light, noise and JPEG."""
    canvas = _lens(canvas, look, short)
    height, width = canvas.shape[:2]
    x, y = np.linspace(-0.5, 0.5, width)[None, :], np.linspace(-0.5, 0.5, height)[:, None]
    slope = rng.uniform(-0.2, 0.2, 2)
    light = look.gain * (1 + slope[0] * x + slope[1] * y) * (1 - look.vignette * 2 * (x * x + y * y))
    tint = np.array((1 + 0.1 * look.warmth, 1.0, 1 - 0.1 * look.warmth))
    lit = canvas * light[:, :, None] * tint
    sensor = np.random.default_rng((look.seed, frame)) if frame else rng
    lit += sensor.standard_normal((height, width, 1)) * look.grain
    lit += sensor.standard_normal(canvas.shape) * (look.grain / 3)
    file = io.BytesIO()
    Image.fromarray(np.clip(lit, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=look.quality)
    return np.asarray(Image.open(file).convert("RGB")).copy()
