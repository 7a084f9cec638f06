"""The cost model beside what others measured on Cortex-A55 cores: predicted against published times, and how
far off it is on programs that it was not fitted to.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from hw.settings import Form, Range, SettingsError, fill, read_toml
from power.board_cost.board import Board, Fit, Parts, parts
from power.board_cost.counts import Counts

PUBLISHED = Path(__file__).parent / "published.toml"
COUNTED = Path(__file__).parent / "counted.json"
_WORDS = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text")]
_FACTORS = (0.25, 4.0)
"""Factors outside these would mean that the model has the wrong shape, not that a source is a little off."""


@dataclass(frozen=True)
class Source:
    """Where published times come from."""

    what: _WORDS
    """Who measured what with which version, when, and with which it was counted."""
    board: _WORDS
    """A board of boards.toml."""
    clock: _WORDS
    """What is known of the cores' clock."""
    weights: _WORDS
    """With which weights it was counted."""


@dataclass(frozen=True)
class Row:
    """One published time, or one that can't be compared."""

    source: _WORDS
    """A key of the sources."""
    program: _WORDS
    """What ran."""
    ms: Annotated[float, Range(0.001, 1e7, "milliseconds")]
    """As published."""
    cores: Annotated[int, Range(1, 8)] = 1
    """Threads, each on a core of its own."""
    run: str = ""
    """Key of the counts; empty where it can't be run."""
    times: Annotated[float, Range(0.001, 1e6)] = 1.0
    """How many of the counted regions it is: layers."""
    cannot: str = ""
    """Why it can't be run here, as a sentence."""


@dataclass(frozen=True)
class Compared:
    """A row with what the model says, by a fit that did not see the row's program."""

    row: Row
    own: Parts
    ms: float
    """Of the model with both factors 1."""
    held_out_ms: float
    """Of the model fitted to the other programs."""

    @property
    def error(self) -> float:
        """Relative error of the held-out prediction: 0.2 is 20 % too long."""
        return self.held_out_ms / self.row.ms - 1


@dataclass(frozen=True)
class Validation:
    """All rows, and the fit to all of them."""

    compared: tuple[Compared, ...]
    left_out: tuple[Row, ...]
    fit: Fit

    @property
    def median_error(self) -> float:
        """Median of the errors' sizes."""
        return median(abs(each.error) for each in self.compared)

    @property
    def worst_error(self) -> float:
        """The largest of the errors' sizes."""
        return max(abs(each.error) for each in self.compared)

    @property
    def spread(self) -> tuple[float, float]:
        """What to multiply a prediction with for its low and high: the held-out errors at both ends."""
        ratios = [each.row.ms / each.held_out_ms for each in self.compared]
        return min([1.0, *ratios]), max([1.0, *ratios])


def load_counted(path: Path = COUNTED) -> dict[str, list[Counts]]:
    """The kept counts by run, a list of regions each. Raises `SettingsError`."""
    try:
        table = json.loads(path.read_text())
        counted = {name: [Counts(**region) for region in regions] for name, regions in table.items()}
        if empty := [name for name, regions in counted.items() if not regions]:
            raise ValueError(f"{empty[0]} has no region")
    except OSError as error:
        raise SettingsError(f"The counts {path} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise SettingsError(
            f"The counts {path} are not what `just board-cost --count` writes ({error})."
        ) from None
    return counted


def load_published(path: Path = PUBLISHED) -> tuple[dict[str, Source], tuple[Row, ...]]:
    """Sources by key, and the rows. Raises `SettingsError`."""
    table: dict[str, Any] = read_toml(path, "table of published times")
    sources = {
        name: fill(Source, words, path, ("source", name)) for name, words in table.get("source", {}).items()
    }
    rows = tuple(fill(Row, words, path, ("row",)) for words in table.get("row", []))
    for row in rows:
        if row.source not in sources:
            raise SettingsError(f"{path} has a row of {row.source!r}, which is no source there.")
        if bool(row.run) == bool(row.cannot):
            raise SettingsError(f"{path}: {row.program} needs either `run` or `cannot`.")
    return sources, rows


def validate(
    rows: Iterable[Row], sources: Mapping[str, Source], boards: Mapping[str, Board],
    counted: Mapping[str, Sequence[Counts]],
) -> Validation:  # fmt: skip
    """Compares all rows whose counts are there; a program is left out of the fit with all its rows."""
    known: list[tuple[Row, Parts]] = []
    left_out = []
    for row in rows:
        if row.run in counted:
            counts = counted[row.run][0].times(row.times)
            known.append((row, parts(counts, boards[sources[row.source].board])))
        else:
            left_out.append(row)
    compared = []
    for row, own in known:
        others = [(each, its) for each, its in known if each.program != row.program]
        held_out = own.total_ms(row.cores, fitted(others))
        compared.append(Compared(row, own, own.total_ms(row.cores), held_out))
    return Validation(tuple(compared), tuple(left_out), fitted(known))


def fitted(known: Sequence[tuple[Row, Parts]]) -> Fit:
    """The two factors that make the squared logarithms of predicted over published least."""

    def off(core: float, memory: float) -> float:
        fit = Fit(core, memory)
        return sum(math.log(own.total_ms(row.cores, fit) / row.ms) ** 2 for row, own in known)

    if not known:
        return Fit()
    core = memory = 1.0
    for _ in range(30):
        before = core, memory
        core = _least(lambda factor, memory=memory: off(factor, memory))  # type: ignore[misc]
        memory = _least(lambda factor, core=core: off(core, factor))  # type: ignore[misc]
        if (core, memory) == before:
            break  # all further rounds find the same
    return Fit(core, memory)


def _least(of: Any) -> float:
    """Where a function with one valley is least between the factors: golden section, on a logarithmic
    scale.
    """
    low, high = (math.log(each) for each in _FACTORS)
    step = (math.sqrt(5) - 1) / 2
    for _ in range(40):
        left, right = high - step * (high - low), low + step * (high - low)
        if of(math.exp(left)) < of(math.exp(right)):
            high = right
        else:
            low = left
    return math.exp((low + high) / 2)
