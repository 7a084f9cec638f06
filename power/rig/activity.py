"""The headband's activity in one repeat, from its journal: states, stages, questions, work done.

Journal lines are mappings with `event` and `mono_s`, seconds of the headband's monotonic clock:

    start                                        the headband's program begins
    transition  region, to                       a region of the state machine moved
    plan        mode                             another power plan holds
    brick       brick, kind, start_s, end_s      load, execute or release of a model; processor_s, where it is
                                                 known: what its process computed
    speaker     start_s, end_s                   a sentence was spoken
    frame       start_s, gate                    the camera took a picture; the view gate's verdict
    turn        route, mode, failure             a question is over
    asleep, awake  problem, took_s               the computer slept between the two, unless there was a
                                                 problem; it was awake for `took_s` when it wrote so
    marker      level                            the marker line moved
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

JournalLine = Mapping[str, Any]
SPEAK = "speak"
CAPTURE = "capture"
ANSWERING = ("llm", "reflex")
"""Bricks that answer questions; a pack may have one of them or both."""
STANDBY = "standby"
ASLEEP = "asleep"
"""The state, besides those of the state machine, in which the whole computer is suspended."""
DOZING = "dozing"
"""Entering or leaving that state: devices suspend or resume."""
CHANGING = "changing"
"""The rig brings the headband into another power mode; this time counts for no state."""


@dataclass(frozen=True)
class Stage:
    """Something that draws power: a brick that works (`name` stt, vision, llm, tts; `kind` load, execute,
    release), speech, or the camera.
    """

    name: str
    kind: str
    start_s: float
    end_s: float
    processor_s: float | None = None
    """What its process computed, seconds; None where that is not known."""


@dataclass(frozen=True)
class StateSpan:
    """How long one state of the state machine held under one power mode."""

    mode: str
    state: str
    start_s: float
    end_s: float

    @property
    def name(self) -> str:
        """For example "performance/standby"."""
        return f"{self.mode}/{self.state}"


@dataclass(frozen=True)
class AskedQuestion:
    """One turn, from the wake word to the end of its answer."""

    mode: str
    route: str
    start_s: float
    end_s: float
    failure: str | None = None

    @property
    def name(self) -> str:
        """For example "cascade/device"."""
        return f"{self.mode}/{self.route}"


@dataclass(frozen=True)
class Dozing:
    """Durations of a sleep that the journal does not contain, seconds."""

    enter_s: float = 0.0
    """From its line `asleep` to the suspended computer."""
    resume_s: float = 0.0
    """From the end of the suspension to a running program."""


@dataclass(frozen=True)
class Activity:
    """One repeat. Times in seconds of the headband's monotonic clock."""

    settle_s: float
    """When the quiet before the first step began."""
    begin_s: float
    """When the first step began."""
    end_s: float
    states: tuple[StateSpan, ...]
    """Without gaps from `settle_s` to `end_s`."""
    stages: tuple[Stage, ...]
    questions: tuple[AskedQuestion, ...]
    marker: tuple[tuple[float, bool], ...]
    """(when, level) of every change of the marker line."""
    work: Mapping[str, int]
    """Work done from `begin_s` on: turns (answered), failures, frames, answers (runs of `ANSWERING`),
    runs.BRICK, loads.BRICK.
    """


def activity(
    lines: Sequence[JournalLine],
    settle_s: float,
    begin_s: float,
    end_s: float,
    *,
    changing: Sequence[tuple[float, float]] = (),
    dozing: Dozing = Dozing(),
) -> Activity:
    """The repeat between two moments. earlier `lines` give the state at its beginning.
    `changing`: intervals in which the rig brought it into another mode.
    """
    ordered = sorted(lines, key=lambda line: float(line["mono_s"]))
    inside = [line for line in ordered if settle_s <= line["mono_s"] <= end_s]
    stages, questions = tuple(_stages(inside)), tuple(_questions(inside))
    return Activity(
        settle_s,
        begin_s,
        end_s,
        tuple(_overlaid(_states(ordered, settle_s, end_s, dozing), changing)),
        stages,
        questions,
        tuple((float(line["mono_s"]), bool(line["level"])) for line in inside if "level" in line),
        _work([stage for stage in stages if stage.end_s >= begin_s], questions),
    )


