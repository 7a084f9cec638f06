"""Random pictures and pairs of pictures, reproducible by seed."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

from tests.eval.stranger.backdrop import BACKDROPS
from tests.eval.stranger.letters import written_width
from tests.eval.stranger.truth import COLOURS, KINDS, Board, Change, Item, Pair, Picture, Rgb, Style

CRAYONS: dict[str, tuple[Rgb, ...]] = {
    "red": ((200, 30, 35), (226, 52, 44), (172, 22, 34)),
    "orange": ((238, 130, 24), (250, 146, 46)),
    "yellow": ((245, 215, 40), (252, 230, 84)),
    "green": ((40, 150, 60), (84, 176, 70), (24, 112, 58)),
    "blue": ((40, 84, 204), (66, 124, 222), (28, 54, 156)),
    "purple": ((122, 52, 162), (148, 78, 190), (94, 42, 134)),
    "white": ((244, 244, 240), (254, 254, 254)),
    "black": ((20, 20, 24), (38, 36, 40)),
}
EVERYDAY_WORDS = (
    "stop", "exit", "open", "push", "pull", "taxi", "bus", "cafe", "bank", "hotel", "sale", "gate", "lift",
    "park", "shop", "fish", "news", "free", "help", "tea",
)  # fmt: skip
"""Words of common signs, which the product knows."""
OTHER_WORDS = (
    "ticket", "danger", "police", "quiet", "toilet", "office", "closed", "bakery", "school", "ramp", "ferry",
    "track", "juice", "paint", "queue",
)  # fmt: skip
"""Words of other signs, which a stranger would also hold up."""
_FORMS = (
    ((288, 288), 3), ((400, 400), 1), ((400, 300), 2), ((300, 400), 2), ((480, 320), 1), ((320, 480), 1),
    ((512, 288), 1),
)  # fmt: skip
_RADIUS_SHARE = {"small": (0.068, 0.088), "large": (0.135, 0.172)}
_APART_SHARE = 0.03
_JPEG = (45, 60, 75, 85, 95)
_LIKENESS = 78.0
"""Least distance of a colour from the background's tones, in levels of 0 to 255."""


def _jittered(rgb: Rgb, rng: random.Random, by: int) -> Rgb:
    red, green, blue = (max(0, min(255, part + rng.randint(-by, by))) for part in rgb)
    return red, green, blue


def crayon(colour: str, rng: random.Random) -> Rgb:
    """An RGB value that people call `colour`."""
    return _jittered(rng.choice(CRAYONS[colour]), rng, 8)


def _tone(rng: random.Random) -> Rgb:
    level = rng.uniform(98, 158)
    return _jittered((round(level), round(level), round(level)), rng, 13)


def style_for(rng: random.Random, colours: Sequence[Rgb] = ()) -> Style:
    """A random style whose background differs from all `colours`."""
    tones = _tone(rng), _tone(rng)
    while any(math.dist(tone, rgb) < _LIKENESS for tone in tones for rgb in colours):
        tones = _tone(rng), _tone(rng)
    return Style(
        backdrop=rng.choice(BACKDROPS),
        tone=tones[0],
        second_tone=tones[1],
        edge=rng.uniform(0.9, 2.2),
        shadow=rng.choice((0.0, rng.uniform(0.2, 0.7))),
        gloss=rng.uniform(0.0, 1.0),
        rim=rng.choice((0.0, rng.uniform(0.3, 1.0))),
        gain=rng.uniform(0.85, 1.1),
        vignette=rng.uniform(0.0, 0.25),
        grain=rng.uniform(0.5, 5.0),
        quality=rng.choice(_JPEG),
        seed=rng.getrandbits(31),
    )


def _form(rng: random.Random) -> tuple[int, int]:
    return rng.choices([size for size, _ in _FORMS], [weight for _, weight in _FORMS])[0]


def _clear(x: float, y: float, radius: float, items: Sequence[Item], board: Board | None, gap: float) -> bool:
    if any(math.hypot(x - item.x, y - item.y) < radius + item.radius + gap for item in items):
        return False
    if board is None:
        return True
    out_x = max(abs(x - board.x) - board.half_width, 0.0)
    out_y = max(abs(y - board.y) - board.half_height, 0.0)
    return math.hypot(out_x, out_y) >= radius + gap


def placed(
    kind: str,
    colour: str,
    size: str,
    picture: Picture,
    rng: random.Random,
) -> Item | None:
    """Such an item where `picture` has room for it, or None."""
    for _ in range(60):
        radius = rng.uniform(*_RADIUS_SHARE[size]) * picture.short
        margin = radius * 1.1 + 3
        x, y = rng.uniform(margin, picture.width - margin), rng.uniform(margin, picture.height - margin)
        if _clear(x, y, radius, picture.items, picture.board, _APART_SHARE * picture.short):
            return Item(kind, colour, size, x, y, radius, rng.uniform(-14, 14), crayon(colour, rng))
    return None


