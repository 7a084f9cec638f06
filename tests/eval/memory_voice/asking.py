"""Asks a headband that remembers a day: aloud, or by text after the recogniser."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from host.answers.certainty_replies import Grounds, why
from host.answers.recollection import Recollection
from host.app.headband import Headband
from host.config import JournalConfig
from host.hearing.endpointer import RecordedQuestion
from host.memory.values import Moment
from host.turn.early.look import EarlyLook
from host.turn.recalling.memory_answer import by_memory
from host.turn.steps import decide
from host.turn.tools import PowerNow, Tools
from host.turn.turn import Turn
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.clock import FakeClock
from hw.emulated.simulated_time import SimulatedTimeLoop
from models.pack.catalogue import Pack
from power.policy.plan import Mode, PowerPlan
from power.policy.savings import (
    LEAN_RECALL_DEEPENS,
    LEAN_RECALL_LOOKS,
    RECALL_DEEPENS,
    RECALL_LOOKS,
)
from tests.eval.memory_voice.days import WornDay
from tests.eval.stranger.by_voice import Speaker
from tests.host.simulated import micro_headband
from tests.host.workbench import QUIET

MIDNIGHT_S = time.mktime((2026, 10, 6, 0, 0, 0, 0, 0, -1))
"""Of the day that is remembered, seconds since 1970."""
LOOKS = {
    RECALL_LOOKS: RECALL_DEEPENS, LEAN_RECALL_LOOKS: LEAN_RECALL_DEEPENS, 0: 0,
}  # fmt: skip
"""Views that are looked at again, in performance, throttled and cascade, and views that are taken on."""
NOT_ASKED = "(not asked of the memory: {route})"


def at_time(scene: Callable[[], Coroutine[Any, Any, None]], now_s: float) -> None:
    """Runs a scene in simulated time that begins so many seconds after midnight."""

    def loop() -> SimulatedTimeLoop:
        made = SimulatedTimeLoop()
        made.clock = FakeClock(epoch_s=MIDNIGHT_S + now_s)
        return made

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(scene())


@dataclass(frozen=True)
class Heard:
    """What became of a question. answer: what the headband says; recalled: what the next may refer to."""

    transcript: str
    answer: str
    recalled: Recollection | None
    now_s: float
    seconds: float


@dataclass
class Wearer:
    """A headband with a day in its memory. Seconds are those after midnight."""

    headband: Headband
    board: EmulatedBoard
    _said: dict[object, tuple[str, Recollection | None]]

    @property
    def now_s(self) -> float:
        """The time there."""
        return self.board.clock.time() - MIDNIGHT_S

    async def asked_aloud(self, text: str, speaker: Speaker, before: Recollection | None) -> Heard:
        """Asks in a voice. before: what was recalled for the last question."""
        sound, _ = speaker.say(text)
        self.board.microphone.say(sound)
        began_s = time.perf_counter()
        turn = await self.headband.ask()
        seconds = time.perf_counter() - began_s
        if turn.decision.route == "memory":
            self._said[_key(turn, before, RECALL_LOOKS)] = (turn.answer, turn.recalled)
            return Heard(turn.transcript, turn.answer, turn.recalled, self.now_s, seconds)
        told = _other(turn, turn.answer)
        return Heard(turn.transcript, told, None, self.now_s, seconds)

    async def asked(self, text: str, before: Recollection | None, looks: int = RECALL_LOOKS) -> Heard:
        """Asks by text, with so many looks. The same words after the same answer are answered once, as the
        models choose the likeliest word.
        """
        began_s, tools = time.perf_counter(), self._tools(looks)
        heard = RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)
        turn = Turn(heard, 0.0, tools.power.plan, transcript=text, probability=1.0, recalled=before)
        turn = decide(turn, "", tools)
        if turn.decision.route != "memory":
            told = why(Grounds("device", recalled=before)) if turn.decision.intent == "why" else ""
            return Heard(text, _other(turn, told), None, self.now_s, time.perf_counter() - began_s)
        key = _key(turn, before, looks)
        if key not in self._said:
            look = EarlyLook(tools)
            look.abandon()
            try:
                found = await by_memory(turn, look, tools, QUIET.answer.caution)
            finally:
                await look.close()
            self._said[key] = (found.sentence, found)
        answer, recalled = self._said[key]
        return Heard(text, answer, recalled, self.now_s, time.perf_counter() - began_s)

    def _tools(self, looks: int) -> Tools:
        plan: PowerPlan = replace(
            self.headband.plan, recall_looks=looks, recall_deepens=LOOKS.get(looks, looks)
        )
        return replace(self.headband.tools, power=cast(PowerNow, SimpleNamespace(plan=plan)))


def _other(turn: Turn, said: str) -> str:
    """What became of a question that is not the memory's; why the last answer was given is."""
    if turn.decision.intent == "why":
        return said
    return f"{NOT_ASKED.format(route=turn.decision.route)} {said}".strip()


def _key(turn: Turn, before: Recollection | None, looks: int) -> object:
    slots = sorted((name, str(value).lower()) for name, value in turn.decision.slots.items())
    return turn.decision.intent, tuple(slots), before, looks


@asynccontextmanager
async def remembering(
    day: WornDay, kept: int, now_s: float, pack: Pack, folder: Path
) -> AsyncIterator[Wearer]:
    """A headband in performance mode that has the first `kept` of a day's kept views in its memory, whole.
    Call within `at_time`. Nothing is added while it is asked.
    """
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulatedTimeLoop)
    config = replace(QUIET, journal=JournalConfig(path=str(folder / "journal.jsonl")))
    board = emulated_board(
        clock=loop.clock, real_time=False, sound_card=False, key_file=folder / "memory.key"
    )
    board.camera.show(day.pictures[kept - 1])
    headband = micro_headband(board, config, pack, request=Mode.PERFORMANCE, boot=lambda: "boot")
    async with headband:
        headband.power_manager._stop_watching()
        await headband.bricks.settled()
        with suppress(PermissionError):  # nothing is timed here, and it has to keep up on a busy computer
            os.setpriority(os.PRIO_PROCESS, headband.bricks.pids()["llm"], os.nice(0))
        await stored(headband, day, kept, now_s)
        headband.intake._worn = lambda: False
        headband.memory.switch(True)
        yield Wearer(headband, board, {})
    await board.close()


async def stored(headband: Headband, day: WornDay, kept: int, now_s: float) -> None:
    """Remembers the first kept views of a day at their times, as performance mode does: at full depth, and
    looked through by the object detector where the pack has one.
    """
    now = headband.memory.now()
    for number, rgb in zip(day.kept[:kept], day.pictures, strict=False):
        ago_s = now_s - day.sights[number].at_s
        taken = Moment(now.boot, now.monotonic_s - ago_s, now.wall_s - ago_s)
        (placed,) = await headband.view_places.place_stored([rgb], look_through=True)
        await headband.memory.remember(rgb, taken, "new", placed.place, things=placed.things)
