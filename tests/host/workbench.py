"""A headband on the emulated board with the micro pack, and the demo's questions to ask it."""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from host.answers.timers import Now
from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from host.session.draft import Draft
from host.session.events import MicrophoneFailed, StopWordOverSpeech, WakeWordOverSpeech
from host.session.recording import apply_recording
from host.turn.turn import Turn
from hw.audio.sound_and_picture_files import read_image, read_wav
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import EmulatedBoard, emulated_board
from models.pack.catalogue import Pack
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from tests.demo_files import COLOUR as COLOUR
from tests.demo_files import DEMO as DEMO
from tests.demo_files import DEVICE as DEVICE
from tests.host.simulated import loop_clock, micro_headband

QUIET = Config(
    answer=AnswerConfig(earcons=False),
    listen=ListenConfig(follow_up_s=0.0),
    journal=JournalConfig(path=""),
    power=PowerConfig(frames_between_questions=True),
)
"""The camera looks between questions, as it does while a view is remembered."""


@functools.cache
def picture(name: str) -> np.ndarray:
    """One of the demo's pictures, decoded once."""
    pixels = read_image(DEMO / name)
    pixels.flags.writeable = False
    return pixels


def change_settings(headband: Headband, **changes: Any) -> None:
    """Changes the wearer's settings, as a reply to the wearer does."""
    queue, clock = headband.queue, headband.board.clock
    draft = Draft(queue.state, Now(clock.monotonic(), clock.time()))
    draft.change(replace(queue.state.settings, **changes))
    apply_recording(draft, "the wearer said so", announce=False)
    queue.state = draft.state
    for action in draft.actions:
        queue._begin(action)


def set_timer(headband: Headband, seconds: int) -> None:
    """Sets one more timer."""
    clock, timers = headband.board.clock, headband.state.settings.timers
    change_settings(headband, timers=timers.with_timer(seconds, Now(clock.monotonic(), clock.time())))


def interrupt(headband: Headband, by: type[WakeWordOverSpeech | StopWordOverSpeech]) -> None:
    """Has the wake word or the stop word heard over what is being said."""
    assert headband.state.speech is not None
    headband.queue.post(by(headband.state.speech.number))


@dataclass
class Bench:
    """A headband under test and what it told its observer."""

    headband: Headband
    board: EmulatedBoard
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def ask(self, question: tuple[str, str] | np.ndarray = COLOUR, tail_s: float = 3.0) -> Turn:
        """Asks one of the demo's questions about its picture, or plays int16 samples with nothing new in
        view.
        """
        if isinstance(question, tuple):
            self.board.camera.show(picture(question[1]))
            question = read_wav(DEMO / question[0])
        self.board.microphone.say(
            np.concatenate([question, np.zeros(int(tail_s * MICROPHONE_RATE_HZ), np.int16)])
        )
        return await self.headband.ask()

    async def announce(self) -> None:
        """Has the headband say something unasked; returns when it is said and nothing of it is left."""
        self.headband.queue.post(MicrophoneFailed())
        await self.headband.queue.until(lambda state: state.at_rest)

    def states(self, region: str = "interaction") -> list[str]:
        """The states a region went through."""
        steps = [
            fields for event, fields in self.told if event == "transition" and fields["region"] == region
        ]
        return [step["to"] for step in steps if step["to"]]

    def refused(self) -> list[dict[str, Any]]:
        """Transitions that the table did not permit."""
        return [fields for event, fields in self.told if event == "transition" and not fields["to"]]


@asynccontextmanager
async def bench(
    mode: Mode | None = None,
    *,
    battery: float = 80.0,
    config: Config = QUIET,
    on_event: Callable[[Bench, str, dict[str, Any]], None] | None = None,
    pack: Pack | None = None,
) -> AsyncIterator[Bench]:
    """A headband with everything loaded that its mode keeps loaded, with the micro pack or another. In a
    cascade that is asked for it has room for one brick.
    """
    if mode is Mode.CASCADE:
        config = replace(config, power=replace(config.power, cascade_one_at_a_time=True))
    board = emulated_board(clock=loop_clock(), battery_percent=battery, real_time=False, sound_card=False)
    holder: list[Bench] = []

    def observe(event: str, fields: dict[str, Any]) -> None:
        if holder:
            holder[0].told.append((event, fields))
            if on_event is not None:
                on_event(holder[0], event, fields)

    headband = micro_headband(board, config, pack, request=mode, observe=observe)
    holder.append(Bench(headband, board))
    headband.battery.timeout_s = 1.0
    async with headband:
        await headband.bricks.settled()
        yield holder[0]
    await board.close()


def kill(pid: int) -> None:
    """SIGKILL, as the kernel's out-of-memory killer would."""
    os.kill(pid, signal.SIGKILL)
