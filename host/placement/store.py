"""The tables that `headband tune` measured, as a file for each board and pack beside the journal."""

from __future__ import annotations

import json
import math
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.atomic_file import write_whole
from models.pack.catalogue import Pack
from models.sensing.configuration import TOGETHER
from models.sensing.latency import StepCosts
from power.placement.as_json import TableError, from_json, to_json
from power.placement.table import Table

_MOST_BYTES = 1 << 20
_MODEL = Path("/proc/device-tree/model")
_PROCESSORS = Path("/proc/cpuinfo")


class TunedProblem(Exception):
    """A measured table cannot be used or kept; one sentence."""


@dataclass(frozen=True)
class Origin:
    """Where a table was measured. A table of another origin says nothing here."""

    board: str
    """Kind of board, `BoardConfig.kind`."""
    computer: str
    """Its model and number of cores."""
    pack: str
    """Name and version."""


def origin_of(board: str, pack: Pack) -> Origin:
    """This board and pack."""
    return Origin(board, computer(), f"{pack.name} {pack.version}")


def computer(model: Path = _MODEL, processors: Path = _PROCESSORS) -> str:
    """The computer's model by its device tree, else its processor's name, with the number of cores."""
    said = ""
    with suppress(OSError):
        said = model.read_text(errors="replace").strip("\0\n ")
    if not said:
        with suppress(OSError):
            found = re.search(r"^model name\s*:\s*(.+)$", processors.read_text(errors="replace"), re.M)
            said = found[1].strip() if found else ""
    return f"{said or 'unknown'}, {os.cpu_count() or 1} cores"


def tuned_path(journal: str, board: str, pack: str) -> Path | None:
    """The file; None where the journal, beside which it lies, is in memory only."""
    if not journal:
        return None
    plain = re.sub(r"[^\w.-]", "_", pack)
    return Path(journal).expanduser().parent / "placement" / f"{board}-{plain}.json"


def read_tuned(path: Path | None, origin: Origin) -> Table | None:
    """The measured table; None without one. Raises `TunedProblem` for one that is damaged or of another
    board or pack.
    """
    tuned = _read(path, origin)
    return None if tuned is None else tuned[0]


def read_clip_costs(path: Path | None, origin: Origin) -> StepCosts | None:
    """What a clip's steps take, measured with the table; None where that was not measured. Raises
    `TunedProblem` as `read_tuned` does.
    """
    tuned = _read(path, origin)
    return None if tuned is None else tuned[1]


def _read(path: Path | None, origin: Origin) -> tuple[Table, StepCosts | None] | None:
    if path is None:
        return None
    again = "measure again with: headband tune"
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise TunedProblem(f"{path} is no table of placements, as it is too large; {again}.")
        values: Any = json.loads(path.read_text(encoding="utf-8"))
        table = from_json(values.get("table") if isinstance(values, dict) else None)
        clip = _clip_from(values.get("clip"))
        measured_at = values.get("origin")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TunedProblem(f"{path} cannot be read ({error.strerror}); {again}.") from None
    except TableError as error:
        raise TunedProblem(f"{path} cannot be used: {error}; {again}.") from None
    except (ValueError, RecursionError):
        raise TunedProblem(f"{path} is damaged; {again}.") from None
    wanted = _as_words(origin)
    if not isinstance(measured_at, dict) or set(measured_at) != set(wanted):
        raise TunedProblem(f"{path} does not say where it was measured; {again}.")
    for what, here in wanted.items():
        if measured_at[what] != here:
            there = str(measured_at[what])[:80]
            raise TunedProblem(f"{path} was measured with another {what} ({there}, here {here}); {again}.")
    return table, clip


def write_tuned(path: Path, table: Table, origin: Origin, clip: StepCosts | None = None) -> None:
    """Keeps a measured table, and what a clip's steps take. Raises `TunedProblem`."""
    told = {"origin": _as_words(origin), "table": to_json(table), "clip": clip_as_json(clip)}
    text = json.dumps(told) + "\n"
    try:
        write_whole(path, text)
    except OSError as error:
        raise TunedProblem(f"{path} cannot be written ({error.strerror}).") from None


def clip_as_json(clip: StepCosts | None) -> dict[str, Any] | None:
    """What a clip's steps take, as the file has it."""
    if clip is None:
        return None
    encode = [
        {"depth": depth, "pictures": pictures, "seconds": round(seconds, 6)}
        for (depth, pictures), seconds in sorted(clip.encode_s.items())
    ]
    return {"encode": encode, "unit_s": round(clip.unit_s, 6), "answer_s": round(clip.answer_s, 6)}


def _clip_from(told: Any) -> StepCosts | None:
    """Raises ValueError for what is no such table."""
    if told is None:
        return None
    try:
        encode_s = {
            (int(each["depth"]), int(each["pictures"])): float(each["seconds"]) for each in told["encode"]
        }
        found = StepCosts(encode_s, float(told["unit_s"]), float(told["answer_s"]))
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError("the times of a clip are no table") from error
    seconds = (*encode_s.values(), found.unit_s, found.answer_s)
    whole = {(depth, together) for depth in found.depths for together in (1, TOGETHER)}
    if not encode_s or set(encode_s) != whole or not all(0 <= each < math.inf for each in seconds):
        raise ValueError("the times of a clip are not all there")
    return found


def _as_words(origin: Origin) -> dict[str, str]:
    return {"board": origin.board, "computer": origin.computer, "pack": origin.pack}
