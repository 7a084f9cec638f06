"""A real headband on the rig, known only by the journal that its running service writes.

The journal may lie on this computer or be mounted from the headband: every line carries the headband's own
monotonic clock (`mono_s`), and the least delay with which lines arrive tells where that clock stands. The
service drives its own marker line and journals its edges. Questions are played through this computer's
loudspeaker, or by the person at the bench when there is none; modes are brought about by that person.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from host.rig_emulated import BATTERY_PERCENT, GAP_S, PATIENCE_S, RigFault
from hw.device import BatteryReading
from hw.media import read_wav
from hw.player import Player, find_player
from power.plan import PowerPlan
from power.policy import Policy
from power.rig.activity import JournalLine
from power.rig.scenario import Step

_LOOK_S = 0.05
RATE = 16_000


class ServiceSubject:
    """`host.rig_play.Subject` behind a journal."""

    emulated = False

    def __init__(
        self,
        journal: Path,
        ask_person: Callable[[str], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`ask_person` tells the person at the bench what to do and returns when that is done."""
        self._journal = journal
        self._ask_person = ask_person
        self._monotonic = monotonic
        self._read_to = 0
        self._lines: list[JournalLine] = []
        self._ahead_s = math.inf
        self._look(live=False)

    @property
    def plans(self) -> dict[str, PowerPlan]:
        """What the policy decides in each mode at the charge that stands for it."""
        return {mode: _plan(percent) for mode, percent in BATTERY_PERCENT.items()}

    def now_s(self) -> float:
        """The headband's clock, as late as its journal arrives. Raises `RigFault` before its first line."""
        self._look()
        if math.isinf(self._ahead_s):
            raise RigFault(
                f"The journal {self._journal} got no new line with mono_s: is the headband running?"
            )
        return self._monotonic() - self._ahead_s

    def lines(self) -> Sequence[JournalLine]:
        """Everything journalled so far."""
        self._look()
        return self._lines

    def mark(self, level: bool) -> None:
        """The service drives its own marker."""

    async def wait(self, seconds: float) -> None:
        """Leaves it alone, and keeps reading."""
        until_s = self._monotonic() + seconds
        while (left_s := until_s - self._monotonic()) > 0:
            await asyncio.sleep(min(left_s, _LOOK_S))
            self._look()

    async def enter(self, mode: str) -> None:
        """Asks for the mode. Raises `RigFault` when the journal does not tell of it."""
        if self._last("plan", "mode") == mode:
            return
        await asyncio.to_thread(
            self._ask_person,
            f"Bring the headband into {mode} mode ({BATTERY_PERCENT[mode]} percent of charge).",
        )
        await self._until(lambda: self._last("plan", "mode") == mode, f"come into {mode} mode")

    async def ask(self, step: Step) -> None:
        """Has the question asked. Raises `RigFault` when no answer ends in time."""
        assert step.say is not None
        before = self._count("turn")
        await asyncio.to_thread(self._say, step)
        await self._until(lambda: self._count("turn") > before, f"answer {step.text or step.say.stem!r}")
        await self._until(lambda: self._last_state() == "standby", "return to standby")
        await self.wait(GAP_S)

    def _say(self, step: Step) -> None:
        assert step.say is not None
        program = find_player()
        if program is None:
            self._ask_person(f'Say to the headband: its wake word, then "{step.text or step.say.stem}".')
            return
        player = Player(program, RATE)
        player.write(read_wav(step.say))
        player.end(cut=False)

    async def _until(self, reached: Callable[[], bool], what: str) -> None:
        until_s = self._monotonic() + PATIENCE_S
        while not reached():
            if self._monotonic() > until_s:
                raise RigFault(f"The headband did not {what} within {PATIENCE_S:.0f} s.")
            await self.wait(_LOOK_S)

    def _look(self, live: bool = True) -> None:
        """Reads what the journal got since the last look; a line still being written waits."""
        try:
            with self._journal.open("rb") as file:
                if file.seek(0, 2) < self._read_to:
                    self._read_to = 0  # rotated
                file.seek(self._read_to)
                text = file.read()
        except OSError as error:
            raise RigFault(f"The journal {self._journal} cannot be read: {error.strerror}.") from None
        whole = text.rfind(b"\n") + 1
        self._read_to += whole
        for row in text[:whole].splitlines():
            line = json.loads(row)
            if "mono_s" in line:
                self._lines.append(line)
                if live:
                    self._ahead_s = min(self._ahead_s, self._monotonic() - line["mono_s"])

    def _count(self, event: str) -> int:
        return sum(1 for line in self._lines if line["event"] == event)

    def _last(self, event: str, field: str) -> object:
        return next((line[field] for line in reversed(self._lines) if line["event"] == event), None)

    def _last_state(self) -> object:
        steps = (line for line in reversed(self._lines) if line["event"] == "transition")
        return next((s["to"] for s in steps if s["region"] == "interaction" and s["to"]), "standby")


def service_subject(journal: Path) -> ServiceSubject:
    """A headband whose service writes this journal; the person sits at this terminal."""
    return ServiceSubject(journal, lambda what: (print(what), input("Press Enter then. "), None)[-1])


def _plan(percent: int) -> PowerPlan:
    reading = BatteryReading(percent, 3800, -150, 25.0, charging=False, state="good")
    return Policy().decide(reading, 0.0)[0]
