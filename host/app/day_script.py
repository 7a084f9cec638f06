"""Day scripts: what the emulated world does at which second. Written as TOML:

    end_s = 60.0                        # when the day ends; 10 s after the last event unless given

    [[event]]
    at_s = 0.5
    say = "wake-and-question.wav"       # a WAV, or a list of them, beside the script
    image = "street.png"                # what the camera sees from this second on
    battery = 35                        # percent of charge, as the PMU reads it; 80 at the start
    charging = false                    # is the charger plugged in?
    note = "Half empty"                 # a heading for the person who watches

    [[event]]
    into_answer_s = 0.8                 # instead of at_s: seconds after the start of the next answer's sound
    button = "double"                   # the PMU's button: press, double, long (2 s) or hold (10 s)

    [[event]]
    at_s = 20.0
    recording_switch = "off"            # the wearer's switch: on or off
    microphone = "unplugged"            # or plugged; camera in the same way
    pmu = "silent"                      # the PMU does not answer on the bus; or answers

Seconds are in the emulated headband's time, which all its clocks follow: timers, dwell times, the energy
meter. With --real-time they pass in real time; otherwise idle time is skipped, each run is the same, and the
day ends at about the computer's time.

A `say` with `at_s` waits until the headband has finished an answer; later events and the day's end are
delayed as well. An event with `into_answer_s` happens during the first answer or announcement after the event
before it in the file. A headband that has switched off starts again when the script gives it power or presses
its button.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

from hw.audio.sound_and_picture_files import MediaError, read_image, read_wav
from hw.settings import Range, SettingsError, read_settings

LAST_S = 10.0
"""A day without `end_s` ends that long after its last event."""

Press = Literal["press", "double", "long", "hold"]
Seconds = Annotated[float, Range(0, 86400, "seconds")]


class ScriptError(Exception):
    """An unusable day script; one sentence for the person who wrote it."""


@dataclass(frozen=True)
class ScriptEvent:
    """Changes of the world at `at_s`, or `into_answer_s` after an answer begins; None or empty: no change."""

    at_s: float | None = None
    """Seconds since the day began."""
    say: tuple[Path, ...] = ()
    image: Path | None = None
    battery: int | None = None
    charging: bool | None = None
    note: str = ""
    into_answer_s: float | None = None
    button: Press | None = None
    recording_switch: Literal["on", "off"] | None = None
    microphone: Literal["plugged", "unplugged"] | None = None
    camera: Literal["plugged", "unplugged"] | None = None
    pmu: Literal["answers", "silent"] | None = None
    number: int = 0
    """Position in the file, from 1."""

    @property
    def may_restore_power(self) -> bool:
        """Whether it may switch on a headband that is off."""
        return self.battery is not None or self.charging is not None or self.button is not None


@dataclass(frozen=True)
class Script:
    """Events in the order in which they happen, and the end of the day in seconds."""

    end_s: float
    events: tuple[ScriptEvent, ...] = field(default=())


@dataclass(frozen=True)
class EventTable:
    """One [[event]] of the file."""

    at_s: Seconds | None = None
    """When it happens, 0 to 86400 seconds."""
    into_answer_s: Annotated[float, Range(0, 600, "seconds")] | None = None
    """Instead of `at_s`: how long after the start of the next answer's sound, 0 to 600 seconds."""
    say: str | tuple[str, ...] = ()
    """A WAV, or a list of them."""
    image: str | None = None
    """A picture."""
    battery: Annotated[int, Range(0, 100, "percent")] | None = None
    """The cell's charge, 0 to 100 percent."""
    charging: bool | None = None
    """Is the charger plugged in?"""
    note: str = ""
    """A heading for the person who watches."""
    button: Press | None = None
    """What the wearer does to the PMU's button."""
    recording_switch: Literal["on", "off"] | None = None
    """Where the wearer moves the recording switch."""
    microphone: Literal["plugged", "unplugged"] | None = None
    """Plugs or unplugs the microphone."""
    camera: Literal["plugged", "unplugged"] | None = None
    """Plugs or unplugs the camera."""
    pmu: Literal["answers", "silent"] | None = None
    """Whether the PMU answers on the bus."""


@dataclass(frozen=True)
class ScriptTable:
    """The file."""

    event: tuple[EventTable, ...]
    """What happens."""
    end_s: Seconds | None = None
    """When the day ends, 0 to 86400 seconds."""


def load_script(path: Path) -> Script:
    """Reads a day script, and checks every file that it names. Raises ScriptError, naming the event at fault,
    for one that cannot run to its end.
    """
    try:
        table = read_settings(ScriptTable, path, "script")
    except SettingsError as error:
        raise ScriptError(str(error)) from error
    if not table.event:
        raise ScriptError(f"The script {path} has no [[event]].")
    events = [_event(path, number, row) for number, row in enumerate(table.event, 1)]
    _check_files(path, events)
    events = _in_order(path, events)
    last_s = max(event.at_s or 0.0 for event in events)
    end_s = last_s + LAST_S if table.end_s is None else table.end_s
    if end_s < last_s:
        late = next(event for event in events if event.at_s == last_s)
        raise ScriptError(
            f"{_event_name(path, late.number)} is at {last_s:g} seconds, after the day's end at {end_s:g}."
        )
    return Script(end_s, tuple(events))


def _event(path: Path, number: int, row: EventTable) -> ScriptEvent:
    if (row.at_s is None) == (row.into_answer_s is None):
        raise ScriptError(
            f"{_event_name(path, number)} needs at_s or into_answer_s, one of the two, in seconds."
        )
    values = {item.name: getattr(row, item.name) for item in fields(row)}
    names = (row.say,) if isinstance(row.say, str) else row.say
    values["say"] = tuple(path.parent / name for name in names)
    values["image"] = None if row.image is None else path.parent / row.image
    return ScriptEvent(number=number, **values)


def _in_order(path: Path, events: list[ScriptEvent]) -> list[ScriptEvent]:
    """Sorts events by time; an event during an answer stays after the event before it in the file."""
    groups: list[list[ScriptEvent]] = []
    for event in events:
        if event.at_s is not None:
            groups.append([event])
        elif groups:
            groups[-1].append(event)
        else:
            where = _event_name(path, event.number)
            raise ScriptError(f"{where} happens during an answer, so another event has to come before it.")
    groups.sort(key=lambda group: group[0].at_s or 0.0)
    return [event for group in groups for event in group]


def _check_files(path: Path, events: list[ScriptEvent]) -> None:
    """Reads every sound and picture once. Raises ScriptError for the first unreadable one."""
    first: dict[tuple[bool, Path], int] = {}
    for event in events:
        for clip in event.say:
            first.setdefault((True, clip), event.number)
        if event.image is not None:
            first.setdefault((False, event.image), event.number)

    def problem(key: tuple[bool, Path]) -> str | None:
        sound, file = key
        try:
            if sound:
                read_wav(file)
            else:
                read_image(file)
        except MediaError as error:
            return str(error)
        return None

    with ThreadPoolExecutor(4) as readers:
        for number, why in zip(first.values(), readers.map(problem, first), strict=True):
            if why is not None:
                raise ScriptError(f"{_event_name(path, number)} cannot be lived: {why}")


def _event_name(path: Path, number: int) -> str:
    return f"In {path}, [[event]] {number}"
