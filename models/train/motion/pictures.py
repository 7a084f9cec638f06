"""Clips as pictures: each in one hand, one look and one camera, which stay the same for all its views.

    python -m models.train.motion.pictures --out DIR --split train --first 0 --count 20

draws shards ahead into DIR/drawn, where `features` finds them for any eye. Each is a pure function of split
and number. The same look for all views adds no flash and takes none away; noise is new in every view.
Pictures are kept as JPEG of a quality whose error is below the noise.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.train.motion.mixes import Mix, mix_of
from models.train.motion.shards import (
    ClipFacts,
    FactsOfShard,
    facts_in,
    shard_arguments,
    store,
    write_missing,
)
from models.train.reflex.unseen import dressed
from models.train.sight.data.camera import WHOLE, Shot, Window, plain, random_shot, taken
from models.train.world.clips.stage import Dress
from models.train.world.clips.values import Clip
from models.train.world.clips.varied import varied_clip
from models.train.world.home.picture.pen import Pen
from models.train.world.home.picture.render import render
from models.train.world.home.splits import KINDS
from models.train.world.home.truth import GLIMPSE, truth_of
from models.train.world.home.views import View
from models.train.world.variety.designs.redesign import redesigned
from models.train.world.variety.forms import Reshaped
from models.train.world.variety.looks import varied
from models.train.world.variety.reshaping import ReshapingPen
from models.train.world.variety.strokes import USUAL_HAND, Hand, SteadyPen, random_hand

_RECIPES = {"train": "reshaped"}
_OTHER_RECIPE = "designs"
"""By split, in the names of shards, so that those of another way to draw are not taken."""
_RESHAPED_SHARE = 0.7
"""Of the clips of training, whose things have forms of their own."""
_DESIGN_SHARE = 0.6
"""Of the clips of training, whose things have designs; the others have usual styles. As large a part of the
validation clips whose styles training never has have designs that it never has instead.
"""
CLIPS_PER_SHARD = 250
SIDE_PX = 192
CELLS = 8
"""Of the eye's activations along a side of the picture."""
_MIRRORED = {"left": "right", "right": "left"}
USUAL_SHOT = plain(SIDE_PX)
Picture = NDArray[np.uint8]


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn(ClipFacts):
    """A clip in pictures, uint8 [views, side, side, 3]."""

    pictures: Picture


@dataclass(frozen=True)
class Manner:
    """How all views of a clip are drawn. look: seed of the look, None for the usual one. unseen: hand and
    look are kept back from training. recoloured: hue, 0 to 1, and saturation, which are no part of answers.
    reshaped: None where things have the forms of their designs.
    """

    hand: Hand = USUAL_HAND
    shot: Shot = USUAL_SHOT
    look: int | None = None
    unseen: bool = False
    mirrored: bool = False
    recoloured: tuple[float, float] | None = None
    reshaped: Reshaped | None = None

    def picture(self, view: View, number: int) -> Picture:
        """A view, the `number`-th of its clip, uint8 [side, side, 3]."""
        pen = Pen if self.hand == USUAL_HAND and self.reshaped is None else self._pen
        drawn = render(view, self.shot.drawn_px, pen)
        if self.mirrored:
            drawn = np.ascontiguousarray(drawn[:, ::-1])
        if self.recoloured is not None:
            drawn = _recoloured(drawn, *self.recoloured)
        drawn = taken(drawn, replace(self.shot, seed=self.shot.seed + number), SIDE_PX)
        return drawn if self.look is None else varied(drawn, random.Random(self.look), self.unseen)

    def _pen(self, image: Image.Image, pose: tuple[float, ...]) -> Pen:
        if self.reshaped is not None:
            return ReshapingPen(image, pose, self.hand, self.reshaped)
        return SteadyPen(image, pose, self.hand)


def random_manner(rng: random.Random, split: str, mix: Mix) -> Manner:
    """One of training or, with mixes that say so, one that is kept back from it."""
    shot = random_shot(rng, SIDE_PX) if rng.random() < 0.45 else USUAL_SHOT
    if mix.looks:
        return Manner(random_hand(rng, True), shot, rng.getrandbits(32), True)
    trained = split == "train"
    return Manner(
        random_hand(rng, False),
        shot,
        rng.getrandbits(32) if rng.random() < 0.8 else None,
        mirrored=trained and rng.random() < 0.2,
        recoloured=(rng.random(), rng.uniform(0.0, 1.3)) if trained and rng.random() < 0.2 else None,
        reshaped=Reshaped(rng.uniform(0.25, 1.0), rng.getrandbits(32))
        if trained and rng.random() < _RESHAPED_SHARE
        else None,
    )


def _recoloured(picture: Picture, hue: float, saturation: float) -> Picture:
    tones = np.array(Image.fromarray(picture).convert("HSV"))
    tones[..., 0] += np.uint8(round(255 * hue) % 256)
    tones[..., 1] = np.minimum(255, tones[..., 1] * saturation).astype(np.uint8)
    return np.asarray(Image.fromarray(tones, "HSV").convert("RGB"))


def drawn(rng: random.Random, split: str, mix: Mix) -> Drawn:
    """A clip of a split and its pictures."""
    dress = random_dress(rng, split, mix.styles)
    return in_manner(varied_clip(rng, split, dress), random_manner(rng, split, mix), mix)


