"""The object detector: which things one picture shows, where they are and what they look like.

It runs in the reflex brick's process, on the rows that reflex and language model read too, and takes a
fraction of the time of either. A graph tells of each cell of the eye what has its middle there (as in
CenterNet, Zhou et al., 2019). Files of the reflex brick: `detector`, the graph, and `things`, its labels
(`models.pack.things_file`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.bricks.reflex_graphs import Graph
from models.detection import Candidate, Chances, Detection
from models.pack.things_file import Things, things_fault
from models.process.rss import trim_heap

_LEAST = 0.02
"""Probability of a thing in a cell below which it is no candidate."""
_NAMED_FROM = 0.005
"""Names that are less probable are left out."""
_MOST = 40
Floats = NDArray[np.float32]


class Detector:
    """A loaded detector."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        """Raises BrickError."""
        path = Path(options["things"])
        if fault := things_fault(path):
            raise BrickError(fault)
        self._things = Things.read(path)
        trained_on, reads = self._things.encoder, str(options.get("encoder", ""))
        if trained_on and reads and trained_on != reads:
            raise BrickError(f"The object detector reads the encoder {trained_on}, and reflex {reads}.")
        tokens, width = int(options["tokens"]), int(options["width"])
        self._side = round(tokens**0.5)
        self._graph = Graph(Path(options["detector"]), context, arena=bool(options.get("arena", False)))
        self._graph.require(
            {"rows": (1, tokens, width)},
            {
                "cells": (1, tokens, sum(self._things.cells.values())),
                "picture": (1, sum(self._things.picture.values())),
            },
        )
        trim_heap()  # what was read of the file is of no use once it is a session

    def seen(self, rows: Floats) -> Detection:
        """What rows, float32 [tokens, width], show. Raises Cancelled."""
        numbers, whole = self._graph.run({"rows": rows[None]}, ["cells", "picture"])
        cells, picture = _parts(numbers[0], self._things.cells), _parts(whole[0], self._things.picture)
        known = self._things
        chances = {
            key: _softmax(cells[key] / known.temperature) for key in ("what", "colour", "lying", "whole")
        }
        there = 1.0 - chances["what"][:, 0]
        order = [int(cell) for cell in np.argsort(-there)[:_MOST] if there[cell] >= _LEAST]
        clear = _softmax(picture["quality"][None])[0][known.qualities.index("clear")]
        return Detection(
            tuple(self._candidate(cell, cells, chances) for cell in order),
            known.shapes,
            known.things,
            known.sign,
            known.colours,
            _named(_softmax(picture["place"][None])[0], ("", *known.places)),
            float(clear),
            known.middle_error,
            known.extent_error,
        )

    def _candidate(self, cell: int, cells: Mapping[str, Floats], chances: Mapping[str, Floats]) -> Candidate:
        row, column = divmod(cell, self._side)
        across, down = (np.clip(cells["offset"][cell], -1.2, 1.2) + 1) / 2
        width, height = np.clip(cells["half"][cell], 0.005, 0.6)
        colour, lying = chances["colour"][cell].copy(), chances["lying"][cell].copy()
        for each in (colour, lying):  # what is there has one
            each[0] = 0.0
            each /= each.sum()
        known = self._things
        return Candidate(
            float(column + across) / self._side,
            float(row + down) / self._side,
            float(width),
            float(height),
            _named(chances["what"][cell], known.what),
            _named(colour, ("", *known.colours)),
            _named(lying, ("", *known.surfaces)),
            float(chances["whole"][cell][1]),
        )


def _parts(numbers: Floats, widths: Mapping[str, int]) -> dict[str, Floats]:
    ends = np.cumsum(list(widths.values()))[:-1]
    return dict(zip(widths, np.split(numbers, ends, -1), strict=True))


def _softmax(logits: Floats) -> Floats:
    scaled = np.exp(logits - logits.max(-1, keepdims=True))
    found: Floats = scaled / scaled.sum(-1, keepdims=True)
    return found


def _named(chances: Floats, names: tuple[str, ...]) -> Chances:
    likely = [(names[at], float(chances[at])) for at in np.argsort(-chances) if chances[at] >= _NAMED_FROM]
    return tuple(likely)
