"""A real headband on the rig, followed by the journal that its running service writes.

The journal (with `journal.work` on) is on this computer or mounted from the headband. Every line has the
headband's monotonic clock (`mono_s`); the smallest delay between that and a line's arrival gives the offset
of the clocks. Questions are played through this computer's loudspeaker, or spoken by the person at the bench
if it has none. That person also brings the headband into each mode.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from host.rig.emulated import BATTERY_PERCENT, GAP_S, TIMEOUT_S
from host.rig.journal_follower import JournalFollower, RigFault
from host.rig.measurable import measurable
from hw.audio.player_program import Player, find_player
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from hw.supply import BatteryReading
from power.policy.config import PowerConfig
from power.policy.plan import PowerPlan
from power.policy.policy import Policy
from power.rig.activity import STANDBY, JournalLine
from power.rig.scenario import ScenarioStep

_LOOK_S = 0.05
_FIRST_LINE_S = 2.0
"""A headband that is awake and takes pictures writes a line within that time."""
REST_S = 5.0
"""Longer than the loading of any model, which is journalled when it is complete."""


class ServiceSubject:
    """A `host.rig.play.Subject` that is known by its journal."""

    emulated = False

    def __init__(
        self,
        journal: Path,
        ask_person: Callable[[str], None],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`ask_person` asks the person at the bench to do something and returns when it is done. It runs in a
        thread, for which a run that is stopped does not wait.
        """
        self._path = journal
        self._journal = JournalFollower(journal)
        self._ask_person = ask_person
        self._monotonic, self._sleep = monotonic, sleep
        self._clock_offset_s = math.inf
        self._latest_s = -math.inf
        """The headband's clock at the last line."""
        self._restart_allowed = False
        """The person brings it into a mode, for which another battery may be put in."""
        self.rest_s = REST_S
        """`enter` returns when no model was loaded for that long, seconds."""

    @property
    def plans(self) -> dict[str, PowerPlan]:
        """Mode -> the policy's plan at the charge of `BATTERY_PERCENT`."""
        return {mode: _plan(percent) for mode, percent in BATTERY_PERCENT.items()}

    def now_s(self) -> float:
        """The headband's clock, late by the smallest delay of its journal. Raises `RigFault` before the first
        line.
        """
        self._look()
        if math.isinf(self._clock_offset_s):
            raise RigFault(f"The journal {self._path} got no new line with mono_s: is the headband running?")
        return self._monotonic() - self._clock_offset_s

    def lines(self) -> Sequence[JournalLine]:
        """All lines of the journal so far."""
        self._look()
        return self._journal.lines

    async def wait(self, seconds: float) -> None:
        """Waits, and reads the journal meanwhile."""
        until_s = self._monotonic() + seconds
        while (left_s := until_s - self._monotonic()) > 0:
            await self._sleep(min(left_s, _LOOK_S))
            self._look()

    async def enter(self, mode: str) -> None:
        """Asks the person to set the mode; returns when no model was loaded for `rest_s`. Raises `RigFault`
        if the journal does not show the mode in time.
        """
        self._restart_allowed = True
        await self._enter(mode)
        self._restart_allowed = False

    async def _enter(self, mode: str) -> None:
        if math.isinf(self._clock_offset_s):
            await self.wait(_FIRST_LINE_S)
        if math.isinf(self._clock_offset_s):
            await _in_thread(
                self._ask_person,
                "Say the wake word to the headband, so that it writes to its journal, and wait for its rest.",
            )
            await self._until(lambda: math.isfinite(self._clock_offset_s), "write to its journal")
        if self._journal.last("plan", "mode") == mode:
            return
        await _in_thread(
            self._ask_person,
            f"Bring the headband into {mode} mode ({BATTERY_PERCENT[mode]} percent of charge).",
        )
        await self._until(lambda: self._journal.last("plan", "mode") == mode, f"come into {mode} mode")
        loaded = -1
        while loaded != self._journal.count("brick"):
            loaded = self._journal.count("brick")
            await self.wait(self.rest_s)

    async def ask(self, step: ScenarioStep) -> None:
        """Plays the question, or asks the person to say it. Raises `RigFault` if it cannot be played, or no
        answer ends in time.
        """
        assert step.say is not None
        self._look()
        turns, runs = self._journal.count("turn"), self._journal.count("brick")
        await _in_thread(self._say, step)
        await self._until(
            lambda: self._journal.count("turn") > turns, f"answer {step.text or step.say.stem!r}"
        )
        if self._journal.count("brick") == runs:
            raise RigFault("The journal does not tell of any work: set journal.work of the headband to true.")
        await self._until(lambda: self._journal.state == STANDBY, "return to standby")
        await self.wait(GAP_S)

    def _say(self, step: ScenarioStep) -> None:
        assert step.say is not None
        program = find_player()
        if program is None:
            self._ask_person(f'Say to the headband: its wake word, then "{step.text or step.say.stem}".')
            return
        player = Player(program, MICROPHONE_RATE_HZ)
        played = player.write(read_wav(step.say))
        player.end(cut=not played)
        if not played:
            raise RigFault(f"The question cannot be played: {program} takes no sound.")

    async def _until(self, reached: Callable[[], bool], what: str) -> None:
        until_s = self._monotonic() + TIMEOUT_S
        while not reached():
            if self._monotonic() > until_s:
                raise RigFault(f"The headband did not {what} within {TIMEOUT_S:.0f} s.")
            await self.wait(_LOOK_S)

    def _look(self) -> None:
        new_lines = self._journal.look()
        for line in self._journal.lines[len(self._journal.lines) - new_lines :]:
            if line["mono_s"] < self._latest_s:
                if not self._restart_allowed:
                    raise RigFault("The headband was restarted while it was measured.")
                self._clock_offset_s = math.inf
            self._latest_s = line["mono_s"]
            self._clock_offset_s = min(self._clock_offset_s, self._monotonic() - line["mono_s"])


def service_subject(journal: Path) -> ServiceSubject:
    """A headband whose service writes this journal; the person uses this terminal."""
    return ServiceSubject(journal, _ask_at_terminal)


def _ask_at_terminal(what: str) -> None:
    """Returns when Enter was pressed. Standard output is the report's. Raises `RigFault` where nobody can."""
    print(f"{what}\nPress Enter then. ", end="", file=sys.stderr, flush=True)
    # Not `input`, whose lock would keep the program from ending.
    while (pressed := os.read(sys.stdin.fileno(), 1)) != b"\n":
        if not pressed:
            raise RigFault("Nobody can press Enter, as standard input is closed: run this in a terminal.")


async def _in_thread(call: Callable[..., None], *arguments: object) -> None:
    """Waits for a call that blocks, in a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()

    def end(error: BaseException | None) -> None:
        if not over.done():
            over.set_result(None) if error is None else over.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            call(*arguments)
        except Exception as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(end, error)

    threading.Thread(target=run, name="rig-bench", daemon=True).start()
    await over


def _plan(percent: int) -> PowerPlan:
    reading = BatteryReading(percent, 3800, -150, 25.0, charging=False, state="good")
    return Policy(measurable(PowerConfig())).decide(reading, 0.0)[0]
