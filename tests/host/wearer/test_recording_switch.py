"""Recording off: nothing is heard or seen, whatever is said, until a hand says so."""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from host.answers.device import DeviceState, answer_device, not_recording
from host.answers.timers import Now, Timers
from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from host.language.router import Decision
from host.session.events import Pressed
from host.turn.announcing import (
    RECORDING_AGAIN,
    RECORDING_UNSAVED,
    SETTINGS_UNSAVED,
    SWITCH_UNREAD,
    SWITCHED_OFF,
)
from host.turn.early.transcript import EarlyTranscript
from host.wearer import settings_store
from host.wearer.saved_settings import VoiceSettings, as_json, read_saved_settings, saved_recording
from hw.absent import AbsentLine
from hw.audio.sound_and_picture_files import read_wav
from hw.device import RECORDING_IS_OFF, DeviceError, LightPattern, Line
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.signals import EmulatedLine
from models.brick import Transcript
from models.pack.catalogue import load_pack
from tests.demo_files import COLOUR, DEVICE
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import button_ready, loop_clock, micro_headband, simulate
from tests.host.workbench import DEMO, QUIET, Bench, change_settings, picture, set_timer

QUESTION = read_wav(DEMO / DEVICE[0])
PACK = without_speech_models()
SETTINGS = replace(QUIET, listen=ListenConfig(follow_up_s=3.0, sleep_after_s=0.0))


@asynccontextmanager
async def worn(config: Config = SETTINGS, sleeps: bool = False) -> AsyncIterator[tuple[Bench, list[str]]]:
    """A headband that listens; second what it said."""
    board = emulated_board(clock=loop_clock(), battery_percent=80.0, sound_card=False, sleeps=sleeps)
    board.camera.show(picture(COLOUR[1]))
    told: list[tuple[str, dict[str, object]]] = []
    said: list[str] = []

    def observe(event: str, fields: dict[str, object]) -> None:
        told.append((event, fields))
        if event == "speaking":
            said.append(str(fields["sentence"]))

    async with micro_headband(board, config, PACK, observe=observe) as headband:
        await headband.bricks.settled()
        await button_ready(board)
        running = asyncio.create_task(headband.run())
        try:
            yield Bench(headband, board, told), said
        finally:
            headband.stop("the test is over")
            board.wake.set(True)
            await asyncio.wait_for(running, 20)
    await board.close()


async def until(board: EmulatedBoard, so: object, limit_s: float = 30.0) -> None:
    """Lets the emulated PMU live until something is so."""
    assert callable(so)
    for _ in range(round(limit_s / 0.02)):
        if so():
            return
        await board.clock.sleep(0.02)
        board.pmu.catch_up()
    raise AssertionError("that did not come about in time")


