"""The designs of the twelve things: twelve forms of each kind, with proportions and parts at random.

A design is a number. The lower half of the numbers has the first six forms, the upper half six others; which
of the six is the rest after division by six, and everything else is drawn from the number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from PIL import Image

from models.train.world.home.picture.pen import Pen, differs_from
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.medicine_boxes import draw_medicine_box
from models.train.world.variety.designs.household.other_medicine_boxes import draw_other_medicine_box
from models.train.world.variety.designs.household.other_remotes import draw_other_remote_control
from models.train.world.variety.designs.household.other_umbrellas import draw_other_umbrella
from models.train.world.variety.designs.household.remotes import draw_remote_control
from models.train.world.variety.designs.household.umbrellas import draw_umbrella
from models.train.world.variety.designs.pocket.keys import draw_keys
from models.train.world.variety.designs.pocket.other_keys import draw_other_keys
from models.train.world.variety.designs.pocket.other_phones import draw_other_phone
from models.train.world.variety.designs.pocket.other_wallets import draw_other_wallet
from models.train.world.variety.designs.pocket.phones import draw_phone
from models.train.world.variety.designs.pocket.wallets import draw_wallet
from models.train.world.variety.designs.tabletop.books import draw_book
from models.train.world.variety.designs.tabletop.bottles import draw_bottle
from models.train.world.variety.designs.tabletop.cups import draw_cup
from models.train.world.variety.designs.tabletop.other_books import draw_other_book
from models.train.world.variety.designs.tabletop.other_bottles import draw_other_bottle
from models.train.world.variety.designs.tabletop.other_cups import draw_other_cup
from models.train.world.variety.designs.worn.bags import draw_bag
from models.train.world.variety.designs.worn.coats import draw_coat
from models.train.world.variety.designs.worn.glasses import draw_glasses
from models.train.world.variety.designs.worn.other_bags import draw_other_bag
from models.train.world.variety.designs.worn.other_coats import draw_other_coat
from models.train.world.variety.designs.worn.other_glasses import draw_other_glasses

FORMS = 12
NUMBER = 480
"""Designs of each kind, numbered from 0."""
_AT_ONCE, _FIRST_OTHER = 6, 240
_WITH_A_WORD = ("book", "bottle", "medicine box")
_Draw = Callable[[Pen, int, random.Random, Rgb, str], None]
_DRAWN: Mapping[str, tuple[_Draw, _Draw]] = {
    "keys": (draw_keys, draw_other_keys), "wallet": (draw_wallet, draw_other_wallet),
    "phone": (draw_phone, draw_other_phone), "glasses": (draw_glasses, draw_other_glasses),
    "coat": (draw_coat, draw_other_coat), "bag": (draw_bag, draw_other_bag),
    "cup": (draw_cup, draw_other_cup), "bottle": (draw_bottle, draw_other_bottle),
    "book": (draw_book, draw_other_book), "umbrella": (draw_umbrella, draw_other_umbrella),
    "remote control": (draw_remote_control, draw_other_remote_control),
    "medicine box": (draw_medicine_box, draw_other_medicine_box),
}  # fmt: skip
_KINDS = tuple(_DRAWN)
_PER_UNIT_PX, _SIDE_PX = 3, 420
_NOTHING = (255, 0, 255)


def form_of(design: int) -> int:
    """The form of a design, 0 to 11."""
    return design % _AT_ONCE + (_AT_ONCE if design >= _FIRST_OTHER else 0)


def first_of(form: int) -> int:
    """The lowest number of a design of that form."""
    return form if form < _AT_ONCE else _FIRST_OTHER + form - _AT_ONCE


def kept_back(kind: str, design: int) -> bool:
    """True for designs of the one form of each kind that only validation draws."""
    return form_of(design) == _KINDS.index(kind) % _AT_ONCE


def has_label(kind: str, design: int) -> bool:
    """True for designs with a label that can hold a word."""
    return kind in _WITH_A_WORD and form_of(design) % 2 == 0


def draw_design(pen: Pen, kind: str, design: int, rgb: Rgb, label: str) -> None:
    """Draws it with about the middle of its lower edge at the pen's origin."""
    first, other = _DRAWN[kind]
    draw = first if design < _FIRST_OTHER else other
    draw(pen, design % _AT_ONCE, random.Random(f"design {kind} {design}"), rgb, label)


@cache
def extent(kind: str, design: int) -> tuple[float, float, float, float]:
    """Left, top, right and bottom as it is drawn around the origin, units, found by drawing it."""
    x, y = _SIDE_PX / 2, _SIDE_PX * 0.75
    image = Image.new("RGB", (_SIDE_PX, _SIDE_PX), _NOTHING)
    pen = Pen(image, (_PER_UNIT_PX, 0.0, 0.0, _PER_UNIT_PX, x, y))
    draw_design(pen, kind, design, (0, 90, 0), "")
    rows, columns = np.nonzero(differs_from(image, _NOTHING))
    return (
        float(columns.min() - x) / _PER_UNIT_PX, float(rows.min() - y) / _PER_UNIT_PX,
        float(columns.max() + 1 - x) / _PER_UNIT_PX, float(rows.max() + 1 - y) / _PER_UNIT_PX,
    )  # fmt: skip
