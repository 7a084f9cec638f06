"""Books in six forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, Points, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.tabletop.turned import ACCENTS, accent, half_width

_PAPERS: tuple[Rgb, ...] = ((250, 248, 240), (242, 234, 214), (255, 255, 255))
_LIGHT: tuple[Rgb, ...] = ((250, 249, 244), (255, 255, 255), (246, 236, 206))
_LINE = 0.8


def _write(
    pen: Pen, x: float, y: float, rgb: Rgb, rng: random.Random, label: str, plain: bool = False
) -> None:
    """The label around (x, y), on a light patch or on the cover itself."""
    if not label:
        return
    height, ground = min(6.6, 20 / len(label)), rgb
    half = half_width(label, height) + 0.9
    if not plain and rng.random() < 0.5:
        ground, tall = rng.choice(_LIGHT), height / 2 + rng.uniform(1, 1.8)
        pen.rounded(x - half, y - tall, x + half, y + tall, rng.uniform(0, 2), ground, edge_of(ground), 0.4)
    pen.text(x, y, label, height, ink_on(ground))


def _between(a: tuple[float, float], b: tuple[float, float], part: float) -> tuple[float, float]:
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def _pages(pen: Pen, corners: Points, rng: random.Random) -> None:
    """The edges of the pages: a quadrilateral with lines along its first side."""
    paper, count = rng.choice(_PAPERS), rng.randint(2, 4)
    pen.polygon(corners, paper, shade(paper, 0.5), 0.5)
    a, b, c, d = corners
    for line in range(1, count):
        pen.line([_between(a, d, line / count), _between(b, c, line / count)], shade(paper, 0.78), 0.4)


def _picture(pen: Pen, x: float, y: float, size: float, rgb: Rgb, rng: random.Random) -> None:
    """A small sign on a cover: a disc, a star, a hill or lines."""
    tone, style = accent(rgb, rng), rng.randrange(4)
    if style == 0:
        pen.oval(x, y, size, size, tone)
    elif style == 1:
        star = [(size * (1.1 if k % 2 else 0.5), math.tau * k / 10) for k in range(10)]
        pen.polygon([(x + r * math.sin(t), y + r * math.cos(t)) for r, t in star], tone)
    elif style == 2:
        pen.polygon(
            [(x - size * 1.2, y + size), (x - 0.2 * size, y - size), (x + size * 1.2, y + size)], tone
        )
    else:
        for row in range(3):
            pen.rect(
                x - size, y - size + row * size * 0.8, x + size, y - size * 0.65 + row * size * 0.8, tone
            )


def _book_front(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    wide, tall = rng.uniform(25.5, 28.5), rng.uniform(25, 29)
    thick, rise = rng.uniform(2.2, 4.5), rng.uniform(2, 4)
    left, edge = -(wide + thick) / 2, edge_of(rgb)
    right, top = left + wide, -tall - rise
    back = [(left, -rise), (left + thick, 0), (right + thick, 0), (right + thick, top + rise), (right, top)]
    pen.polygon(back, shade(rgb, 0.75), edge, _LINE)
    inner = 0.8
    pages = pen.at(0, -rise)
    _pages(
        pages,
        [(left + 1, 0), (right, 0), (right + thick - inner, rise - inner), (left + thick, rise - inner)],
        rng,
    )
    _pages(
        pages,
        [(right, 0), (right, top + rise + 1), (right + thick - inner, top + 2 * rise),
         (right + thick - inner, rise - inner)], rng,
    )  # fmt: skip
    pen.rounded(left, top, right, -rise, rng.uniform(0.2, 1.6), rgb, edge, _LINE)
    hinge = rng.uniform(1.4, 2.4)
    pen.rect(left + 0.4, top + 0.4, left + hinge, -rise - 0.4, shade(rgb, rng.choice((0.7, 0.8, 1.25))))
    middle = left + (hinge + wide) / 2
    y, high = top + tall * rng.uniform(0.26, 0.7), rng.random() < 0.5
    framed = half_width(label, 20 / max(3.1, len(label))) < (wide - hinge) / 2 - 2
    if framed and rng.random() < 0.6:
        pen.rect(
            left + hinge + 1,
            top + 1.2,
            right - 1.2,
            -rise - 1.2,
            None,
            shade(rgb, rng.choice((0.6, 1.5))),
            0.5,
        )
    if rng.random() < 0.7:
        other = y + tall * 0.36 if y < top + tall / 2 else y - tall * 0.36
        _picture(pen, middle, other, rng.uniform(2.4, 4), rgb, rng)
    if high and not label:
        pen.rect(right - 4, top + 0.4, right - 2.8, -rise - 0.4, accent(rgb, rng))
    _write(pen, middle, y, rgb, rng, label)


def _book_open(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    wide, deep, bulge = rng.uniform(16, 18.5), rng.uniform(17, 21), rng.uniform(1.5, 3.2)
    spread, edge, rim = rng.uniform(0.5, 2.5), edge_of(rgb), rng.uniform(1.8, 2.6)
    cover = [
        (-wide - spread - rim, 0),
        (wide + spread + rim, 0),
        (wide + rim, -deep - rim),
        (-wide - rim, -deep - rim),
    ]
    pen.polygon(cover, rgb, edge, 1.0)
    pen.rect(-1.6, -deep - rim, 1.6, 0, shade(rgb, 0.7))
    paper, pictured = rng.choice(_PAPERS), rng.choice((-1, 1))
    parts = [step / 10 for step in range(11)]

    def place(side: int, across: float, up: float) -> tuple[float, float]:
        bend = bulge * math.sin(math.pi * across**0.6)
        return side * across * (wide + spread * (1 - up)), -rim - up * (deep - rim * 0.6) - bend

    def area(side: int, left: float, right: float, low: float, high: float) -> list[tuple[float, float]]:
        ends = [left + (right - left) * t for t in parts]
        return [*(place(side, t, low) for t in ends), *(place(side, t, high) for t in ends[::-1])]

    for side in (-1, 1):
        for layer in (1.2, 0.6, 0.0):
            pen.at(side * layer * 0.4, layer).polygon(area(side, 0, 1, 0, 1), paper, shade(paper, 0.55), 0.5)
        pen.polygon(area(side, 0, 0.1, 0, 1), shade(paper, 0.84))
        shown = side == pictured and rng.random() < 0.85
        low = rng.choice((0.12, 0.42)) if shown else 1.0
        if shown:
            pen.polygon(area(side, 0.18, 0.86, low, low + 0.44), shade(rgb, rng.choice((1.0, 1.25))))
        for row in range(6):
            up = 0.15 + 0.14 * row
            if not low - 0.05 < up < low + 0.5:
                last = 0.88 if row else rng.uniform(0.4, 0.88)
                pen.line([place(side, 0.18 + (last - 0.18) * t, up) for t in parts], shade(paper, 0.6), 0.55)
    if rng.random() < 0.5:
        ribbon = rng.choice((rgb, *ACCENTS))
        pen.line([(0, -deep - 1), (0.6, -rim), (rng.uniform(1, 3), 2 - rim)], ribbon, 1.2)


def _book_standing(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    wide, tall, spine = rng.uniform(24, 26.5), rng.uniform(25, 29), rng.uniform(4.5, 6.5)
    edge, up, rise = edge_of(rgb), rng.uniform(2.8, 4.5), rng.uniform(0.5, 1.8)
    left = -(wide - spine) / 2
    right = left + wide
    depth = (-spine, -up)
    near, far = (left, -tall), (right, -tall - rise)
    roof = [(left + depth[0], -tall + depth[1]), near, far, (right + depth[0] * 0.8, -tall - rise + depth[1])]
    pen.polygon(roof, shade(rgb, 0.8), edge, _LINE)
    drop = 0.9
    _pages(pen, [(x + (0.4 - 0.2 * (x > 0)), y + drop) for x, y in (roof[0], roof[3], roof[2], roof[1])], rng)
    back = shade(rgb, rng.choice((0.62, 0.75)))
    side = [(left, 0), near, roof[0], (left + depth[0], depth[1])]
    pen.polygon(side, back, edge, _LINE)
    band = accent(rgb, rng)
    for part in (0.12, 0.2, 0.8, 0.88)[: rng.choice((0, 2, 4))]:
        low = [_between(side[0], side[1], part), _between(side[3], side[2], part)]
        pen.line(low, band, rng.uniform(0.7, 1.2))
    pen.polygon([near, far, (right, -rise), (left, 0)], rgb, edge, _LINE)
    turned = pen.at((left + right) / 2, -rise / 2, angle_deg=-math.degrees(math.atan2(rise, wide)))
    y = -tall * rng.choice((rng.uniform(0.25, 0.35), rng.uniform(0.6, 0.75)))
    if rng.random() < 0.7:
        _picture(
            turned, 0, y + tall * 0.38 if y < -tall / 2 else y - tall * 0.38, rng.uniform(2.4, 4.2), rgb, rng
        )
    _write(turned, 0, y, rgb, rng, label)


def _book_corner(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    thick, cover, edge = rng.uniform(4.5, 7.5), rng.uniform(0.9, 1.4), edge_of(rgb)
    near = (rng.uniform(-8, -2), 0.0)
    left, right = (-20.0, -rng.uniform(5.5, 7.5)), (20.0, -rng.uniform(7.0, 9.0))
    far = (left[0] + right[0] - near[0], left[1] + right[1])

    def lifted(by: float) -> list[tuple[float, float]]:
        return [(x, y - by) for x, y in (near, right, far, left)]

    pen.polygon(lifted(0), shade(rgb, 0.7), edge, _LINE)
    low, high = lifted(cover), lifted(thick)
    pen.polygon([*lifted(0)[:2], *low[1::-1]], shade(rgb, 0.8), edge, 0.5)
    inner = 0.03
    base, top = [_between(p, far, inner) for p in low], [_between(p, far, inner) for p in high]
    _pages(pen, [base[0], base[1], top[1], top[0]], rng)
    if rng.random() < 0.5:
        _pages(pen, [base[3], base[0], top[0], top[3]], rng)
    else:
        start, end = lifted(0)[3], lifted(0)[0]
        pen.polygon([start, end, lifted(thick)[0], lifted(thick)[3]], shade(rgb, 0.72), edge, _LINE)
    lid = lifted(thick + cover)
    pen.polygon([lid[3], lid[0], lid[1], high[1], high[0], high[3]], shade(rgb, 0.8), edge, 0.5)
    pen.polygon(lid, rgb, edge, _LINE)

    def place(u: float, v: float) -> tuple[float, float]:
        return _between(_between(lid[0], lid[1], u), _between(lid[3], lid[2], u), v)

    tone, style = accent(rgb, rng), rng.randrange(4)
    if style == 0:
        pen.polygon([place(u, v) for u, v in ((0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7))], tone)
    elif style == 1:
        pen.polygon(
            [place(u, v) for u, v in ((0.08, 0.1), (0.92, 0.1), (0.92, 0.9), (0.08, 0.9))], None, tone, 0.7
        )
    elif style == 2:
        pen.polygon([place(u, v) for u, v in ((0.82, 0), (0.9, 0), (0.9, 1), (0.82, 1))], tone)
    if rng.random() < 0.4:
        ribbon = rng.choice(ACCENTS)
        start = _between(base[0], base[1], 0.5)
        pen.line([(start[0], start[1] - thick * 0.3), (start[0] + 1.5, start[1] + 2.5)], ribbon, 1.2)


def _book_thick(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, thick, deep = rng.uniform(15.5, 17), rng.uniform(10, 12.5), rng.uniform(6, 9)
    side, lean, edge, board = rng.choice((-1, 1)), rng.uniform(5.5, 9), edge_of(rgb), rng.uniform(1, 1.6)

    def shown(points: Points) -> list[tuple[float, float]]:
        return [(side * (x - lean / 2), y) for x, y in points]

    end = [(half, 0), (half, -thick), (half + lean, -thick - deep), (half + lean, -deep)]
    pen.polygon(shown(end), shade(rgb, 0.7), edge, _LINE)
    far = half + lean * 0.94
    _pages(
        pen,
        shown(
            [
                (half + 1.3, -board - 1),
                (far, -deep - board),
                (far, -thick - deep + board),
                (half + 1.3, board - thick - 1),
            ]
        ),
        rng,
    )
    top = [(-half, -thick), (half, -thick), (half + lean, -thick - deep), (lean - half, -thick - deep)]
    pen.polygon(shown(top), shade(rgb, rng.choice((1.0, 1.18))), edge, _LINE)
    if rng.random() < 0.6:
        inset = [_between(corner, (lean / 2, -thick - deep / 2), 0.22) for corner in top]
        pen.polygon(shown(inset), rng.choice((None, shade(rgb, 0.85))), shade(rgb, 0.6), 0.6)
    spine = pen.at(-side * lean / 2, 0)
    spine.rounded(-half - 0.4, -thick, half + 0.4, 0, rng.uniform(0.3, 2.2), rgb, edge, _LINE)
    band = accent(rgb, rng)
    for at in rng.choice(((0.9,), (0.86, 0.94), ())):
        for x in (-half * at, half * at):
            spine.rect(x - 0.5, -thick + 0.4, x + 0.5, -0.4, band)
    _write(spine, 0, -thick / 2, rgb, rng, label, plain=rng.random() < 0.4)


def _book_face_down(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    peak, deep, rise = rng.uniform(13, 17), rng.uniform(18, 22), rng.uniform(5, 8)
    wide, edge, apex = rng.uniform(17, 21), edge_of(rgb), -20 + rng.uniform(8.5, 10)
    left, right, top = (-20.0, -rng.uniform(0, 1.5)), (-20.0 + wide, 0.0), (apex, -peak)
    paper = rng.choice(_PAPERS)
    pen.polygon([left, top, right], paper)
    for fan in range(1, 9):
        pen.line([top, _between(left, right, fan / 9)], shade(paper, 0.66), 0.4)
    back = [right, (right[0] + deep, right[1] - rise), (top[0] + deep, top[1] - rise), top]
    pen.polygon(back, rgb, edge, _LINE)

    def place(u: float, v: float) -> tuple[float, float]:
        return _between(_between(back[0], back[1], u), _between(back[3], back[2], u), v)

    tone, style = accent(rgb, rng), rng.randrange(4)
    if style == 0:
        pen.polygon([place(u, v) for u, v in ((0.25, 0.35), (0.75, 0.35), (0.75, 0.7), (0.25, 0.7))], tone)
    elif style == 1:
        pen.polygon(
            [place(u, v) for u, v in ((0.1, 0.12), (0.9, 0.12), (0.9, 0.82), (0.1, 0.82))], None, tone, 0.7
        )
    elif style == 2:
        pen.polygon([place(u, v) for u, v in ((0, 0.15), (1, 0.15), (1, 0.28), (0, 0.28))], tone)
    pen.polygon([place(u, v) for u, v in ((0, 0.9), (1, 0.9), (1, 1), (0, 1))], shade(rgb, 0.75), edge, 0.5)
    for foot in (left, right):
        pen.line([top, foot], edge, 2.6)
        pen.line([top, foot], rgb, 1.5)


_Draw = Callable[[Pen, random.Random, Rgb, str], None]
_BOOKS: tuple[_Draw, ...] = (
    _book_front,
    _book_open,
    _book_standing,
    _book_corner,
    _book_thick,
    _book_face_down,
)


def draw_book(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A book from the front, open, standing, lying with a corner or with its spine in front, or face down."""
    flip = form % 2 == 1 and rng.random() < 0.5
    _BOOKS[form](
        pen.at(0, 0, angle_deg=rng.uniform(-3, 3), flip=flip), rng, rgb, label if form % 2 == 0 else ""
    )
