"""A day in the wearer's life: when the headband is worn, talked to, charged, and what its surroundings do.

A day file has spans of the clock; within a span events come at stated rates, their moments drawn from the
day's seed, so that every policy meets the same day.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hw.text_file import read_text
from power.twin.parameters import ROUTES, Parameters, TwinError

DAYS_FOLDER = Path(__file__).parents[1] / "days"
DAY_S = 86_400.0

Surroundings = Literal["quiet", "household", "speech"]
EventKind = Literal["question", "conversation", "sound", "charge"]


@dataclass(frozen=True)
class Span:
    """A part of the day in which nothing about it changes."""

    start_s: float
    end_s: float
    """Seconds since the day began; the spans of a day follow each other."""
    worn: bool
    charging: bool
    ambient_c: float
    camera: bool
    """The wearer lets it see."""
    surroundings: Surroundings
    """quiet: nothing wakes it in vain; household; speech: a television, or talk that is not meant for it."""
    questions_per_hour: Mapping[str, float]
    """By route."""
    conversations_per_hour: float


@dataclass(frozen=True)
class Event:
    """Something that the wearer or the world does."""

    at_s: float
    kind: EventKind
    routes: tuple[str, ...] = ()
    percent: float = 100.0
    """Of "charge": a pack of that charge takes the place of the one in use."""


@dataclass(frozen=True)
class Day:
    """One day of 24 hours, or a rig's scenario played as if it were one."""

    name: str
    about: str
    starts_h: float
    """Hour of the clock at its first second."""
    seed: int
    spans: tuple[Span, ...]
    question_s: Mapping[str, float]
    """How long a question of a route takes to speak."""
    answer_tokens: Mapping[str, int]
    """Length of an unhurried answer by route; 0 for the fixed sentences of a skill."""
    conversation: tuple[str, ...]
    """Routes of the questions of one conversation."""
    conversation_gap_s: float
    """Between the end of an answer and the next question."""
    recorded: tuple[Event, ...] | None = None
    """What happened on a day as it was lived; None where the rates of the spans say what happens."""
    length_s: float = DAY_S
    note: str = ""
    """How a scenario was made into this; empty for a day."""

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
    path = Path(name) if name.endswith(".toml") else DAYS_FOLDER / f"{name}.toml"
    try:
        table = tomllib.loads(read_text(path))
        return _day(table, path.stem)
    except OSError:
        known = ", ".join(sorted(each.stem for each in DAYS_FOLDER.glob("*.toml")))
        raise TwinError(
            f"There is no day {name!r}; bundled are {known}; a file's name ends in .toml or .csv."
        ) from None
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TwinError(f"{path} is not a usable day ({error}).") from None


def events(day: Day, parameters: Parameters, number: int = 0) -> list[Event]:
    """What happens on the day of that number, in order of time; another number gives other moments, but a
    recorded day is always the same.
    """
    if day.recorded is not None:
        return list(day.recorded)
    rng = random.Random(day.seed * 100_003 + number)
    found: list[Event] = []
    for index, span in enumerate(day.spans):
        for route in sorted(span.questions_per_hour):
            for at_s in _moments(rng, day, index, span.questions_per_hour[route]):
                found.append(Event(at_s, "question", (route,)))
        for at_s in _moments(rng, day, index, span.conversations_per_hour):
            found.append(Event(at_s, "conversation", day.conversation))
        per_hour = {
            "quiet": 0.0,
            "household": parameters["sleep.household_wakes_per_hour"],
            "speech": parameters["sleep.speech_wakes_per_hour"],
        }[span.surroundings]
        found += [Event(at_s, "sound") for at_s in _moments(rng, day, index, per_hour)]
    return sorted(found, key=lambda event: event.at_s)


def _moments(rng: random.Random, day: Day, index: int, per_hour: float) -> list[float]:
    """As many as the rate says; a fraction is left to chance, the same in every run."""
    span = day.spans[index]
    expected = per_hour * (span.end_s - span.start_s) / 3600
    count = int(expected) + (rng.random() < expected - int(expected))
    return [rng.uniform(span.start_s, span.end_s) for _ in range(count)]


def _day(table: dict[str, Any], stem: str) -> Day:
    starts_h = _hour(table["starts"])
    spans = []
    before_s = 0.0
    for entry in table["span"]:
        end_s = (_hour(entry["until"]) - starts_h) % 24 * 3600 or DAY_S
        rates = {route: float(rate) for route, rate in entry.get("questions_per_hour", {}).items()}
        _known(rates, "questions_per_hour")
        if end_s <= before_s:
            raise ValueError(f"the span until {entry['until']} does not follow the one before it")
        if any(rate < 0 for rate in rates.values()) or entry.get("conversations_per_hour", 0) < 0:
            raise ValueError("a rate is negative")
        surroundings = entry.get("surroundings", "household")
        if surroundings not in get_args(Surroundings):
            raise ValueError(f"surroundings are {', '.join(get_args(Surroundings))}, not {surroundings}")
        spans.append(
            Span(
                before_s, end_s, bool(entry["worn"]), bool(entry.get("charging", False)),
                float(entry["ambient_c"]), bool(entry.get("camera", entry["worn"])), surroundings, rates,
                float(entry.get("conversations_per_hour", 0.0)),
            )
        )  # fmt: skip
        before_s = end_s
    if before_s != DAY_S:
        raise ValueError("its spans do not fill 24 hours")
    for name in ("question_s", "answer_tokens"):
        _known(table[name], name)
        if set(table[name]) != set(ROUTES):
            raise ValueError(f"{name} needs every route")
    _known(dict.fromkeys(table["conversation"]["routes"]), "conversation")
    return Day(
        name=str(table.get("name", stem)),
        about=str(table["about"]),
        starts_h=starts_h,
        seed=int(table["seed"]),
        spans=tuple(spans),
        question_s={route: float(value) for route, value in table["question_s"].items()},
        answer_tokens={route: int(value) for route, value in table["answer_tokens"].items()},
        conversation=tuple(table["conversation"]["routes"]),
        conversation_gap_s=float(table["conversation"]["gap_s"]),
    )


def _known(routes: Mapping[str, Any], where: str) -> None:
    unknown = set(routes) - set(ROUTES)
    if unknown:
        raise ValueError(f"{where} names unknown routes: {', '.join(sorted(unknown))}")


def _hour(text: str) -> float:
    hours, minutes = text.split(":")
    return int(hours) + int(minutes) / 60
