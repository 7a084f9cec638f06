"""A run that was saved before: the JSON of an earlier report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from hw.settings import Range, SettingsError, fill
from hw.text_file import read_text

MIN_REPEATS = 3
"""Of each run: two tell a change by a fifth only where they hardly differ."""


class BaselineError(Exception):
    """The saved run cannot be compared with; one sentence."""


_Finite = Annotated[float, Range(-1_000_000_000_000, 1_000_000_000_000)]


@dataclass(frozen=True)
class _Scenario:
    name: str
    repeats: Annotated[int, Range(1, 1000, "repeats")]


@dataclass(frozen=True)
class _Meter:
    kind: Literal["measured", "modelled"]
    name: str


@dataclass(frozen=True)
class _Conditions:
    board: str
    pack: str


@dataclass(frozen=True)
class _Figure:
    """The compared fields of a figure."""

    id: str
    label: str
    unit: str
    value: _Finite
    per_repeat: tuple[_Finite, ...]


def load_baseline(path: Path) -> dict[str, Any]:
    """The saved JSON. Raises `BaselineError`."""
    try:
        saved = json.loads(read_text(path))
        if saved["format"] != 1:
            raise ValueError("another format")
        fill(_Scenario, {key: saved["scenario"][key] for key in ("name", "repeats")})
        fill(_Meter, {key: saved["meter"][key] for key in ("kind", "name")})
        fill(_Conditions, {key: saved["conditions"][key] for key in ("board", "pack")})
        if not isinstance(saved["conditions"], dict) or not isinstance(saved["figures"], list):
            raise TypeError("no table of conditions, or no list of figures")
        for figure in saved["figures"]:
            fill(_Figure, {key: figure[key] for key in _Figure.__dataclass_fields__})
    except OSError as error:
        raise BaselineError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BaselineError(f"{path} is not the JSON of a rig run: it is not text in UTF-8.") from None
    except (ValueError, KeyError, TypeError, RecursionError, SettingsError) as error:
        raise BaselineError(
            f"{path} is not the JSON of a rig run ({type(error).__name__}: {error})."
        ) from None
    baseline: dict[str, Any] = saved
    return baseline


@dataclass(frozen=True)
class Instrument:
    """What a run is measured with, and on."""

    kind: str
    """ "measured" or "modelled"."""
    meter: str
    board: str
    """ "emulated" or "headband"."""


def comparable(baseline: Mapping[str, Any], scenario: str, run: Instrument, repeats: int) -> None:
    """Raises `BaselineError` where such a run cannot be compared with the saved one: another meter has
    another error, which no repeat shows.
    """
    saved_with = baseline["meter"]["name"]
    saved_board = baseline["conditions"]["board"]
    if baseline["scenario"]["name"] != scenario:
        raise BaselineError(
            f"The baseline is of the scenario {baseline['scenario']['name']}, and this run is of {scenario}."
        )
    if baseline["meter"]["kind"] != run.kind:
        raise BaselineError(
            f"The baseline was {baseline['meter']['kind']} and this run is {run.kind}: they cannot be "
            "compared."
        )
    if saved_with != run.meter:
        raise BaselineError(
            f"The baseline was taken with the {saved_with} meter, and this run with the {run.meter} meter, "
            "whose error is another: they cannot be compared."
        )
    if saved_board != run.board:
        raise BaselineError(
            f"The baseline is of the {saved_board} board, and this run is of the {run.board} board: they "
            "cannot be compared."
        )
    if min(repeats, saved := baseline["scenario"]["repeats"]) < MIN_REPEATS:
        raise BaselineError(
            f"A comparison takes {MIN_REPEATS} repeats of either run: the baseline has {saved}, and this run "
            f"would have {repeats}."
        )
