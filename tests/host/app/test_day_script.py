"""A day script runs to its end, however long the answers take."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from host.app.day_script import Script, ScriptEvent
from host.app.headband import Headband
from host.app.script_world import ScriptedWorld
from hw.device import DeviceMissing
from hw.emulated.board import EmulatedBoard, emulated_board
from tests.demo_files import COLOUR

QUESTIONS = (ScriptEvent(1.0, say=(Path("first.wav"),)), ScriptEvent(5.0, say=(Path("second.wav"),)))
PICTURE = Path(__file__).parents[3] / "host" / "demo" / COLOUR[1]


class Day:
    """A scripted world, and a headband of which only the state of the interaction is simulated."""

    def __init__(self, events: tuple[ScriptEvent, ...] = QUESTIONS) -> None:
        self.said: list[Path] = []
        self.over = False
        self.state = SimpleNamespace(interaction="standby")
        self.microphone = SimpleNamespace(say=self._say, asleep=False, position_s=0.0)
        pmu = SimpleNamespace(catch_up=lambda: None)
        board = cast(EmulatedBoard, SimpleNamespace(microphone=self.microphone, camera=None, pmu=pmu))
        self.world = ScriptedWorld(Script(8.0, events), board, lambda note: None)
        self.world.headband = cast(Headband, self)

    def _say(self, path: Path) -> SimpleNamespace:
        self.said.append(path)
        return SimpleNamespace(pcm=np.zeros(1600, np.int16))

    def stop(self, reason: str) -> None:
        """What the world asks of the headband when the day is over."""
        self.over = True

    def pass_time(self, first_s: int, last_s: int, interaction: str = "standby") -> None:
        """Every second from the first to the last, in one state of the headband."""
        self.state.interaction = interaction
        for now_s in range(first_s, last_s + 1):
            self.microphone.position_s = float(now_s)
            self.world.step(float(now_s))

    def speak(self) -> None:
        """An answer begins to sound."""
        self.world.observe("speaking", {"sentence": "Yes."})


def test_a_day_without_waiting_ends_when_the_script_says() -> None:
    day = Day()
    day.pass_time(0, 7)
    assert len(day.said) == 2 and not day.over
    day.pass_time(8, 8)
    assert day.over


def test_a_question_that_had_to_wait_is_still_given_its_time() -> None:
    day = Day()
    day.pass_time(0, 1)
    day.pass_time(2, 20, "speaking")
    assert len(day.said) == 1 and not day.over
    day.pass_time(21, 23)  # asked 16 s late: over 16 s later than it was to be
    assert len(day.said) == 2 and not day.over
    day.pass_time(24, 24)
    assert day.over


def test_what_happens_during_an_answer_counts_from_its_first_sound() -> None:
    over = ScriptEvent(into_answer_s=2.0, say=(Path("stop.wav"),))
    day = Day((QUESTIONS[0], over, QUESTIONS[1]))
    day.pass_time(0, 1)
    day.pass_time(2, 3, "thinking")
    day.speak()
    day.pass_time(4, 4, "speaking")
    assert day.said == [Path("first.wav")]
    day.pass_time(5, 5, "speaking")
    assert day.said == [Path("first.wav"), Path("stop.wav")]
    day.pass_time(6, 8)
    assert len(day.said) == 3 and not day.world.skipped_events


def test_what_was_to_happen_during_an_answer_that_never_came_is_told() -> None:
    over = ScriptEvent(into_answer_s=2.0, note="never", number=2)
    day = Day((QUESTIONS[0], over))
    day.pass_time(0, 8)
    assert day.over and day.world.skipped_events == [over]


def test_what_is_in_view_from_the_beginning_is_seen_before_anything_is_heard() -> None:
    asyncio.run(_looked_at())


async def _looked_at() -> None:
    board = emulated_board()
    try:
        world = ScriptedWorld(
            Script(5.0, (ScriptEvent(0.0, image=PICTURE), *QUESTIONS)), board, lambda note: None
        )
        with pytest.raises(DeviceMissing, match="no picture was given"):
            await board.camera.capture()
        world.set_up()
        assert (await board.camera.capture()).size > 0
    finally:
        await board.close()
