"""The emulated board on the rig: a whole headband with its models, worn by the scenario."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.app import Headband
from host.config import Config, JournalConfig
from host.script import Event, Script
from host.wear import World
from hw.device import Image
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.camera import FileCamera
from models.pack import load_pack
from power.plan import PowerPlan
from power.rig.activity import JournalLine
from power.rig.scenario import Step

BATTERY_PERCENT = {"performance": 82, "throttled": 35, "cascade": 14}
"""Charge that brings the policy into each mode."""
PATIENCE_S = 60.0
GAP_S = 0.5
"""Left between the end of one question and whatever comes next."""


class RigFault(Exception):
    """The headband on the rig does not do what it is told; one sentence."""


class NotedCamera(FileCamera):
    """Tells when a picture was taken."""

    def __init__(self, note: Callable[[], None]) -> None:
        super().__init__()
        self._note = note

    async def capture(self) -> Image:
        """As `FileCamera.capture`."""
        image = await super().capture()
        self._note()
        return image


class EmulatedSubject:
    """`host.rig_play.Subject` on the emulated board, in real time."""

    emulated = True

    def __init__(self, board: EmulatedBoard, pack: str, config: Config) -> None:
        self.board = replace(board, camera=NotedCamera(lambda: self._note("frame")))
        self.plans: dict[str, PowerPlan] = {}
        self._lines: list[JournalLine] = []
        self._turns = 0
        self._headband: Headband | None = None
        self.headband = self._headband = Headband(self.board, load_pack(pack), config, observe=self._observe)

    def now_s(self) -> float:
        """The clock of the timeline."""
        return self.board.clock.monotonic()

    def lines(self) -> Sequence[JournalLine]:
        """Everything observed, and what was spoken."""
        spoken = [
            {"event": "speaker", "mono_s": span.start_s, "start_s": span.start_s, "end_s": span.end_s}
            for span in self.headband.timeline.spans
            if span.track == "speaker"
        ]
        return [*self._lines, *spoken]

    def mark(self, level: bool) -> None:
        """The emulated board has no such line; a modelled recording takes it from the journal."""
        self._note("marker", level=level)

    async def wait(self, seconds: float) -> None:
        """By the board's clock."""
        await self.board.clock.sleep(seconds)

    async def enter(self, mode: str) -> None:
        """Puts a cell of fitting charge in place and waits for the plan. Raises `RigFault`."""
        if self.headband.plan.mode.value != mode:
            self._act(Event(0.0, battery=BATTERY_PERCENT[mode]))
            await self._until(lambda: self.headband.plan.mode.value == mode, f"come into {mode} mode")
        await self.headband.parts.bricks.settled()

    async def ask(self, step: Step) -> None:
        """Says the recording into the microphone. Raises `RigFault` when no answer ends in time."""
        assert step.say is not None
        before = self._turns
        self._act(Event(0.0, say=(step.say,), image=step.image))
        await self._until(lambda: self._turns > before, f"answer {step.text or step.say.stem!r}")
        quiet = self.headband.machine
        await self._until(lambda: quiet.interaction == "standby", "return to standby")
        await self.wait(GAP_S)

    def _act(self, event: Event) -> None:
        """Lets the emulated world do this now."""
        world = World(Script(math.inf, (event,)), self.board, lambda note: None, fast=False)
        world.headband = self.headband
        world.step(0.0)

    async def _until(self, reached: Callable[[], bool], what: str) -> None:
        until_s = self.now_s() + PATIENCE_S
        while not reached():
            if self.now_s() > until_s:
                raise RigFault(f"The headband did not {what} within {PATIENCE_S:.0f} s.")
            await asyncio.sleep(0.02)

    def _observe(self, event: str, fields: dict[str, Any]) -> None:
        match event:
            case "plan" if self._headband is not None:
                self.plans[fields["mode"]] = self._headband.plan
                self._note("plan", mode=fields["mode"])
            case "transition":
                self._note("transition", **fields)
            case "asleep" | "awake":
                self._note(event)
            case "brick":
                brick = fields["event"]
                self._note(
                    "brick", brick=brick.brick, kind=brick.kind, start_s=brick.start_s, end_s=brick.end_s
                )
            case "turn":
                turn = fields["turn"]
                self._note("turn", route=turn.decision.route, mode=turn.plan.mode.value, failure=turn.failure)
                self._turns += 1

    def _note(self, event: str, **fields: Any) -> None:
        self._lines.append({"mono_s": self.now_s(), "event": event, **fields})


@asynccontextmanager
async def emulated_subject(
    pack: str, config: Config, view: Path, mode: str = "performance"
) -> AsyncIterator[EmulatedSubject]:
    """A headband that listens, in that mode, with `view` before its camera."""
    config = replace(
        config,
        journal=JournalConfig(path=""),
        power=replace(config.power, dwell_s=0.0),  # the scenario changes modes faster than a day does
    )
    board = emulated_board(battery_percent=BATTERY_PERCENT[mode], sound_card=False)
    subject = EmulatedSubject(board, pack, config)
    subject.board.camera.show(view)
    async with subject.headband as headband:
        listening = asyncio.create_task(headband.run())
        try:
            await headband.parts.bricks.settled()
            yield subject
        finally:
            headband.stop("the rig is done")
            await listening
    await subject.board.close()
