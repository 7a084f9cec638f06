"""Pages with everything the home can draw: things in each style with their names, each place, and designs."""

from __future__ import annotations

import random

from PIL import Image, ImageDraw

from models.train.world.grammar import COLOURS
from models.train.world.home.layouts import layout
from models.train.world.home.picture.pen import Pen
from models.train.world.home.picture.render import render
from models.train.world.home.picture.sprites import draw_thing
from models.train.world.home.random_views import random_light, random_things, random_view
from models.train.world.home.splits import HELD_OUT_STYLES, KINDS, PLACES, STYLES, random_layout_number
from models.train.world.home.things import size_of
from models.train.world.home.views import Camera, View
from models.train.world.scenes import paint, sign_font
from models.train.world.variety.designs.catalogue import FORMS, NUMBER, form_of, kept_back
from models.train.world.variety.designs.redesign import redesigned

_CELL_W, _CELL_H, _VIEW_PX, _COLUMNS = 124, 150, 296, 5
_SIZES_PX = (120, 90, 64, 40)
"""The longer side of the things in each row of styles."""


def _things(rng: random.Random) -> Image.Image:
    """A row of each style, smaller from row to row; an asterisk marks held-out styles."""
    page = Image.new("RGB", (_CELL_W * len(KINDS) * 2, _CELL_H * STYLES * 2), (206, 202, 194))
    names = ImageDraw.Draw(page)
    for column, kind in enumerate(KINDS):
        for row in range(STYLES):
            style = (row + column) % STYLES
            scale = 2 * _SIZES_PX[row] / max(size_of(kind, style))
            x, y = (column + 0.5) * _CELL_W * 2, (row + 1) * _CELL_H * 2 - 50
            pen = Pen(page, (scale, 0.0, 0.0, scale, x, y))
            colour = paint(COLOURS[(column + 3 * row) % len(COLOURS)], rng)
            draw_thing(pen, kind, style, colour, "MILK")
            mark = " *" if (kind, style) in HELD_OUT_STYLES else ""
            names.text((x, y + 26), kind + mark, fill=(40, 40, 44), font=sign_font(26), anchor="mm")
    return page.reduce(2)


def _captioned(view: View, name: str) -> Image.Image:
    image = Image.fromarray(render(view, _VIEW_PX))
    ImageDraw.Draw(image).text(
        (6, 4), name, fill=(20, 20, 20), font=sign_font(14), stroke_fill=(255, 255, 255), stroke_width=2
    )
    return image


def _views(rng: random.Random, split: str) -> list[Image.Image]:
    """Every place as a whole, then random views."""
    found = []
    for name in PLACES:
        place = layout(name, random_layout_number(rng, split))
        camera = Camera(place.width * rng.uniform(0.35, 0.65), 106, 224)
        things = tuple(random_things(place, 7, rng, split))
        found.append(
            _captioned(
                View(name, place.number, things, camera, random_light(rng), None, rng.getrandbits(32)), name
            )
        )
    wanted = -len(found) % _COLUMNS + 2 * _COLUMNS
    return found + [_captioned(view, view.place) for view in (random_view(rng, split) for _ in range(wanted))]


def design_sheet(seed: int) -> Image.Image:
    """Every form of every kind twice, as designs draw it; an asterisk marks the form that is kept back."""
    rng = random.Random(f"designs {seed}")
    page = Image.new("RGB", (_CELL_W * len(KINDS) * 2, _CELL_H * FORMS * 4), (206, 202, 194))
    names = ImageDraw.Draw(page)
    for column, kind in enumerate(KINDS):
        for row in range(2 * FORMS):
            design = rng.choice([each for each in range(NUMBER) if form_of(each) == row // 2])
            style = STYLES + design
            scale = 2 * 104 / max(size_of(kind, style))
            x, y = (column + 0.5) * _CELL_W * 2, (row + 1) * _CELL_H * 2 - 50
            pen = Pen(page, (scale, 0.0, 0.0, scale, x, y))
            draw_thing(pen, kind, style, paint(rng.choice(COLOURS), rng), "MILK")
            mark = " *" if kept_back(kind, design) else ""
            names.text((x, y + 26), kind + mark, fill=(40, 40, 44), font=sign_font(26), anchor="mm")
    return page.reduce(2)


def cutout_sheet(seed: int) -> Image.Image:
    """Training views, most of whose things are somebody's pictures where there are some of their kind."""
    rng = random.Random(f"cutouts {seed}")
    page = Image.new("RGB", (_COLUMNS * (_VIEW_PX + 2), _COLUMNS * (_VIEW_PX + 2)), (255, 255, 255))
    for index in range(_COLUMNS * _COLUMNS):
        view = redesigned(random_view(rng, "train", 0.0), rng)
        corner = index % _COLUMNS * (_VIEW_PX + 2), index // _COLUMNS * (_VIEW_PX + 2)
        page.paste(_captioned(view, ", ".join(f"{t.colour} {t.kind}" for t in view.things)[:46]), corner)
    return page


def contact_sheet(seed: int, split: str = "train") -> Image.Image:
    """The page as an image; equal seeds give equal pages."""
    rng = random.Random(f"sheet {seed}")
    things, views = _things(rng), _views(rng, split)
    rows = -(-len(views) // _COLUMNS)
    page = Image.new("RGB", (things.width, things.height + rows * (_VIEW_PX + 2)), (255, 255, 255))
    page.paste(things, (0, 0))
    for index, view in enumerate(views):
        page.paste(
            view, (index % _COLUMNS * (_VIEW_PX + 2), things.height + 2 + index // _COLUMNS * (_VIEW_PX + 2))
        )
    return page
