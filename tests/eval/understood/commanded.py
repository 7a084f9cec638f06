"""Commands in the words of people, and sentences of the same words that are none: carried out as they were
said, and nothing done unsaid (`just eval understood --commanded`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from host.answers.device import volume_named
from host.answers.timer_replies import next_time
from host.config import AnswerConfig
from host.language.router import Decision, Router
from host.language.safety import SAFETY
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge

SENTENCES = Path(__file__).with_name("commanded.txt")
IN_DIALECTS = Path(__file__).with_name("dialects_commanded.txt")
NOT = "not "
"""Before the kind of command that a sentence is near and is not."""
DELETES_OR_SETS = (*judge.CHANGING, "recording_on")
SETTINGS = (
    "louder", "quieter", "volume", "slower", "faster", "stop", "save_power", "full_power", "own_power",
    "more_careful", "less_careful",
)  # fmt: skip
"""Intents that change how the headband speaks or spares, which is noticed at once."""
ANOTHER, ANOTHER_VALUE = "another command", "with another value"
QUESTION, ASKED_AGAIN = "taken for a question", "asked again"
OTHERWISE = (ANOTHER, ANOTHER_VALUE, QUESTION, ASKED_AGAIN)
"""What becomes of commands that are not carried out as they were said. What the headband tells of itself,
such as the battery, is another command; what is declined as of safety was taken for a question.
"""
_SECONDS = ("timer", "forget_last")
_BY_BUTTON = "off"
"""What no words do."""


@dataclass(frozen=True)
class Said:
    """A sentence. kind: the intent that it commands, or `NOT` and a kind. value: as in the file."""

    text: str
    kind: str
    value: str


def sentences(file: Path = SENTENCES) -> Iterator[Said]:
    """All of the file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, value, text = (part.strip() for part in line.split("|"))
            yield Said(text, kind, value)


def right(said: Said, found: Decision) -> bool:
    """Whether the command is carried out, with the value that was said."""
    if found.intent != said.kind:
        return False
    slots = found.slots
    if said.kind in _SECONDS and said.value:
        return _seconds(slots) == int(said.value)
    if said.kind == "volume" and said.value:
        return volume_named(slots, AnswerConfig().volume_percent) == int(said.value)
    if said.kind == "alarm" and said.value:
        return _time_of_day(slots) == said.value
    return True


def became_of(said: Said, found: Decision) -> str:
    """What became of a command: "" where it is carried out as it was said, or one of `OTHERWISE`."""
    if found.intent == said.kind:
        return "" if right(said, found) else ANOTHER_VALUE
    if judge.taken_for(found) == "unclear":
        return ASKED_AGAIN
    is_command = found.route == "device" and found.intent != SAFETY
    return ANOTHER if is_command or found.intent in DELETES_OR_SETS else QUESTION


def report(router: Router, file: Path = SENTENCES) -> str:
    """The shares of the sentences of that file as text."""
    asked = [(said, judge.understood(said.text, router)) for said in sentences(file)]
    commands = [(said, found) for said, found in asked if not said.kind.startswith((NOT, _BY_BUTTON))]
    near = [(said, found) for said, found in asked if said.kind.startswith((NOT, _BY_BUTTON))]
    became = [became_of(*each) for each in commands]
    lines = [
        f"commands carried out as they were said   {wilson_shown([right(*each) for each in commands])}",
        *(f"  {name:38s} {wilson_shown([each == name for each in became])}" for name in OTHERWISE),
    ]
    for kind in dict.fromkeys(said.kind for said, _ in commands):
        of_kind = [right(said, found) for said, found in commands if said.kind == kind]
        lines.append(f"  {kind:20s} {sum(of_kind):3d} of {len(of_kind)}")
    lines += [
        f"no command: deleted, kept, switched or set {_shown(near, DELETES_OR_SETS)}",
        f"  louder, faster, sparing and the like     {_shown(near, SETTINGS)}",
    ]
    return "\n".join(lines)


def _shown(asked: list[tuple[Said, Decision]], intents: tuple[str, ...]) -> str:
    return wilson_shown([found.intent in intents and found.intent != said.kind for said, found in asked])


def _seconds(slots: Mapping[str, object]) -> int:
    whole = slots.get("span") or slots.get("span_one")
    if whole:
        return int(str(whole))
    second = int(str(slots.get("number2", 0))) * int(str(slots.get("unit2", 0)))
    return int(str(slots.get("number", 0))) * int(str(slots.get("unit", 0))) + second


def _time_of_day(slots: Mapping[str, object]) -> str:
    hour, minute = (
        int(str(slots["hour"])),
        int(str(slots.get("minute", 0))) + int(str(slots.get("offset", 0))),
    )
    if minute < 0:
        hour, minute = (hour - 1) % 24 or 12, minute + 60
    evening_s = judge.NOW_S + 3 * 3600
    at = time.localtime(next_time(hour, minute, str(slots.get("part", "")), evening_s))
    return f"{at.tm_hour:02d}:{at.tm_min:02d}"
