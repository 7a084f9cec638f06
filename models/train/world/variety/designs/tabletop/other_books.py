"""Books in six further forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.tabletop.turned import ACCENTS, accent, half_width

_PAPERS: tuple[Rgb, ...] = ((250, 248, 240), (242, 234, 214), (255, 255, 255))
_LINE = 0.8


def _write(pen: Pen, x: float, y: float, rgb: Rgb, rng: random.Random, label: str) -> None:
    if not label:
        return
    height, ground = min(6.6, 20 / len(label)), rgb
    if rng.random() < 0.5:
        ground, tall = rng.choice(_PAPERS), height / 2 + rng.uniform(0.9, 1.5)
        half = half_width(label, height) + 0.9
        pen.rounded(x - half, y - tall, x + half, y + tall, rng.uniform(0, 2), ground, edge_of(ground), 0.4)
    pen.text(x, y, label, height, ink_on(ground))


def _least(label: str) -> float:
    return half_width(label, min(6.6, 20 / max(1, len(label))))


def _lines(pen: Pen, x: float, y: float, half: float, rows: int, tone: Rgb) -> None:
    for row in range(rows):
        part = half * (1 - 0.35 * (row % 2))
        pen.rect(x - part, y + 2.3 * row - 0.6, x + part, y + 2.3 * row + 0.6, tone)


def _book_turned(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    wide = max(rng.uniform(24, 26), 2 * _least(label) + 5)
    tall, thick = rng.uniform(28, 31), rng.uniform(1.4, 2.8)
    angle, edge, paper = rng.choice((-1, 1)) * rng.uniform(9, 26), edge_of(rgb), rng.choice(_PAPERS)
    turn = math.radians(abs(angle))
    pen = pen.at(0, -(wide * math.sin(turn) + tall * math.cos(turn)) / 2 - thick, angle_deg=angle)
    left, top, right, low = -wide / 2, -tall / 2, wide / 2, tall / 2
    corner = rng.choice((0.3, 1.0, 2.5))
    pen.rounded(left + thick, top + thick, right + thick, low + thick, corner, shade(rgb, 0.7), edge, _LINE)
    for layer in (0.75, 0.5, 0.25):
        sheets = pen.at(thick * layer, thick * layer)
        sheets.rect(left + 0.5, top, right - 0.3, low - 0.3, paper, shade(paper, 0.6), 0.4)
    if rng.random() < 0.5:
        pen.line([(rng.uniform(-3, 4), low), (rng.uniform(-2, 3), low + 5)], rng.choice(ACCENTS), 1.3)
    pen.rounded(left, top, right, low, corner, rgb, edge, _LINE)
    tone, style, hinge = accent(rgb, rng), rng.randrange(3), left + rng.uniform(1.8, 2.6)
    pen.line([(hinge, top + 0.5), (hinge, low - 0.5)], shade(rgb, 0.66), rng.uniform(0.5, 1.0))
    y, middle = rng.choice((-0.22, 0.0, 0.22)) * tall, (hinge + right) / 2
    _lines(pen, middle, y, wide * rng.uniform(0.22, 0.34), 0 if label else rng.randint(1, 3), tone)
    other = y + (-0.33 if y >= 0 else 0.4) * tall
    if style == 0:
        pen.oval(middle, other, rng.uniform(2.5, 4.5), 4, tone)
    elif style == 1:
        for side in (top + 1.2, low - 3):
            pen.rect(hinge + 0.6, side, right - 0.4, side + 1.8, tone)
    else:
        _lines(pen, middle, other, wide * 0.25, 2, tone)
    _write(pen, middle, y, rgb, rng, label)


def _book_upright_open(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, up = rng.uniform(1.8, 3.4), rng.uniform(22, 26), rng.uniform(3.5, 6.5)
    edge, paper, tone = edge_of(rgb), rng.choice(_PAPERS), accent(rgb, rng)
    far, wide = tall * rng.uniform(0.93, 0.99), rng.uniform(11, 15)

    def area(side: int, a: float, b: float, c: float, d: float) -> list[tuple[float, float]]:
        corners = ((a, b), (c, b), (c, d), (a, d))
        return [(side * (half + wide * u), -up * u - v * (tall + (far - tall) * u)) for u, v in corners]

    ends = [k / 4 - 1 for k in range(9)]
    fan = [((half + wide) * t, -far - up - 0.4 * up * math.cos(t * 1.57) - (t * 4 % 2) * 0.6) for t in ends]
    pen.polygon([(-half, -tall), *fan, (half, -tall)], paper, shade(paper, 0.5), 0.5)
    for end in fan[1:-1]:
        pen.line([(end[0] * 0.12, -tall - 0.4), end], shade(paper, 0.68), 0.45)
    for side in (-1, 1):
        style = rng.randrange(3)
        pen.polygon(area(side, 0, 0, 1, 1), shade(rgb, 1.0 if side > 0 else 0.85), edge, _LINE)
        if style == 0:
            pen.polygon(area(side, 0.25, 0.58, 0.8, 0.8), tone)
        elif style == 1:
            pen.polygon(area(side, 0.12, 0.08, 0.9, 0.92), None, tone, 0.8)
        pen.polygon(area(side, 0.3, 0.2, 0.75, 0.27), shade(rgb, 0.6 if sum(rgb) > 300 else 1.5))
    pen.rect(-half, -tall, half, 0, shade(rgb, rng.choice((0.72, 0.85, 1.2))), edge, _LINE)
    for v in rng.choice(((0.12, 0.88), (0.15, 0.22, 0.8), (0.85,))):
        pen.rect(-half + 0.4, -tall * v - 0.6, half - 0.4, -tall * v + 0.6, tone)


def _book_pile(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    count = rng.choice((2, 3, 3))
    fit, y, edge, turns = rng.randrange(count), 0.0, edge_of(rgb), rng.randrange(3)
    thicks = [rng.uniform(9, 10.4) if place == fit else rng.uniform(5.5, 7.5) for place in range(count)]
    halves = [rng.uniform(14, 16.5) - place * 0.4 for place in range(count)]
    moved = [rng.uniform(-1.6, 1.6) for _ in range(count)]
    deep, lean = rng.uniform(4, 6.5), rng.uniform(2, 5) * rng.choice((-1, 1))
    named = fit if label else -1
    for place, (half, thick) in enumerate(zip(halves, thicks, strict=True)):
        tint = rgb if place == fit else shade(rgb, rng.choice((0.75, 0.88, 1.0, 1.2)))
        book, band = pen.at(moved[place], y), accent(tint, rng)
        if place == count - 1:
            far = [(half + lean - 1.5, -thick - deep), (lean - half + 1.5, -thick - deep)]
            book.polygon([(-half, -thick), (half, -thick), *far], shade(tint, 1.15), edge, _LINE)
        if place != named and (turns == place or rng.random() < 0.2):
            paper = rng.choice(_PAPERS)
            book.rect(-half, -thick, half, 0, tint, edge, _LINE)
            book.rect(-half + 1.2, 1.3 - thick, half - 0.9, -1.3, paper, shade(paper, 0.5), 0.4)
            for row in range(1, 4):
                at = -1.3 - (thick - 2.6) * row / 4
                book.line([(-half + 1.4, at), (half - 1.2, at)], shade(paper, 0.72), 0.4)
        else:
            book.rounded(-half, -thick, half, 0, rng.uniform(0.4, 2), tint, edge, _LINE)
            for at in rng.choice(((0.94,), (0.88, 0.95), ())):
                free = place != named or half * at > _least(label) + 1.6
                for x in (-half * at, half * at) if free else ():
                    book.rect(x - 0.45, -thick + 0.4, x + 0.45, -0.4, band)
            if place == named:
                _write(book, 0, -thick / 2, tint, rng, label)
            else:
                book.rect(-half * 0.5, -thick * 0.62, half * rng.uniform(0.1, 0.5), -thick * 0.4, band)
        y -= thick


def _book_low(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, deep, thick = rng.uniform(17, 19.5), rng.uniform(11, 15), rng.uniform(3.5, 6)
    edge, paper, narrow = edge_of(rgb), rng.choice(_PAPERS), rng.uniform(0.16, 0.28)
    shown, paper_edge, steps = rng.choice((-1, 1)), shade(paper, 0.5), [k / 14 for k in range(15)]

    def place(u: float, v: float, part: float = 1.0) -> tuple[float, float]:
        rise = thick * (0.3 + 0.7 * math.sin(math.pi * min(1.0, abs(u) + 0.12) ** 0.75)) * part
        return u * half * (1 - narrow * v), -2 - v * deep - rise

    rim = half + rng.uniform(1.6, 2.6)
    board = [(-rim, -1.6), (rim, -1.6), (rim * (1 - narrow), -deep - 5.5), (-rim * (1 - narrow), -deep - 5.5)]
    pen.polygon(board, rgb, edge, _LINE)
    pen.rect(-rim, -1.8, rim, 0, shade(rgb, 0.8), edge, _LINE)
    for side in (-1, 1):
        front, back = [place(side * u, 0) for u in steps], [place(side * u, 1) for u in steps]
        tint = shade(rgb, 1.1) if side == shown and rng.random() < 0.8 else paper
        pen.polygon([place(side, 0, 0), front[-1], back[-1], place(side, 1, 0)], paper, paper_edge, 0.4)
        pen.polygon([*front, *back[::-1]], tint, paper_edge, 0.5)
        pen.polygon([(0, -1.8), *front, (side * half, -1.8)], paper, paper_edge, 0.5)
        for part in (0.3, 0.55, 0.8):
            pen.line([place(side * u, 0, part) for u in steps], shade(paper, 0.7), 0.4)
        pen.polygon([place(side * u, v) for u, v in ((0, 0), (0.1, 0), (0.1, 1), (0, 1))], shade(paper, 0.78))
        for row in range(5 if tint == paper else 0):
            long = 0.71 if row else rng.uniform(0.35, 0.71)
            line = [place(side * (0.17 + long * u), 0.86 - 0.17 * row) for u in steps]
            pen.line(line, shade(paper, 0.55), 0.55)
    if rng.random() < 0.4:
        x, up = rng.choice((-1, 1)) * rng.uniform(4, 8), rng.uniform(5, 8)
        base, end = place(0, 0), place(0, 1)
        sheet = [base, (base[0] + x, base[1] - up), (end[0] + x, end[1] - up), end]
        pen.polygon(sheet, shade(paper, 0.94), paper_edge, 0.5)


def _book_picture(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    wide = max(rng.uniform(26, 29), 2 * _least(label) + 7)
    tall, spine = rng.uniform(20, 26), rng.uniform(1.6, 3)
    left, edge, paper = -wide / 2 - 1, edge_of(rgb), rng.choice(_PAPERS)
    right, sheets, step = left + wide, rng.randint(3, 5), rng.uniform(0.7, 1.3)
    for sheet in range(sheets, -1, -1):
        out, colour = right + step * (sheet + 0.5), shade(rgb, 0.7) if sheet == sheets else paper
        shape = [(left, -0.6), (out, -0.6 - 0.5 * sheet), (out, -tall - 0.5 * sheet), (left, -tall)]
        pen.polygon(shape, colour, edge_of(colour), 0.5)
    pen.rounded(left, -tall, right, 0, rng.choice((0.4, 1.2, 3)), rgb, edge, _LINE)
    pen.rect(left + 0.4, -tall + 0.4, left + spine, -0.4, shade(rgb, rng.choice((0.65, 0.8))))
    a, b, floor = left + spine + 1.5, right - 1.5, -1.5
    middle, tone, style = (a + b) / 2, shade(rgb, rng.choice((0.72, 1.4))), rng.randrange(3)
    if style == 0:
        hill = [(a + (b - a) * k / 12, floor - 5 - 2.5 * math.sin(k * 0.7 + 1)) for k in range(13)]
        pen.polygon([(a, floor), *hill, (b, floor)], tone)
        pen.oval(b - 4.5, -tall * 0.36, 2.2, 2.2, rng.choice(ACCENTS))
    elif style == 1:
        for x in (a + 4, middle, b - 4):
            pen.polygon([(x - 3, floor), (x, floor - rng.uniform(5, 6.8)), (x + 3, floor)], tone)
    else:
        pen.oval(middle, floor - 4, 4.5, 3, rng.choice((tone, rng.choice(ACCENTS))))
        for x in (middle - 2.6, middle + 2.6):
            pen.oval(x, floor - 7, 1.6, 1.6, tone)
    y = -tall * rng.uniform(0.68, 0.73)
    _lines(pen, middle, y, wide * rng.uniform(0.2, 0.34), 0 if label else rng.randint(1, 2), tone)
    _write(pen, middle, y, rgb, rng, label)


def _book_row(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    count, deep, lean = rng.choice((3, 3, 4)), rng.uniform(1.6, 3.5), rng.choice((0.0, rng.uniform(8, 16)))
    wides = [rng.uniform(5.5, 8.5) * 3 / count + 0.8 for _ in range(count)]
    x = -sum(wides) / 2 - lean * 0.25
    for place, wide in enumerate(wides):
        tall, tint = rng.uniform(23, 29), shade(rgb, rng.choice((0.72, 0.9, 1.0, 1.0, 1.22)))
        last = place == count - 1 and lean > 0
        book = pen.at(x + 0.2 + (5.6 if last else 0), 0, angle_deg=-lean if last else 0)
        edge, paper, tone = edge_of(tint), rng.choice(_PAPERS), accent(tint, rng)
        far = -tall - deep
        book.polygon([(0, -tall), (0.8, far), (wide, far), (wide, -tall)], tint, edge, 0.6)
        book.polygon([(0.9, -tall), (1.5, far + 0.4), (wide - 0.9, far + 0.4), (wide - 1, -tall)], paper)
        book.rounded(0, -tall, wide, 0, rng.uniform(0.2, 1.4), tint, edge, _LINE)
        for v in rng.choice(((0.1, 0.9), (0.12, 0.17, 0.83, 0.88), (0.85,), (0.3, 0.7))):
            book.rect(0.4, -tall * v - 0.55, wide - 0.4, -tall * v + 0.55, tone)
        style = rng.randrange(3)
        if style == 0:
            book.rect(wide * 0.3, -tall * 0.66, wide * 0.7, -tall * 0.36, tone)
        elif style == 1:
            book.oval(wide / 2, -tall * 0.5, wide * 0.24, wide * 0.24, tone)
        x += wide


_Draw = Callable[[Pen, random.Random, Rgb, str], None]
_BOOKS: tuple[_Draw, ...] = (
    _book_turned, _book_upright_open, _book_pile, _book_low, _book_picture, _book_row,
)  # fmt: skip


def draw_other_book(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A book lying askew, standing half open, in a pile, open and low, a picture book, or books in a row."""
    pen = pen.at(0, 0, angle_deg=rng.uniform(-2, 2), flip=form % 2 == 1 and rng.random() < 0.5)
    _BOOKS[form](pen, rng, rgb, label if form % 2 == 0 else "")
