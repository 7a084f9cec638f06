"""What the bricks of the packs will cost on a board: sums of counted regions, timed by the model,
with the range that its errors on published figures leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Annotated, Any

from hw.settings import Form, Range, SettingsError, fill, read_toml
from power.board_cost.board import Board, Parts, parts
from power.board_cost.counts import Counts
from power.board_cost.validation import Validation

BRICKS = Path(__file__).parent / "bricks.toml"
_WORDS = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text")]


@dataclass(frozen=True)
class Brick:
    """A piece of a brick's work."""

    title: _WORDS
    """What it does."""
    unit: _WORDS
    """What it is the cost of one of."""
    terms: tuple[tuple[str, int, float], ...]
    """Run, region, times."""
    how: _WORDS
    """How the counts make up the whole."""
    twin: tuple[str, ...] = ()
    """The twin's numbers for it, each as "pack.name"."""
    cores: Annotated[int, Range(1, 8)] = 8
    """The most cores that it can use, 1 to 8."""
    alone: tuple[tuple[str, int, float], ...] = ()
    """Further terms, of what only one core can do while the others wait."""


@dataclass(frozen=True)
class Cost:
    """A piece of work on a board, modelled."""

    brick: Brick
    spent: Parts
    """What the time is spent on, with the cores that it has."""
    ms: float
    low_ms: float
    high_ms: float


def load_bricks(path: Path = BRICKS) -> dict[str, Brick]:
    """The pieces of work of a file. Raises `SettingsError`."""
    table: dict[str, Any] = read_toml(path, "table of bricks")
    made = {}
    for name, words in table.items():
        terms = words.get("terms")
        if not (terms and all(_are_terms(each) for each in (terms, words.get("alone", [])))):
            raise SettingsError(f"{path}: {name} needs terms of a run, a region and a number.")
        made[name] = fill(Brick, words, path, (name,))
    return made


def _are_terms(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(each, list) and len(each) == 3 for each in found)


def missing_runs(brick: Brick, counted: Mapping[str, Sequence[Counts]]) -> list[str]:
    """The runs of a piece of work that have not been counted."""
    return list(dict.fromkeys(run for run, _, _ in brick.terms + brick.alone if run not in counted))


def cost(
    brick: Brick, counted: Mapping[str, Sequence[Counts]], board: Board, validation: Validation, cores: int,
    cpu_mhz: float | None = None, ddr_mhz: float | None = None,
) -> Cost:  # fmt: skip
    """The piece of work on a board. Raises KeyError for a run that has not been counted."""

    def spent_on(terms: Sequence[tuple[str, int, float]], cores: int) -> Parts:
        total = reduce(Counts.plus, (counted[run][region].times(times) for run, region, times in terms))
        return parts(total, board, cpu_mhz, ddr_mhz).shared(cores, validation.fit)

    spent = spent_on(brick.terms, min(cores, brick.cores))
    if brick.alone:
        spent = spent.plus(spent_on(brick.alone, 1))
    ms = spent.total_ms()
    low, high = validation.spread
    return Cost(brick, spent, ms, ms * low, ms * high)
