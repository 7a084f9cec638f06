"""Glasses in six further forms, every part of them varied at random."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from models.train.world.home.picture.pen import Pen, edge_of, luminance, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.worn.parts import METAL, Spots, accent, both, cord, smooth, tone

Spot = tuple[float, float, float]
Seen = Callable[[Spot], tuple[float, float]]


def _view(yaw: float, pitch: float) -> Seen:
    """How a spot (x, y down, z backwards) is seen from `yaw` degrees aside and `pitch` degrees above."""
    cos, sin, tilt = math.cos(math.radians(yaw)), math.sin(math.radians(yaw)), math.radians(pitch)

    def seen(spot: Spot) -> tuple[float, float]:
        x, y, z = spot
        return x * cos + z * sin, y * math.cos(tilt) - (z * cos - x * sin) * math.sin(tilt)

    return seen


def _ring(rng: random.Random, wide: float, tall: float) -> Spots:
    """The outline of a lens around (0, 0): oval, square, with corners, or flat on top."""
    kind, power = rng.randrange(4), rng.uniform(2, 4)
    if kind == 0:
        count = rng.choice((6, 8))
        turns = [math.tau * (k + (0.5 if count == 8 else 0)) / count for k in range(count)]
        return [(wide * math.cos(t) * 1.06, tall * math.sin(t) * 1.06) for t in turns]
    ring = []
    for k in range(32):
        c, s = math.cos(math.tau * k / 32), math.sin(math.tau * k / 32)
        reach = (abs(c) ** power + abs(s) ** power) ** (-1 / power)
        y = s * reach * tall
        ring.append((c * reach * wide, max(y, -tall * 0.7) if kind == 1 else y))
    return ring


def _lens_rgb(rng: random.Random, rgb: Rgb, dark: float) -> Rgb | None:
    """Clear, tinted, dark (with chance `dark`) or no glass at all."""
    if rng.random() < dark:
        rgb = (shade(rgb, 0.35) if rng.random() < 0.4 else rng.choice([(50, 52, 58), (70, 60,
            50), (44, 58, 70)]))  # fmt: skip
        return shade(rgb, 1.25) if luminance(rgb) < 45 else rgb
    return rng.choice([None, (222, 234, 240), (236, 240, 240), shade(rgb, 1.72), (205, 222, 232)])


def _fit(pen: Pen, spots: Sequence[tuple[float, float]], wide: float, tall: float, rim: float) -> Pen:
    """A pen that brings `spots` into a box `wide` by `tall` that stands on y = 0."""
    left, right = min(x for x, _ in spots) - rim / 2, max(x for x, _ in spots) + rim / 2
    top, low = min(y for _, y in spots) - rim / 2, max(y for _, y in spots) + rim / 2
    scale = min(wide / (right - left), tall / (low - top))
    return pen.at(-(left + right) / 2 * scale, -low * scale, scale)


def _solid(
    pen: Pen, rng: random.Random, rgb: Rgb, pose: tuple[float, float, float], box: tuple[float, float],
    rim: float, folded: bool = False, dark: float = 0.3,
) -> None:  # fmt: skip
    """Glasses in space, seen from pose: yaw, pitch and turn in the picture (degrees)."""
    u, yaw, turn = rng.uniform, pose[0], math.radians(pose[2])
    seen = _view(yaw, pose[1])

    def placed(spot: Spot) -> tuple[float, float]:
        x, y = seen(spot)
        return x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)

    wide, gap, tall = u(7.4, 8.6), u(1.6, 2.4), u(5.4, 7.2)
    ring = _ring(rng, wide, tall)
    rings = [[placed((side * (wide + gap + x), y, 0)) for x, y in ring] for side in (-1, 1)]
    hinge, top, length, bend = 2 * wide + gap, -tall * (0.75 if folded else u(0.3, 0.6)), u(29, 34), u(4, 6)
    arms = []
    for side in (-1, 1):
        if folded:
            rise, z = u(-1, 1), 2.5 if side < 0 else 4.0
            spots: list[Spot] = [(side * hinge, top, 0.5), (side * (hinge - 2), top, z)]
            spots += [(-side * hinge * 0.55, top + rise, z), (-side * hinge * 0.95, top + rise + bend, z)]
        else:
            spots = [(side * hinge, top, 0), (side * hinge * 1.02, top, length * 0.35)]
            spots += [(side * hinge * 0.96, top, length * 0.72), (side * hinge * 0.9, top + bend, length)]
        arms.append([placed(spot) for spot in spots])
    pen = _fit(pen, [spot for part in (*rings, *arms) for spot in part], *box, rim)
    lens, shine = _lens_rgb(rng, rgb, dark), rng.random() < 0.5
    arm_rgb = tone(rgb, u(0, 0.25))
    tip = rng.choice([tone(rgb, 0.5), accent(rng, rgb), arm_rgb, arm_rgb, arm_rgb])
    near_behind = math.cos(math.radians(yaw)) < 0

    def side_arm(k: int) -> None:
        curve = smooth(arms[k], closed=False)
        cord(pen, curve, arm_rgb, max(rim * 0.85, 1.3))
        pen.line(curve[-6:], tip, max(rim * 0.9, 1.3))

    nearest = (0, 1) if math.sin(math.radians(yaw)) > 0 else (1, 0)
    if not near_behind:
        for k in (0, 1) if folded else nearest[:1]:
            side_arm(k)
    bow = [placed((x, y, 0)) for x, y in ((-gap - 0.8, -1.0), (0.0, -tall * 0.4), (gap + 0.8, -1.0))]
    for k in nearest:
        glass_edge = rings[k]
        if lens is not None:
            pen.polygon(glass_edge, lens, shade(lens, 0.6), 0.6)
            if shine:
                x, y = (sum(spot[n] for spot in glass_edge) / len(glass_edge) for n in (0, 1))
                across = (max(s[0] for s in glass_edge) - min(s[0] for s in glass_edge)) * 0.16
                pen.line([(x - across, y + 1.6), (x + across, y - 1.8)], shade(lens, 1.6), 1)
        cord(pen, [*glass_edge, glass_edge[0], glass_edge[1]], rgb, rim)
    cord(pen, smooth(bow, closed=False), rgb, max(rim * 0.9, 1.4))
    if near_behind:
        for k in (0, 1):
            side_arm(k)
    elif not folded:
        side_arm(nearest[1])


def _from_above(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Open, seen from behind and above, with the arms towards the one who looks."""
    u = rng.uniform
    pose = (180 + u(-28, 28), u(27, 42), u(-14, 14))
    _solid(pen, rng, rgb, pose, (u(36, 42), u(23, 27)), u(1.5, 2.7))


