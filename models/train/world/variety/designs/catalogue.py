"""The designs of the twelve things: six forms of each kind, with proportions and parts at random.

A design is a number: the form is its rest after division by six, everything else is drawn from the number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from PIL import Image

from models.train.world.home.picture.pen import Pen
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.medicine_boxes import draw_medicine_box
from models.train.world.variety.designs.household.remotes import draw_remote_control
from models.train.world.variety.designs.household.umbrellas import draw_umbrella
from models.train.world.variety.designs.pocket.keys import draw_keys
from models.train.world.variety.designs.pocket.phones import draw_phone
from models.train.world.variety.designs.pocket.wallets import draw_wallet
from models.train.world.variety.designs.tabletop.books import draw_book
from models.train.world.variety.designs.tabletop.bottles import draw_bottle
from models.train.world.variety.designs.tabletop.cups import draw_cup
from models.train.world.variety.designs.worn.bags import draw_bag
from models.train.world.variety.designs.worn.coats import draw_coat
from models.train.world.variety.designs.worn.glasses import draw_glasses

FORMS = 6
NUMBER = FORMS * 40
"""Designs of each kind, numbered from 0."""
_WITH_A_WORD = ("book", "bottle", "medicine box")
_DRAWN: Mapping[str, Callable[[Pen, int, random.Random, Rgb, str], None]] = {
    "keys": draw_keys, "wallet": draw_wallet, "phone": draw_phone, "glasses": draw_glasses,
    "coat": draw_coat, "bag": draw_bag, "cup": draw_cup, "bottle": draw_bottle, "book": draw_book,
    "umbrella": draw_umbrella, "remote control": draw_remote_control, "medicine box": draw_medicine_box,
}  # fmt: skip
_KINDS = tuple(_DRAWN)
_PER_UNIT_PX, _SIDE_PX = 3, 420
_NOTHING = (255, 0, 255)


def form_of(design: int) -> int:
    """The form of a design, 0 to 5."""
    return design % FORMS


def kept_back(kind: str, design: int) -> bool:
    """True for designs of the one form of each kind that only validation draws."""
    return form_of(design) == _KINDS.index(kind) % FORMS


def has_label(kind: str, design: int) -> bool:
    """True for designs with a label that can hold a word."""
    return kind in _WITH_A_WORD and form_of(design) % 2 == 0


def draw_design(pen: Pen, kind: str, design: int, rgb: Rgb, label: str) -> None:
    """Draws it with about the middle of its lower edge at the pen's origin."""
    _DRAWN[kind](pen, form_of(design), random.Random(f"design {kind} {design}"), rgb, label)


@cache
def extent(kind: str, design: int) -> tuple[float, float, float, float]:
    """Left, top, right and bottom as it is drawn around the origin, units, found by drawing it."""
    x, y = _SIDE_PX / 2, _SIDE_PX * 0.75
    image = Image.new("RGB", (_SIDE_PX, _SIDE_PX), _NOTHING)
    pen = Pen(image, (_PER_UNIT_PX, 0.0, 0.0, _PER_UNIT_PX, x, y))
    draw_design(pen, kind, design, (0, 90, 0), "")
    rows, columns = np.nonzero((np.asarray(image) != _NOTHING).any(axis=2))
    return (
        float(columns.min() - x) / _PER_UNIT_PX, float(rows.min() - y) / _PER_UNIT_PX,
        float(columns.max() + 1 - x) / _PER_UNIT_PX, float(rows.max() + 1 - y) / _PER_UNIT_PX,
    )  # fmt: skip
