"""Recording on and off in the commands `recording`, `status`, `ask` and `run`, and in the saved settings."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.pmu import registers as r
from host.answers.timers import Now, Timers
from host.app import on_devices as live
from host.app.on_script import with_demo_journal
from host.cli.main import main
from host.config import AnswerConfig, Config, GuardConfig, JournalConfig
from host.terminal.usage import UsageError
from host.turn.early.transcript import EarlyTranscript
from host.wearer.recording_request import RecordingRequests, headband_runs, request_recording
from host.wearer.saved_settings import (
    VoiceSettings,
    as_json,
    read_saved_settings,
    save_recording,
    saved_recording,
)
from hw.device import DeviceError
from hw.emulated.board import emulated_board
from models.brick import Transcript
from models.pack.catalogue import load_pack
from tests.demo_files import DEVICE
from tests.host.simulated import simulate
from tests.host.wearer.test_recording_switch import SETTINGS, until, worn
from tests.host.workbench import DEMO, QUIET

Capture = pytest.CaptureFixture[str]
QUESTION = ["--audio", str(DEMO / DEVICE[0])]
WITH_LEAST_MODELS = ["--mode", "cascade"]
"""The question about the device then loads two models instead of four."""


@pytest.fixture
def settings(tmp_path: Path) -> list[str]:
    """The options by which all files are kept in the folder `state`."""
    path = tmp_path / "headband.toml"
    path.write_text(f'[journal]\npath = "{tmp_path}/state/journal.jsonl"\n')
    return ["--config", str(path)]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "state" / "kept.json"


def told(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    out, err = capsys.readouterr()
    return out if code == 0 else err


def refusal(capsys: Capture, *arguments: str, code: int) -> str:
    """The last sentence that a command prints."""
    said = told(capsys, *arguments, code=code)
    assert said.count("\n") == 1 and "Traceback" not in said
    return said


def test_stop_recording_said_to_ask_is_forgotten_unless_it_is_to_be_kept(
    settings: list[str], kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    asking = ["ask", *QUESTION, *settings, *WITH_LEAST_MODELS, "--out", str(tmp_path / "answer.wav")]

    async def read(self: EarlyTranscript, heard: object) -> Transcript:
        return Transcript("stop recording", 0.99)

    with monkeypatch.context() as patch:
        patch.setattr(EarlyTranscript, "transcript", read)
        assert "I do not listen or look" in told(capsys, *asking)
        assert not kept.parent.exists(), "neither settings nor journal nor energy"
        told(capsys, *asking, "--keep")
    assert saved_recording(kept) == "off"
    assert (kept.parent / "journal.jsonl").exists() and (kept.parent / "energy.json").exists()
    said = refusal(capsys, *asking, "--keep", code=1)
    assert "recording is off" in said and "headband recording on" in said
    assert "80 percent" in told(capsys, *asking), "which nobody switched off"
    assert saved_recording(kept) == "off"
    assert "on\n" in told(capsys, "recording", "on", *settings)
    assert "80 percent" in told(capsys, *asking, "--keep")


def test_status_and_recording_tell_what_is_so_and_the_way_back(
    settings: list[str], kept: Path, capsys: Capture
) -> None:
    def state() -> dict[str, object]:
        status = json.loads(told(capsys, "status", "--json", *settings))
        recording = json.loads(told(capsys, "recording", "--json", *settings))["recording"]
        assert status["recording"] == recording
        assert status["states"]["recording"] == ("on" if recording["on"] else "off")
        assert ("recording  on" if recording["on"] else "off: ") in told(capsys, "status", *settings)
        return recording  # type: ignore[no-any-return]

    assert state() == {"on": True, "why": "", "back": ""}
    told(capsys, "recording", "off", *settings)
    off = state()
    assert off["on"] is False and str(kept) in str(off["why"]) and "headband recording on" in str(off["back"])
    kept.write_text("damaged")
    assert "damaged" in str(state()["why"])
    told(capsys, "recording", "on", *settings)
    assert state()["on"] is True
    aside = kept.with_name("kept.bad.json")
    assert aside.read_text() == "damaged" and aside.stat().st_mode & 0o077 == 0


def test_switching_changes_nothing_else_that_is_kept(kept: Path) -> None:
    now, config = Now(1.0, 2.0), AnswerConfig()
    kept.parent.mkdir()
    kept.write_text(as_json(Timers(next_number=7), VoiceSettings(35, 1.2), config, now, "boot"))
    before = read_saved_settings(kept, config, now, "boot")
    save_recording(kept, False)
    assert read_saved_settings(kept, config, now, "boot") == replace(before, recording=False)
    save_recording(kept, True)
    assert read_saved_settings(kept, config, now, "boot") == before


def test_where_only_a_hand_may_switch_it_the_command_does_nothing(
    settings: list[str], kept: Path, tmp_path: Path, capsys: Capture
) -> None:
    for board in ("rk3566", "rk3588"):
        for state in ("on", "off"):
            said = refusal(capsys, "recording", state, "--board", board, *settings, code=2)
            assert "only the wearer's hand" in said
    assert not kept.exists()
    (tmp_path / "memory.toml").write_text('[journal]\npath = ""\n')
    said = refusal(capsys, "recording", "off", "--config", str(tmp_path / "memory.toml"), code=2)
    assert "Nothing is kept" in said
    kept.mkdir(parents=True)
    assert "cannot be switched" in refusal(capsys, "recording", "on", *settings, code=1)


def test_a_day_that_begins_without_recording_says_so_first(
    settings: list[str], kept: Path, tmp_path: Path, capsys: Capture
) -> None:
    save_recording(kept, False)
    (tmp_path / "day.toml").write_text(f'end_s = 2.0\n[[event]]\nat_s = 0.1\nsay = "{QUESTION[1]}"\n')
    day = ["run", "--script", str(tmp_path / "day.toml"), *settings, *WITH_LEAST_MODELS]
    assert json.loads(told(capsys, *day, "--json"))["recording"]["on"] is False
    first, *_ = told(capsys, *day).splitlines()
    assert first.startswith("Nothing is heard or seen: recording is off") and "headband recording on" in first


def test_a_laptop_is_not_asked_while_recording_is_off(
    settings: list[str], kept: Path, capsys: Capture
) -> None:
    save_recording(kept, False)
    said = refusal(capsys, "ask", "--board", "laptop", *settings, code=1)
    assert "headband recording on" in said


def test_a_headband_that_starts_while_the_command_writes_is_asked_as_well(
    settings: list[str], kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read before what was kept, and would write that again."""
    requests = RecordingRequests(kept.with_name("kept.lock"))
    obeyed: list[bool] = []

    def obey() -> None:
        until_s = time.monotonic() + 5
        while not obeyed and time.monotonic() < until_s:
            if (asked := requests.read()) is not None:
                obeyed.append(asked)
                requests.done(asked)
            time.sleep(0.01)

    def written(path: Path, on: bool) -> None:
        requests.open()
        save_recording(path, on)
        headband.submit(obey)

    monkeypatch.setattr("host.cli.recording.save_recording", written)
    with ThreadPoolExecutor(1) as headband:
        assert main(["recording", "off", *settings]) == 0
    requests.close()
    assert obeyed == [False]


