"""`headband replay JOURNAL`: feeds the events of a journal to the rules again and compares the actions."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from host.observe.journal import GAP, rotated
from host.session.as_json import IS, event_from_json
from host.session.replayed import RecordedStep, ReplayedStep, Run, replayed
from host.terminal.usage import UsageError, print_json

LONGEST_LINE = 1 << 20
"""Characters of a line at most; a longer one is none of a headband's, and is read in pieces, which count as
damaged.
"""
STEP = "step"
"""`event` of the journal's lines that hold a step: "in" is the event, "out" the actions."""


def replay(options: argparse.Namespace) -> int:
    """Prints each run of the journal. Returns 0 when all actions are the same, else 1. Raises `UsageError`
    for a journal that cannot be read or holds no run.
    """
    recorded = _Recorded(options.journal)
    runs, left_out = replayed(recorded.steps())
    if not recorded.is_journal:
        raise UsageError(f"{options.journal} is no journal of a headband.")
    if not runs:
        raise UsageError(f"{options.journal} holds no step of a run that it has from its start on.")
    if options.json:
        print_json({"runs": [_run_as_json(run, options.show) for run in runs], "left_out": left_out})
    else:
        if left_out:
            print(f"{left_out} events are left out, because the journal lacks the start of their run")
        for number, run in enumerate(runs, 1):
            _print_run(number, run, options.show)
    return 0 if all(run.difference is None for run in runs) else 1


class _Recorded:
    """What a journal holds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.is_journal = True
        """No line was read so far, or one as a headband writes them was among those."""

    def steps(self) -> Iterator[RecordedStep | None]:
        """The steps of the rotated file and of the journal; None for each damaged line, and for a gap."""
        files = [each for each in (rotated(self._path), self._path) if os.path.exists(each)]
        if not files:
            raise UsageError(f"There is no journal {self._path}.")
        known = False
        for file in files:
            for number, text in enumerate(_lines(file), 1):
                line = _parsed(text)
                event = None if line is None else line.get("event")
                self.is_journal = known = known or isinstance(event, str)
                if line is None or event == GAP:
                    yield None
                elif event == STEP:
                    yield _step(f"{file}:{number}", line)


def _lines(file: Path) -> Iterator[str]:
    if file.is_char_device():  # /dev/zero has no end
        raise UsageError(f"The journal {file} cannot be read: it is a device.")
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            while line := lines.readline(LONGEST_LINE):
                yield line
    except OSError as error:
        raise UsageError(f"The journal {file} cannot be read: {error.strerror}.") from None


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _step(place: str, line: dict[str, Any]) -> RecordedStep:
    actions = line.get("out")
    if not isinstance(actions, list) or not all(isinstance(each, dict) and IS in each for each in actions):
        raise UsageError(f"{place} has no actions.")
    try:
        return RecordedStep(place, event_from_json(line.get("in")), actions)
    except ValueError as error:
        raise UsageError(f"{place} cannot be replayed: {error}") from None


def _print_run(number: int, run: Run, show: bool) -> None:
    first = run.steps[0].recorded.event.at
    began = _local_time(first.wall_s)
    different = run.difference
    verdict = "the same actions" if different is None else f"different from {different.recorded.place} on"
    print(f"run {number}, {began}: {len(run.steps)} events, {run.actions} actions: {verdict}")
    for step in run.steps if show else ():
        passed_s = step.recorded.event.at.mono_s - first.mono_s
        print(f"{passed_s:10.3f}  {step.interaction:9}  {_words([step.event])}  ->  {_words(step.actions)}")
    if different is not None:
        print(f"  event     {_words([different.event])}")
        print(f"  recorded  {_words(different.recorded.actions)}")
        print(f"  now       {_words(different.actions)}")


def _local_time(wall_s: float) -> str:
    try:
        return datetime.fromtimestamp(wall_s).isoformat(" ", "seconds")
    except (OverflowError, ValueError, OSError):
        return f"{wall_s} s"


def _words(things: list[dict[str, Any]]) -> str:
    """Events or actions for a person: "SpeechEnded recording=1"."""
    told = []
    for each in things:
        parts = [f"{key}={json.dumps(value)}" for key, value in each.items() if key not in (IS, "at")]
        told.append(" ".join([str(each[IS]), *parts]))
    return ", ".join(told) or "nothing"


def _run_as_json(run: Run, show: bool) -> dict[str, Any]:
    different = run.difference
    told: dict[str, Any] = {
        "began_s": run.steps[0].recorded.event.at.wall_s,
        "events": len(run.steps),
        "actions": run.actions,
        "same": different is None,
    }
    if different is not None:
        told["difference"] = _step_as_json(different) | {"recorded": different.recorded.actions}
    if show:
        told["steps"] = [_step_as_json(each) for each in run.steps]
    return told


def _step_as_json(step: ReplayedStep) -> dict[str, Any]:
    return {
        "place": step.recorded.place,
        "interaction": step.interaction,
        "event": step.event,
        "actions": step.actions,
    }