async def asked(b: Bench, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Asks a question that the recogniser reads as those words."""

    async def read(self: EarlyTranscript, heard: object) -> Transcript:
        return Transcript(words, 0.99)

    with monkeypatch.context() as patch:
        patch.setattr(EarlyTranscript, "transcript", read)
        turns = sum(event == "turn" for event, _ in b.told)
        b.board.microphone.say(QUESTION)
        await until(b.board, lambda: sum(event == "turn" for event, _ in b.told) > turns)


async def nothing_is_recorded(board: EmulatedBoard, seconds: float = 1.2) -> None:
    chunks, captures = board.microphone.chunks_delivered, board.camera.captures
    board.microphone.say(QUESTION)
    for _ in range(round(seconds / 0.05)):
        await board.clock.sleep(0.05)
        board.pmu.catch_up()
        assert board.microphone.listener is None, "the microcontroller listens"
    assert (board.microphone.chunks_delivered, board.camera.captures) == (chunks, captures)
    if board.suspendable_microphone is None:  # else asking is what lets it sleep
        with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
            await anext(board.microphone)
    with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
        await board.camera.capture()


def test_said_off_it_stays_off_through_a_restart_until_the_button_is_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "journal.jsonl"
    config = replace(SETTINGS, journal=JournalConfig(path=str(journal)))

    async def scene() -> None:
        async with worn(config) as (b, said):
            await asked(b, monkeypatch, "stop recording")
            assert said == ["I do not listen or look until you press the button."]
            await until(b.board, lambda: b.headband.state.interaction == "standby", 2.0)
            assert b.board.light.pattern is LightPattern.RECORDING_OFF
            assert not list(b.headband.recent_views._views)
            await until(b.board, lambda: set(b.headband.bricks.pids()) <= {"fork_server"})
            await nothing_is_recorded(b.board)
            assert len(said) == 1 and b.refused() == []
        assert json.loads((tmp_path / "kept.json").read_text())["recording"] is False
        async with worn(config) as (b, said):
            await until(b.board, lambda: b.headband.state.interaction == "standby" and bool(said))
            assert said == ["I do not listen or look until you press the button."]
            assert b.board.microphone.chunks_delivered == b.board.camera.captures == 0
            b.board.pmu.press(0.1)
            await until(b.board, lambda: RECORDING_AGAIN in said)
            await until(b.board, lambda: b.headband.state.interaction == "standby")
            assert b.board.light.pattern is LightPattern.STANDBY
            await asked(b, monkeypatch, "what mode are you in")
            assert said[-1].startswith("I am in performance mode")
            assert b.refused() == []

    simulate(scene())
    steps = [json.loads(line) for line in journal.read_text().splitlines()]
    steps = [line for line in steps if line.get("region") == "recording"]
    assert [(step["to"], step["cause"]) for step in steps] == [
        ("off", "the wearer said so"),
        ("off", "it was so before the restart"),
        ("on", "the button was pressed"),
    ]


def test_where_it_cannot_be_saved_it_is_off_all_the_same_and_that_a_restart_ends_it_is_said_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(SETTINGS, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))
    off = "I do not listen or look until you press the button."

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def scene() -> None:
        async with worn(config) as (b, said):
            monkeypatch.setattr(settings_store, "write_whole", full)
            change_settings(b.headband, volume_percent=35)
            await until(b.board, lambda: said == [SETTINGS_UNSAVED])
            for _ in range(2):
                said.clear()
                await until(b.board, lambda: b.headband.state.interaction == "standby")
                await asked(b, monkeypatch, "stop recording")
                await until(b.board, lambda: len(said) == 2)
                assert said == [off, RECORDING_UNSAVED]
                await until(b.board, lambda: b.headband.state.interaction == "standby")
                change_settings(b.headband, volume_percent=36 + len(said))
                await nothing_is_recorded(b.board)
                assert said == [off, RECORDING_UNSAVED]
                b.board.pmu.press(0.1)
                await until(b.board, lambda: said[2:] == [RECORDING_AGAIN])
            assert b.refused() == []

    simulate(scene())


def test_a_disk_that_is_full_again_is_told_of_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(SETTINGS, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def scene() -> None:
        async with worn(config) as (b, said):
            for volume_percent in (35, 36):
                with monkeypatch.context() as patch:
                    patch.setattr(settings_store, "write_whole", full)
                    change_settings(b.headband, volume_percent=volume_percent)
                    await until(b.board, lambda: said == [SETTINGS_UNSAVED])
                said.clear()
                store = b.headband.settings_store
                await until(b.board, lambda: store.problem is None, 2 * settings_store.RETRY_S)  # noqa: B023

    simulate(scene())


def test_the_switch_counts_in_the_middle_of_a_question_and_over_the_button() -> None:
    async def scene() -> None:
        async with worn() as (b, said):
            b.board.pmu.press(0.1)
            await until(b.board, lambda: b.headband.state.interaction == "listening")
            b.board.recording_off.set(True)
            await until(b.board, lambda: said == [SWITCHED_OFF])
            await until(b.board, lambda: b.headband.state.interaction == "standby")
            assert b.board.light.pattern is LightPattern.RECORDING_OFF
            await nothing_is_recorded(b.board, 0.3)
            b.board.pmu.press(0.1)
            await until(b.board, lambda: said == [SWITCHED_OFF] * 2)
            await nothing_is_recorded(b.board, 0.3)
            b.board.recording_off.set(False)
            await until(b.board, lambda: said[-1] == RECORDING_AGAIN)
            chunks = b.board.microphone.chunks_delivered
            await until(b.board, lambda: b.board.microphone.chunks_delivered > chunks + 3)
            assert b.refused() == []

    simulate(scene())


@pytest.mark.parametrize("after_s", [0.0, 2.0])
def test_asleep_the_microcontroller_does_not_listen_either_and_timers_ring(after_s: float) -> None:
    """The switch is moved on the way to sleep, and when the computer sleeps."""
    config = replace(SETTINGS, listen=ListenConfig(follow_up_s=0.0, sleep_after_s=0.4))

    async def scene() -> None:
        async with worn(config, sleeps=True) as (b, said):
            board, headband = b.board, b.headband
            board.set_battery(30)  # a plan that suspends between events
            headband.expect_power_change()
            await until(board, lambda: ("asleep", {}) in b.told)
            await board.clock.sleep(after_s)
            b.told.clear()
            chunks = board.microphone.chunks_delivered
            board.recording_off.set(True)
            await until(board, lambda: said == [SWITCHED_OFF])
            assert board.microphone.chunks_delivered == chunks, "not even the chunk that ends the sleep"
            await until(board, lambda: ("asleep", {}) in b.told)
            assert not headband.state.recording
            await nothing_is_recorded(board)
            set_timer(headband, 1)
            board.pmu.press(0.1, times=2)  # what it said last is said again: it is awake
            await until(board, lambda: any("timer" in sentence for sentence in said))
            assert board.microphone.chunks_delivered == chunks
            await until(board, lambda: b.headband.state.interaction == "standby")
            assert board.light.pattern is LightPattern.RECORDING_OFF
            assert b.refused() == []

    simulate(scene())


@pytest.mark.parametrize(
    ("hands", "native", "recording_resumes_when", "on"),
    [
        (True, False, "you press the button", False),
        (False, True, "you start me again", True),
        (False, False, "you type headband recording on", False),
    ],
)
def test_where_no_hand_can_switch_it_on_a_start_or_a_command_does(
    tmp_path: Path, hands: bool, native: bool, recording_resumes_when: str, on: bool
) -> None:
    config = replace(SETTINGS, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))

    async def scene() -> bool:
        board = emulated_board(clock=loop_clock(), sound_card=False)
        object.__setattr__(board, "native", native)
        if not hands:
            object.__setattr__(board, "recording_off", None)
            object.__setattr__(board, "gauge", NoEvents(board))
        async with micro_headband(board, config) as headband:
            on = headband.state.recording
            assert headband.announcing._sentences["recording off"].endswith(f" {recording_resumes_when}.")
            change_settings(headband, recording=False)
        await board.close()
        return on

    assert [simulate(scene()) for _ in range(2)] == [True, on]


class NoEvents:
    """A gauge without a microcontroller."""

    def __init__(self, board: EmulatedBoard) -> None:
        self.read = board.gauge.read


def test_the_switch_moved_off_and_on_ends_what_was_said_too() -> None:
    async def scene() -> None:
        board = emulated_board(clock=loop_clock(), sound_card=False)
        async with micro_headband(board, QUIET) as headband:
            change_settings(headband, recording=False)
            seen = [headband.state.recording]
            for off in (True, False):
                board.recording_off.set(off)
                await headband.recording.poll_and_apply()
                seen.append(headband.state.recording)
            assert seen == [False, False, True]
        await board.close()

    simulate(scene())


class LostLine(EmulatedLine):
    """A switch whose device is gone."""

    lost = True


LOST = LostLine()
LOST.set(True)


@pytest.mark.parametrize("switch", [AbsentLine("It is in use.", active=True), LOST])
def test_a_switch_that_cannot_be_read_keeps_it_off_and_is_told(switch: Line) -> None:
    told: list[tuple[str, dict[str, object]]] = []

    async def scene() -> None:
        board = emulated_board(clock=loop_clock(), sound_card=False)
        object.__setattr__(board, "recording_off", switch)
        async with micro_headband(
            board, QUIET, observe=lambda event, fields: told.append((event, fields))
        ) as headband:
            assert not headband.state.recording
            with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
                await board.camera.capture()
            await headband.queue.until(lambda state: state.at_rest)
            headband.queue.post(Pressed("listen"))
            await headband.queue.until(lambda state: state.at_rest)
            said = [fields["sentence"] for event, fields in told if event == "speaking"]
            assert not headband.state.recording and said == [SWITCH_UNREAD] * 2
        await board.close()

    simulate(scene())


@pytest.mark.parametrize(
    ("text", "on"),
    [("", False), ("[1]", False), ('{"version": 7}', True), ('{"version": 7, "recording": false}', False)],
)
def test_notes_that_cannot_be_read_may_have_said_off(tmp_path: Path, text: str, on: bool) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text)
    assert read_saved_settings(path, AnswerConfig(), Now(1.0, 2.0), "boot").recording is on
    note = "on" if on else "off" if '"recording": false' in text else "damaged"
    assert saved_recording(path) == note
    assert saved_recording(tmp_path / "none") == saved_recording(None) == "on"


def test_it_cannot_be_switched_on_by_voice() -> None:
    board = emulated_board(sound_card=False)
    headband = Headband(board, load_pack("micro"), QUIET)
    again = "you press the button"
    off = DeviceState(50, recording=False, recording_resumes_when=again)
    reply = answer_device(
        Decision("device", "recording_on"), off, headband.power_manager.reading, headband.plan, 0.0
    )
    assert not reply.state.recording
    assert not_recording(off) == "I do not listen or look until you press the button."
    headband.battery.close()
    asyncio.run(board.close())


@pytest.mark.parametrize(
    ("kept", "on", "damaged"), [(False, False, False), (None, False, True), (1, False, True)]
)
def test_a_note_that_is_damaged_counts_as_off(tmp_path: Path, kept: object, on: bool, damaged: bool) -> None:
    now, config = Now(1.0, 2.0), AnswerConfig()
    table = json.loads(as_json(Timers(), VoiceSettings(80, 1.0), config, now, "boot"))
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({**table, "recording": kept}))
    read = read_saved_settings(path, config, now, "boot")
    assert (read.recording, read.problem is not None) == (on, damaged)
    del table["recording"]
    path.write_text(json.dumps(table))
    assert read_saved_settings(path, config, now, "boot").recording, "a file from before there was the switch"
