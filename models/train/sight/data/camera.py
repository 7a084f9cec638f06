"""What a camera does to a picture: size, shape of the sensor, gamma, tint, noise and JPEG, at random.

Training pictures are varied so, because the pictures of another camera (or of another renderer) shall be
understood too.
"""

from __future__ import annotations

import io
import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_FILTERS = (
    Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS, Image.Resampling.BOX,
)  # fmt: skip


@dataclass(frozen=True)
class Window:
    """Where the scene lies in the square picture, as parts of its side: all of it, or less with a border of
    repeated edge pixels, as `models.pixels.square_pixels` makes it of wide and of tall pictures.
    """

    left: float = 0.0
    top: float = 0.0
    width: float = 1.0
    height: float = 1.0

    def at(self, u: float, v: float) -> tuple[float, float]:
        """Parts of the scene -> parts of the picture."""
        return self.left + u * self.width, self.top + v * self.height


WHOLE = Window()


@dataclass(frozen=True)
class Shot:
    """How a picture is taken. `drawn_px`: side at which the scene is rendered; `jpeg`: quality, 0 for none;
    gains, gamma and noise (grey levels) apply to pictures that are bright enough.
    """

    drawn_px: int
    window: Window = WHOLE
    resampling: int = 0
    gamma: float = 1.0
    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)
    lift: float = 0.0
    noise: float = 0.0
    jpeg: int = 0
    seed: int = 0


def plain(side_px: int) -> Shot:
    """Rendered at the side of the network's input, and not changed."""
    return Shot(side_px)


def random_shot(rng: random.Random, side_px: int) -> Shot:
    """Half of the shots change much, the others little."""
    strength = rng.choice((0.25, 1.0))
    drawn_px = rng.choice((side_px, side_px, side_px * 4 // 3, side_px * 5 // 3, side_px * 7 // 8))
    window = WHOLE
    if rng.random() < 0.3:
        width = 1.0 if rng.random() < 0.4 else rng.uniform(0.72, 1.0)
        height = 1.0 if rng.random() < 0.4 else rng.uniform(0.72, 1.0)
        width, height = (round(part * side_px / 2) * 2 / side_px for part in (width, height))
        window = Window((1 - width) / 2, (1 - height) / 2, width, height)
    gain = 1 + rng.uniform(-0.12, 0.12) * strength
    return Shot(
        drawn_px,
        window,
        rng.randrange(len(_FILTERS)),
        gamma=float(np.exp(rng.uniform(-0.3, 0.3) * strength)),
        gains=tuple(gain * (1 + rng.uniform(-0.06, 0.06) * strength) for _ in range(3)),  # type: ignore[arg-type]
        lift=rng.uniform(-10, 14) * strength,
        noise=rng.choice((0.0, rng.uniform(0, 7))) * strength,
        jpeg=rng.randint(35, 95) if rng.random() < 0.4 else 0,
        seed=rng.getrandbits(32),
    )


def taken(drawn: NDArray[np.uint8], shot: Shot, side_px: int, *, bright: bool = True) -> NDArray[np.uint8]:
    """The network's picture of a drawn scene, uint8 [side_px, side_px, 3]."""
    window = shot.window
    broad, tall = round(window.width * side_px), round(window.height * side_px)
    if drawn.shape[:2] != (tall, broad):
        image = Image.fromarray(drawn).resize((broad, tall), _FILTERS[shot.resampling])
        drawn = np.asarray(image)
    if bright and (shot.gamma, shot.gains, shot.lift, shot.noise) != (1.0, (1.0, 1.0, 1.0), 0.0, 0.0):
        levels = (np.arange(256, dtype=np.float32) / 255) ** shot.gamma * 255
        table = np.stack([np.clip(levels * gain + shot.lift, 0, 255) for gain in shot.gains], 1)
        changed = np.stack([table[:, channel][drawn[..., channel]] for channel in range(3)], -1)
        if shot.noise:
            rng = np.random.default_rng(shot.seed)
            changed += rng.standard_normal(changed.shape, dtype=np.float32) * shot.noise
        drawn = np.clip(changed, 0, 255).astype(np.uint8)
    if shot.jpeg:
        packed = io.BytesIO()
        Image.fromarray(drawn).save(packed, "JPEG", quality=shot.jpeg)
        drawn = np.asarray(Image.open(packed))
    if (broad, tall) != (side_px, side_px):
        top, left = (side_px - tall) // 2, (side_px - broad) // 2
        around = ((top, side_px - tall - top), (left, side_px - broad - left), (0, 0))
        drawn = np.pad(drawn, around, mode="edge")
    return np.ascontiguousarray(drawn)
