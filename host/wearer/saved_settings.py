"""What the wearer has set and a restart must not forget: timers, alarms, loudness and pace, and whether
it may hear and see. One small file beside the journal, replaced as a whole.

No word of what was asked or answered is in it.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from host.answers.timers import Now, Timer, Timers, after_restart
from host.config import AnswerConfig, Config
from models.atomic_file import write_whole

VERSION = 1
MOST = 1e11
"""Greatest number in the file: seconds since 1970 in the year 5000."""
FORGOTTEN = "I forgot what you had set before my restart, because my notes about it are damaged."
"""Said when nothing of the file can be used."""
PARTLY_FORGOTTEN = "I forgot a part of what you had set before my restart, because my notes are damaged."


@dataclass(frozen=True)
class VoiceSettings:
    """How the headband speaks."""

    volume_percent: int
    slowness: float
    """As `host.answers.device.DeviceState.slowness`."""


@dataclass(frozen=True)
class SavedSettings:
    """What the file held. `problem` is a sentence for the wearer when a part of it was unusable."""

    timers: Timers = field(default_factory=Timers)
    voice: VoiceSettings | None = None
    """None where nothing was kept, or the settings have changed since."""
    problem: str | None = None
    recording: bool = True
    """Off where that was kept, and where the file is damaged so that it may have been."""


def saved_settings_path(config: Config) -> Path | None:
    """Beside the journal; None when that is kept in memory only."""
    journal = config.journal.path
    return Path(journal).expanduser().with_name("kept.json") if journal else None


def as_json(
    timers: Timers, voice: VoiceSettings, config: AnswerConfig, now: Now, boot: str, recording: bool = True
) -> str:
    """The file's text. `boot` names this start of the computer: its monotonic times count only there."""
    return json.dumps(
        {
            "version": VERSION,
            "boot": boot,
            "mono_s": now.mono_s,
            "wall_s": now.wall_s,
            "recording": recording,
            "next_number": timers.next_number,
            "timers": [
                {
                    "number": timer.number,
                    "seconds": timer.seconds,
                    "ends_s": timer.ends_s,
                    "due_s": timer.due_s,
                    "said": timer.said,
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
    """What was kept, on the clocks of `now`; nothing where there is no file. Never raises: what is damaged is
    left out, and the rest lives on.
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
        except (ValueError, KeyError, TypeError):
            damaged = True
    try:
        voice = _voice(table["voice"], config)
        next_number = _count(table["next_number"])
    except (ValueError, KeyError, TypeError):
        voice, next_number, damaged = None, 1, True
    next_number = max(next_number, *(number + 1 for number in timers), 1)
    problem = PARTLY_FORGOTTEN if damaged or type(recording) is not bool else None
    return SavedSettings(Timers(tuple(timers.values()), next_number), voice, problem, recording is True)


def saved_recording(path: Path | None) -> Literal["on", "off", "damaged"]:
    """May it hear and see, as far as the wearer's last word goes? damaged: off, because none can be read."""
    if path is None or read_saved_settings(path, AnswerConfig(), Now(0.0, 0.0), "").recording:
        return "on"
    try:
        return "off" if json.loads(path.read_text(encoding="utf-8"))["recording"] is False else "damaged"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "damaged"


def save_recording(path: Path, on: bool) -> None:
    """Changes what is kept of recording while no headband runs, and nothing else of the file; one that is
    damaged beyond use is copied aside and begun anew. Raises `OSError`.
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
    write_whole(path, text)


def copy_damaged(path: Path) -> None:
    """Copies a file that is about to be written anew; does nothing where that fails."""
    with contextlib.suppress(OSError):
        shutil.copyfile(path, path.with_suffix(".bad.json"))


def _timer(row: Any) -> Timer:
    number, seconds, said = (_count(row[key]) for key in ("number", "seconds", "said"))
    ends_s, due_s = _number(row["ends_s"]), _number(row["due_s"])
    return Timer(number, seconds, ends_s, due_s, due_s, said)


def _voice(row: Any, config: AnswerConfig) -> VoiceSettings | None:
    volume, slowness = _count(row["volume_percent"]), _number(row["slowness"])
    if not (0 <= volume <= 100 and 0.2 <= slowness <= 5):
        raise ValueError("out of range")
    return VoiceSettings(volume, slowness) if row["configured_percent"] == config.volume_percent else None


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError("not a count")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= MOST:
        raise ValueError("not a number")
    return float(value)
