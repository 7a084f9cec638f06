"""Random scenes, reproducible from a seed: what a picture contains, as values with which answers are checked.

A scene is 128 x 128 pixels. Coordinates are pixels, x to the right and y down. `drawing` renders scenes.
"""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass, replace
from functools import cache

from PIL import ImageFont

from models.train.world.grammar import COLOURS, HELD_OUT_PAIRS, NUMBER_WORDS, SHAPES, SIGN_WORDS, SIZES

SIDE_PX = 128
VALIDATION_PAIRS = frozenset((shape, COLOURS[(3 * i + 4) % 8]) for i, shape in enumerate(SHAPES) if i % 2)
"""(shape, colour) pairs kept for validation: neither in training scenes nor among the held-out pairs."""

_RADIUS_PX = {"small": (9.5, 11.5), "large": (15.5, 19.0)}
_GAP_PX = 3.0
_HUE_DEG = {"red": (-8, 6), "orange": (22, 32), "yellow": (50, 60), "green": (105, 145), "blue": (208, 234),
            "purple": (272, 294)}  # fmt: skip
_SATURATION_VALUE = {
    "red": (0.80, 1.0, 0.72, 0.95), "orange": (0.85, 1.0, 0.90, 1.0), "yellow": (0.75, 1.0, 0.90, 1.0),
    "green": (0.65, 1.0, 0.50, 0.80), "blue": (0.65, 1.0, 0.60, 0.95), "purple": (0.55, 0.9, 0.50, 0.80),
}  # fmt: skip
Rgb = tuple[int, int, int]


@dataclass(frozen=True)
class Thing:
    """One drawn shape; `radius_px` is that of its enclosing circle."""

    shape: str
    colour: str
    size: str
    x: float
    y: float
    radius_px: float
    angle_deg: float
    rgb: Rgb

    @property
    def pair(self) -> tuple[str, str]:
        """(shape, colour)."""
        return self.shape, self.colour


@dataclass(frozen=True)
class Sign:
    """A sign with a word or a number. `text` is as drawn ("STOP", "42"); x and y are the centre."""

    text: str
    colour: str
    rgb: Rgb
    ink: Rgb
    x: float
    y: float
    width_px: float
    height_px: float
    font_px: int

    @property
    def is_number(self) -> bool:
        """True for digits."""
        return self.text.isdigit()

    @property
    def spoken(self) -> str:
        """The text in spoken words: "stop", "forty two"."""
        return NUMBER_WORDS[int(self.text)] if self.is_number else self.text.lower()


@dataclass(frozen=True)
class Scene:
    """The contents of a picture. `quality`: clear, dark or blurred; `look`: seed of background,
    lighting and noise; `notices`: further signs, to train reading, about which no question is asked.
    """

    things: tuple[Thing, ...]
    sign: Sign | None = None
    quality: str = "clear"
    look: int = 0
    notices: tuple[Sign, ...] = ()

    @property
    def signs(self) -> tuple[Sign, ...]:
        """The sign and the further notices."""
        return ((self.sign,) if self.sign else ()) + self.notices

    def matching(
        self, shape: str | None = None, colour: str | None = None, size: str | None = None
    ) -> list[Thing]:
        """The things with all the given properties."""
        return [
            thing
            for thing in self.things
            if shape in (None, thing.shape) and colour in (None, thing.colour) and size in (None, thing.size)
        ]


@dataclass(frozen=True)
class Change:
    """What differs between frames. `kind`: moved (in `direction`), appeared, gone, recoloured or none."""

    kind: str
    before: Thing | None = None
    after: Thing | None = None
    direction: str = ""


@dataclass(frozen=True)
class FramePair:
    """Two frames, older first, and the change between them; `also`: a change of a second thing at the same
    time. No two things of a clip have the same shape.
    """

    first: Scene
    second: Scene
    change: Change
    also: Change = Change("none")

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed, up to two things."""
        return tuple(change for change in (self.change, self.also) if change.kind != "none")


@cache
def sign_font(size_px: int) -> ImageFont.FreeTypeFont:
    """Pillow's bundled scalable font at `size_px`."""
    return ImageFont.load_default(size_px)  # type: ignore[return-value]


def paint(colour: str, rng: random.Random) -> Rgb:
    """An RGB value (0-255) that a person calls `colour`, jittered in hue and brightness."""
    if colour == "white":
        hue, saturation, value = rng.random(), rng.uniform(0.0, 0.05), rng.uniform(0.93, 1.0)
    elif colour == "black":
        hue, saturation, value = rng.random(), rng.uniform(0.0, 0.3), rng.uniform(0.02, 0.11)
    else:
        hue = rng.uniform(*_HUE_DEG[colour]) % 360 / 360
        low_s, high_s, low_v, high_v = _SATURATION_VALUE[colour]
        saturation, value = rng.uniform(low_s, high_s), rng.uniform(low_v, high_v)
    return tuple(round(part * 255) for part in colorsys.hsv_to_rgb(hue, saturation, value))  # type: ignore[return-value]


