"""The settings that survive a restart: timers, alarms, volume, pace of speech, caution, and whether recording
and memory are on.

They are one small file beside the journal, replaced as a whole. Of the wearer's words it holds the names of
running timers only.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from host.answers.timers import Now, Timer, Timers, after_restart, checked_name
from host.config import AnswerConfig, Config
from models.atomic_file import PRIVATE, write_whole
from models.caution import Caution

VERSION = 1
MOST = 1e11
"""Largest number that the file may hold; as seconds since 1970 it lies in the year 5000."""
FORGOTTEN = "I forgot what you had set before my restart, because my notes about it are damaged."
"""Spoken when nothing in the file can be used."""
PARTLY_FORGOTTEN = "I forgot a part of what you had set before my restart, because my notes are damaged."


@dataclass(frozen=True)
class VoiceSettings:
    """How the headband speaks."""

    volume_percent: int
    slowness: float
    """As `host.answers.device.DeviceState.slowness`."""


@dataclass(frozen=True)
class SavedSettings:
    """The contents of the file. `problem` is a sentence for the wearer when a part of it was unusable."""

    timers: Timers = field(default_factory=Timers)
    voice: VoiceSettings | None = None
    """None when nothing was saved, or when `headband.toml` has another volume than when it was saved."""
    problem: str | None = None
    recording: bool = True
    """False when that was saved, or when the file is damaged and may have said so."""
    memory: bool = False
    """True when that was saved."""
    caution: Caution | None = None
    """What the wearer asked for; None when nothing was, or when `headband.toml` has another one since."""


def saved_settings_path(config: Config) -> Path | None:
    """The file, beside the journal; None when the journal is in memory only."""
    journal = config.journal.path
    return Path(journal).expanduser().with_name("kept.json") if journal else None


def memory_folder(config: Config) -> Path | None:
    """The folder of what the headband remembers, beside the journal; None when that is in memory only."""
    path = saved_settings_path(config)
    return None if path is None else path.parent


def memory_key_file(config: Config) -> Path | None:
    """What stands in for the PMU's flash with the memory's key, on a computer that is no headband."""
    folder = memory_folder(config)
    return None if folder is None else folder / "memory.key"


def as_json(
    timers: Timers,
    voice: VoiceSettings,
    config: AnswerConfig,
    now: Now,
    boot: str,
    recording: bool = True,
    memory: bool = False,
    caution: Caution | None = None,
) -> str:
    """The file's text. `boot` identifies this start of the computer, for which monotonic times are valid."""
    return json.dumps(
        {
            "version": VERSION,
            "boot": boot,
            "mono_s": now.mono_s,
            "wall_s": now.wall_s,
            "recording": recording,
            "memory": memory,
            "caution": {"asked": caution, "configured": config.caution},
            "next_number": timers.next_number,
            "timers": [
                {
                    "number": timer.number,
                    "seconds": timer.seconds,
                    "ends_s": timer.ends_s,
                    "due_s": timer.due_s,
                    "said": timer.said,
                    **({"name": timer.name} if timer.name else {}),
                }
                for timer in timers.running
            ],
            "voice": {
                "volume_percent": voice.volume_percent,
                "slowness": voice.slowness,
                "configured_percent": config.volume_percent,
            },
        }
    )


def read_saved_settings(path: Path, config: AnswerConfig, now: Now, boot: str) -> SavedSettings:
    """The saved settings, converted to the clocks of `now`; defaults when there is no file. Never raises:
    damaged parts are left out.
    """
    recording: object = None
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        recording = table.get("recording", True)
        if table["version"] != VERSION:
            return SavedSettings(problem=FORGOTTEN, recording=recording is True)
        saved = Now(_number(table["mono_s"]), _number(table["wall_s"]))
        rows, same_clock = list(table["timers"]), bool(boot) and table["boot"] == boot
        same_clock = same_clock and saved.mono_s <= now.mono_s
    except FileNotFoundError:
        return SavedSettings()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return SavedSettings(problem=FORGOTTEN, recording=recording is True)
    timers: dict[int, Timer] = {}
    damaged = False
    for row in rows:
        try:
            timer = after_restart(_timer(row), saved, now, same_clock)
            timers[timer.number] = timer
            damaged |= row.get("name", "") != timer.name
        except (ValueError, KeyError, TypeError):
            damaged = True
    try:
        voice, caution = _voice(table["voice"], config), _caution(table.get("caution"), config)
        next_number = _count(table["next_number"])
    except (ValueError, KeyError, TypeError):
        voice, caution, next_number, damaged = None, None, 1, True
    next_number = max(next_number, *(number + 1 for number in timers), 1)
    problem = PARTLY_FORGOTTEN if damaged or type(recording) is not bool else None
    timers_left = Timers(tuple(timers.values()), next_number)
    memory = table.get("memory") is True
    return SavedSettings(timers_left, voice, problem, recording is True, memory, caution)


def saved_recording(path: Path | None) -> Literal["on", "off", "damaged"]:
    """The saved state of recording. damaged: the file cannot be read, which counts as off."""
    if path is None or read_saved_settings(path, AnswerConfig(), Now(0.0, 0.0), "").recording:
        return "on"
    try:
        return "off" if json.loads(path.read_text(encoding="utf-8"))["recording"] is False else "damaged"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "damaged"


def save_recording(path: Path, on: bool) -> None:
    """Changes only the saved state of recording; for use while no headband runs. An unusable file is copied
    with `copy_damaged` and replaced. Raises `OSError`.
    """
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        whole = table["version"] == VERSION
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        table, whole = {}, False
    if whole:
        text = json.dumps({**table, "recording": on})
    else:
        if path.exists():
            copy_damaged(path)
        now, config = Now(0.0, 0.0), AnswerConfig()
        text = as_json(Timers(), VoiceSettings(config.volume_percent, 1.0), config, now, "", on)
    write_whole(path, text, PRIVATE)


def copy_damaged(path: Path) -> None:
    """Copies a damaged file to `*.bad.json` before it is replaced; ignores `OSError`."""
    with contextlib.suppress(OSError):
        write_whole(path.with_suffix(".bad.json"), path.read_bytes(), PRIVATE)


def _timer(row: Any) -> Timer:
    number, seconds, said = (_count(row[key]) for key in ("number", "seconds", "said"))
    ends_s, due_s = _number(row["ends_s"]), _number(row["due_s"])
    return Timer(
        number, seconds, ends_s, due_s, due_s, said, checked_name(row.get("name")) if seconds else ""
    )


def _voice(row: Any, config: AnswerConfig) -> VoiceSettings | None:
    volume, slowness = _count(row["volume_percent"]), _number(row["slowness"])
    if not (0 <= volume <= 100 and 0.2 <= slowness <= 5):
        raise ValueError("out of range")
    return VoiceSettings(volume, slowness) if row["configured_percent"] == config.volume_percent else None


def _caution(row: Any, config: AnswerConfig) -> Caution | None:
    if row is None:  # written by a version that does not save it
        return None
    asked = row["asked"]
    if asked is not None and asked not in get_args(Caution):
        raise ValueError("no level of caution")
    return cast("Caution | None", asked) if row["configured"] == config.caution else None


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError("not a count")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= MOST:
        raise ValueError("not a number")
    return float(value)
