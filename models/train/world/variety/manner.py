"""How one picture is drawn and what it looks like: a hand, a brush, a ground and a look, all at random."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.train.world import drawing
from models.train.world.home.picture import render as home
from models.train.world.home.picture.pen import Pen
from models.train.world.home.views import View
from models.train.world.scenes import Scene
from models.train.world.variety.looks import varied
from models.train.world.variety.strokes import (
    USUAL_BRUSH,
    USUAL_HAND,
    Brush,
    Hand,
    random_brush,
    random_ground,
    random_hand,
)

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Manner:
    """hand: draws the home. brush: draws shapes. ground, look: seeds of the background behind shapes and of
    the finished picture's look; None for the usual ones. unseen: they are such as training never has.
    """

    hand: Hand = USUAL_HAND
    brush: Brush = USUAL_BRUSH
    ground: int | None = None
    look: int | None = None
    unseen: bool = False

    def view(self, view: View, side_px: int) -> Picture:
        """A view of the home."""
        return home.render(view, side_px, self.hand.pen if self.hand != USUAL_HAND else Pen)

    def scene(self, scene: Scene, frame: int, side_px: int) -> Picture:
        """A scene of shapes; the frames of a clip that are drawn in one manner have the same ground."""
        ground = None
        if self.ground is not None:
            ground = random_ground(random.Random(self.ground), side_px, self.unseen)
        return drawing.render(scene, frame, side_px, self.brush.draw, ground)

    def looked(self, picture: Picture) -> Picture:
        """The finished picture in this look; the same for every picture that is drawn in one manner."""
        return picture if self.look is None else varied(picture, random.Random(self.look), self.unseen)


USUAL = Manner()


def random_manner(rng: random.Random, unseen: bool = False) -> Manner:
    """One of those that training has, or one of those that are kept back."""
    hand, brush = random_hand(rng, unseen), random_brush(rng, unseen)
    return Manner(hand, brush, rng.getrandbits(32), rng.getrandbits(32), unseen)