def random_dress(rng: random.Random, split: str, unseen: bool) -> Dress:
    """What gives things their styles or designs: of training, or with `unseen` those kept back from it."""
    designed = (split == "train" or unseen) and rng.random() < _DESIGN_SHARE

    def dress(view: View, rng: random.Random) -> View:
        view = dressed(view, rng, unseen)
        return redesigned(view, rng, unseen) if designed else view

    return dress


def shard_name(split: str, number: int) -> str:
    """The name of a shard's files, without their folder."""
    return f"{split}-{_recipe(split)}-{number:04d}.npz"


def _recipe(split: str) -> str:
    return _RECIPES.get(split, _OTHER_RECIPE)


def in_manner(clip: Clip, manner: Manner, mix: Mix) -> Drawn:
    """The pictures of a clip, and what is true of them."""
    pictures = np.stack([manner.picture(view, number) for number, view in enumerate(clip.views)])
    kinds, moved = cells_of(clip, manner.shot.window)
    questions = clip.questions
    if manner.mirrored:
        sides = pictures.shape[0], CELLS, CELLS
        kinds = kinds.reshape(sides)[:, :, ::-1].reshape(kinds.shape)
        moved = moved.reshape(*sides, 2)[:, :, ::-1].reshape(moved.shape) * np.array((-1, 1), np.float16)
        questions = tuple(replace(each, answer=_MIRRORED.get(each.answer, each.answer)) for each in questions)
    times_s = np.array(clip.times_s, np.float32)
    return Drawn(
        pictures=pictures,
        times_s=times_s,
        event=clip.event,
        turned=clip.turned,
        questions=questions,
        mix=mix.name,
        kinds=kinds,
        moved=moved,
    )


def cells_of(clip: Clip, window: Window = WHOLE) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """`kinds` and `moved` of `ClipFacts`, for unmirrored pictures. window: where the scene lies."""
    kinds = np.zeros((len(clip.views), CELLS, CELLS), np.uint8)
    moved = np.zeros((len(clip.views), CELLS, CELLS, 2), np.float16)
    before = {thing.kind: thing for thing in clip.views[0].things}
    for number, view in enumerate(clip.views):
        a, b, c, d = view.camera.pose(1.0)[:4]
        here = {thing.kind: thing for thing in view.things}
        for seen in truth_of(view, 1).things:
            if seen.visible < GLIMPSE:
                continue
            left, top = window.at(*seen.box[:2])
            right, bottom = window.at(*seen.box[2:])
            rows, columns = _cells(top, bottom), _cells(left, right)
            now = here[seen.kind]
            last = before.get(seen.kind, now)
            dx, dy = now.x - last.x, now.y - last.y
            kinds[number, rows, columns] = 1 + KINDS.index(seen.kind)
            moved[number, rows, columns] = a * dx + c * dy, b * dx + d * dy
        before = here
    return kinds.reshape(len(clip.views), -1), moved.reshape(len(clip.views), -1, 2)


def _cells(low: float, high: float) -> slice:
    """The cells whose middle lies between, or the one in which the middle between lies."""
    first, last = round(low * CELLS), round(high * CELLS)
    if first >= last:
        first = int((low + high) / 2 * CELLS)
        last = first + 1
    return slice(max(0, first), max(0, min(CELLS, last)))


def drawn_clips(split: str, number: int, count: int = CLIPS_PER_SHARD) -> Iterator[Drawn]:
    """The clips of a shard."""
    rng = random.Random(f"clips {_recipe(split)} {split} {number}")
    for at in range(count):
        yield drawn(rng, split, mix_of(split, at))


def drawn_path(folder: Path, split: str, number: int) -> Path:
    """Where a shard of pictures is kept."""
    return folder / "drawn" / shard_name(split, number)


def write_drawn(folder: Path, split: str, number: int) -> None:
    """Draws and stores one shard, atomically."""
    packed: list[bytes] = []
    facts = FactsOfShard()
    for clip in drawn_clips(split, number):
        packed += [_packed(each) for each in clip.pictures]
        facts.add(clip)
    path = drawn_path(folder, split, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    store(
        path,
        packed=np.frombuffer(b"".join(packed), np.uint8),
        sizes=np.array([len(each) for each in packed]),
        **facts.arrays(),
    )


_JPEG = 97


def _packed(picture: Picture) -> bytes:
    packed = io.BytesIO()
    Image.fromarray(picture).save(packed, "JPEG", quality=_JPEG, subsampling=0)
    return packed.getvalue()


def read_drawn(folder: Path, split: str, number: int) -> Iterator[Drawn]:
    """The clips of a stored shard. Raises OSError."""
    with np.load(drawn_path(folder, split, number)) as stored:
        packed, ends = stored["packed"].tobytes(), np.cumsum(stored["sizes"])
        facts = list(facts_in(stored))
    starts = np.concatenate(([0], ends[:-1]))
    for here, known in facts:
        pictures = [
            np.asarray(Image.open(io.BytesIO(packed[start:end])))
            for start, end in zip(starts[here], ends[here], strict=True)
        ]
        yield Drawn(pictures=np.stack(pictures), **known)


def main() -> None:
    """Draws the shards that are missing."""
    write_missing(shard_arguments(__doc__).parse_args(), drawn_path, write_drawn)


if __name__ == "__main__":
    main()
