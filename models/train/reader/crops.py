"""Pieces of pictures with words printed into them, and which letter has its middle where."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from models.train.reader.letters import Printed, printed, random_word
from models.train.reflex.unseen import KNOWN, with_designs
from models.train.sight.data.camera import plain
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.scenes import random_scene
from models.train.world.variety.manner import USUAL, random_manner

SIDE_PX = 96
STRIDE = 2
CELLS = SIDE_PX // STRIDE
IGNORED = -100
_WORDS = Path(__file__).parents[1] / "world/wording/common_words.txt"
_LEAST_PX, _MOST_PX = 6.0, 21.0
_HOME_SHARE, _MANNER_SHARE, _DESIGN_SHARE = 0.7, 0.5, 0.5
"""Of the pictures: of the home; in a manner of their own; of their things, in a design of their own."""
_RIM_SHARE, _ORNAMENT_SHARE = 0.5, 0.5
"""Of the boards: with a line around them; of the words: with lines and the like beside them."""
_ROWS, _COLUMNS = np.mgrid[0:SIDE_PX, 0:SIDE_PX].astype(np.float32) + np.float32(0.5)
Pixels = NDArray[np.uint8]


def words() -> tuple[str, ...]:
    """Words to print, capital letters only."""
    lines = [line for line in _WORDS.read_text("utf-8").splitlines() if not line.startswith("#")]
    found = (word.upper() for word in " ".join(lines).split())
    return tuple(word for word in found if word.isascii() and word.isalpha() and 2 <= len(word) <= 9)


def grounds(count: int, seed: int) -> list[Pixels]:
    """Pictures on which nothing is written, uint8 [224, 224, 3], half of them in a manner of their own."""
    rng, found = random.Random(f"grounds {seed}"), list[Pixels]()
    shot = plain(224)
    while len(found) < count:
        manner = random_manner(rng, KNOWN.looks) if rng.random() < _MANNER_SHARE else USUAL
        if rng.random() < _HOME_SHARE:
            view = with_designs(random_view(rng, "train", 0.0), rng, KNOWN, _DESIGN_SHARE)
            written = any(thing.label and thing.visible > 0.02 for thing in truth_of(view).things)
            if not written and not view.layout.signs:
                found.append(manner.looked(manner.view(view, shot.drawn_px)))
        else:
            scene = random_scene(rng, "train", 0.0)
            if not scene.signs:
                found.append(manner.looked(manner.scene(scene, 0, shot.drawn_px)))
    return found


class Crops:
    """Endless pieces. grounds: pictures to print on."""

    def __init__(self, pictures: Sequence[Pixels], seed: int) -> None:
        self._pictures, self._words = pictures, words()
        self._rng, self._noise = random.Random(f"crops {seed}"), np.random.default_rng(seed)

    def one(self) -> tuple[NDArray[np.float32], NDArray[np.int16], NDArray[np.float32]]:
        """Pixels float32 [side, side, 3] 0 to 255, classes int16 [cells, cells], heights float32 (px, 0 where
        no letter has its middle).
        """
        rng = self._rng
        pixels = self._ground()
        classes = np.zeros((CELLS, CELLS), np.int16)
        heights = np.zeros((CELLS, CELLS), np.float32)
        taken: list[tuple[float, float, float, float]] = []
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            self._print(pixels, classes, heights, taken)
        return self._taken(pixels), classes, heights

    def _ground(self) -> NDArray[np.float32]:
        rng = self._rng
        picture = self._pictures[rng.randrange(len(self._pictures))]
        scale = rng.uniform(0.7, 1.6)
        size = min(int(SIDE_PX / scale), picture.shape[0], picture.shape[1])
        x, y = rng.randint(0, picture.shape[1] - size), rng.randint(0, picture.shape[0] - size)
        piece = Image.fromarray(picture[y : y + size, x : x + size])
        if rng.random() < 0.5:
            piece = piece.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        piece = piece.resize((SIDE_PX, SIDE_PX), Image.Resampling.BILINEAR)
        return np.array(piece, np.float32)

    def _print(
        self,
        pixels: NDArray[np.float32],
        classes: NDArray[np.int16],
        heights: NDArray[np.float32],
        taken: list[tuple[float, float, float, float]],
    ) -> None:
        rng = self._rng
        word = printed(random_word(rng, self._words), rng)
        height_px = math.exp(rng.uniform(math.log(_LEAST_PX), math.log(_MOST_PX)))
        scale = height_px / word.height_px
        wide = scale * rng.uniform(0.75, 1.2)
        turn = math.radians(rng.gauss(0, 4) if rng.random() < 0.8 else rng.uniform(-15, 15))
        lean = rng.gauss(0, 0.08)
        cos, sin = math.cos(turn), math.sin(turn)
        forward = np.array([[cos * wide, lean * scale - sin * scale], [sin * wide, cos * scale]])
        h, w = word.ink.shape
        extent = np.abs(forward) @ (w / 2, h / 2)
        left, top = extent[0] - 10, extent[1] - 4
        if left > SIDE_PX + 30:
            return
        x = rng.uniform(min(left, SIDE_PX - left), max(left, SIDE_PX - left))
        y = rng.uniform(min(top, SIDE_PX - top), max(top, SIDE_PX - top))
        box = (x - extent[0], y - extent[1], x + extent[0], y + extent[1])
        if any(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in taken):
            return
        taken.append(box)
        back = np.linalg.inv(forward)
        shift = np.array((w / 2, h / 2)) - back @ (x, y)
        self._ink(pixels, word, back, shift, scale)
        if rng.random() < _ORNAMENT_SHARE:
            self._beside(pixels, word, back, shift)
        for (u, v), letter in zip(word.centres, word.classes, strict=True):
            px, py = forward @ (u - w / 2, v - h / 2) + (x, y)
            column, row = int(px // STRIDE), int(py // STRIDE)
            if not (0 <= column < CELLS and 0 <= row < CELLS):
                continue
            near = classes[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
            near[near == 0] = IGNORED
            cut = not (0.3 * height_px < px < SIDE_PX - 0.3 * height_px)
            cut = cut or not (0.4 * height_px < py < SIDE_PX - 0.4 * height_px)
            classes[row, column] = IGNORED if cut else letter
            heights[row, column] = 0.0 if cut else height_px

    def _ink(
        self,
        pixels: NDArray[np.float32],
        word: Printed,
        back: NDArray[np.float64],
        shift: NDArray[np.float64],
        scale: float,
    ) -> None:
        rng = self._rng
        over = 2
        side = SIDE_PX * over
        matrix = (
            back[0, 0] / over, back[0, 1] / over, shift[0], back[1, 0] / over, back[1, 1] / over, shift[1],
        )  # fmt: skip
        source = Image.fromarray((word.ink * 255).astype(np.uint8))
        if scale * over < 0.6:
            source = source.filter(ImageFilter.GaussianBlur(0.35 / (scale * over)))
        large = source.transform((side, side), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
        ink = np.asarray(large.resize((SIDE_PX, SIDE_PX), Image.Resampling.BOX), np.float32)[..., None] / 255
        dark = rng.random() < 0.6
        paper = np.array([rng.uniform(130, 255) if dark else rng.uniform(0, 130) for _ in range(3)])
        if rng.random() < 0.4:
            paper[:] = paper.mean()
        colour = np.array([rng.uniform(0, 110) if dark else rng.uniform(150, 255) for _ in range(3)])
        if rng.random() < 0.6:
            colour[:] = rng.uniform(0, 40) if dark else rng.uniform(215, 255)
        if rng.random() < 0.85:  # a board behind the word
            board, rim = self._board(word, back, shift)
            pixels[:] = pixels * (1 - board) + paper * board
            if rng.random() < _RIM_SHARE:
                line = rng.choice((0.0, 0.0, 255.0, rng.uniform(0, 255)))
                pixels[:] = pixels * (1 - rim) + line * rim
        elif abs(float((pixels * ink).sum() / max(ink.sum() * 3, 1)) - float(colour.mean())) < 70:
            colour = 255 - colour
        pixels[:] = pixels * (1 - ink) + colour * ink

    def _board(
        self, word: Printed, back: NDArray[np.float64], shift: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Shares of each pixel that a board behind the word covers, and the line around it."""
        rng = self._rng
        h, w = word.ink.shape
        u, v, unit = _in_word(back, shift)
        pad_x, pad_y = rng.uniform(-8, 30), rng.uniform(-8, 26)
        inside = np.minimum(w / 2 + pad_x - np.abs(u - w / 2), h / 2 + pad_y - np.abs(v - h / 2)) / unit
        return _covered(inside), _covered(rng.uniform(0.4, 1.6) - np.abs(inside))

    def _beside(
        self,
        pixels: NDArray[np.float32],
        word: Printed,
        back: NDArray[np.float64],
        shift: NDArray[np.float64],
    ) -> None:
        """Draws lines, crosses and discs near the word, which are no letters."""
        rng = self._rng
        h, w = word.ink.shape
        u, v, unit = _in_word(back, shift)
        for _ in range(rng.choice((1, 1, 2, 3))):
            size, thick = rng.uniform(0.5, 3.0) * word.height_px, rng.uniform(0.03, 0.25) * word.height_px
            away = rng.uniform(0.15, 1.2) * word.height_px
            x = rng.choice((-away - thick, w + away + thick, rng.uniform(0, w)))
            y = h / 2 + rng.gauss(0, 0.3) * word.height_px
            if 0 <= x <= w:
                y = rng.choice((-away - thick, h + away + thick))
            kind = rng.random()
            across, down = np.abs(u - x), np.abs(v - y)
            upright = np.minimum(thick - across, size / 2 - down)
            if kind < 0.45 and not 0 <= x <= w:
                shape = upright
            elif kind < 0.65:
                shape = np.minimum(size / 2 - across, thick - down)
            elif kind < 0.85:
                size, x = min(size, word.height_px * 1.3), x + (size / 2 if x > w else -size / 2)
                across = np.abs(u - x)
                arms = (
                    np.minimum(thick - across, size / 2 - down),
                    np.minimum(size / 2 - across, thick - down),
                )
                shape = np.maximum(*arms)
            else:
                size = min(size, word.height_px)
                shape = size / 2 - np.hypot(u - x - (size / 2 if x > w else -size / 2), v - y)
            cover = _covered(shape / unit)
            colour = [rng.uniform(0, 255) for _ in range(3)] if rng.random() < 0.5 else rng.choice((15, 245))
            pixels[:] = pixels * (1 - cover) + np.asarray(colour, np.float32) * cover

    def _taken(self, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        """As a camera takes it: light, blur, noise, JPEG."""
        rng = self._rng
        if rng.random() < 0.5:
            image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
            pixels = np.array(image.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 1.0))), np.float32)
        light = rng.uniform(0.35, 1.15)
        tint = np.array([rng.uniform(0.9, 1.1) for _ in range(3)])
        pixels = (pixels * (light * tint) + rng.uniform(-10, 25)).astype(np.float32)
        if rng.random() < 0.7:
            grain = self._noise.standard_normal(pixels.shape, np.float32)
            pixels = pixels + grain * np.float32(rng.uniform(0.0, 9.0))
        pixels = np.clip(pixels, 0, 255)
        if rng.random() < 0.3:
            out = io.BytesIO()
            Image.fromarray(pixels.astype(np.uint8)).save(out, "JPEG", quality=rng.randint(40, 92))
            pixels = np.array(Image.open(out), np.float32)
        return pixels.astype(np.float32)


def _in_word(
    back: NDArray[np.float64], shift: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
    """Where each pixel lies in the word's own picture, and how long a pixel is there."""
    a, b, c, d = (np.float32(value) for value in back.ravel())
    u = a * _COLUMNS + b * _ROWS + np.float32(shift[0])
    v = c * _COLUMNS + d * _ROWS + np.float32(shift[1])
    return u, v, float(np.sqrt(abs(np.linalg.det(back))))


def _covered(inside_px: NDArray[np.float32]) -> NDArray[np.float32]:
    """Share of each pixel that lies inside, [side, side, 1]."""
    cover: NDArray[np.float32] = np.clip(inside_px + 0.5, 0, 1)[..., None].astype(np.float32, copy=False)
    return cover


def batch(crops: Crops, size: int) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
    """Pixels [n, 3, side, side] 0 to 1, classes [n, cells, cells], heights."""
    made = [crops.one() for _ in range(size)]
    pixels = np.stack([each[0] for each in made]).transpose(0, 3, 1, 2) / 255
    classes = np.stack([each[1] for each in made]).astype(np.int64)
    return pixels.astype(np.float32), classes, np.stack([each[2] for each in made])