def allowed_pair(shape: str, colour: str, split: str) -> bool:
    """False for the pairs that a scene of `split` must not show."""
    if split == "held":
        return True
    if (shape, colour) in HELD_OUT_PAIRS:
        return False
    return split == "validation" or (shape, colour) not in VALIDATION_PAIRS


def _pick_pair(shape: str | None, colour: str | None, rng: random.Random, split: str) -> tuple[str, str]:
    """An allowed (shape, colour): where possible, one reserved for `split` in 30 % of cases."""
    reserved = {"held": HELD_OUT_PAIRS, "validation": VALIDATION_PAIRS}.get(split, frozenset())
    candidates = [p for p in sorted(reserved) if shape in (None, p[0]) and colour in (None, p[1])]
    if candidates and rng.random() < 0.3:
        return rng.choice(candidates)
    while True:
        pair = shape or rng.choice(SHAPES), colour or rng.choice(COLOURS)
        if allowed_pair(*pair, split):
            return pair


def _free(x: float, y: float, radius: float, things: list[Thing], sign: Sign | None) -> bool:
    """True where a disc of `radius` px overlaps nothing that is already placed."""
    if any((x - t.x) ** 2 + (y - t.y) ** 2 < (radius + t.radius_px + _GAP_PX) ** 2 for t in things):
        return False
    if sign is None:
        return True
    dx = max(abs(x - sign.x) - sign.width_px / 2, 0.0)
    dy = max(abs(y - sign.y) - sign.height_px / 2, 0.0)
    return dx * dx + dy * dy >= (radius + _GAP_PX) ** 2


def _place(pair: tuple[str, str], things: list[Thing], sign: Sign | None, rng: random.Random) -> Thing | None:
    """A thing of that shape and colour where there is room, or None."""
    for size in (rng.choice(SIZES), "small"):
        for _ in range(30):
            radius = rng.uniform(*_RADIUS_PX[size])
            margin = radius + 1.5
            x, y = rng.uniform(margin, SIDE_PX - margin), rng.uniform(margin, SIDE_PX - margin)
            if _free(x, y, radius, things, sign):
                tilt = rng.uniform(-12, 12)
                return Thing(*pair, size, x, y, radius, tilt, paint(pair[1], rng))
    return None


def random_sign(rng: random.Random) -> Sign:
    """A sign at a random position with a word or a number from 0 to 99, in letters at least 12 px high."""
    text = str(rng.randrange(100)) if rng.random() < 0.4 else rng.choice(SIGN_WORDS).upper()
    colour = rng.choice(COLOURS)
    rgb = paint(colour, rng)
    dark_board = colour in ("red", "blue", "purple", "black", "green")
    ink = paint("white" if dark_board else "black", rng)
    font_px = rng.randint(20, 26)
    width = sign_font(font_px).getlength(text) + rng.uniform(8, 14)
    height = font_px * 0.72 + rng.uniform(8, 13)
    x = rng.uniform(width / 2 + 1, SIDE_PX - width / 2 - 1)
    y = rng.uniform(height / 2 + 1, SIDE_PX - height / 2 - 1)
    return Sign(text, colour, rgb, ink, x, y, width, height, font_px)


def letter_centres(sign: Sign) -> list[tuple[str, float, float]]:
    """(character, x, y) of each character: the centre at which it is drawn."""
    font = sign_font(sign.font_px)
    left = sign.x - font.getlength(sign.text) / 2
    ends = [left + font.getlength(sign.text[:n]) for n in range(len(sign.text) + 1)]
    return [(c, (ends[i] + ends[i + 1]) / 2, sign.y) for i, c in enumerate(sign.text)]


def _quality(rng: random.Random, share: float, empty: bool) -> str:
    """Dark or blurred in `share` of cases. A blurred empty picture looks like a clear one, so an empty one is
    never blurred.
    """
    draw = rng.random()
    return "dark" if draw < share / 2 else "blurred" if draw < share and not empty else "clear"


