"""A whole headband that sleeps: what its camera does when a sound wakes it, before the wake word is known."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import numpy as np
import pytest

from host.app.headband import Headband
from host.config import ListenConfig
from host.sensing.recent_views import READY_S
from host.session.power import MOST_IN_VAIN
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.sensor import SensorTimes
from power.placement import ahead
from power.policy.config import PowerConfig
from tests.demo_files import COLOUR
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import DEMO, QUIET

TIMES = SensorTimes(start_s=0.18, frame_s=1 / 30, settling_frames=4)
SETTLED_S = 0.18 + 5 / 30
WAKE_WORD_S = 1.2
"""What of a recording may belong to the wake word; what follows is speech without it."""

Sleeps = Callable[[], Awaitable[None]]
Scene = Callable[[EmulatedBoard, Headband, Sleeps, list[tuple[str, float]]], Awaitable[None]]


def asleep(scene: Scene, monkeypatch: pytest.MonkeyPatch, *, at_sound: bool = True) -> None:
    """A sleeping headband whose pictures count as late, with what happened and when."""
    monkeypatch.setattr(ahead, "WOKEN_S", 10.0)
    listen = ListenConfig(follow_up_s=0.0, sleep_after_s=1.0)
    config = replace(QUIET, listen=listen, power=PowerConfig(sensor_at_sound=at_sound))

    async def whole() -> None:
        hiss = (np.random.default_rng(5).standard_normal(MICROPHONE_RATE_HZ) * 30).astype(np.int16)
        board = emulated_board(
            clock=loop_clock(), sound_card=False, sleeps=True, background=hiss, sensor=TIMES,
            view=DEMO / COLOUR[1],
        )  # fmt: skip
        told: list[tuple[str, float]] = []
        sleeping = asyncio.Event()

        def observe(event: str, fields: dict[str, object]) -> None:
            told.append((event, board.clock.monotonic()))
            if event == "asleep":
                sleeping.set()

        async def sleeps() -> None:
            """Returns when it sleeps again, and its microcontroller has heard the room for a while."""
            sleeping.clear()
            await sleeping.wait()
            await board.clock.sleep(1.5)

        async with micro_headband(board, config, observe=observe) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(120):
                await sleeps()
                await scene(board, headband, sleeps, told)
            headband.stop()
            board.wake.set(True)
            await running
        await board.close()

    simulate(whole())


def test_a_sound_has_the_sensor_settle_and_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(
        board: EmulatedBoard, headband: Headband, sleeps: Sleeps, told: list[tuple[str, float]]
    ) -> None:
        for _ in range(MOST_IN_VAIN + 1):
            board.microphone.say(read_wav(DEMO / COLOUR[0])[round(WAKE_WORD_S * MICROPHONE_RATE_HZ) :])
            await sleeps()
        use = board.camera.use
        assert use.starts == MOST_IN_VAIN, "not for ever, where sounds bring no question"
        assert use.streamed_s <= MOST_IN_VAIN * (SETTLED_S + READY_S + 0.1)
        assert not board.camera.streaming and headband.recent_views.newest is None
        events = [event for event, _ in told]
        assert events.count("awake") == MOST_IN_VAIN + 1 and "frame" not in events

    asleep(scene, monkeypatch)


@pytest.mark.parametrize("at_sound", [False, True])
def test_a_question_that_wakes_it_finds_a_settled_sensor(
    monkeypatch: pytest.MonkeyPatch, at_sound: bool
) -> None:
    async def scene(
        board: EmulatedBoard, headband: Headband, sleeps: Sleeps, told: list[tuple[str, float]]
    ) -> None:
        said = read_wav(DEMO / COLOUR[0])
        for _ in range(2):  # the first recording is heard only when all of it has been read
            told.clear()
            board.microphone.say(np.concatenate([said[-14_000:-6_000], said]))  # other words wake it, 0.5 s
            await sleeps()
        first = dict(reversed(told))
        assert first["awake"] < first["woken"] < first["frame"]
        assert (first["frame"] - first["woken"] <= 2 * TIMES.frame_s) == at_sound
        assert any(event == "turn" for event, _ in told) and not board.camera.streaming

    asleep(scene, monkeypatch, at_sound=at_sound)
