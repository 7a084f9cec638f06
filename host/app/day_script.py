"""Day scripts: what the emulated world does at which second. Written as TOML:

    end_s = 60.0                      # when the day ends; 10 s after the last event unless given
    [[event]]
    at_s = 0.5
    say = "wake-and-question.wav"     # a WAV, or a list of them, beside the script
    image = "street.png"              # what the camera sees from now on
    battery = 35                      # percent, injected at the PMU's end of the bus; 80 at first
    charging = false                  # is the charger plugged in?
    note = "Half empty"               # a heading for the person who watches

    [[event]]
    into_answer_s = 0.8               # instead of at_s: so long after the next answer began to sound
    button = "double"                 # the PMU's button: press, double, long (2 s) or hold (10 s)

    [[event]]
    at_s = 20.0
    recording_switch = "off"          # the wearer's switch: on or off
    microphone = "unplugged"          # or plugged; camera in the same way
    pmu = "silent"                    # nobody answers on the bus; or answers

Seconds are seconds of the emulated headband's time, and every clock that it has follows them: timers, dwell
times, the energy ledger. With --real-time they take as long as they do; otherwise only the work in them takes
time, and they are the same each time. A script's wearer is polite: what is to be said `at_s` waits until an
answer is over, and so does what comes after it, the day's end too. `into_answer_s` is for what happens during
an answer: the next one, or whatever else the headband says, after the event before it in the file. A headband
that has switched off lives on when the script gives it power or presses its button.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

from hw.audio.sound_and_picture_files import MediaError, read_image, read_wav
from hw.settings import Range, SettingsError, read_settings

LAST_S = 10.0
"""After the last event a day without `end_s` goes on for so long."""

Press = Literal["press", "double", "long", "hold"]
Seconds = Annotated[float, Range(0, 86400, "seconds")]


class ScriptError(Exception):
    """A day script that can't be used; one sentence for the person who wrote it."""


@dataclass(frozen=True)
class ScriptEvent:
    """What happens `at_s`, or `into_answer_s` after an answer began; absent things are None or empty."""

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
    """In the file, from 1 on."""

    @property
    def powers(self) -> bool:
        """May it switch on a headband that is off?"""
        return self.battery is not None or self.charging is not None or self.button is not None


@dataclass(frozen=True)
class Script:
    """Events in the order in which they are lived, and when the day ends, in seconds."""

    end_s: float
    events: tuple[ScriptEvent, ...] = field(default=())


@dataclass(frozen=True)
class EventTable:
    """One [[event]] of the file."""

    at_s: Seconds | None = None
    """When it happens, 0 to 86400 seconds."""
    into_answer_s: Annotated[float, Range(0, 600, "seconds")] | None = None
    """Instead: how long after the next answer began to sound, 0 to 600 seconds."""
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
    """Is it there from now on?"""
    camera: Literal["plugged", "unplugged"] | None = None
    """Is it there from now on?"""
    pmu: Literal["answers", "silent"] | None = None
    """Does it answer on the bus from now on?"""


@dataclass(frozen=True)
class ScriptTable:
    """The file."""

    event: tuple[EventTable, ...]
    """What happens."""
    end_s: Seconds | None = None
    """When the day ends, 0 to 86400 seconds."""


def load_script(path: Path) -> Script:
    """Reads a day script and everything that it names. Raises ScriptError for one that can't be lived from
    end to end, naming the event at fault.
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
            f"{_named(path, late.number)} is at {last_s:g} seconds, after the day's end at {end_s:g}."
        )
    return Script(end_s, tuple(events))


def _event(path: Path, number: int, row: EventTable) -> ScriptEvent:
    if (row.at_s is None) == (row.into_answer_s is None):
        raise ScriptError(f"{_named(path, number)} needs at_s or into_answer_s, one of the two, in seconds.")
    values = {item.name: getattr(row, item.name) for item in fields(row)}
    names = (row.say,) if isinstance(row.say, str) else row.say
    values["say"] = tuple(path.parent / name for name in names)
    values["image"] = None if row.image is None else path.parent / row.image
    return ScriptEvent(number=number, **values)


def _in_order(path: Path, events: list[ScriptEvent]) -> list[ScriptEvent]:
    """By time; what happens during an answer stays behind the event that it follows in the file."""
    groups: list[list[ScriptEvent]] = []
    for event in events:
        if event.at_s is not None:
            groups.append([event])
        elif groups:
            groups[-1].append(event)
        else:
            where = _named(path, event.number)
            raise ScriptError(f"{where} happens during an answer, so another event has to come before it.")
    groups.sort(key=lambda group: group[0].at_s or 0.0)
    return [event for group in groups for event in group]


def _check_files(path: Path, events: list[ScriptEvent]) -> None:
    """Every sound and picture can be read; each is read once."""
    first: dict[tuple[bool, Path], int] = {}
    for event in events:
        for clip in event.say:
            first.setdefault((True, clip), event.number)
        if event.image is not None:
            first.setdefault((False, event.image), event.number)

    def problem(named: tuple[bool, Path]) -> str | None:
        sound, file = named
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
                raise ScriptError(f"{_named(path, number)} cannot be lived: {why}")


def _named(path: Path, number: int) -> str:
    return f"In {path}, [[event]] {number}"