def random_scene(
    rng: random.Random, split: str, unusable_share: float = 0.09, sign_share: float = 0.36
) -> Scene:
    """A scene of `split` with 0 to 6 things and perhaps a sign; too dark or too blurred with the probability
    `unusable_share`.
    """
    sign = random_sign(rng) if rng.random() < sign_share else None
    kind = rng.choices(("mixed", "distinct", "same shape", "same colour"), (3, 4, 2.5, 1.5))[0]
    most = 4 if sign else 6
    wanted = (
        rng.choices(range(7), (1.0, 1.6, 2.4, 2.4, 2.2, 2.0, 2.2))[0]
        if kind != "same shape"
        else rng.randint(2, 6)
    )
    common = rng.choice(SHAPES) if kind == "same shape" else rng.choice(COLOURS)
    order = rng.sample(SHAPES, len(SHAPES))
    things: list[Thing] = []
    for index in range(min(wanted, most)):
        shape = colour = None
        if kind == "distinct":
            shape = order[index]
        elif kind == "same shape" and rng.random() < 0.88:
            shape = common
        elif kind == "same colour" and rng.random() < 0.88:
            colour = common
        thing = _place(_pick_pair(shape, colour, rng, split), things, sign, rng)
        if thing is not None:
            things.append(thing)
    quality = _quality(rng, unusable_share, empty=not things and sign is None)
    return Scene(tuple(things), sign, quality, rng.getrandbits(32))


_STEP = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def _moved(thing: Thing, others: list[Thing], rng: random.Random) -> tuple[Thing, str] | None:
    """`thing` moved by 24 to 56 px, and the direction of the four; None where there is no room."""
    for direction in rng.sample(sorted(_STEP), 4):
        dx, dy = _STEP[direction]
        for _ in range(8):
            distance, drift = rng.uniform(24, 56), rng.uniform(-4, 4)
            x, y = thing.x + dx * distance + abs(dy) * drift, thing.y + dy * distance + abs(dx) * drift
            margin = thing.radius_px + 1.5
            inside = margin <= x <= SIDE_PX - margin and margin <= y <= SIDE_PX - margin
            if inside and _free(x, y, thing.radius_px, others, None):
                return replace(thing, x=x, y=y), direction
    return None


def _shaken(things: list[Thing], rng: random.Random) -> tuple[Thing, ...]:
    """The things as a camera that moved a little sees them: all shifted by the same offset of up to 2 px."""
    dx, dy = rng.uniform(-2, 2), rng.uniform(-2, 2)
    return tuple(replace(one, x=one.x + dx, y=one.y + dy) for one in things)


def _random_change(subject: Thing, others: list[Thing], rng: random.Random, split: str, kind: str) -> Change:
    """A change of `kind` to `subject`; none where it has no room to move."""
    if kind == "moved":
        result = _moved(subject, others, rng)
        return Change("moved", subject, *result) if result else Change("none")
    if kind == "appeared":
        return Change("appeared", None, subject)
    if kind == "gone":
        return Change("gone", subject, None)
    if kind == "none":
        return Change("none")
    colours = [c for c in COLOURS if c != subject.colour and allowed_pair(subject.shape, c, split)]
    colour = rng.choice(colours)
    return Change("recoloured", subject, replace(subject, colour=colour, rgb=paint(colour, rng)))


def random_clip(
    rng: random.Random, split: str, unusable_share: float = 0.10, two_share: float = 0.2
) -> FramePair:
    """Two frames in which at most one thing moves, appears, disappears or changes colour; in `two_share` of
    the clips in which something changes, a second thing does so as well.
    """
    order = rng.sample(SHAPES, len(SHAPES))
    things: list[Thing] = []
    for shape in order[: rng.randint(1, 5)]:
        thing = _place(_pick_pair(shape, None, rng, split), things, None, rng)
        if thing is not None:
            things.append(thing)
    kinds = ("moved", "appeared", "gone", "recoloured", "none")
    kind = rng.choices(kinds, (45, 13, 15, 14, 13))[0]
    change, also = _random_change(things[0], things[1:], rng, split, kind), Change("none")
    if change.kind != "none" and len(things) > 1 and rng.random() < two_share:
        others = [*things[:1], *things[2:], *([change.after] if change.after else [])]
        also = _random_change(things[1], others, rng, split, rng.choices(kinds[:4], (40, 20, 20, 20))[0])
    first, second = list(things), list(things)
    for thing, each in zip(things, (change, also), strict=False):
        if each.kind != "none":
            first[first.index(thing) : first.index(thing) + 1] = [each.before] if each.before else []
            second[second.index(thing) : second.index(thing) + 1] = [each.after] if each.after else []
    look, quality = rng.getrandbits(32), _quality(rng, unusable_share, empty=not first or not second)
    spoilt = rng.choice(((1, 1), (1, 0), (0, 1)))
    return FramePair(
        Scene(tuple(first), None, quality if spoilt[0] else "clear", look),
        Scene(_shaken(second, rng), None, quality if spoilt[1] else "clear", look),
        change,
        also,
    )