def _work(stages: Iterable[Stage], questions: Sequence[AskedQuestion]) -> dict[str, int]:
    kinds = {"execute": "runs", "load": "loads"}
    bricks = [stage for stage in stages if stage.kind in kinds and stage.name not in (SPEAK, CAPTURE)]
    failed = sum(1 for question in questions if question.failure)
    return {
        "turns": len(questions) - failed,
        "failures": failed,
        "frames": sum(1 for stage in stages if stage.name == CAPTURE),
        "answers": sum(1 for each in bricks if each.kind == "execute" and each.name in ANSWERING),
        **Counter(f"{kinds[stage.kind]}.{stage.name}" for stage in bricks),
    }


def _states(
    lines: Iterable[JournalLine], from_s: float, until_s: float, dozing: Dozing
) -> Iterable[StateSpan]:
    mode, state, since_s = "performance", STANDBY, from_s
    for at_s, what, value in sorted(_changes(lines, dozing, until_s), key=lambda change: change[0]):
        before = (mode, state)
        mode, state = (value, state) if what == "mode" else (mode, value)
        if (mode, state) != before and since_s < min(at_s, until_s):
            yield StateSpan(*before, since_s, min(at_s, until_s))
            since_s = min(at_s, until_s)
    if until_s > since_s:
        yield StateSpan(mode, state, since_s, until_s)


def _changes(
    lines: Iterable[JournalLine], dozing: Dozing, until_s: float
) -> Iterable[tuple[float, str, str]]:
    """(when, "mode" or "state", its value) of every change."""
    asleep_s: float | None = None
    for line in lines:
        at_s, event = float(line["mono_s"]), line["event"]
        if event == "asleep" and not line.get("problem"):
            asleep_s = at_s
        elif event in ("awake", "start") and asleep_s is not None:
            slept = not (line.get("problem") and "took_s" not in line)  # else the kernel refused
            woken_s = at_s - float(line.get("took_s", 0.0)) - dozing.resume_s
            if slept and event == "awake":
                yield asleep_s, "state", DOZING
                if woken_s > asleep_s + dozing.enter_s:
                    yield asleep_s + dozing.enter_s, "state", ASLEEP
                    yield woken_s, "state", DOZING
            yield at_s, "state", STANDBY
            asleep_s = None
        elif event == "start":
            yield at_s, "state", STANDBY
        elif event == "transition" and line.get("to") and line.get("region") == "interaction":
            yield at_s, "state", str(line["to"])
        elif event == "plan":
            yield at_s, "mode", str(line["mode"])
    if asleep_s is not None:
        yield asleep_s, "state", DOZING
        if until_s > asleep_s + dozing.enter_s:
            yield asleep_s + dozing.enter_s, "state", ASLEEP


def _overlaid(spans: Iterable[StateSpan], changing: Sequence[tuple[float, float]]) -> Iterable[StateSpan]:
    """The spans with CHANGING in these intervals."""
    for span in spans:
        cuts = {span.start_s, span.end_s}
        cuts |= {edge for pair in changing for edge in pair if span.start_s < edge < span.end_s}
        for low, high in itertools.pairwise(sorted(cuts)):
            over = any(start_s <= low and high <= end_s for start_s, end_s in changing)
            yield replace(span, state=CHANGING if over else span.state, start_s=low, end_s=high)


def _stages(lines: Iterable[JournalLine]) -> Iterable[Stage]:
    for line in lines:
        match line["event"]:
            case "brick":
                computed_s = line.get("processor_s")
                yield Stage(
                    str(line["brick"]), str(line["kind"]), float(line["start_s"]), float(line["end_s"]),
                    None if computed_s is None else float(computed_s),
                )  # fmt: skip
            case "speaker":
                yield Stage(SPEAK, "execute", float(line["start_s"]), float(line["end_s"]))
            case "frame":
                at_s = float(line["mono_s"])
                yield Stage(CAPTURE, "execute", float(line.get("start_s", at_s)), at_s)


def _questions(lines: Iterable[JournalLine]) -> Iterable[AskedQuestion]:
    woken_s: float | None = None
    for line in lines:
        at_s = float(line["mono_s"])
        if line["event"] == "transition" and line.get("region") == "interaction" and line.get("to"):
            if line["to"] == "listening" and woken_s is None:
                woken_s = at_s
            elif line["to"] in ("standby", "follow_up") and line.get("from") == "listening":
                woken_s = None
        elif line["event"] == "turn" and woken_s is not None:
            yield AskedQuestion(str(line["mode"]), str(line["route"]), woken_s, at_s, line.get("failure"))
            woken_s = None
