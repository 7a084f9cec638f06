"""A day of use: when the headband is worn, asked and charged, and what its surroundings do.

A day file has spans of time; within a span events have stated rates. Their times are drawn from the day's
seed, so every policy gets the same day.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from hw.settings import Form, Range, SettingsError, find_bundled, read_settings
from power.account.routes import ROUTES, Route
from power.twin.parameters import Parameters, TwinError

DAYS_FOLDER = Path(__file__).parents[1] / "days"
DAY_S = 86_400.0
MOST_DAYS = 60
"""Longer than any pack lasts: the largest that the command line takes, behind a board that only sleeps at the
low end of its range, is empty within 30 days.
"""

Surroundings = Literal["quiet", "household", "speech"]
EventKind = Literal["question", "conversation", "sound", "charge"]


Number = TypeVar("Number", int, float)
ClockTime = Annotated[str, Form(r"([01]?[0-9]|2[0-3]):[0-5][0-9]", 'a time such as "07:30"')]
AMBIENT_C = Range(-40, 80, "degrees Celsius")
PerHour = Annotated[float, Range(0, 3600, "an hour")]


@dataclass(frozen=True)
class SpanTable:
    """One `[[span]]`."""

    until: ClockTime
    worn: bool
    ambient_c: Annotated[float, AMBIENT_C]
    """-40 to 80 degrees Celsius."""
    charging: bool = False
    camera: bool | None = None
    """Is the camera uncovered? As `worn` by default."""
    surroundings: Surroundings = "household"
    questions_per_hour: Mapping[Route, PerHour] = field(default_factory=dict)
    """By route, 0 to 3600 an hour."""
    conversations_per_hour: PerHour = 0.0
    """0 to 3600 an hour."""


@dataclass(frozen=True)
class ConversationTable:
    """`[conversation]`."""

    routes: tuple[Route, ...]
    gap_s: Annotated[float, Range(0, 3600, "seconds")]
    """0 to 3600 seconds."""


@dataclass(frozen=True)
class DayTable:
    """A whole day file."""

    about: str
    starts: ClockTime
    seed: Annotated[int, Range(0, 1_000_000_000)]
    """0 to 1_000_000_000."""
    span: tuple[SpanTable, ...]
    question_s: Mapping[Route, Annotated[float, Range(0, 120, "seconds")]]
    """By route, 0 to 120 seconds."""
    answer_tokens: Mapping[Route, Annotated[int, Range(0, 1024, "tokens")]]
    """By route, 0 to 1024 tokens."""
    conversation: ConversationTable
    name: str = ""

    def __post_init__(self) -> None:
        for key, table in (("question_s", self.question_s), ("answer_tokens", self.answer_tokens)):
            if set(table) != set(ROUTES):
                raise ValueError(f"{key} needs every route: {', '.join(ROUTES)}")


@dataclass(frozen=True)
class DaySpan:
    """A part of the day with constant conditions."""

    start_s: float
    end_s: float
    """Seconds since the day began; the spans of a day follow each other."""
    worn: bool
    charging: bool
    ambient_c: float
    camera: bool
    """Is the camera uncovered?"""
    surroundings: Surroundings
    """Sounds that wake it without a question: quiet: none; household; speech: television, or talk with
    others.
    """
    questions_per_hour: Mapping[str, float]
    """By route."""
    conversations_per_hour: float


@dataclass(frozen=True)
class DayEvent:
    """Something that the wearer or the surroundings do."""

    at_s: float
    kind: EventKind
    routes: tuple[str, ...] = ()
    percent: float = 100.0
    """Of "charge": the pack is replaced by one of that charge."""


@dataclass(frozen=True)
class Day:
    """One day of 24 hours, or a rig's scenario played as if it were one."""

    name: str
    about: str
    starts_h: float
    """Time of day at its beginning, hours."""
    seed: int
    spans: tuple[DaySpan, ...]
    question_s: Mapping[str, float]
    """Duration of a spoken question by route."""
    answer_tokens: Mapping[str, int]
    """Length of an answer without the plan's limit by route; 0 for the fixed sentences of a skill."""
    conversation: tuple[str, ...]
    """Routes of the questions of one conversation."""
    conversation_gap_s: float
    """Between the end of an answer and the next question."""
    recorded: tuple[DayEvent, ...] | None = None
    """The events of a recorded day; None where the spans' rates give them."""
    length_s: float = DAY_S
    note: str = ""
    """How a scenario was converted; empty for a day."""

    def rates(self) -> dict[str, float]:
        """Events of the whole day by kind: questions by route, those of conversations included."""
        counts = dict.fromkeys(ROUTES, 0.0)
        talks = 0.0
        for route in (route for event in self.recorded or () for route in event.routes):
            counts[route] += 1
        for span in self.spans:
            hours = (span.end_s - span.start_s) / 3600
            for route, rate in span.questions_per_hour.items():
                counts[route] += rate * hours
            talks += span.conversations_per_hour * hours
        for route in self.conversation:
            counts[route] += talks
        return {**counts, "conversations": talks}


