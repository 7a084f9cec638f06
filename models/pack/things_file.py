"""The labels of a pack's object detector: the names of what its graph tells, and how far it errs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

GRAPH, LABELS = "detector.onnx", "things.json"
DETECTOR_FILES: Mapping[str, str] = {"detector": ".onnx", "things": ".json"}
"""The keys of its files in a pack's reflex brick, with the suffixes of their names."""
FORM = 1
_LONGEST_BYTES = 1 << 20
_CELLS = ("what", "colour", "lying", "whole", "ground", "offset", "half")
_PICTURE = ("place", "quality")


@dataclass(frozen=True, kw_only=True)
class Things:
    """Names in the order of the graph's numbers. Class 0 of what, colour, lying, ground and place is "none";
    what: shapes, sign, things.

    encoder: the last part of the identity of the eye whose rows it reads, "" for any. cells, picture: how
    many numbers tell what, of each cell and of the picture, in order. temperature: divides the logits.
    middle_error: standard deviation of a middle, parts of the picture, as validation has it; extent_error: of
    half a width, in parts of it.
    """

    form: int = FORM
    encoder: str = ""
    shapes: tuple[str, ...]
    sign: str
    things: tuple[str, ...]
    colours: tuple[str, ...]
    surfaces: tuple[str, ...]
    places: tuple[str, ...]
    qualities: tuple[str, ...]
    cells: Mapping[str, int]
    picture: Mapping[str, int]
    temperature: float = 1.0
    middle_error: float = 0.01
    extent_error: float = 0.08

    @property
    def what(self) -> tuple[str, ...]:
        """The names of all classes of a cell; "" for nothing."""
        return ("", *self.shapes, self.sign, *self.things)

    @classmethod
    def read(cls, path: Path) -> Things:
        """Raises OSError or ValueError."""
        with path.open(encoding="utf-8") as stream:
            told = json.loads(stream.read(_LONGEST_BYTES))
        known = {each.name for each in fields(cls)}
        if not isinstance(told, dict) or set(told) != known:
            raise ValueError("it has other fields than the labels of a detector")
        if told["form"] != FORM:
            raise ValueError(f"its form is {told['form']}, and this release reads {FORM}")
        made: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in told.items()
        }
        return cls(**made)._checked()

    def _checked(self) -> Things:
        names = (self.shapes, self.things, self.colours, self.surfaces, self.places, self.qualities)
        if not all(isinstance(name, str) and name for each in names for name in each):
            raise ValueError("its names have to be words")
        wide: dict[str, Any] = {
            "what": len(self.what), "colour": 1 + len(self.colours), "lying": 1 + len(self.surfaces),
            "offset": 2, "half": 2, "whole": 2,
        }  # fmt: skip
        if tuple(self.cells) != _CELLS or any(self.cells[key] != wanted for key, wanted in wide.items()):
            raise ValueError("the numbers of its cells do not fit its names")
        wanted = {"place": 1 + len(self.places), "quality": len(self.qualities)}
        if dict(self.picture) != wanted or tuple(self.picture) != _PICTURE:
            raise ValueError("the numbers of its picture do not fit its names")
        for number in (self.temperature, self.middle_error, self.extent_error):
            if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
                raise ValueError("its errors have to be numbers")
        if min(self.temperature, self.middle_error, self.extent_error) <= 0:
            raise ValueError("its errors have to be above 0")
        return self


def things_fault(path: Path) -> str:
    """Why the labels of a detector can't be used, in one sentence; empty where they can."""
    try:
        Things.read(path)
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        return f"The labels {path} can't be used by the object detector: {error}."
    return ""
