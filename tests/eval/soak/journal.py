"""Consistency of a journal: `faults` lists all contradictions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from host.answers.timers import TIMES
from host.states import INITIAL, INTERACTION, POWER, TABLE

KILLED = ("SIGKILL", "the fork server ended", "its process ended")
"""Reasons for which a turn may fail in the soak test."""
_WAITING = ("listening", "thinking", "speaking")


def lines_of(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The lines of a journal, and an error sentence for each invalid line."""
    lines, wrong = [], []
    for number, row in enumerate(text.splitlines(), 1):
        try:
            line = json.loads(row)
            float(line["t"]), float(line["mono_s"]), str(line["event"])
        except (ValueError, KeyError, TypeError):
            wrong.append(f"line {number} is no journal line: {row[:80]}")
            continue
        lines.append(line)
    return lines, wrong


def faults(lines: Iterable[dict[str, Any]], *, over: bool = True) -> list[str]:
    """The contradictions in the journal of one run. `over`: the run has ended, so nothing may be pending."""
    check = _Check()
    for number, line in enumerate(lines, 1):
        check.take(number, line)
    if over:
        check.end()
    return check.wrong


class _Check:
    def __init__(self) -> None:
        self.wrong: list[str] = []
        self._state = dict(INITIAL)
        self._latest = {"t": 0.0, "mono_s": 0.0}
        self._heard = 0
        """Utterances without a turn so far."""
        self._asleep = False
        self._announced: dict[int, int] = {}
        self._number = 0

    def take(self, number: int, line: dict[str, Any]) -> None:
        self._number = number
        for clock, latest in self._latest.items():
            if line[clock] < latest:
                self._say(f"{clock} runs back from {latest} to {line[clock]}")
            self._latest[clock] = line[clock]
        match line["event"]:
            case "transition":
                self._transition(line)
            case "refused":
                self._say(f"in {line['from']} {line['on']!r} was refused ({line['cause']})")
            case "turn":
                self._turn(line)
            case "plan":
                if line["mode"] != self._state[POWER]:
                    self._say(f"a plan for {line['mode']} holds in {self._state[POWER]}")
            case "asleep" if "problem" not in line:
                if self._asleep or self._state[INTERACTION] in _WAITING:
                    self._say(f"it falls asleep while {'asleep' if self._asleep else 'busy'}")
                self._asleep = True
            case "awake":
                if not self._asleep:
                    self._say("it wakes up while awake")
                self._asleep = False
            case "timers":
                for timer in line.get("announced", []):
                    self._announced[timer] = self._announced.get(timer, 0) + 1
                    if self._announced[timer] > TIMES:
                        self._say(f"timer {timer} was announced {self._announced[timer]} times")

    def _transition(self, line: dict[str, Any]) -> None:
        region, source, event, target = (line[key] for key in ("region", "from", "on", "to"))
        if source != self._state[region]:
            self._say(f"a transition from {source} begins in {self._state[region]}")
        if TABLE.get((region, source, event)) != target:
            self._say(f"from {source} {event!r} does not lead to {target}")
        if self._asleep and region == INTERACTION and event != "stop":
            self._say(f"it goes to {target} in its sleep")
        self._state[region] = target
        if event == "utterance":
            self._heard += 1

    def _turn(self, line: dict[str, Any]) -> None:
        self._heard -= 1
        if self._heard < 0:
            self._say("a turn without an utterance")
            self._heard = 0
        if line["failure"] and not any(cause in line["failure"] for cause in KILLED):
            self._say(f"a turn failed though nothing was killed ({line['failure']})")
        if line["response_ms"] is None and not (line["failure"] or line["silenced"]):
            self._say("the turn has no outcome")

    def end(self) -> None:
        if self._heard:
            self._say(f"{self._heard} utterances became no turn")
        if self._state[INTERACTION] != "stopping":
            self._say(f"the run ends in {self._state[INTERACTION]}")

    def _say(self, what: str) -> None:
        self.wrong.append(f"line {self._number}: {what}")
