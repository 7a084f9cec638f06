"""The twelve things as painted distance fields.

A thing stands on the origin: x to the right, y down from -1 at its top to 0, in parts of its height. A part
is a distance, negative inside, with the paint that it is filled with; later parts lie upon earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from tests.eval.stranger.shapes import Field, box, polygon, segment

Part = tuple[Field, str]
ASPECT: Mapping[str, float] = {
    "keys": 0.85, "glasses": 2.4, "phone": 0.52, "wallet": 1.36, "bag": 1.04, "cup": 1.16, "book": 0.78,
    "coat": 1.0, "umbrella": 1.12, "bottle": 0.44, "remote control": 0.36, "medicine box": 1.3,
}  # fmt: skip
"""Width over height."""
HEIGHT: Mapping[str, float] = {
    "keys": 0.21, "glasses": 0.115, "phone": 0.22, "wallet": 0.17, "bag": 0.28, "cup": 0.2, "book": 0.23,
    "coat": 0.4, "umbrella": 0.34, "bottle": 0.29, "remote control": 0.28, "medicine box": 0.19,
}  # fmt: skip
"""Usual height, in room units."""
LABELS: Mapping[str, tuple[float, float, float, float]] = {
    "book": (0.03, -0.68, 0.27, 0.14), "bottle": (0.0, -0.32, 0.195, 0.11),
    "medicine box": (0.17, -0.42, 0.37, 0.17),
}  # fmt: skip
"""Middle and half extents of the label of the things that have one."""


def _capsule(x: Field, y: Field, start: tuple[float, float], end: tuple[float, float], r: float) -> Field:
    return segment(x, y, start, end) - r


def _disc(x: Field, y: Field, at: tuple[float, float], r: float) -> Field:
    return np.hypot(x - at[0], y - at[1]) - r


def _hoop(x: Field, y: Field, at: tuple[float, float], r: float, half: float) -> Field:
    return np.abs(_disc(x, y, at, r)) - half


def _plate(x: Field, y: Field, at: tuple[float, float, float, float], corner: float = 0.0) -> Field:
    return box(x - at[0], y - at[1], at[2], at[3], corner)


def _any(*fields: Field) -> Field:
    return np.minimum.reduce(fields)


def _keys(x: Field, y: Field) -> list[Part]:
    parts: list[Part] = []
    for way, paint in ((-1.0, "gold"), (1.0, "metal")):
        blade = _capsule(x, y, (0.09 * way, -0.5), (0.27 * way, -0.05), 0.036)
        teeth = [
            _capsule(x, y, (way * a, b), (way * (a - 0.1), b + 0.035), 0.024)
            for a, b in ((0.26, -0.09), (0.22, -0.19))
        ]
        bow = np.maximum(_disc(x, y, (0.08 * way, -0.55), 0.14), -_disc(x, y, (0.07 * way, -0.6), 0.045))
        parts.append((_any(blade, bow, *teeth), paint))
    parts.append((_hoop(x, y, (0.0, -0.8), 0.165, 0.028), "metal"))
    parts.append((_plate(x, y, (0.0, -0.4, 0.095, 0.17), 0.06), "body"))
    return parts


def _glasses(x: Field, y: Field) -> list[Part]:
    lenses = [_plate(x, y, (0.54 * way, -0.47, 0.43, 0.36), 0.24) for way in (-1, 1)]
    arms = [_capsule(x, y, (0.97 * way, -0.62), (1.13 * way, -0.5), 0.06) for way in (-1, 1)]
    bridge = _capsule(x, y, (-0.13, -0.56), (0.13, -0.56), 0.06)
    frames = [np.abs(lens) - 0.075 for lens in lenses]
    return [(_any(*lenses), "glass"), (_any(*frames, *arms, bridge), "body")]


def _phone(x: Field, y: Field) -> list[Part]:
    icons = [
        _plate(x, y, (0.12 * (column - 1), -0.78 + 0.16 * row, 0.04, 0.045), 0.015)
        for column, row in product(range(3), range(4))
    ]
    return [
        (_plate(x, y, (0.0, -0.5, 0.255, 0.495), 0.075), "body"),
        (_plate(x, y, (0.0, -0.5, 0.205, 0.415), 0.02), "screen"),
        (_any(*icons[::2]), "light"),
        (_any(*icons[1::2]), "accent"),
        (_capsule(x, y, (-0.06, -0.045), (0.06, -0.045), 0.016), "light"),
    ]


def _wallet(x: Field, y: Field) -> list[Part]:
    return [
        (_plate(x, y, (-0.06, -0.82, 0.5, 0.16), 0.02), "money"),
        (_plate(x, y, (0.0, -0.38, 0.66, 0.375), 0.09), "body"),
        (_plate(x, y, (0.0, -0.62, 0.62, 0.012)), "dark"),
        (_plate(x, y, (0.5, -0.36, 0.17, 0.1), 0.06), "dark"),
        (_disc(x, y, (0.46, -0.36), 0.045), "gold"),
    ]


def _bag(x: Field, y: Field) -> list[Part]:
    handle = np.maximum(_hoop(x, y, (0.0, -0.64), 0.29, 0.045), y + 0.6)
    sack = polygon(x, y, [(-0.34, -0.63), (0.34, -0.63), (0.47, -0.03), (-0.47, -0.03)]) - 0.03
    flap = polygon(x, y, [(-0.33, -0.63), (0.33, -0.63), (0.0, -0.36)])
    return [(handle, "dark"), (sack, "body"), (flap, "shade"), (_disc(x, y, (0.0, -0.4), 0.05), "gold")]


def _cup(x: Field, y: Field) -> list[Part]:
    drink = (np.hypot((x + 0.1) / 0.36, (y + 0.9) / 0.085) - 1) * 0.085
    return [
        (_hoop(x, y, (0.3, -0.48), 0.2, 0.055), "shade"),
        (_plate(x, y, (-0.1, -0.47, 0.4, 0.47), 0.1), "body"),
        (drink, "coffee"),
    ]


def _book(x: Field, y: Field) -> list[Part]:
    return [
        (_plate(x, y, (0.06, -0.49, 0.31, 0.47)), "paper"),
        (_plate(x, y, (0.0, -0.5, 0.345, 0.5), 0.025), "body"),
        (_plate(x, y, (-0.29, -0.5, 0.045, 0.5)), "dark"),
        (_plate(x, y, (0.03, -0.26, 0.2, 0.014)), "dark"),
        (_plate(x, y, LABELS["book"]), "paper"),
    ]


def _coat(x: Field, y: Field) -> list[Part]:
    trunk = polygon(
        x, y, [(-0.1, -0.98), (0.1, -0.98), (0.27, -0.88), (0.32, -0.02), (-0.32, -0.02), (-0.27, -0.88)]
    )
    sleeves = [_capsule(x, y, (0.24 * way, -0.83), (0.41 * way, -0.36), 0.085) for way in (-1, 1)]
    collar = [polygon(x, y, [(0.0, -0.72), (0.15 * way, -0.96), (0.05 * way, -1.0)]) for way in (-1, 1)]
    buttons = [_disc(x, y, (0.06, -0.62 + 0.16 * row), 0.024) for row in range(4)]
    pockets = [_capsule(x, y, (0.14 * way, -0.3), (0.24 * way, -0.33), 0.014) for way in (-1, 1)]
    return [
        (_any(*sleeves), "shade"),
        (trunk, "body"),
        (_any(*collar), "dark"),
        (_any(_plate(x, y, (0.0, -0.38, 0.011, 0.35)), *pockets), "dark"),
        (_any(*buttons), "gold"),
    ]


def _umbrella(x: Field, y: Field) -> list[Part]:
    dome = _disc(x, y, (0.0, -0.42), 0.54)
    hem = y + 0.44 - 0.07 * np.abs(np.cos(x * np.pi / 0.36))
    ribs = [segment(x, y, (0.0, -0.96), (at, -0.47)) - 0.011 for at in (-0.2, 0.2)]
    hook = np.maximum(_hoop(x, y, (0.075, -0.1), 0.075, 0.025), -(y + 0.1))
    return [
        (_any(_capsule(x, y, (0.0, -0.5), (0.0, -0.1), 0.025), hook), "wood"),
        (np.maximum(dome, hem), "body"),
        (np.maximum(_any(*ribs), hem), "dark"),
        (_capsule(x, y, (0.0, -0.99), (0.0, -0.95), 0.016), "dark"),
    ]


def _bottle(x: Field, y: Field) -> list[Part]:
    shoulder = polygon(x, y, [(-0.19, -0.58), (0.19, -0.58), (0.075, -0.78), (-0.075, -0.78)]) - 0.012
    return [
        (_any(_plate(x, y, (0.0, -0.31, 0.2, 0.31), 0.05), shoulder), "body"),
        (_plate(x, y, (0.0, -0.82, 0.075, 0.09)), "shade"),
        (_plate(x, y, (0.0, -0.945, 0.1, 0.055), 0.015), "dark"),
        (_plate(x, y, LABELS["bottle"]), "paper"),
    ]


def _remote_control(x: Field, y: Field) -> list[Part]:
    keys = [
        _disc(x, y, (0.095 * (column - 1), -0.66 + 0.105 * row), 0.032)
        for column, row in product(range(3), range(4))
    ]
    return [
        (_plate(x, y, (0.0, -0.5, 0.175, 0.5), 0.07), "body"),
        (_any(*keys), "ink"),
        (_hoop(x, y, (0.0, -0.15), 0.075, 0.022), "ink"),
        (_disc(x, y, (-0.07, -0.87), 0.045), "red"),
    ]


def _medicine_box(x: Field, y: Field) -> list[Part]:
    lid = polygon(x, y, [(-0.62, -0.83), (0.62, -0.83), (0.5, -0.99), (-0.5, -0.99)])
    cross = _any(_plate(x, y, (-0.4, -0.42, 0.15, 0.05)), _plate(x, y, (-0.4, -0.42, 0.05, 0.15)))
    return [
        (lid, "shade"),
        (_plate(x, y, (0.0, -0.42, 0.63, 0.42), 0.02), "body"),
        (cross, "cross"),
        (_plate(x, y, LABELS["medicine box"]), "paper"),
        (_capsule(x, y, (0.26, -0.09), (0.36, -0.09), 0.055), "light"),
        (_capsule(x, y, (0.38, -0.09), (0.46, -0.09), 0.055), "red"),
    ]


_PARTS: Mapping[str, Callable[[Field, Field], list[Part]]] = {
    "keys": _keys, "glasses": _glasses, "phone": _phone, "wallet": _wallet, "bag": _bag, "cup": _cup,
    "book": _book, "coat": _coat, "umbrella": _umbrella, "bottle": _bottle,
    "remote control": _remote_control, "medicine box": _medicine_box,
}  # fmt: skip


def parts(name: str, x: Field, y: Field) -> list[Part]:
    """The parts of a thing, from the back to the front."""
    return _PARTS[name](x, y)


def inside(name: str, x: Field, y: Field) -> np.ndarray:
    """True where a point belongs to the thing."""
    found: np.ndarray = _any(*(distance for distance, _ in parts(name, x, y))) < 0
    return found
