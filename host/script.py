"""Day scripts: what the emulated world does at which second. Written as TOML:

    end_s = 12.0
    [[event]]
    at_s = 0.5
    say = "wake-and-question.wav"     # a WAV, or a list of them, beside the script
    image = "street.png"              # what the camera sees from now on
    battery = 35                      # percent, injected at the PMU's end of the bus
    charging = false
    note = "Half empty"               # a heading for the person who watches

Seconds are seconds of microphone time, so a script runs the same in real time and as fast as possible;
while a turn is under way the script waits.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hw.text_file import read_text

_KEYS = {"at_s", "say", "image", "battery", "charging", "note"}


class ScriptError(Exception):
    """A day script that can't be used; one sentence for the person who wrote it."""


@dataclass(frozen=True)
class Event:
    """What happens at `at_s` (seconds of microphone time); absent things are None or empty."""

    at_s: float
    say: tuple[Path, ...] = ()
    image: Path | None = None
    battery: int | None = None
    charging: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class Script:
    """Events in order of time, and when the day ends."""

    end_s: float
    events: tuple[Event, ...] = field(default=())


def load_script(path: Path) -> Script:
    """Reads a day script. Raises ScriptError for anything that isn't one, naming the event at fault."""
    try:
        table = tomllib.loads(read_text(path))
    except OSError as error:
        raise ScriptError(f"The script {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScriptError(f"The script {path} is not valid TOML: {error}.") from error
    if unknown := sorted(set(table) - {"end_s", "event"}):
        raise ScriptError(f"The script {path} has the unknown key {unknown[0]}.")
    rows = table.get("event", [])
    if not isinstance(rows, list) or not rows:
        raise ScriptError(f"The script {path} has no [[event]].")
    events = sorted((_event(path, n, row) for n, row in enumerate(rows, 1)), key=lambda event: event.at_s)
    end_s = float(table.get("end_s", events[-1].at_s + 10.0))
    return Script(end_s, tuple(events))


def _event(path: Path, number: int, row: dict[str, Any]) -> Event:
    where = f"Event {number} of {path.name}"
    if unknown := sorted(set(row) - _KEYS):
        raise ScriptError(f"{where} has the unknown key {unknown[0]}; known: {', '.join(sorted(_KEYS))}.")
    if not isinstance(row.get("at_s"), int | float) or row["at_s"] < 0:
        raise ScriptError(f"{where} needs at_s, in seconds, 0 or more.")
    battery = row.get("battery")
    if battery is not None and (not isinstance(battery, int) or not 0 <= battery <= 100):
        raise ScriptError(f"{where}: battery is a whole number from 0 to 100, not {battery!r}.")
    say = row.get("say", [])
    clips = tuple(path.parent / name for name in ([say] if isinstance(say, str) else say))
    image = path.parent / row["image"] if "image" in row else None
    for file in [*clips, *([image] if image else [])]:
        try:
            there = file.exists()
        except OSError as error:
            raise ScriptError(f"{where} names {file}, which cannot be read: {error.strerror}.") from error
        if not there:
            raise ScriptError(f"{where} names {file}, which does not exist.")
    return Event(float(row["at_s"]), clips, image, battery, row.get("charging"), str(row.get("note", "")))
