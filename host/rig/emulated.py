"""The emulated headband on the rig: a whole headband with its models, on the emulated board."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.app.day_script import Script, ScriptEvent
from host.app.headband import Headband
from host.app.script_world import ScriptedWorld
from host.config import Config, JournalConfig
from host.observe.timeline import Timeline
from host.rig.journal_follower import JournalFollower, RigFault
from host.rig.measurable import AWAKE_S, measurable
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.scratch import remove_scratch_folder, scratch_folder
from models.pack.catalogue import load_pack
from power.policy.plan import PowerPlan
from power.rig.activity import JournalLine
from power.rig.scenario import ScenarioStep

BATTERY_PERCENT = {"performance": 82, "throttled": 35, "cascade": 14}
"""Mode -> charge at which the policy chooses it."""
TIMEOUT_S = 180.0
GAP_S = 0.5
"""Pause after each question, seconds."""
_LOOK_S = 0.02
_SHOWN_S = 0.15
"""How long each of a step's pictures is seen: less than any plan's time between two of a clip."""
_LOADED_S = 1.0
"""The quiet time begins anew where loading the models took more of it than this, seconds."""
_JOURNAL_BYTES = 1_000_000_000


class EmulatedSubject:
    """`host.rig.play.Subject` on the emulated board, in the time of its clock."""

    emulated = True

    def __init__(
        self,
        board: EmulatedBoard,
        pack: str,
        config: Config,
        journal: Path,
        timeline: Timeline | None = None,
    ) -> None:
        """`journal` replaces the journal path of `config`; `timeline`: the headband's, if not its own."""
        self.board = board
        self.plans: dict[str, PowerPlan] = {}
        journal.touch()
        config = replace(config, journal=JournalConfig(str(journal), _JOURNAL_BYTES, work=True))
        self._journal = JournalFollower(journal)
        self._running: asyncio.Task[None] | None = None
        self.headband = Headband(board, load_pack(pack), config, observe=self._observe, timeline=timeline)

    def now_s(self) -> float:
        """The monotonic clock of its journal, seconds."""
        return self.board.clock.monotonic()

    def lines(self) -> Sequence[JournalLine]:
        """All lines of the journal so far."""
        self._journal.look()
        return self._journal.lines

    async def wait(self, seconds: float) -> None:
        """Waits on the board's clock."""
        await self.board.clock.sleep(seconds)

    async def enter(self, mode: str) -> None:
        """Sets the charge that fits the mode and waits for its plan. A sleeping headband is woken; for a
        rising charge the charger is plugged in first. Where its models took long to load, its quiet time
        begins anew: it may be over, or nearly so. Raises `RigFault`.
        """
        if not self._holds(mode):
            percent = BATTERY_PERCENT[mode]
            if percent > (self.headband.battery.latest.percent or 0):
                self._act(ScriptEvent(0.0, battery=percent, charging=True))
                await self._until(lambda: not self.board.microphone.asleep, "wake up for the charger")
                await self._until(lambda: self._holds("performance"), "come into performance mode")
            self._act(ScriptEvent(0.0, battery=percent, charging=False))
            await self._wake()  # the PMU tells of a charge once, so a fall soon after another wakes nobody
            await self._until(lambda: self._holds(mode), f"come into {mode} mode")
        began_s = self.now_s()
        await self.headband.bricks.settled()
        if self.now_s() - began_s > _LOADED_S:
            await self._begin_quiet_time()

    async def _begin_quiet_time(self) -> None:
        until_s = self.now_s() + 2 * AWAKE_S
        while not self.board.microphone.asleep and self.now_s() < until_s:
            await self.wait(_LOOK_S)
        await self._wake()

    async def _wake(self) -> None:
        if self.board.microphone.asleep:
            self.board.wake.set(True)  # as a touch does
            await self._until(lambda: not self.board.microphone.asleep, "wake up")
            self.board.wake.set(False)

    async def ask(self, step: ScenarioStep) -> None:
        """Plays the question into the microphone; its view is new to the headband, also in a repeat. Raises
        `RigFault` if no answer ends in time.
        """
        assert step.say is not None
        self.headband.recent_views.forget()
        before = self._turns()
        self._act(ScriptEvent(0.0, say=(step.say,), image=step.image))
        showing = asyncio.create_task(self._show(step.images))
        try:
            await self._until(lambda: self._turns() > before, f"answer {step.text or step.say.stem!r}")
        finally:
            showing.cancel()
        await self._until(lambda: self.headband.state.interaction == "standby", "return to standby")
        await self.wait(GAP_S)

    async def _show(self, images: Sequence[Path]) -> None:
        """Shows them by turns, without an end."""
        for image in itertools.cycle(images):
            self._act(ScriptEvent(0.0, image=image))
            await self.wait(_SHOWN_S)

    def start(self) -> asyncio.Task[None]:
        """Begins the headband's `run`; the task ends with it."""
        self._running = asyncio.create_task(self.headband.run())
        return self._running

    def stop(self) -> None:
        """Ends the headband's `run`, also while it sleeps."""
        self.headband.stop("the rig is done")
        if self.board.microphone.asleep:
            self.board.wake.set(True)  # a touch wakes it

    def _holds(self, mode: str) -> bool:
        charging = self.headband.battery.latest.charging
        return self.headband.plan.mode.value == mode and charging == self.board.pmu.cell.powered

    def _turns(self) -> int:
        self._journal.look()
        return self._journal.count("turn")

    def _act(self, event: ScriptEvent) -> None:
        """Carries out an event of a day script now."""
        world = ScriptedWorld(Script(math.inf, (event,)), self.board, lambda note: None)
        world.headband = self.headband
        world.step(0.0)

    async def _until(self, reached: Callable[[], bool], what: str) -> None:
        """Waits for it. Raises `RigFault` where it takes too long, or the headband has ended."""
        until_s = self.now_s() + TIMEOUT_S
        while not reached():
            if self._running is not None and self._running.done():
                raise RigFault(f"The headband did not {what}: it has ended{self._fault()}.")
            if self.now_s() > until_s:
                raise RigFault(f"The headband did not {what} within {TIMEOUT_S:.0f} s.")
            await self.wait(_LOOK_S)

    def _fault(self) -> str:
        running = self._running
        fault = None if running is None or running.cancelled() else running.exception()
        return f" ({type(fault).__name__}: {fault})" if fault is not None else ""

    def _observe(self, event: str, fields: dict[str, Any]) -> None:
        if event == "plan":
            self.plans[fields["mode"]] = self.headband.plan


@asynccontextmanager
async def emulated_subject(
    pack: str, config: Config, view: Path, mode: str = "performance"
) -> AsyncIterator[EmulatedSubject]:
    """A context manager: a headband that listens and sleeps, in `mode`, with the picture `view` before its
    camera.
    """
    config = replace(config, power=measurable(config.power))
    board = emulated_board(battery_percent=BATTERY_PERCENT[mode], sound_card=False, sleeps=True, view=view)
    folder = scratch_folder()
    try:
        subject = EmulatedSubject(board, pack, config, folder / "journal.jsonl")
        async with subject.headband as headband:
            listening = subject.start()
            try:
                await headband.bricks.settled()
                yield subject
            finally:
                subject.stop()
                await listening
    finally:
        await board.close()
        remove_scratch_folder(folder)
