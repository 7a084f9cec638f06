"""What people say after a command to change it or take it back ("no make that fifteen", "a bit more"), and
what they say then that has nothing to do with it: by what is set afterwards (`just eval understood
--went-on`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from host.answers.device import DeviceState, answer_device
from host.answers.last_command import before_of, last_command
from host.answers.timers import Now, Timer
from host.language.further.said import NOTHING
from host.language.router import Router
from hw.supply import BatteryReading
from models.brick import Transcript
from power.policy.policy import Policy
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge

SENTENCES = Path(__file__).with_name("went_on.txt")
NONE = "none"
"""The kind of what does not go on from the command."""
AFTER_S = 20.0
"""Seconds between the command and the sentence."""
RIGHT, UNCHANGED, ANOTHER = "as it was said", "nothing is changed", "something else is changed"
_READING = BatteryReading(42, 3800, -400, 25.0, False, "good")
_PLAN = Policy().decide(_READING, 0.0)[0]
_LENGTH = re.compile(r"([+-]?)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


@dataclass(frozen=True)
class Said:
    """A command, and a sentence shortly after it. value: as in the file, "-" for none."""

    command: str
    kind: str
    value: str
    text: str


def sentences(file: Path = SENTENCES) -> Iterator[Said]:
    """Those of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            _, command, kind, value, text = (part.strip() for part in line.split("|"))
            yield Said(command, kind, value, text)


def seconds(value: str) -> int:
    """Of "1h30m" or "-2m"."""
    found = _LENGTH.fullmatch(value)
    assert found is not None, value
    hours, minutes, rest = (int(each or 0) for each in found.groups()[1:])
    return (-1 if found[1] == "-" else 1) * (3600 * hours + 60 * minutes + rest)


def states(said: Said, router: Router, *, goes_on: bool = True) -> tuple[DeviceState, ...]:
    """What is set before the command, after it, and after the sentence. goes_on: what was set before is known
    to the sentence.
    """
    first = replace(DeviceState(volume_percent=50), slowness=1.0)
    second = _after(first, said.command, router, Now(500.0, judge.NOW_S), goes_on=goes_on)
    now = Now(500.0 + AFTER_S, judge.NOW_S + AFTER_S)
    return first, second, _after(second, said.text, router, now, goes_on=goes_on)


def _after(state: DeviceState, text: str, router: Router, now: Now, *, goes_on: bool) -> DeviceState:
    before = before_of(state.last, state.timers, now) if goes_on else NOTHING
    words = (judge.CERTAINTY,) * len(text.split())
    turn = judge.turn_of(Transcript(text, judge.CERTAINTY, words=words), router, usual=True, before=before)
    for decision in (turn.decision, *([turn.then.decision] if turn.then is not None else [])):
        reply = answer_device(decision, state, _READING, _PLAN, now.wall_s, mono_s=now.mono_s)
        of_device = (decision,) if decision.route == "device" else ()
        known = last_command((*decision.first, *of_device), state, reply.state, now.mono_s)
        state = replace(reply.state, last=known)
    return state


def became_of(said: Said, first: DeviceState, second: DeviceState, third: DeviceState) -> str:
    """One of the above."""
    unchanged = _set(second) == _set(third)
    if said.kind == NONE:
        return RIGHT if unchanged else ANOTHER
    if unchanged:
        return UNCHANGED
    return RIGHT if _right(said, first, second, third) else ANOTHER


def _right(said: Said, first: DeviceState, second: DeviceState, third: DeviceState) -> bool:
    old, new = _only(second), _only(third)
    match said.kind:
        case "timer_off" | "alarm_off":
            return not third.timers.running
        case "undo":
            return _set(third) == _set(first)
        case "further" | "back":
            step = third.volume_percent - second.volume_percent or second.slowness - third.slowness
            before = second.volume_percent - first.volume_percent or first.slowness - second.slowness
            return step * before * (1 if said.kind == "further" else -1) > 0
    if old is None or new is None or old.alarm != new.alarm:
        return False
    match said.kind:
        case "timer_to":
            return new.seconds == seconds(said.value)
        case "timer_by" | "alarm_by":
            return abs(new.ends_s - old.ends_s - seconds(said.value)) < 1
        case "alarm_to":
            return time.strftime("%H:%M", time.localtime(new.ends_s)) == said.value
    raise ValueError(f"{said.kind} is no kind of these sentences")


def _only(state: DeviceState) -> Timer | None:
    return state.timers.running[0] if len(state.timers.running) == 1 else None


def _set(state: DeviceState) -> tuple[object, ...]:
    timers = tuple((timer.seconds, round(timer.ends_s)) for timer in state.timers.running)
    return timers, state.volume_percent, state.slowness, state.request, state.memory, state.caution


def report(router: Router, file: Path = SENTENCES) -> str:
    """The shares as text: of the headband, and of one that takes each sentence by itself."""
    return "\n".join(
        (
            "the headband:",
            *_lines(file, router, goes_on=True),
            "each sentence by itself:",
            *_lines(file, router, goes_on=False),
        )
    )


def _lines(file: Path, router: Router, *, goes_on: bool) -> Iterator[str]:
    became = [
        (said.kind, became_of(said, *states(said, router, goes_on=goes_on))) for said in sentences(file)
    ]
    for name in (RIGHT, UNCHANGED, ANOTHER):
        yield f"  {name:38s} {wilson_shown([each == name for kind, each in became if kind != NONE])}"
    for kind in dict.fromkeys(kind for kind, _ in became if kind != NONE):
        of_kind = [each == RIGHT for own, each in became if own == kind]
        yield f"    {kind:20s} {sum(of_kind):3d} of {len(of_kind)}"
    others = [each == ANOTHER for kind, each in became if kind == NONE]
    yield f"  {'not about it, and something is changed':38s} {wilson_shown(others)}"
