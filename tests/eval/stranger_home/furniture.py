"""Pieces of furniture and landmarks as boxes and discs with paints."""

from __future__ import annotations

from dataclasses import dataclass

from tests.eval.stranger.truth import Rgb
from tests.eval.stranger_home.scene import Furniture

_DARK, _STEEL, _PALE, _SKY = (34, 34, 40), (186, 190, 194), (236, 234, 226), (168, 206, 236)


@dataclass(frozen=True)
class Block:
    """A rectangle with round corners (a disc where corner is its half width). grain: strength of wood."""

    x: float
    y: float
    half_width: float
    half_height: float
    rgb: Rgb
    corner: float = 0.0
    grain: float = 0.0


def tinted(rgb: Rgb, factor: float) -> Rgb:
    """Darker below 1, lighter above."""
    red, green, blue = (max(0, min(255, round(part * factor))) for part in rgb)
    return red, green, blue


def _span(left: float, top: float, right: float, bottom: float, rgb: Rgb, corner: float = 0.0,
          grain: float = 0.0) -> Block:  # fmt: skip
    return Block((left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2, rgb, corner,
                 grain)  # fmt: skip


def _disc(x: float, y: float, radius: float, rgb: Rgb) -> Block:
    return Block(x, y, radius, radius, rgb, radius)


def blocks(piece: Furniture) -> list[Block]:
    """The blocks of a piece, from the back to the front."""
    return _DRAWN[piece.kind](piece)


def _table(p: Furniture) -> list[Block]:
    dark = tinted(p.rgb, 0.72)
    legs = [
        _span(x, p.y + 0.03, x + 0.045, p.foot, dark, 0.005, 0.5) for x in (p.left + 0.04, p.right - 0.085)
    ]
    rail = _span(p.left + 0.04, p.y + 0.03, p.right - 0.04, p.y + 0.08, dark, 0.0, 0.5)
    return [*legs, rail, _span(p.left, p.y - 0.012, p.right, p.y + 0.038, p.rgb, 0.01, 1.0)]


def _shelf(p: Furniture) -> list[Block]:
    dark = tinted(p.rgb, 0.6)
    arms = [_span(x, p.y + 0.02, x + 0.022, p.y + 0.1, dark) for x in (p.left + 0.08, p.right - 0.1)]
    return [*arms, _span(p.left, p.y - 0.01, p.right, p.y + 0.034, p.rgb, 0.006, 1.0)]


def _sofa(p: Furniture) -> list[Block]:
    dark, light, middle = tinted(p.cloth, 0.75), tinted(p.cloth, 1.12), (p.left + p.right) / 2
    return [
        _span(p.left + 0.03, p.y - 0.27, p.right - 0.03, p.y + 0.06, dark, 0.06),
        _span(p.left + 0.05, p.y - 0.01, middle, p.y + 0.1, light, 0.035),
        _span(middle, p.y - 0.01, p.right - 0.05, p.y + 0.1, light, 0.035),
        _span(p.left + 0.02, p.y + 0.09, p.right - 0.02, p.foot - 0.03, dark, 0.02),
        _span(p.left - 0.03, p.y - 0.1, p.left + 0.07, p.foot - 0.03, p.cloth, 0.045),
        _span(p.right - 0.07, p.y - 0.1, p.right + 0.03, p.foot - 0.03, p.cloth, 0.045),
        _span(p.left + 0.04, p.foot - 0.03, p.left + 0.08, p.foot, _DARK),
        _span(p.right - 0.08, p.foot - 0.03, p.right - 0.04, p.foot, _DARK),
    ]


def _bed(p: Furniture) -> list[Block]:
    return [
        _span(p.left - 0.05, p.y - 0.3, p.left + 0.02, p.foot, p.rgb, 0.02, 1.0),
        _span(p.right - 0.02, p.y - 0.1, p.right + 0.04, p.foot, p.rgb, 0.015, 1.0),
        _span(p.left, p.y + 0.09, p.right, p.foot - 0.05, tinted(p.rgb, 0.8), 0.0, 1.0),
        _span(p.left, p.y - 0.005, p.right, p.y + 0.11, _PALE, 0.025),
        _span(p.left + 0.3, p.y - 0.012, p.right, p.y + 0.15, p.cloth, 0.02),
        _span(p.left + 0.03, p.y - 0.06, p.left + 0.24, p.y + 0.03, (250, 250, 248), 0.04),
    ]


def _bench(p: Furniture) -> list[Block]:
    iron = (58, 60, 66)
    posts = [_span(x, p.y - 0.22, x + 0.035, p.foot, iron) for x in (p.left + 0.06, p.right - 0.095)]
    back = [_span(p.left, y, p.right, y + 0.05, p.rgb, 0.008, 1.0) for y in (p.y - 0.22, p.y - 0.145)]
    return [*posts, *back, _span(p.left - 0.01, p.y - 0.012, p.right + 0.01, p.y + 0.045, p.rgb, 0.01, 1.0)]


def _stove(p: Furniture) -> list[Block]:
    middle, wide = (p.left + p.right) / 2, p.right - p.left
    knobs = [_disc(p.left + wide * (0.18 + 0.16 * n), p.y + 0.055, 0.016, _DARK) for n in range(5)]
    return [
        _span(middle - 0.09, p.y - 0.1, middle + 0.09, p.y - 0.005, (196, 64, 52), 0.02),
        _span(middle - 0.14, p.y - 0.075, middle - 0.08, p.y - 0.06, _DARK, 0.006),
        _span(p.left, p.y, p.right, p.foot, p.cloth, 0.012),
        _span(p.left, p.y - 0.01, p.right, p.y + 0.022, _DARK, 0.004),
        *knobs,
        _span(p.left + 0.045, p.y + 0.13, p.right - 0.045, p.foot - 0.07, (30, 28, 30), 0.02),
        _span(p.left + 0.06, p.y + 0.105, p.right - 0.06, p.y + 0.12, _STEEL, 0.006),
    ]


def _fridge(p: Furniture) -> list[Block]:
    split = p.y + (p.foot - p.y) * 0.36
    return [
        _span(p.left, p.y, p.right, p.foot, (226, 230, 232), 0.025),
        _span(p.left, split - 0.006, p.right, split + 0.006, (120, 124, 128)),
        _span(p.left + 0.03, split - 0.14, p.left + 0.048, split - 0.03, (110, 114, 120), 0.008),
        _span(p.left + 0.03, split + 0.03, p.left + 0.048, split + 0.18, (110, 114, 120), 0.008),
    ]


def _tv(p: Furniture) -> list[Block]:
    low, middle = p.y + 0.3, (p.left + p.right) / 2
    return [
        _span(p.left - 0.03, low + 0.03, p.right + 0.03, p.foot, p.rgb, 0.01, 1.0),
        _span(middle - 0.05, low - 0.02, middle + 0.05, low + 0.03, _DARK),
        _span(p.left, p.y, p.right, low, (22, 22, 26), 0.012),
        _span(p.left + 0.02, p.y + 0.02, p.right - 0.02, low - 0.02, (44, 62, 84), 0.004),
        _disc((p.left + p.right) / 2, low + 0.1, 0.012, _STEEL),
    ]


def _wardrobe(p: Furniture) -> list[Block]:
    middle, pale = (p.left + p.right) / 2, tinted(p.rgb, 1.14)
    return [
        _span(p.left, p.y, p.right, p.foot, p.rgb, 0.01, 1.0),
        _span(p.left + 0.025, p.y + 0.04, middle - 0.008, p.foot - 0.05, pale, 0.008, 1.0),
        _span(middle + 0.008, p.y + 0.04, p.right - 0.025, p.foot - 0.05, pale, 0.008, 1.0),
        _disc(middle - 0.035, (p.y + p.foot) / 2, 0.014, _DARK),
        _disc(middle + 0.035, (p.y + p.foot) / 2, 0.014, _DARK),
    ]


def _tree(p: Furniture) -> list[Block]:
    middle, radius = (p.left + p.right) / 2, (p.right - p.left) / 2
    crown = [
        _disc(middle + dx * radius, p.y + radius * (1 + dy), radius * size, tinted((58, 128, 56), shade))
        for dx, dy, size, shade in (
            (-0.42, 0.1, 0.58, 0.85), (0.42, 0.12, 0.58, 0.95), (0.0, -0.35, 0.64, 1.08),
            (0.05, 0.25, 0.5, 1.0),
        )
    ]  # fmt: skip
    return [_span(middle - 0.04, p.y + radius, middle + 0.04, p.foot, (104, 74, 48), 0.01, 0.8), *crown]


def _window(p: Furniture) -> list[Block]:
    middle, level = (p.left + p.right) / 2, (p.y + p.foot) / 2
    return [
        _span(p.left, p.y, p.right, p.foot, _PALE, 0.008),
        _span(p.left + 0.025, p.y + 0.025, p.right - 0.025, p.foot - 0.025, _SKY),
        _span(middle - 0.01, p.y, middle + 0.01, p.foot, _PALE),
        _span(p.left, level - 0.01, p.right, level + 0.01, _PALE),
    ]


_DRAWN = {
    "table": _table, "shelf": _shelf, "sofa": _sofa, "bed": _bed, "bench": _bench, "stove": _stove,
    "fridge": _fridge, "tv": _tv, "wardrobe": _wardrobe, "tree": _tree, "window": _window,
}  # fmt: skip