def load_day(name: str) -> Day:
    """A bundled day by name, or a day file. Raises `TwinError` with one sentence."""
    try:
        path = find_bundled(name, DAYS_FOLDER, "day", ".toml or .csv")
        return _day(read_settings(DayTable, path, "day"), path)
    except SettingsError as error:
        raise TwinError(str(error)) from None


def events(day: Day, parameters: Parameters, number: int = 0) -> list[DayEvent]:
    """The events of the day of that number, in order of time. Another number gives other times; a recorded
    day is always the same.
    """
    if day.recorded is not None:
        return list(day.recorded)
    rng = random.Random(day.seed * 100_003 + number)
    found: list[DayEvent] = []
    for index, span in enumerate(day.spans):
        for route in sorted(span.questions_per_hour):
            for at_s in _moments(rng, day, index, span.questions_per_hour[route]):
                found.append(DayEvent(at_s, "question", (route,)))
        for at_s in _moments(rng, day, index, span.conversations_per_hour):
            found.append(DayEvent(at_s, "conversation", day.conversation))
        per_hour = {
            "quiet": 0.0,
            "household": parameters["sleep.household_wakes_per_hour"],
            "speech": parameters["sleep.speech_wakes_per_hour"],
        }[span.surroundings]
        found += [DayEvent(at_s, "sound") for at_s in _moments(rng, day, index, per_hour)]
    return sorted(found, key=lambda event: event.at_s)


def _moments(rng: random.Random, day: Day, index: int, per_hour: float) -> list[float]:
    """Random times at that rate; a fraction of an event is drawn by its probability, equal in every run."""
    span = day.spans[index]
    expected = per_hour * (span.end_s - span.start_s) / 3600
    count = int(expected) + (rng.random() < expected - int(expected))
    return [rng.uniform(span.start_s, span.end_s) for _ in range(count)]


def _day(table: DayTable, path: Path) -> Day:
    starts_h = _hour(table.starts)
    spans = []
    before_s = 0.0
    for entry in table.span:
        end_s = (_hour(entry.until) - starts_h) % 24 * 3600 or DAY_S
        if end_s <= before_s:
            raise TwinError(f"In {path}, the span until {entry.until} does not follow the one before it.")
        spans.append(
            DaySpan(
                before_s, end_s, entry.worn, entry.charging, entry.ambient_c,
                entry.worn if entry.camera is None else entry.camera, entry.surroundings,
                _by_name(entry.questions_per_hour), entry.conversations_per_hour,
            )
        )  # fmt: skip
        before_s = end_s
    if before_s != DAY_S:
        raise TwinError(f"In {path}, the spans do not fill 24 hours.")
    return Day(
        name=table.name or path.stem,
        about=table.about,
        starts_h=starts_h,
        seed=table.seed,
        spans=tuple(spans),
        question_s=_by_name(table.question_s),
        answer_tokens=_by_name(table.answer_tokens),
        conversation=table.conversation.routes,
        conversation_gap_s=table.conversation.gap_s,
    )


def _by_name(table: Mapping[Route, Number]) -> dict[str, Number]:
    return {str(route): value for route, value in table.items()}


def _hour(text: str) -> float:
    hours, minutes = text.split(":")
    return int(hours) + int(minutes) / 60
