"""A headband in real time that hears its own voice in a modelled room, and a wearer who interrupts it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from host.app.headband import Headband
from host.config import ListenConfig
from host.session.events import QuestionOpened
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.microphone import SpokenClip
from hw.emulated.room import Room
from models.pack.catalogue import load_pack
from models.train.sound.espeak import Espeak
from power.policy.plan import Mode
from tests.host.workbench import COLOUR, DEMO, QUIET

LONG = (
    "There is a large red circle, a small blue square and a green triangle. The red circle is left of the "
    "blue square. The sign says stop. Nothing else is there, but I will tell you when it changes."
)
ECHOING = Room(gain_db=0.0)


@dataclass
class Scene:
    """A running headband that repeats a long answer on request."""

    headband: Headband
    board: EmulatedBoard
    espeak: Espeak
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    stops_s: list[float] = field(default_factory=list)

    def say(self, text: str, voice: str, level: float = 0.05) -> SpokenClip:
        speech = self.espeak.say(text, voice, 180)
        speech = speech / np.sqrt(np.mean(speech**2)) * level
        return self.board.microphone.say(np.clip(speech * 32767, -32768, 32767).astype(np.int16))

    async def until(self, event: str, within_s: float = 15.0, **fields: object) -> dict[str, Any]:
        """Waits for the next event of this kind with these fields."""
        seen, end_s = len(self.told), time.monotonic() + within_s
        while time.monotonic() < end_s:
            for told, with_fields in self.told[seen:]:
                if told == event and fields.items() <= with_fields.items():
                    return with_fields
            await asyncio.sleep(0.005)
        raise AssertionError(f"no {event} {fields} within {within_s} s; {self.told[seen:]}")

    async def repeat(self) -> None:
        """Requests the last answer again with the button; returns when the headband speaks."""
        while self.headband.state.interaction not in ("standby", "follow_up"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        self.headband.queue.post(QuestionOpened("the button was pressed"))
        self.say("repeat that", "en-us+adam", 0.09)
        await self.until("speaking")


@asynccontextmanager
async def scene(
    espeak: Espeak,
    listen: ListenConfig = QUIET.listen,
    mode: Mode = Mode.PERFORMANCE,
    room: Room | None = ECHOING,
) -> AsyncIterator[Scene]:
    """`room` None: an earphone, whose sound does not reach the microphone."""
    board = emulated_board(sound_card=False, room=room)
    board.camera.show(DEMO / COLOUR[1])
    told: list[tuple[str, dict[str, Any]]] = []
    headband = Headband(
        board, load_pack("micro"), replace(QUIET, listen=listen), request=mode,
        observe=lambda event, fields: told.append((event, fields)),
    )  # fmt: skip
    made = Scene(headband, board, espeak, told)
    stop = board.speaker.stop

    def stopped() -> None:
        made.stops_s.append(time.monotonic())
        stop()

    board.speaker.stop = stopped  # type: ignore[method-assign]
    async with headband:
        await headband.bricks.settled()
        headband.dialogue.note_spoken(LONG)
        running = asyncio.create_task(headband.run())
        await asyncio.sleep(0.2)
        yield made
        headband.stop("the test is over")
        await asyncio.wait_for(running, 20)
        refused = [fields for event, fields in told if event == "transition" and not fields["to"]]
        assert not refused
    await board.close()
