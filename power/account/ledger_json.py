"""A ledger to JSON and back; JSON that is not a ledger is refused as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar, get_args

from power.account.ledger import Account, Activity, Book, Drain, Kind, Ledger, Spent, Supply

VERSION = 1
MOST = 1e11
"""Greatest accepted amount of anything; as seconds since 1970 it is in the year 5138."""
_MOST_HOURS = MOST / 3600


class LedgerError(Exception):
    """The stored ledger cannot be used; one sentence."""


def as_json(ledger: Ledger) -> dict[str, Any]:
    """Everything in the ledger; energy to a millionth of a milliwatt-hour."""
    return {
        "version": VERSION,
        "hours": {str(hour): [_plain(account) for account in book] for hour, book in ledger.hours.items()},
        "days": {date: [_plain(account) for account in book] for date, book in ledger.days.items()},
        "turns": [_plain(turn) for turn in ledger.turns],
        "drain": asdict(ledger.drain),
    }


def restore(ledger: Ledger, kept: Any) -> None:
    """Load what `as_json` returned into the ledger. Raises `LedgerError`, and leaves the ledger unchanged,
    for anything else.
    """
    try:
        if kept["version"] != VERSION:
            raise LedgerError(f"The energy ledger has the unknown version {kept['version']}.")
        hours = {int(hour): _book(rows) for hour, rows in kept["hours"].items()}
        if not all(0 <= hour <= _MOST_HOURS for hour in hours):
            raise ValueError("an hour that is none")
        days = {str(date): _book(rows) for date, rows in kept["days"].items()}
        turns = [_typed(Spent, row) for row in kept["turns"]]
        drain = _typed(Drain, kept["drain"])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise LedgerError("The energy ledger is damaged.") from None
    ledger.hours, ledger.days, ledger.drain = hours, days, drain
    ledger.turns.clear()
    ledger.turns.extend(turns)


_T = TypeVar("_T")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "activity": get_args(Activity), "kind": get_args(Kind), "supply": get_args(Supply),
}  # fmt: skip
_TEXTS = ("mode", "note", "answered_by")


def _book(rows: Any) -> Book:
    return Book(_typed(Account, row) for row in rows)


def _plain(value: Account | Spent) -> dict[str, Any]:
    row = {key: each for key, each in asdict(value).items() if each != "" and (key, each) != ("views", 0)}
    stages = {stage: round(mwh, 6) for stage, mwh in value.stages_mwh.items()}
    return {**row, "seconds": round(value.seconds, 3), "stages_mwh": stages}


def _typed(kind: type[_T], row: Mapping[str, Any]) -> _T:
    """A dataclass of amounts, texts and stages from its JSON; ValueError or TypeError for anything else."""
    known = {item.name for item in fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in row.items():
        if name not in known or (name in _CHOICES and value not in _CHOICES[name]):
            raise ValueError(f"unknown {name} {value}")
        if name == "stages_mwh":
            values[name] = {str(stage): _amount(mwh) for stage, mwh in value.items()}
        else:
            values[name] = value if name in _CHOICES else str(value) if name in _TEXTS else _amount(value)
    return kind(**values)


def _amount(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MOST:
        raise ValueError(f"{str(value)[:40]} is no amount")
    return float(value)
