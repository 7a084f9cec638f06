"""`headband run` and `ask` on a laptop whose arecord and aplay are stand-ins: a voice is heard, a sentence is
spoken, and a microphone that comes late is one fault.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from host.app.headband import Headband
from host.app.open_board import open_board
from host.app.probation import FOLDER
from host.boot.counting import Count
from host.boot.records import PROOF, read_proof, write_count
from host.config import load_config
from host.turn.steps import NO_CAMERA
from host.turn.turn import Turn
from hw.audio.sound_and_picture_files import read_image
from models.pack.catalogue import load_pack
from tests.demo_files import COLOUR, DEMO, words
from tests.hw.linux.fake_v4l2 import FakeCamera, FakeKernel
from tests.hw.linux.sound_programs import program

ROOT = Path(__file__).parents[3]
HEARD = """
import wave
from collections.abc import Iterator
from contextlib import contextmanager
begin = time.monotonic()
data = bytes(32000) + wave.open({wav!r}).readframes(10**7)[{skip}:] + bytes(32000 * 120)
for at in range(0, len(data), 1024):
    time.sleep(max(0, begin + at / 128000 - time.monotonic()))
    os.write(1, data[at : at + 1024])
"""
"""A recorder of one second of silence, the sound, and two minutes of silence, four times as fast as it was
said: the headband counts samples.
"""
COMES_LATE = """
if not os.path.exists({flag!r}):
    open({flag!r}, "w").close()
    sys.exit("arecord: main:831: audio open error: No such file or directory")
"""
PLAYED = """
count = 0
while data := sys.stdin.buffer.read(4096):
    count += len(data)
open({path!r}, "a").write(f"{{count}}\\n")
"""


@pytest.fixture
def laptop(tmp_path: Path) -> list[str]:
    """The options that choose it; no camera is ever opened."""
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "aplay", PLAYED.format(path=str(tmp_path / "played")))
    (tmp_path / "board.toml").write_text('[camera]\ndevice = "/none/video"\n')
    settings = tmp_path / "headband.toml"
    settings.write_text(
        f'[board]\nkind = "laptop"\nfile = "{tmp_path}/board.toml"\n'
        f'[journal]\npath = "{tmp_path}/journal.jsonl"\n'
    )
    return ["--config", str(settings), "--json"]


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A headband, which has ended or is killed after the scene, so that a failure does not wait for it."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with subprocess.Popen(
        [sys.executable, "-m", "host", *arguments], cwd=ROOT, env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as headband:  # fmt: skip
        try:
            yield headband
        finally:
            if headband.poll() is None:
                headband.kill()


def microphone_problems(folder: Path) -> list[str | None]:
    return device_problems(folder, "microphone")


def device_problems(folder: Path, device: str) -> list[str | None]:
    journal = folder / "journal.jsonl"
    lines = map(json.loads, journal.read_text().splitlines() if journal.exists() else ())
    return [line["problem"] for line in lines if line["event"] == "device" and line["device"] == device]


def test_it_is_worn_on_a_laptop_until_it_is_told_to_end(laptop: list[str], tmp_path: Path) -> None:
    question = HEARD.format(wav=str(DEMO / COLOUR[0]), skip=0)
    late = COMES_LATE.format(flag=str(tmp_path / "plugged"))
    program(tmp_path / "bin", "arecord", late + question)
    with started(tmp_path, "run", *laptop) as headband:
        assert headband.stdout is not None
        turn = json.loads(headband.stdout.readline())
        until_s = time.monotonic() + 60
        while len(microphone_problems(tmp_path)) < 2:  # it counts as well after some seconds
            assert time.monotonic() < until_s
            time.sleep(0.1)
        headband.send_signal(signal.SIGTERM)
        rest, errors = headband.communicate(timeout=60)
    assert (headband.returncode, rest) == (0, ""), errors
    assert turn["transcript"] == "what colour is the cross"
    assert turn["answer"] == NO_CAMERA and turn["failure"] is None
    assert errors.count("There is no camera: /none/video does not exist.") == 1
    heard = microphone_problems(tmp_path)
    assert heard[0] is not None and "No such file or directory" in heard[0] and heard[1:] == [None]
    assert sum(map(int, (tmp_path / "played").read_text().split())) > 2 * 22_050  # a sentence, and tones


def test_what_is_missing_from_the_start_is_told_once(laptop: list[str], tmp_path: Path) -> None:
    program(tmp_path / "bin", "arecord", "sys.exit('arecord: audio open error: Host is down')")
    with started(tmp_path, "run", *laptop[:2]) as headband:
        until_s = time.monotonic() + 60
        while len(device_problems(tmp_path, "camera") + microphone_problems(tmp_path)) < 2:
            assert time.monotonic() < until_s
            time.sleep(0.1)
        headband.send_signal(signal.SIGTERM)
        said, errors = headband.communicate(timeout=60)
    assert "There is no camera: /none/video does not exist." in errors.splitlines()
    told = [line.partition(" s  ")[2].split()[0] for line in said.splitlines() if " s  " in line]
    assert "camera" not in told and "stopped" in told
    assert "There is no microphone" in errors or "microphone" in told


def test_as_a_service_it_tells_systemd_how_it_is_and_nobody_what_is_said(
    laptop: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "arecord", HEARD.format(wav=str(DEMO / COLOUR[0]), skip=0))
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", "400000")
    said: list[str] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        with started(tmp_path, "run", "--service", *laptop) as headband:
            while said.count("WATCHDOG=1") < 4 or not (tmp_path / "played").exists():
                said.append(systemd.recv(4096).decode())
            headband.send_signal(signal.SIGTERM)
            while said[-1] != "STOPPING=1":  # at once: a full queue loses what comes next
                said.append(systemd.recv(4096).decode())
            out, errors = headband.communicate(timeout=60)
    assert (headband.returncode, out) == (0, ""), errors
    assert [each for each in said if each != "WATCHDOG=1"] == ["READY=1\nSTATUS=listening", "STOPPING=1"]
    assert "cross" not in errors


def journal_has(folder: Path, text: str) -> bool:
    """Whether the journal's lines hold the text; waits a little where they do not."""
    journal = folder / "journal.jsonl"
    found = journal.exists() and text in journal.read_text()
    if not found:
        time.sleep(0.005)
    return found


