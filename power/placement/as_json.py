"""A table of placements as JSON text, and back; also the tables that come with the program."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from power.placement.table import KINDS, MODES, PLACES, TASKS, Cost, Habits, Table

MODELLED = Path(__file__).with_name("modelled.json")
"""The tables of the packs that the twin knows; `python -m power.twin.placed` writes them, a test holds them.
"""
MODELLED_BOARD = "rk3566"
FORMAT = 1
_COLUMNS = tuple(item.name for item in fields(Cost))
_WORDS = {"task": TASKS, "place": PLACES, "mode": MODES, "kind": KINDS}
MOST_THREADS = 64
"""Of a row."""


class TableError(Exception):
    """A table that cannot be used; a clause that says why."""


def to_json(table: Table) -> dict[str, Any]:
    """Plain values; costs as lists in the order of `columns`."""
    return {
        "format": FORMAT,
        "board": table.board,
        "pack": table.pack,
        "habits": {"about_view": table.habits.about_view, "spoken_s": table.habits.spoken_s},
        "awake_w": dict(table.awake_w),
        "columns": list(_COLUMNS),
        "costs": [[getattr(cost, name) for name in _COLUMNS] for cost in table.costs],
    }


def from_json(values: Any) -> Table:
    """The table of `to_json`. Raises `TableError`."""
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise TableError("it is no table of placements of this version")
    try:
        if tuple(values["columns"]) != _COLUMNS:
            raise TableError("its columns are others than this version's")
        habits = Habits(_number(values["habits"]["about_view"], 1.0), _number(values["habits"]["spoken_s"]))
        awake_w = tuple((mode, _number(values["awake_w"][mode])) for mode in MODES)
        costs = tuple(_cost(row) for row in values["costs"])
        return Table(_text(values["board"]), _text(values["pack"]), habits, awake_w, costs)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise TableError(f"it is damaged ({type(error).__name__}: {error})") from None


def modelled_tables(path: Path = MODELLED) -> dict[str, Table]:
    """The tables that come with the program, by the pack's name. Raises `TableError`."""
    try:
        return {name: from_json(values) for name, values in json.loads(path.read_text()).items()}
    except (OSError, ValueError, AttributeError) as error:
        raise TableError(f"{path} cannot be read ({error})") from None


def _cost(row: Any) -> Cost:
    if not isinstance(row, list) or len(row) != len(_COLUMNS):
        raise ValueError("a row of another length")
    named = dict(zip(_COLUMNS, row, strict=True))
    for name, words in _WORDS.items():
        if named[name] not in words:
            raise ValueError(f"the unknown {name} {named[name]!r}")
    for name in ("seconds", "low_s", "high_s", "energy_j", "memory_mib"):
        _number(named[name])
    if not named["low_s"] <= named["seconds"] <= named["high_s"]:
        raise ValueError("a time outside its range")
    threads = named["threads"]
    if type(threads) is not int or not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"{threads!r} threads")
    _text(named["brick"]), _text(named["source"])
    return Cost(**named)


def _number(value: Any, most: float = 1e6) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    if not math.isfinite(value) or not 0 <= value <= most:
        raise ValueError(f"{value!r} is out of range")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"{value!r} is no text")
    return value
