"""What training never draws: styles, layouts, (thing, place) pairs, by rule."""

from __future__ import annotations

import random

from models.train.world.grammar import ITEMS

PLACES = ("kitchen", "hall", "desk", "bedroom", "bathroom", "living room", "shop", "street", "park")
KINDS = (*ITEMS, "umbrella", "bottle", "remote control", "medicine box")
"""What the things are called; "keys" and "glasses" are plural."""
STYLES = 4
"""Drawing styles of each kind, numbered from 0."""
SPLITS = ("train", "validation", "held")

HELD_OUT_STYLES = frozenset((kind, (3 * i + 1) % STYLES) for i, kind in enumerate(KINDS))
"""(kind, style) that only held-out views draw: one style of each kind."""
HELD_OUT_PLACES = frozenset((kind, PLACES[(5 * i + 3) % 9]) for i, kind in enumerate(KINDS))
"""(kind, place) pairs that only held-out views show: one in nine."""
VALIDATION_PLACES = frozenset((kind, PLACES[(5 * i + 7) % 9]) for i, kind in enumerate(KINDS))
"""(kind, place) pairs that training leaves to validation."""
_LAYOUTS = 1_000_000


def layout_split(number: int) -> str:
    """The one split whose views show layout `number`; one in ten is held out, one is for validation."""
    return {0: "held", 1: "validation"}.get(number % 10, "train")


def random_layout_number(rng: random.Random, split: str) -> int:
    """A layout number of `split`, below one million."""
    digit = {"held": 0, "validation": 1}.get(split)
    return 10 * rng.randrange(_LAYOUTS // 10) + (rng.randint(2, 9) if digit is None else digit)


def allowed_place(kind: str, place: str, split: str) -> bool:
    """False for a place where views of `split` must not show a thing of `kind`."""
    if split == "held":
        return True
    if (kind, place) in HELD_OUT_PLACES:
        return False
    return split == "validation" or (kind, place) not in VALIDATION_PLACES


def random_style(kind: str, rng: random.Random, split: str) -> int:
    """A style of `kind`; held-out views draw the held-out style in half of the cases."""
    held = next(style for style in range(STYLES) if (kind, style) in HELD_OUT_STYLES)
    if split == "held" and rng.random() < 0.5:
        return held
    return rng.choice([style for style in range(STYLES) if style != held])