def handles_sigterm(pid: int) -> bool:
    """Whether the process has a handler for SIGTERM."""
    (caught,) = (
        line.split()[1]
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("SigCgt")
    )
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.parametrize("when", ["before its event loop runs", "as it starts its session"])
def test_a_service_that_is_told_to_end_while_it_starts_has_not_failed(
    laptop: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    program(tmp_path / "bin", "arecord", "time.sleep(60)")
    release, state = tmp_path / "headband" / "releases" / "new", tmp_path / "state"
    for folder in (release, state):
        folder.mkdir(parents=True)
    (release / "release.json").write_text('{"id": "new"}')
    opt = release.parents[1]
    (opt / "current").symlink_to("releases/new")
    write_count(opt, Count("new", strikes=1, start=1, boot="boot"))
    monkeypatch.setenv(FOLDER, str(opt / "current"))
    monkeypatch.setenv("STATE_DIRECTORY", str(state))
    until_s = time.monotonic() + 60
    with started(tmp_path, "run", "--service", *laptop) as headband:
        if when == "before its event loop runs":
            while not handles_sigterm(headband.pid):
                assert time.monotonic() < until_s
        else:
            while not journal_has(tmp_path, '"event": "start"'):
                assert time.monotonic() < until_s
        headband.send_signal(signal.SIGTERM)
        out, errors = headband.communicate(timeout=60)
    assert (headband.returncode, out) == (0, ""), errors
    proof = read_proof(state / PROOF)
    assert proof is not None and (proof.start, proof.stopped) == (1, True)


def test_a_second_signal_cuts_what_is_said(laptop: list[str], tmp_path: Path) -> None:
    program(tmp_path / "bin", "arecord", HEARD.format(wav=str(DEMO / COLOUR[0]), skip=0))
    with (tmp_path / "headband.toml").open("a") as settings:
        settings.write("[answer]\nlength_scale = 4.0\n")
    until_s = time.monotonic() + 60
    with started(tmp_path, "run", *laptop) as headband:
        while not journal_has(tmp_path, '"on": "answer"'):
            assert time.monotonic() < until_s
        for _ in range(2):
            headband.send_signal(signal.SIGINT)
            while not journal_has(tmp_path, '"to": "stopping"'):
                assert time.monotonic() < until_s
        out, errors = headband.communicate(timeout=60)
    assert (headband.returncode, out) == (0, ""), errors
    assert "Traceback" not in errors and not journal_has(tmp_path, '"event": "turn"')


def test_an_emulated_headband_is_a_service_too(
    laptop: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        wave.open(str(DEMO / COLOUR[0])) as question,
        wave.open(str(tmp_path / "room.wav"), "wb") as room,
    ):
        room.setparams(question.getparams())
        room.writeframes(bytes(16_000) + question.readframes(10**7) + bytes(32_000 * 30))
    (tmp_path / "scene.toml").write_text('background = "room.wav"')
    (tmp_path / "headband.toml").write_text(
        f'[board]\nkind = "emulated"\nfile = "{tmp_path}/scene.toml"\n'
        f'[journal]\npath = "{tmp_path}/journal.jsonl"\n'
    )
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    journal = tmp_path / "journal.jsonl"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        with started(tmp_path, "run", "--service", *laptop) as headband:
            said = systemd.recv(4096).decode()
            until_s = time.monotonic() + 60
            while not (turns := [line for line in journal.read_text().splitlines() if '"turn"' in line]):
                assert time.monotonic() < until_s
                time.sleep(0.2)
            headband.send_signal(signal.SIGTERM)
            out, errors = headband.communicate(timeout=60)
    assert (headband.returncode, out) == (0, ""), errors
    assert said == "READY=1\nSTATUS=listening"
    turn = json.loads(turns[0])
    assert (turn["route"], turn["failure"]) == ("now", None)


def test_a_question_is_asked_aloud(laptop: list[str], tmp_path: Path) -> None:
    after_the_wake_word = 32_000 * 11 // 10
    question = HEARD.format(wav=str(DEMO / COLOUR[0]), skip=after_the_wake_word)
    program(tmp_path / "bin", "arecord", question)
    with started(tmp_path, "ask", *laptop) as asking:
        said, errors = asking.communicate(timeout=90)
    assert asking.returncode == 0, errors
    report = json.loads(said)
    assert report["transcript"] == "what colour is the cross"
    assert "cannot see" in report["answer"]


def test_a_laptop_that_cannot_hear_says_just_that_and_asks_for_no_question(
    laptop: list[str], tmp_path: Path
) -> None:
    program(tmp_path / "bin", "arecord", "sys.exit('arecord: audio open error: Host is down')")
    with started(tmp_path, "ask", "--mode", "cascade", *laptop[:2]) as asking:
        said, errors = asking.communicate(timeout=90)
    assert (asking.returncode, said) == (1, "")
    assert errors == "The microphone stopped working: arecord: audio open error: Host is down.\n"


def test_what_the_camera_sees_is_answered(
    laptop: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole chain over a driver in memory: sound through arecord, a picture through V4L2."""
    view = read_image(DEMO / COLOUR[1])
    height, width = view.shape[:2]
    frames = {"RGB3": lambda *size: (view.tobytes(), width * 3)}
    eye = FakeCamera(frames, sizes=((width, height),))
    kernel = FakeKernel({"/dev/video0": eye})
    monkeypatch.setattr("hw.linux.v4l2_abi.Kernel", lambda: kernel)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    program(tmp_path / "bin", "arecord", HEARD.format(wav=str(DEMO / COLOUR[0]), skip=32_000 * 11 // 10))
    (tmp_path / "board.toml").write_text('[camera]\ndevice = "/dev/video0"')
    config = load_config(Path(laptop[1]))

    async def scene() -> Turn:
        board = open_board(config.board, sysfs_root=tmp_path, dev_root=tmp_path)
        async with Headband(board, load_pack("micro"), config) as headband:
            turn = await headband.ask()
        await board.close()
        return turn

    turn = asyncio.run(scene())
    assert (turn.transcript, turn.failure, turn.views) == ("what colour is the cross", None, 1)
    assert turn.answer == words(COLOUR[0])[1]
    assert (eye.opened, eye.streaming) == (0, False)
