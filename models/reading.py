"""What passes between the main process and the text reader: a picture, and the words that are written in it.
`models.bricks.reader` says how they are read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Read:
    """What is written in one picture, answered by one `Reading`. rgb: uint8 [height, width, 3]."""

    rgb: NDArray[np.uint8]


@dataclass(frozen=True)
class Word:
    """Letters or digits in a row. text: in capital letters; x, y: its middle, width, height: its extent, in
    parts of the picture's width and height, to the right and down; probability: that each letter is read
    rightly, 0 to 1.
    """

    text: str
    x: float
    y: float
    width: float
    height: float
    probability: float


@dataclass(frozen=True)
class Reading:
    """All words that are found in a picture, the surest first."""

    words: tuple[Word, ...]
