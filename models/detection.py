"""What passes between the main process and the object detector: the rows of one picture, and what is there.
`models.bricks.detector` says how it is found.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.brick import Embedding

Chances = tuple[tuple[str, float], ...]
"""Names with their probabilities, the likeliest first; "" for none of them."""


@dataclass(frozen=True, eq=False)
class Detect:
    """Which things one picture shows, answered by one `Detection`."""

    image: Embedding
    """The decoder's rows of the picture, by value or in a ring slot."""
    keep_slot: bool = True
    """The picture's ring slot stays filled, for the language model; otherwise it is freed."""


@dataclass(frozen=True)
class Candidate:
    """Something that may be in the picture. x, y: its middle, half_width, half_height: its extent, in parts
    of the picture's side, to the right and down. whole: probability that all of it is recognisable.
    """

    x: float
    y: float
    half_width: float
    half_height: float
    what: Chances
    colour: Chances
    lying: Chances = ()
    whole: float = 1.0


@dataclass(frozen=True)
class Detection:
    """All candidates of a picture, the likeliest first. shapes, things, sign: which of their names are
    shapes, things of the wearer, and a sign. place: where the picture was taken. clear: probability that it
    is neither too dark nor blurred. middle_error: standard deviation of a middle, parts of the side;
    extent_error: of an extent, in parts of it.
    """

    candidates: tuple[Candidate, ...]
    shapes: tuple[str, ...]
    things: tuple[str, ...]
    sign: str
    colours: tuple[str, ...]
    place: Chances = ()
    clear: float = 1.0
    middle_error: float = 0.01
    extent_error: float = 0.08