def test_a_headband_that_runs_obeys_the_command_at_once(settings: list[str], kept: Path) -> None:
    config = replace(SETTINGS, journal=JournalConfig(path=str(kept.with_name("journal.jsonl"))))
    lock = kept.with_name("kept.lock")

    async def commanded(state: str) -> int:
        with ThreadPoolExecutor(1) as elsewhere:  # not one of the loop's, for which its clock would wait
            return await asyncio.wrap_future(elsewhere.submit(main, ["recording", state, *settings]))

    async def scene() -> None:
        async with worn(config) as (b, _):
            await until(b.board, lambda: b.board.microphone.chunks_delivered > 3)
            for state in ("off", "on"):
                assert await commanded(state) == 0
                assert b.headband.state.recording is (state == "on")
                assert saved_recording(kept) == state
            assert headband_runs(lock)
            b.board.recording_off.set(True)
            await until(b.board, lambda: not b.headband.state.recording)
            await commanded("on")
            assert not b.headband.state.recording, "the switch stands at off"

    simulate(scene())
    assert not headband_runs(lock)


def test_one_that_does_not_answer_is_told_of_and_nothing_is_left_to_do(tmp_path: Path) -> None:
    path = tmp_path / "state" / "kept.lock"
    sleeping = RecordingRequests(path)
    sleeping.open()
    assert headband_runs(path) and not request_recording(path, True, 0.1)
    assert sleeping.read() is None
    path.write_text("on")
    another = RecordingRequests(path)
    another.open()
    assert another.read() is True, "the first may still be about to do it"
    sleeping.close()
    another.close()
    another.open()
    assert another.read() is None
    another.close()
    RecordingRequests(None).open()


def test_the_demo_begins_anew_each_time_and_never_in_the_wearers_folder(tmp_path: Path) -> None:
    mine = Config(journal=JournalConfig(path=str(tmp_path / "mine" / "journal.jsonl")))
    out = tmp_path / "demo"
    for folder in (out, tmp_path / "mine"):
        folder.mkdir()
        for name in ("journal.jsonl", "kept.json", "energy.json"):
            (folder / name).write_text("of before")
    (out / "timeline.svg").write_text("of before")
    assert with_demo_journal(mine, out).journal.path == str(out / "journal.jsonl")
    assert {path.name for path in out.iterdir()} == {"timeline.svg", ".demo"}
    with pytest.raises(UsageError):
        with_demo_journal(mine, tmp_path / "mine")
    assert len(list((tmp_path / "mine").iterdir())) == 3


def test_a_question_that_finds_no_microphone_is_no_crash(capsys: Capture) -> None:
    """After a crash of the program, the guard would restart the computer."""
    board = emulated_board(sound_card=False)
    board.microphone.unplug()
    config = replace(QUIET, guard=GuardConfig(deadline_s=30))
    options = argparse.Namespace(mode="cascade", json=True, trace=None)
    with pytest.raises(DeviceError, match="unplugged"):
        asyncio.run(live._ask(board, load_pack("micro"), config, options))
    assert board.gauge.word(r.HEARTBEAT_DEADLINE) == 0


def test_a_pack_is_no_part_of_recording(capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["recording", "--pack=nope"])
    assert capsys.readouterr().err == "Unrecognized arguments: --pack=nope; see headband recording --help.\n"


@pytest.mark.parametrize("name", ["journal.jsonl", "kept.json", "energy.json"])
def test_a_demo_deletes_nothing_that_no_demo_wrote(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a wearer's", encoding="utf-8")
    with pytest.raises(UsageError, match="is of no demo; name another folder"):
        with_demo_journal(Config(), tmp_path)
    assert (tmp_path / name).read_text(encoding="utf-8") == "a wearer's"


def test_a_demo_begins_anew_where_one_was_broken_off(tmp_path: Path) -> None:
    with_demo_journal(Config(), tmp_path)
    (tmp_path / "kept.json").write_text("a demo's", encoding="utf-8")
    with_demo_journal(Config(), tmp_path)
    assert not (tmp_path / "kept.json").exists()
