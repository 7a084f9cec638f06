"""Reads the saved energy ledger, and formats it for `headband power used`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from host.config import Config
from power.account.ledger import CLIP, REMEMBER, Book, Ledger
from power.account.ledger_json import LedgerError, restore

SHOWN_TURNS = 10
SHOWN_HOURS = 24
_WHO = {
    "": "nobody, or nobody noted",
    "device": "the headband itself",
    "reflex": "reflex",
    "motion": "the comparison of pictures",
    "language model": "the language model",
}
"""Who answered, as in the ledger -> in words."""


def ledger_path(config: Config) -> Path | None:
    """Path of the ledger, beside the journal; None when the journal is kept in memory only."""
    journal = config.journal.path
    return Path(journal).expanduser().with_name("energy.json") if journal else None


def read_ledger(path: Path) -> Ledger:
    """The saved ledger; an empty one if there is no file. Raises `LedgerError` for an unusable file."""
    ledger = Ledger()
    try:
        restore(ledger, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise LedgerError(f"The energy ledger {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise LedgerError(f"The energy ledger is damaged: {path}.") from None
    except LedgerError as error:
        raise LedgerError(f"{str(error).removesuffix('.')}: {path}.") from None
    return ledger


def used(path: Path, now_s: float | None = None) -> dict[str, Any]:
    """Energy used on the day of `now_s` (seconds since the epoch; None: now) and in the last hours, days and
    turns; each figure with its kind, "measured" or "modelled". Raises `LedgerError`.
    """
    now_s = time.time() if now_s is None else now_s
    ledger = read_ledger(path)
    today = ledger.day(now_s)
    date = _local("%Y-%m-%d", now_s)
    battery = today.only(supply="battery")
    newest = int(now_s // 3600)
    hours = {hour: book for hour, book in ledger.hours.items() if newest - SHOWN_HOURS < hour <= newest}
    drain = ledger.drain
    return {
        "day": date,
        "battery": _sum(battery),
        "outside": _sum(today.only(supply="outside")),
        "activities": [
            {
                "activity": account.activity,
                "kind": account.kind,
                "supply": account.supply,
                "count": round(account.count),
                "seconds": round(account.seconds, 1),
                "mwh": round(account.total_mwh, 3),
                "mean_mw": _mean_mw(account.total_mwh, account.seconds),
            }
            for account in today.activities()
        ],
        "questions": [
            {
                "answered_by": name,
                "kind": account.kind,
                "count": round(account.count),
                "mwh": round(account.total_mwh, 3),
                "mean_mwh": round(account.total_mwh / account.count, 4) if account.count else None,
            }
            for name, account in battery.answerers().items()
        ],
        "remembering": _remembering(battery, today.only(supply="outside")),
        "looking_on": _looking_on(battery),
        "stages_mwh": _rounded(battery),
        "hours": [
            {
                "begins": _local("%Y-%m-%d %H:%M", hour * 3600),
                **_sum(_of_battery(book)),
            }
            for hour, book in sorted(hours.items())
        ],
        "days": [
            {"day": day, **_sum(_of_battery(book))}
            for day, book in sorted(ledger.days.items())
            if day <= date  # later ones are a clock's that was ahead, or this one is behind
        ],
        "turns": [
            {
                "ended": _local("%Y-%m-%d %H:%M:%S", turn.ended_s),
                "kind": turn.kind,
                "supply": turn.supply,
                "mode": turn.mode,
                "answered_by": turn.answered_by,
                "seconds": round(turn.seconds, 2),
                "mwh": round(turn.total_mwh, 4),
                "note": turn.note,
            }
            for turn in list(ledger.turns)[-SHOWN_TURNS:]
        ],
        "drain": {
            "kind": drain.kind,
            "mean_mw": None if drain.mean_mw is None else round(drain.mean_mw, 1),
            "weighed_hours": round(drain.weighed_h, 3),
        },
    }


def format_used(result: dict[str, Any]) -> str:
    """The result of `used` as a few lines of text."""
    battery, outside = result["battery"], result["outside"]
    lines = [f"{result['day']}  {battery['mwh']:.1f} mWh from the battery ({_kind(battery)})"]
    if outside["mwh"]:
        lines[0] += f", {outside['mwh']:.1f} mWh from outside ({_kind(outside)})"
    for row in result["activities"]:
        count = (
            f"{row['count']:.0f} turn{'' if row['count'] == 1 else 's'}, "
            if row["activity"] == "turn"
            else ""
        )
        supply = "" if row["supply"] == "battery" else ", on outside power"
        mean = "" if row["mean_mw"] is None else f" at {row['mean_mw']:.0f} mW"
        lines.append(
            f"  {row['activity']:9s}{row['mwh']:9.2f} mWh  {row['kind']}{supply}, "
            f"{count}{row['seconds'] / 60:.1f} min{mean}"
        )
    for row in result["questions"]:
        if row["mean_mwh"] is not None:
            who = _WHO.get(row["answered_by"], row["answered_by"])
            lines.append(
                f"  {row['count']:.0f} answered by {who}: {row['mean_mwh']:.2f} mWh each, "
                f"{row['mwh']:.2f} mWh in all ({row['kind']})"
            )
    lines += _remembering_lines(result["remembering"])
    if looking_on := result["looking_on"]["mwh"]:
        lines.append(
            f"  of it looking on while questions are spoken {looking_on:.2f} mWh "
            f"({result['looking_on']['kind']}), {result['looking_on']['asked']} asked about that"
        )
    stages = ", ".join(f"{name} {value:.2f}" for name, value in result["stages_mwh"].items())
    if stages:
        lines.append(f"  stages   {stages} mWh; divided by the model")
    for turn in result["turns"][-3:]:
        note = f"; {turn['note']}" if turn["note"] else ""
        ended = turn["ended"].removeprefix(f"{result['day']} ")
        lines.append(f"  {ended}  a turn in {turn['mode']}: {turn['mwh']:.2f} mWh ({turn['kind']}{note})")
    drain = result["drain"]
    if drain["mean_mw"] is not None:
        lines.append(f"  drain    {drain['mean_mw']:.0f} mW lately ({drain['kind']})")
    return "\n".join(lines)


def _remembering(battery: Book, outside: Book) -> dict[str, Any]:
    """What remembering took today: the model divides it from its intervals, also from measured ones."""
    mwh, views = battery.stages_mwh().get(REMEMBER, 0.0), battery.views
    return {
        "kind": "modelled",
        "mwh": round(mwh, 3),
        "outside_mwh": round(outside.stages_mwh().get(REMEMBER, 0.0), 3),
        "views": round(views),
        "outside_views": round(outside.views),
        "view_mwh": round(mwh / views, 4) if views else None,
    }


def _looking_on(battery: Book) -> dict[str, Any]:
    """What the pictures that are taken while questions are spoken took today; asked: turns that they
    answered.
    """
    motion = battery.answerers().get("motion")
    return {
        "kind": "modelled",
        "mwh": round(battery.stages_mwh().get(CLIP, 0.0), 3),
        "asked": 0 if motion is None else round(motion.count),
    }


def _remembering_lines(row: dict[str, Any]) -> list[str]:
    if not (row["mwh"] or row["outside_mwh"]):
        return []
    each = "" if row["view_mwh"] is None else f" at {row['view_mwh']:.2f} mWh"
    outside = f"; {row['outside_mwh']:.2f} mWh from outside" if row["outside_mwh"] else ""
    views = f"{row['views']} view{'' if row['views'] == 1 else 's'}"
    return [f"  of it remembering {row['mwh']:.2f} mWh ({row['kind']}), {views}{each}{outside}"]


def _local(form: str, time_s: float) -> str:
    return time.strftime(form, time.localtime(time_s))


def _of_battery(book: Book) -> Book:
    return book.only(supply="battery")


def _sum(book: Book) -> dict[str, Any]:
    return {
        "mwh": round(book.total_mwh, 3),
        "kind": book.kind,
        "measured_share": round(book.measured_share, 4),
        "seconds": round(book.seconds, 1),
    }


def _rounded(book: Book) -> dict[str, float]:
    return {stage: round(value, 4) for stage, value in book.stages_mwh().items()}


def _mean_mw(energy_mwh: float, seconds: float) -> float | None:
    return round(energy_mwh * 3600 / seconds, 1) if seconds > 0 else None


def _kind(total: dict[str, Any]) -> str:
    share = total["measured_share"]
    if total["kind"] == "modelled" and share > 0:
        return f"{share:.0%} of it measured, the rest modelled"
    return str(total["kind"])
