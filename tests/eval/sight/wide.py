"""Closed questions about wide and tall scenes, for each way to make such a picture square.

    python -m tests.eval.sight.wide [--scenes 100] [--ways whole crop]

The things of a scene are spread over the picture; "things x1.33" are larger than in training by that factor,
relative to the picture's short side. `whole` is what the headband does with the micro pack
(`models.pixels.square_pixels`).
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.pack.catalogue import PACKS_FOLDER
from models.pixels import square_pixels
from models.train.sight.evaluate import CLOSED, Case, interval
from models.train.sight.runtime import AnswerDecoder, Encoder, encoder_in
from models.train.world.drawing import _draw_sign, _draw_thing
from models.train.world.questions import ask_many
from models.train.world.scenes import SIDE_PX, Scene, Sign, Thing, random_scene

Pixels = NDArray[np.uint8]
SHAPES = {"1:1": 1.0, "4:3": 4 / 3, "16:9": 16 / 9, "3:4": 3 / 4, "9:16": 9 / 16}
_FINE = 3
"""Scale at which the picture is drawn, in pixels per pixel of the scene."""


def _resized(picture: Pixels, width: int, height: int) -> Pixels:
    image = Image.fromarray(np.ascontiguousarray(picture))
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=3.0))


def cropped(picture: Pixels, side: int) -> Pixels:
    """The centre square."""
    size = min(picture.shape[:2])
    top, left = ((extent - size) // 2 for extent in picture.shape[:2])
    return _resized(picture[top : top + size, left : left + size], side, side)


def squeezed(picture: Pixels, side: int) -> Pixels:
    """Height and width scaled independently."""
    return _resized(picture, side, side)


def padded(picture: Pixels, side: int, colour: int | None = None) -> Pixels:
    """The whole picture, padded with the pixels of its edges, or with a grey of 0 to 255."""
    height, width = picture.shape[:2]
    tall, broad = (max(1, round(side * extent / max(height, width))) for extent in (height, width))
    top, left = (side - tall) // 2, (side - broad) // 2
    around = ((top, side - tall - top), (left, side - broad - left), (0, 0))
    small = _resized(picture, broad, tall)
    if colour is None:
        return np.pad(small, around, mode="edge")
    return np.pad(small, around, constant_values=colour)


WAYS: dict[str, Callable[[Pixels, int], Pixels]] = {
    "whole": square_pixels,
    "crop": cropped,
    "squeeze": squeezed,
    "pad edge": padded,
    "pad grey": lambda picture, side: padded(picture, side, 127),
    "pad black": lambda picture, side: padded(picture, side, 0),
}


def spread(scene: Scene, width: float, height: float, scale: float) -> Scene | None:
    """The scene spread over a picture of that size; None where the true answers would change."""
    things = []
    for thing in scene.things:
        before, now = thing.radius_px + 1.5, thing.radius_px * scale + 1.5
        x, y = (
            now + (at - before) / (SIDE_PX - 2 * before) * (extent - 2 * now)
            for at, extent in ((thing.x, width), (thing.y, height))
        )
        things.append(replace(thing, x=x, y=y, radius_px=thing.radius_px * scale))
    sign = None if scene.sign is None else _spread_sign(scene.sign, width, height, scale)
    if scene.sign is not None and sign is None:
        return None
    old: list[Thing | Sign] = [*scene.things, *([scene.sign] if scene.sign else [])]
    new: list[Thing | Sign] = [*things, *([sign] if sign else [])]
    if not _apart(things, sign, 3 * scale) or not _same_places(old, new, width, height):
        return None
    return replace(scene, things=tuple(things), sign=sign)


def _spread_sign(sign: Sign, width: float, height: float, scale: float) -> Sign | None:
    broad, tall = sign.width_px * scale, sign.height_px * scale
    if broad + 2 > width or tall + 2 > height:
        return None
    along = (sign.x - sign.width_px / 2 - 1) / max(1e-6, SIDE_PX - sign.width_px - 2)
    down = (sign.y - sign.height_px / 2 - 1) / (SIDE_PX - sign.height_px - 2)
    return replace(
        sign, width_px=broad, height_px=tall, font_px=round(sign.font_px * scale),
        x=broad / 2 + 1 + along * (width - broad - 2), y=tall / 2 + 1 + down * (height - tall - 2),
    )  # fmt: skip


def _apart(things: list[Thing], sign: Sign | None, gap_px: float) -> bool:
    for place, one in enumerate(things):
        for other in things[place + 1 :]:
            if math.hypot(one.x - other.x, one.y - other.y) < one.radius_px + other.radius_px + gap_px:
                return False
        if sign is not None:
            dx = max(abs(one.x - sign.x) - sign.width_px / 2, 0.0)
            dy = max(abs(one.y - sign.y) - sign.height_px / 2, 0.0)
            if math.hypot(dx, dy) < one.radius_px + gap_px:
                return False
    return True


def _same_places(old: list[Thing | Sign], new: list[Thing | Sign], width: float, height: float) -> bool:
    """Whether each is in the same third of the picture, clear of its borders, and in the same order."""
    for axis, extent in (("x", width), ("y", height)):
        was, now = ([getattr(each, axis) for each in items] for items in (old, new))
        for before, after in zip(was, now, strict=True):
            border = min(abs(after - extent / 3), abs(after - 2 * extent / 3))
            if int(before * 3 / SIDE_PX) != int(after * 3 / extent) or border < 4 * extent / SIDE_PX:
                return False
        for first in range(len(was)):
            for second in range(first):
                before, after = was[first] - was[second], now[first] - now[second]
                if abs(before) > 4 and (before * after < 0 or abs(after) < 10):
                    return False
    return True


def drawn(scene: Scene, width: float, height: float) -> Pixels:
    """The picture: background, things and a sign, with lighting from one side and noise."""
    rng, noise = random.Random(scene.look), np.random.default_rng(scene.look)
    size = round(width * _FINE), round(height * _FINE)
    tone = np.asarray([rng.uniform(100, 155) for _ in range(3)], np.float32)
    cells = noise.standard_normal((round(size[1] / 48), round(size[0] / 48), 1)) * rng.uniform(2, 9)
    clouds = Image.fromarray(np.clip(tone + cells, 0, 255).astype(np.uint8))
    image = clouds.resize(size, Image.Resampling.BICUBIC)
    for thing in scene.things:
        at = {"x": thing.x * _FINE, "y": thing.y * _FINE, "radius_px": thing.radius_px * _FINE}
        _draw_thing(image, replace(thing, **at))  # type: ignore[arg-type]
    if scene.sign is not None:
        sizes = {
            name: getattr(scene.sign, name) * _FINE for name in ("x", "y", "width_px", "height_px", "font_px")
        }
        _draw_sign(image, replace(scene.sign, **sizes))
    pixels = np.asarray(image, np.float32)
    across = np.linspace(-1, 1, size[0], dtype=np.float32)[None]
    down = np.linspace(-1, 1, size[1], dtype=np.float32)[:, None]
    light = rng.uniform(0.72, 1.12) * (
        1 + rng.uniform(-0.16, 0.16) * across + rng.uniform(-0.16, 0.16) * down
    )
    grain = noise.standard_normal(pixels.shape, np.float32) * rng.uniform(0.5, 7.0)
    return np.clip(pixels * light[:, :, None] + grain, 0, 255).astype(np.uint8)


def measure(scenes: int, ways: list[str]) -> None:
    """Prints the share of right answers for each shape of picture, size of things and way."""
    pack = PACKS_FOLDER / "micro"
    encoder, decoder = encoder_in(pack), AnswerDecoder(pack / "decoder.gguf")
    for name, ratio in SHAPES.items():
        long = max(ratio, 1 / ratio)
        for scale in sorted({1.0, long**0.5, long}):
            print(f"{name}, things x{scale:.2f}")
            right = _asked(encoder, decoder, ratio, scale, scenes, ways)
            for way, outcomes in right.items():
                share, low, high = (100 * each for each in interval(outcomes))
                print(f"  {way:10s} {share:5.1f} % of {len(outcomes)}  [{low:.1f}, {high:.1f}]", flush=True)


def _asked(
    encoder: Encoder, decoder: AnswerDecoder, ratio: float, scale: float, scenes: int, ways: list[str]
) -> dict[str, list[bool]]:
    rng = random.Random("wide")
    width, height = SIDE_PX * max(1.0, ratio), SIDE_PX * max(1.0, 1 / ratio)
    right: dict[str, list[bool]] = {way: [] for way in ways}
    while scenes:
        flat = random_scene(rng, "held", unusable_share=0.0)
        scene = spread(flat, width, height, scale) if flat.things else None
        asked = [a for a in ask_many(flat, rng, "held", 5) if a.family in CLOSED] if scene else []
        if scene is None or not asked:
            continue
        scenes -= 1
        picture = drawn(scene, width, height)
        for way in ways:
            decoder.prefill_images([encoder.encode(WAYS[way](picture, encoder.side_px))])
            right[way] += [
                Case(a.family, a.kind, a.question, a.answer, decoder.answer(a.question), False).right
                for a in asked
            ]
    return right


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenes", type=int, default=100, help="for each shape and size")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    measure(options.scenes, options.ways)


if __name__ == "__main__":
    main()