def board_for(text: str, width: int, height: int, rng: random.Random) -> Board:
    """A sign of that text somewhere in a picture."""
    short = min(width, height)
    letter_height = rng.uniform(0.11, 0.15) * short
    widest = width * 0.88 - 0.1 * short
    letter_height = min(letter_height, letter_height * widest / written_width(text, letter_height))
    half_width = written_width(text, letter_height) / 2 + rng.uniform(0.035, 0.06) * short
    half_height = letter_height / 2 + rng.uniform(0.035, 0.06) * short
    colour = rng.choice(COLOURS)
    pale = colour in ("white", "yellow", "orange")
    return Board(
        text=text,
        colour=colour,
        rgb=crayon(colour, rng),
        ink=crayon("black" if pale else "white", rng),
        x=rng.uniform(half_width + 3, width - half_width - 3),
        y=rng.uniform(half_height + 3, height - half_height - 3),
        half_width=half_width,
        half_height=half_height,
        letter_height=letter_height,
        stroke=letter_height * rng.uniform(0.13, 0.2),
        slant=rng.choice((0.0, 0.0, rng.uniform(-0.12, 0.2))),
        corner=rng.uniform(0.0, 0.03) * short,
    )


def random_picture(
    rng: random.Random, count: int | None = None, text: str = "", distinct: bool = False
) -> Picture:
    """A picture of `count` items (1 to 5 if None), and a sign if `text` is given. distinct: no kind twice."""
    width, height = _form(rng)
    board = board_for(text.upper(), width, height, rng) if text else None
    wanted = rng.randint(1, 3 if text else 5) if count is None else count
    kinds = rng.sample(KINDS, len(KINDS)) if distinct else rng.choices(rng.sample(KINDS, 4), k=8)
    picture = Picture(width, height, (), board, style_for(rng))
    for kind in kinds[:wanted]:
        item = placed(kind, rng.choice(COLOURS), rng.choice(("small", "large")), picture, rng)
        if item is not None:
            picture = replace(picture, items=(*picture.items, item))
    return restyled(picture, rng)


def restyled(picture: Picture, rng: random.Random) -> Picture:
    """The same contents on a background that differs from all of them."""
    colours = [item.rgb for item in picture.items]
    return replace(picture, style=style_for(rng, [*colours, *([picture.board.rgb] if picture.board else [])]))


_STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def _moved(item: Item, picture: Picture, rng: random.Random) -> Change | None:
    others = tuple(other for other in picture.items if other != item)
    for direction in rng.sample(sorted(_STEPS), 4):
        step_x, step_y = _STEPS[direction]
        for _ in range(10):
            far, aside = rng.uniform(0.2, 0.45) * picture.short, rng.uniform(-0.03, 0.03) * picture.short
            x, y = item.x + step_x * far + abs(step_y) * aside, item.y + step_y * far + abs(step_x) * aside
            margin = item.radius * 1.1 + 3
            inside = margin <= x <= picture.width - margin and margin <= y <= picture.height - margin
            if inside and _clear(x, y, item.radius, others, None, _APART_SHARE * picture.short):
                return Change("moved", item, replace(item, x=x, y=y), direction)
    return None


def _changed(how: str, picture: Picture, free: Sequence[Item], rng: random.Random) -> Change | None:
    """A change of one of the `free` items, or a new one, that the picture has room for."""
    if how == "appeared":
        used = {item.kind for item in picture.items}
        kind = rng.choice([kind for kind in KINDS if kind not in used])
        new = placed(kind, rng.choice(COLOURS), rng.choice(("small", "large")), picture, rng)
        return None if new is None else Change("appeared", None, new)
    if not free:
        return None
    item = rng.choice(free)
    if how == "gone":
        return Change("gone", item, None)
    if how == "moved":
        return _moved(item, picture, rng)
    colour = rng.choice([each for each in COLOURS if each != item.colour])
    return Change("recoloured", item, replace(item, colour=colour, rgb=crayon(colour, rng)))


def applied(picture: Picture, change: Change) -> Picture:
    """The picture after a change."""
    items = tuple(item for item in picture.items if item != change.before)
    return replace(picture, items=items if change.after is None else (*items, change.after))


def random_pair(rng: random.Random, changes: int) -> Pair:
    """Two pictures that differ in that many items, each changed once."""
    while True:
        first = second = random_picture(rng, rng.randint(2, 4), distinct=True)
        done: list[Change] = []
        for how in rng.sample(("moved", "moved", "appeared", "gone", "recoloured"), changes):
            touched = [each.after for each in done] + [each.before for each in done]
            change = _changed(how, second, [item for item in second.items if item not in touched], rng)
            if change is not None:
                done.append(change)
                second = applied(second, change)
        gone = {change.item.kind for change in done if change.how == "gone"}
        new = {change.item.kind for change in done if change.how == "appeared"}
        if len(done) == changes and first.items and second.items and not gone & new:
            style = restyled(applied_all(first, second), rng).style
            return Pair(replace(first, style=style), replace(second, style=style), tuple(done))


def applied_all(first: Picture, second: Picture) -> Picture:
    """Both pictures' items in one, to choose a background for both."""
    return replace(first, items=tuple(dict.fromkeys((*first.items, *second.items))))
