"""A recorded day, from a CSV file with the columns `time`, `what` and `value`.

    time,what,value
    07:10:00,worn,yes
    07:12:30,question,now
    07:40:00,sound,
    22:30:00,charging,yes

`what` is question (value: the route), sound (one that woke it without a question), worn, charging or camera
(yes or no), or ambient (-40 to 80 degrees Celsius). The first row begins the day, which lasts 24 hours; times
may pass midnight. By default the headband is not worn and not charging, its camera follows `worn`, and it is
at 21 degrees. The lengths of questions and answers are taken from another day.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

from power.account.routes import ROUTES
from power.twin.day import AMBIENT_C, DAY_S, Day, DayEvent, DaySpan
from power.twin.parameters import TwinError

_COLUMNS = ("time", "what", "value")
_YES = {"yes": True, "no": False}


def read_day_csv(path: Path, like: Day) -> Day:
    """The day in the file, its questions as long as those of `like`. Raises `TwinError` with one sentence."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            lines = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise TwinError(f"{path} cannot be read as a day ({error.strerror or error}).") from None
    except UnicodeDecodeError:
        raise TwinError(f"{path} cannot be read as a day (it is not text in UTF-8).") from None
    except csv.Error as error:
        raise TwinError(f"{path} cannot be read as a day ({error}).") from None
    if not lines or any(column not in lines[0][1] for column in _COLUMNS):
        raise TwinError(f"{path} needs rows under the columns {', '.join(_COLUMNS)}.")
    for line, row in lines:
        if row["time"] is None or row["what"] is None:
            raise TwinError(f"{path}, line {line}: a row needs {', '.join(_COLUMNS)}.")
    spans: list[DaySpan] = []
    happened: list[DayEvent] = []
    now = DaySpan(0.0, DAY_S, False, False, 21.0, False, "quiet", {}, 0.0)
    camera: bool | None = None
    first_s = _clock_s(path, lines[0][0], lines[0][1]["time"])
    before_s = 0.0
    for line, row in lines:
        at_s = (_clock_s(path, line, row["time"]) - first_s) % DAY_S
        if at_s < before_s:
            raise TwinError(f"{path}, line {line}: {row['time']} is earlier than the row before it.")
        before_s = at_s
        what, value = (row["what"] or "").strip(), (row["value"] or "").strip()
        if what == "sound" or (what == "question" and value in ROUTES):
            routes = (value,) if what == "question" else ()
            happened.append(DayEvent(at_s, "question" if routes else "sound", routes))
            continue
        if at_s > now.start_s:
            spans.append(replace(now, end_s=at_s))
            now = replace(now, start_s=at_s)
        try:
            if what == "ambient":
                now = replace(now, ambient_c=_degrees(value))
            elif what == "worn":
                now = replace(now, worn=_YES[value])
            elif what == "charging":
                now = replace(now, charging=_YES[value])
            elif what == "camera":
                camera = _YES[value]
            else:
                raise KeyError(what)
        except (KeyError, ValueError):
            raise TwinError(f"{path}, line {line}: {what!r} with {value!r} is not understood.") from None
        now = replace(now, camera=now.worn if camera is None else camera)
    spans.append(replace(now, end_s=DAY_S))
    asked = sum(len(event.routes) for event in happened)
    return replace(
        like,
        name=path.stem,
        about=f"As it was lived, {asked} questions.",
        starts_h=first_s / 3600,
        spans=tuple(spans),
        recorded=tuple(happened),
    )


def _degrees(text: str) -> float:
    degrees = float(text)
    if degrees not in AMBIENT_C:
        raise ValueError(f"not {AMBIENT_C}")
    return degrees


def _clock_s(path: Path, line: int, text: str | None) -> float:
    found = re.fullmatch(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9]))?", (text or "").strip())
    if found is None or int(found[1]) > 23:
        raise TwinError(f"{path}, line {line}: {text!r} is not a time like 07:30:00.")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3600.0 + minutes * 60 + seconds
