"""A source of a few made-up questions, without an eye: the rows say what is in the picture."""

from __future__ import annotations

import numpy as np

from models.bricks.closed_sentence import HAND_OVER, AnswerTable
from models.train.reflex.examples import Example, Shard
from models.train.reflex.labels import Label

COLOURS, SHAPES = ("red", "blue", "green"), ("cup", "book")
ROWS, WIDTH = 10, 12


class TinySource:
    """A picture has a cup and a book, each of one colour, in two of ten rows; some pictures are dark."""

    table = AnswerTable(
        (HAND_OVER, "The {shape} is {colour}.", "{verdict}, it is {colour}.", "It is too dark to see."),
        {"shape": SHAPES, "colour": COLOURS, "verdict": ("Yes", "No")},
        frozenset(),
        ("", "dark"),
        {"dark": "It is too dark to see, please turn on a light."},
    )
    words = ("a", "colour", "cup", "book", "is", "joke", "tell", "the", "what", *COLOURS)

    def count(self, part: str) -> int:
        return {"train": 2, "score": 1, "validation": 1}[part]

    def shard(self, part: str, number: int) -> Shard:
        random = np.random.default_rng((len(part), number))
        rows = random.normal(0, 0.1, (60, ROWS, WIDTH)).astype(np.float16)
        examples = []
        for picture in range(60):
            dark = picture % 6 == 0
            places = random.permutation(ROWS)[:2]
            for shape, place in enumerate(places):
                colour = int(random.integers(3))
                if not dark:
                    rows[picture, place, [shape, 2 + colour]] += 2
                rows[picture, :, 6] = 2 * dark
                asked = int(random.integers(3))
                what = Label(1, {"shape": shape, "colour": colour})
                check = Label(2, {"verdict": int(asked != colour), "colour": colour})
                for question, label in (
                    (f"what colour is the {SHAPES[shape]}", what),
                    (f"is the {SHAPES[shape]} {COLOURS[asked]}", check),
                ):
                    examples.append(Example(picture, question, Label(3) if dark else label, int(dark)))
            examples.append(Example(picture, "tell a joke", Label(3) if dark else Label(0), int(dark)))
        return Shard(rows, tuple(examples))