def _profile(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Nearly from the side: both lenses narrow, one arm along the whole picture."""
    u = rng.uniform
    pose = (rng.choice((-1, 1)) * u(58, 72), u(8, 20), u(-6, 6))
    _solid(pen, rng, rgb, pose, (u(38, 43), u(17, 21)), u(1.3, 2.2))


def _cat_eye(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """From the front, the outer corners drawn up to points, at times with a cord around the neck."""
    u, edge = rng.uniform, edge_of(rgb)
    wide, tall, up, thick = u(18.5, 20.5), u(12, 15), u(1, 3.5), u(1.5, 2.3)
    lens = _lens_rgb(rng, rgb, 0.3) or (226, 232, 234)
    brow = u(0.7, 0.9)
    if rng.random() < 0.4:
        string = rng.choice([tone(rgb, 0.4), accent(rng, rgb), (214, 176, 80)])
        sway, high = u(-4, 4), -tall - u(8, 12)
        loop = [(-wide + 1, -tall + 1), (-wide * 0.9, high + 4), (sway, high), (wide * 0.9, high + 4)]
        pen.line(smooth([*loop, (wide - 1, -tall + 1)], closed=False), string, 1)
    pen.line([(-4, -tall * 0.6), (0, -tall * 0.7), (4, -tall * 0.6)], edge, thick + 2.4)
    pen.line([(-4, -tall * 0.6), (0, -tall * 0.7), (4, -tall * 0.6)], rgb, thick + 1.1)
    inner = u(1.8, 2.8)
    frame = [(inner, -tall * 0.7), (wide * 0.5, -tall * brow), (wide * 0.82, -tall * 0.96)]
    frame += [(wide + 1, -tall - up)]
    frame += [(wide - 0.4, -tall * 0.55), (wide * 0.82, -tall * 0.16), (wide * 0.5, 0), (wide
        * 0.22, -tall * 0.15)]  # fmt: skip
    middle = (wide * 0.53, -tall * 0.46)
    mx, my = middle
    glass = [(mx + (x - mx) * 0.76, my + (y - my) * (0.74 - 0.02 * thick)) for x, y in frame]
    glass[3] = (glass[3][0] - 1, glass[3][1] + up * 0.6 + 1)
    style = rng.randrange(4)
    for flip in (False, True):
        half = pen.at(0, 0, flip=flip)
        half.polygon(smooth(frame), rgb, edge, 0.8)
        half.polygon(smooth(glass), lens, edge, 0.7)
        x, y = middle
        half.line([(x - 2.6, y + 2), (x + 1.6, y - 2.6)], shade(lens, 1.5), 1)
        if style == 0:
            for k in range(3):
                half.oval(wide - 0.6 - k * 2.2, -tall - up * 0.5 + 0.9 + k * 0.8, 0.7, 0.7, shade(METAL, 1.7))
        elif style == 1:
            half.polygon([frame[3], (wide - 4.5, -tall * 0.93), (wide - 1, -tall * 0.66)], tone(rgb, 0.5))
        elif style == 2:
            for k in (1, 2, 4, 5, 6):
                half.oval(frame[k][0] * 0.97, frame[k][1] * 0.95 - 0.4, 0.8, 0.6, tone(rgb, 0.5))


def _shield(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """For sports: one broad curved lens over both eyes, with the arms seen at the sides."""
    u, edge = rng.uniform, edge_of(rgb)
    wide, tall, side, nose = u(16, 18), u(10.5, 13.5), u(0, 3), u(3.5, 5.5)
    lens = rng.choice([tone(rgb, 0.45), shade(rgb, 0.6), (56, 58, 66), (70, 66, 60), tone(rgb, 0.2)])
    lens = shade(lens, 1.25) if luminance(lens) < 45 else lens
    pen = pen.at(0, 0, flip=rng.random() < 0.5)
    for flip in (False, True):
        arm, out = pen.at(0, 0, flip=flip), u(2.5, 4) + (side if flip else -side * 0.6)
        bar = [(wide - 1, -tall + 0.6), (wide + out, -tall - 0.4), (wide + out + 0.6, -tall + 2.6)]
        bar += [(wide - 1, -tall + 4.4)]
        arm.polygon(bar, tone(rgb, 0.2), edge, 0.8)
        arm.line([(wide + out, -tall + 1), (wide + out - 0.8, -tall + 7)], tone(rgb, 0.35), 1.6)
    outline = both([(2, -tall - 0.9), (wide * 0.7, -tall - 0.4), (wide + 0.8, -tall + 1),
                    (wide + 0.2, -tall * 0.45), (wide * 0.68, -0.4), (wide * 0.35, -0.6), (2.2, -nose),
                    (0.6, -nose - 1.2)])  # fmt: skip
    pen.polygon(smooth(outline), rgb, edge)
    thin = 1.5 if rng.random() < 0.4 else 0.4
    glass = both([(2, -tall + 1.8), (wide * 0.7, -tall + 2.2), (wide - 1, -tall + 3.2),
                  (wide - 1.2, -tall * 0.5), (wide * 0.66, -0.4 - thin), (wide * 0.37, -0.6 - thin),
                  (2.6, -nose - thin), (0.6, -nose - 1.4 - thin)])  # fmt: skip
    pen.polygon(smooth(glass), lens, edge, 0.6)
    shine = shade(lens, u(1.35, 1.6))
    for x in rng.choice([(-wide * 0.5, wide * 0.5), (-wide * 0.6,), (wide * 0.4,)]):
        y = -tall * 0.62
        pen.polygon([(x - 1, y - 1), (x + 2.4, y - 1.4), (x + 0.4, y + 3.4), (x - 2.4, y + 3.6)], shine)
    if rng.random() < 0.4:
        pen.line([(-wide * 0.5, -tall + 0.6), (wide * 0.5, -tall + 0.6)], accent(rng, rgb), 0.9)


def _folded(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Folded and seen from behind, the arms across the lenses, at an angle or upside down."""
    u = rng.uniform
    turn = u(-28, 28) + (180 if rng.random() < 0.35 else 0)
    _solid(pen, rng, rgb, (180 + u(-24, 24), u(-6, 10), turn), (u(37, 42), u(20, 25)), u(1.2, 2), True)


def _in_case(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Half out of an open case with a lining."""
    u, shell = rng.uniform, tone(rgb, rng.uniform(0.1, 0.4))
    edge, wide, high, lid = edge_of(shell), u(20, 22.5), u(6.5, 9), u(8, 11)
    lining = rng.choice([(226, 222, 214), (196, 196, 200), (120, 116, 118), (214, 200, 176)])
    lining = (120, 116, 118) if luminance(rgb) > 190 else lining
    top = -high - u(8.5, 10) - lid * 0.4
    corner = u(4, 7)
    pen.rounded(-wide, top, wide, -1.5, corner, shell, edge)
    pen.rounded(-wide + 1.6, top + 1.6, wide - 1.6, -2, corner - 1, lining, shade(lining, 0.7), 0.6)
    pen.line([(-wide + 1.6, -high - 1), (wide - 1.6, -high - 1)], shade(lining, 0.75), 0.9)
    inside = pen.at(u(-0.8, 0.8), -high + u(3.4, 5), 1, u(-5, 5))
    _solid(inside, rng, rgb, (u(-12, 12), u(-4, 4), 0), (wide * 2 - u(6, 8), 13.5), u(2.2, 3.2), True, 0.3)
    front = [(-wide, -high), (-wide * 0.4, -high + 1), (wide * 0.4, -high + 1), (wide, -high), (wide, -4)]
    pen.polygon([*front, (wide - 2, -1), (wide - 5, 0), (-wide + 5, 0), (-wide + 2, -1),
        (-wide, -4)], shell, edge)  # fmt: skip
    if rng.random() < 0.5:
        pen.rounded(-2, -high + 0.4, 2, -high + 3, 0.8, METAL, shade(METAL, 0.6), 0.5)
    elif rng.random() < 0.5:
        pen.line([(-wide + 3, -2.6), (wide - 3, -2.6)], tone(shell, 0.3), 0.8)


def draw_other_glasses(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """From above, from the side, with drawn-up corners, for sports, folded, or in a case."""
    forms = (_from_above, _profile, _cat_eye, _shield, _folded, _in_case)
    forms[form](pen.at(0, -1, 1, rng.uniform(-4, 4)), rng, rgb)
