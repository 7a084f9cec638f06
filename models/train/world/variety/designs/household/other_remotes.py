"""Six further remote controls: big keys, slab, bent, card, seen from its near end, and long and aslant."""

from __future__ import annotations

import random

from models.train.world.home.picture.pen import Pen
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.key_faces import RED, KeyFace, plate
from models.train.world.variety.designs.household.tones import ACCENTS, Form


def _either(rng: random.Random, low: float, high: float) -> float:
    return rng.choice((-1, 1)) * rng.uniform(low, high)


def _remote_big_keys(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    face = KeyFace(pen, rng, rgb, rng.uniform(33, 42), rng.uniform(8, 10.2))
    face.turn_deg = rng.choice((rng.uniform(-8, 8), _either(rng, 20, 50)))
    face.corner, face.foot, face.drop = rng.uniform(2, 8), rng.uniform(0.8, 1.1), rng.uniform(0, 2)
    face.body()
    face.power(0.89, rng.uniform(1.6, 2.4))
    middle, long = rng.uniform(0.6, 0.66), rng.uniform(5, 6.5)
    for across in (-face.wide * 0.46, face.wide * 0.46):
        face.rocker(across, middle, (rng.uniform(2.4, 3), long))
    face.rows(0.07, middle - (long + 1.5) / face.tall, rng.choice((1, 2, 2)), rng.choice((2, 2, 3)))


def _remote_slab(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    face = KeyFace(pen, rng, rgb, rng.uniform(38, 46), rng.uniform(4.4, 5.8))
    face.turn_deg, face.drop = _either(rng, 8, 65), rng.choice((0.0, 1.0, 1.6))
    face.corner = rng.choice((1.0, 2.5, 5.8))
    face.body()
    if rng.random() < 0.35:
        face.panel(0.62, 0.97, 0.86, plate(rgb))
    face.power(0.93, 0.9)
    along = 0.87 - face.wide * 0.8 / face.tall
    face.ring(along, face.wide * rng.uniform(0.72, 0.82))
    high, low = along - face.wide / face.tall, rng.uniform(0.24, 0.36)
    face.rows(low, high, rng.choice((2, 3)), rng.choice((2, 2, 3)))
    look = rng.choice((0, 1, 2))
    if look == 1:
        face.rocker(0, low - 0.12, (1.6, 4))
    elif look == 2:
        for number, ink in enumerate(rng.sample(ACCENTS, 2)):
            face.key(0, low - 0.06 - 0.08 * number, (face.wide * 0.6, 1.1), ink, 5)


def _remote_bent(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    face = KeyFace(pen, rng, rgb, rng.uniform(38, 45), rng.uniform(6, 7.6))
    face.bend, face.foot, face.corner = _either(rng, 2.4, 5.5), rng.uniform(0.55, 0.95), face.wide * 0.85
    face.turn_deg, face.waist, face.drop = rng.uniform(-30, 30), rng.uniform(0, 0.12), rng.uniform(0, 1.6)
    face.body()
    if rng.random() < 0.4:
        face.panel(0.06, 0.95, rng.uniform(0.68, 0.8), plate(rgb))
    face.power(0.92, 1.2)
    face.ring(0.76, face.wide * rng.uniform(0.58, 0.7))
    if rng.random() < 0.5:
        for across in (-0.46, 0.46):
            face.rocker(across * face.half(0.54), 0.54, (1.4, 3.4))
        face.rows(0.12, 0.43, rng.choice((3, 4)), 3)
    else:
        face.rows(0.3, 0.62, rng.choice((3, 4)), rng.choice((2, 3)))


def _remote_card(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    face = KeyFace(pen, rng, rgb, rng.uniform(29, 37), rng.uniform(7.5, 9.6))
    face.turn_deg = rng.choice((rng.uniform(-12, 12), _either(rng, 20, 60), _either(rng, 80, 98)))
    face.corner, face.drop, face.low = rng.uniform(0.8, 3.4), rng.uniform(0, 1.2), rng.uniform(0.8, 1)
    face.body()
    columns, high = rng.choice((3, 4, 4)), 0.95
    if rng.random() < 0.4:
        face.panel(0.88, 0.995, 0.96, plate(rgb))
        high = 0.85
    if rng.random() < 0.6:
        inks = (RED, ACCENTS[2], ACCENTS[1], ACCENTS[3])[:columns]
        face.rows(high - 0.12, high, 1, columns, inks)
        high -= 0.13
    else:
        face.power(high - 0.06, 1.5)
        high -= 0.13
    face.rows(rng.choice((0.04, 0.04, 0.24)), high, rng.choice((4, 5, 6)), columns)


def _remote_from_near_end(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    face = KeyFace(pen, rng, rgb, rng.uniform(30, 38), rng.uniform(9, 11.5))
    face.far, face.turn_deg, face.drop = rng.uniform(0.5, 0.9), rng.uniform(-24, 24), rng.uniform(2.5, 4.5)
    face.corner, face.waist = rng.uniform(1.5, 5), rng.choice((0, 0, 0.1))
    face.body()
    face.power(0.92, 1.7)
    ring = rng.uniform(0.4, 0.52)
    face.rows(ring + 0.17, 0.87, rng.choice((3, 4)), 3)
    face.ring(ring, face.wide * rng.uniform(0.5, 0.6))
    face.rows(0.05, ring - 0.17, rng.choice((2, 2, 3)), rng.choice((3, 3, 4)))


def _remote_long_aslant(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    face = KeyFace(pen, rng, rgb, rng.uniform(42, 49), rng.uniform(5.6, 7.4))
    face.turn_deg, face.low, face.drop = _either(rng, 30, 80), rng.uniform(0.65, 0.9), rng.uniform(1.5, 3)
    face.corner, face.foot = rng.uniform(0.8, 4), rng.choice((1, 1, 0.85))
    face.body()
    face.panel(0.955, 0.998, 0.9, (60, 24, 36))
    if rng.random() < 0.6:
        face.panel(rng.choice((0.03, 0.3)), 0.94, 0.86, plate(rgb))
    face.power(0.9, 1.2)
    face.rows(0.6, 0.87, rng.choice((3, 4)), 3)
    face.ring(0.48, face.wide * rng.uniform(0.62, 0.72))
    for number, fill in enumerate((RED, *ACCENTS[1:4])):
        face.key(face.wide * (number * 0.44 - 0.66), 0.345, (face.wide * 0.16, 0.8), fill, 4)
    if rng.random() < 0.6:
        for number, side in enumerate((-1, 1, 1)):
            sign = [(-0.9 * side, -1.2), (-0.9 * side, 1.2), (1.2 * side, 0.0)]
            face.mark(face.wide * (number * 0.55 - 0.55), 0.28, sign, face.ink)
    face.rows(rng.choice((0.04, 0.12)), 0.24, rng.choice((2, 3)), 3)


_REMOTES: tuple[Form, ...] = (
    _remote_big_keys, _remote_slab, _remote_bent, _remote_card, _remote_from_near_end, _remote_long_aslant,
)  # fmt: skip


def draw_other_remote_control(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A remote control: big keys, slim slab, bent, card, from its near end, or long and lying aslant."""
    _REMOTES[form](pen, rng, rgb)
