"""A headband that remembers, asked by text: what comes after the recogniser runs for real."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from host.answers.recollection import Recollection
from host.app.headband import Headband
from host.config import Config, JournalConfig
from host.hearing.endpointer import RecordedQuestion
from host.sensing.view_gate import Rgb
from host.session.events import ClockSet
from host.turn.answer_player import AnswerPlayer
from host.turn.answer_source import answer_of
from host.turn.early.look import EarlyLook
from host.turn.early.recollection import EarlyRecollection
from host.turn.early.transcript import EarlyTranscript
from host.turn.question import Question
from host.turn.recalling.kept_names import by_kept_name
from host.turn.recalling.memory_answer import by_memory
from host.turn.steps import Thought, decide
from host.turn.turn import Turn
from hw.emulated.board import EmulatedBoard, emulated_board
from models.pack.catalogue import Pack
from power.policy.plan import Mode
from tests.host.simulated import loop_clock, micro_headband
from tests.host.workbench import QUIET, change_settings


@dataclass
class Wearer:
    """Shows pictures to a headband and asks it by text."""

    headband: Headband
    board: EmulatedBoard
    told: list[str]
    recalled: Recollection | None = None
    """The memory's last answer."""

    @property
    def numbers(self) -> int:
        """Views remembered so far."""
        return sum(event == "memory" for event in self.told)

    def worked_for(self, brick: str) -> set[str]:
        """What that brick has worked for, but for its load as the headband started; "": for the session."""
        spans = self.headband.timeline.spans
        return {str(s.details.get("for", "")) for s in spans if s.track == brick and s.name == "execute"}

    @property
    def light(self) -> str:
        """What the light shows."""
        return self.board.light.pattern.value

    async def sees(self, picture: Rgb, *, remembered: bool = True) -> None:
        """Looks at a picture; returns when it is remembered."""
        before = self.numbers
        self.board.camera.show(picture)
        await self.headband.recent_views.look()
        for _ in range(600):
            if not remembered or self.numbers > before:
                return
            await self.board.clock.sleep(0.1)
        raise AssertionError("it was not remembered")

    async def saw(self, picture: Rgb, ago_s: float) -> None:
        """Remembers a picture as one that was seen so many seconds ago."""
        headband, now = self.headband, self.headband.memory.now()
        self.board.camera.show(picture)
        view = await headband.recent_views.look()
        places = headband.tools.view_places
        place = await places.place(view, places.exits[-1])
        then = replace(now, monotonic_s=now.monotonic_s - ago_s, wall_s=now.wall_s - ago_s)
        await headband.memory.remember(view.rgb, then, "new", place)

    async def asks(self, text: str) -> str:
        """The answer to a question that the memory answers."""
        headband = self.headband
        decision = headband.tools.router.decide(text, remembers=headband.memory.on)
        assert decision.route == "memory", decision
        heard = RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)
        turn = replace(
            Turn(heard, 0.0, headband.plan), transcript=text, decision=decision, recalled=self.recalled
        )
        look = EarlyLook(headband.tools)
        try:
            if decision.intent == "keep":
                await look.rows()
            else:
                look.abandon()
            self.recalled = await by_memory(turn, look, headband.tools, QUIET.answer.caution)
            return self.recalled.sentence
        finally:
            await look.close()

    async def asks_of_view(self, text: str) -> str:
        """All that is said to a question, whoever answers it."""
        tools = self.headband.tools
        heard = RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)
        turn = Turn(heard, 0.0, self.headband.plan, transcript=text, probability=1.0, recalled=self.recalled)
        look, caution = EarlyLook(tools), QUIET.answer.caution
        turn = await by_kept_name(decide(turn, "", tools), tools)
        question = Question(look, cast(EarlyTranscript, None), EarlyRecollection(tools), turn=turn)
        assert question.turn is not None
        try:
            player = AnswerPlayer(tools, 1.0, lambda: None)
            pieces = await answer_of(
                question, question.turn, Thought(tools, (), caution), player, tools, caution
            )
            said = " ".join([piece async for piece in pieces])
            self.recalled = question.turn.recalled
            return said
        finally:
            await look.close()

    def remember(self, on: bool = True) -> None:
        """Switches memory as the reply to the wearer does."""
        change_settings(self.headband, memory=on)
        self.headband.queue.post(ClockSet())  # any event: the rules set the light


@asynccontextmanager
async def wearing(
    folder: Path, mode: Mode | None = None, pack: Pack | None = None, config: Config = QUIET
) -> AsyncIterator[Wearer]:
    """A headband with the micro pack, or another, that keeps what it has to keep in a folder. In a cascade
    that is asked for it has room for one brick.
    """
    if mode is Mode.CASCADE:
        config = replace(config, power=replace(config.power, cascade_one_at_a_time=True))
    config = replace(config, journal=JournalConfig(path=str(folder / "journal.jsonl")))
    board = emulated_board(
        clock=loop_clock(), real_time=False, sound_card=False, key_file=folder / "memory.key"
    )
    told: list[str] = []
    headband = micro_headband(
        board,
        config,
        pack,
        request=mode,
        observe=lambda event, fields: told.append(event),
        boot=lambda: "boot",
    )
    async with headband:
        headband.power_manager._stop_watching()
        await headband.bricks.settled()
        yield Wearer(headband, board, told)
    await board.close()
