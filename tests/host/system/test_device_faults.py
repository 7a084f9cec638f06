"""A fault of a device is reported once, and so is its end; nothing else of the headband fails."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.observe.journal import Journal
from host.system.device_faults import PAUSES_S, DeviceHealth, FaultTolerantSpeaker, JournalledCamera
from host.turn.announcing import DEAF
from hw.absent import AbsentSpeaker
from hw.device import DeviceError
from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock
from hw.emulated.speaker import WavSpeaker
from hw.linux.alsa import AlsaSpeaker
from hw.linux.system_clock import SystemClock
from models.process.rss import children
from power.policy.plan import Mode
from tests.host.simulated import simulate
from tests.host.workbench import bench
from tests.hw import contracts
from tests.hw.absent_devices import AbsentCamera
from tests.hw.contracts import pieces
from tests.hw.linux.sound_programs import ends, program, programs

__all__ = ["programs"]


class Watched:
    """A `DeviceHealth` on a clock that a test moves, and what it reported."""

    def __init__(self, settled_s: float = 0.0) -> None:
        self.clock = FakeClock()
        self.journal = Journal(None, self.clock)
        self.told: list[dict[str, Any]] = []
        self.health = DeviceHealth(
            "ear", self.clock, self.journal, lambda event, fields: self.told.append(fields), settled_s
        )

    @property
    def problems(self) -> list[str | None]:
        journalled = [line["problem"] for line in self.journal.recent if line["event"] == "device"]
        assert journalled == [fields["problem"] for fields in self.told]
        return journalled


def test_it_is_said_once_that_a_device_fails_and_once_that_it_works() -> None:
    watched = Watched()
    watched.health.works()
    assert [watched.health.failed("It is gone.") for _ in range(5)] == [True, False, False, False, False]
    watched.health.works()
    watched.health.works()
    assert watched.problems == ["It is gone.", None]
    assert watched.health.failed("Gone again.")


def test_tries_grow_rarer_and_begin_anew_after_it_worked() -> None:
    watched = Watched()
    pauses = []
    for _ in range(6):
        watched.health.failed("It is gone.")
        pauses.append(watched.health.pause_s)
    assert pauses == [*PAUSES_S, PAUSES_S[-1], PAUSES_S[-1]]
    watched.health.works()
    watched.health.failed("It is gone.")
    assert watched.health.pause_s == PAUSES_S[0]


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 4.9))))
def test_a_loose_contact_is_one_fault(events: list[tuple[bool, float]]) -> None:
    watched = Watched(settled_s=5.0)
    watched.health.failed("It is loose.")
    for works, passed_s in events:
        watched.clock.jump(passed_s)
        if works:
            watched.health.works()
            watched.health.failed("It is loose.")  # never for five seconds
    assert watched.problems == ["It is loose."]


def test_a_speaker_that_fails_costs_only_what_it_should_have_said() -> None:
    async def scene() -> None:
        watched = Watched()
        speaker = FaultTolerantSpeaker(AbsentSpeaker("There is no speaker."), watched.health)
        for _ in range(3):
            assert await speaker.play(pieces(np.zeros(100, np.int16))) is None
        assert watched.problems == ["There is no speaker."]
        assert speaker.loopback is None
        await contracts.check_speaker(
            FaultTolerantSpeaker(WavSpeaker(watched.clock, real_time=False), watched.health)
        )

    asyncio.run(scene())


def test_a_sound_that_hung_and_is_followed_by_one_that_plays_is_a_fault_and_its_end(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hw.audio.player_program.END_LIMIT_S", 0.1)
    program(programs, "aplay", "time.sleep(60)")
    sound = np.zeros(2205, np.int16)

    async def scene() -> None:
        watched = Watched()
        speaker = FaultTolerantSpeaker(AlsaSpeaker(SystemClock(), "hw:1"), watched.health)
        before = set(children(os.getpid()))
        assert await speaker.play(pieces(sound)) is not None  # nothing tells yet that nobody hears it
        assert await ends(before)
        monkeypatch.setattr("hw.audio.player_program.END_LIMIT_S", 20.0)
        program(programs, "aplay", "sys.stdin.buffer.read()")
        for _ in range(2):
            assert await speaker.play(pieces(sound)) is not None
        assert watched.problems == ["The speaker stopped working: ALSA device hw:1 takes no sound.", None]
        await speaker.close()

    asyncio.run(scene())


def test_a_camera_is_noted_and_still_raises() -> None:
    async def scene() -> None:
        watched = Watched()
        with pytest.raises(DeviceError, match="no camera"):
            await JournalledCamera(AbsentCamera("There is no camera."), watched.health).capture()
        eye = JournalledCamera(FileCamera(np.zeros((4, 4, 3), np.uint8)), watched.health)
        await contracts.check_camera(eye)
        assert watched.problems == ["There is no camera.", None]

    asyncio.run(scene())


def test_a_headband_that_is_deaf_says_so_once_and_is_not_taken_to_hang() -> None:
    async def scene() -> None:
        async with bench(Mode.THROTTLED) as b:
            b.board.microphone.unplug()
            turns: list[float] = []
            b.headband.guard.made_progress = lambda: turns.append(b.board.clock.monotonic())  # type: ignore[method-assign]
            running = asyncio.create_task(b.headband.run())
            await b.board.clock.sleep(5.0)
            b.headband.stop("the test is over")
            await asyncio.wait_for(running, 10)
            said = [fields["sentence"] for event, fields in b.told if event == "speaking"]
            assert said == [DEAF]
            assert max(turns) - min(turns) > 2  # it got on while it was silent
            faults = [fields for event, fields in b.told if event == "device"]
            assert [fault["device"] for fault in faults if fault["device"] != "camera"] == ["microphone"]

    simulate(scene())


def test_a_turn_whose_speaker_is_gone_ends_as_any_other() -> None:
    async def scene() -> None:
        async with bench(Mode.THROTTLED) as b:
            gone = FaultTolerantSpeaker(AbsentSpeaker("It is gone."), Watched().health)
            object.__setattr__(b.headband.tools, "speaker", gone)
            turn = await b.ask()
            assert turn.failure is None and turn.transcript == "what colour is the cross"
            assert b.headband.state.interaction in ("follow_up", "standby")

    simulate(scene())
