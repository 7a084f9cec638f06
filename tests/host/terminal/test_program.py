"""A command as a process: however it ends, it prints one sentence or none, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from host.cli.main import main
from tests.demo_files import DEMO, DEVICE

ROOT = Path(__file__).parents[3]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE_S = 30.0


@pytest.fixture(autouse=True)
def _no_signal_is_ignored() -> Iterator[None]:
    """Restores signals that a shell's background job or nohup ignores; children would inherit that."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextlib.contextmanager
def started(
    arguments: Sequence[str], temporary: Path, stdout: int = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    """A command with a temporary folder and a process group of its own, which ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "host", *arguments], cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def first_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], PATIENCE_S)[0]
    return process.stdout.readline()


def wait_for_content(folder: Path) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not list(folder.glob("*/class")):
        assert time.monotonic() < until_s
        time.sleep(0.002)


def wait_for_library(process: subprocess.Popen[bytes], name: bytes) -> None:
    """Returns as soon as the process has loaded it."""
    until_s = time.monotonic() + PATIENCE_S
    while name not in Path(f"/proc/{process.pid}/maps").read_bytes():
        assert process.poll() is None and time.monotonic() < until_s
        time.sleep(0.002)


def alone(process: subprocess.Popen[bytes]) -> bool:
    """Whether all processes of the ended process's group have ended, or end within a short time."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def run_day(tmp_path: Path, day: str, *words: str) -> list[str]:
    """A command that runs a day script and keeps nothing."""
    script, settings = tmp_path / "day.toml", tmp_path / "headband.toml"
    script.write_text(day)
    settings.write_text('[journal]\npath = ""\n')
    return ["run", "--script", str(script), "--config", str(settings), *words]


def an_hour(tmp_path: Path) -> list[str]:
    """A command that says something and goes on for an hour."""
    return run_day(tmp_path, 'end_s = 3600\n[[event]]\nat_s = 0\nnote = "It begins"\n', "--real-time")


def temporary_folder(tmp_path: Path, name: str = "temporary") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupted_start_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """During imports, while its board is created, and when it works."""
    with contextlib.ExitStack() as stack:
        processes = {}
        for moment in ("imports", "board", "work"):
            temporary = temporary_folder(tmp_path, moment)
            processes[moment] = (stack.enter_context(started(an_hour(tmp_path), temporary)), temporary)
        for moment, (process, temporary) in processes.items():
            match moment:
                case "imports":
                    wait_for_library(process, b"multiarray")
                case "board":
                    wait_for_content(temporary)
                case "work":
                    assert first_line(process)
            os.killpg(process.pid, number) if number != signal.SIGTERM else process.send_signal(number)
        for moment, (process, temporary) in processes.items():
            _, said = process.communicate(timeout=PATIENCE_S)
            assert said == b"", moment
            assert process.returncode in (-number, 128 + number), moment
            assert alone(process), moment
            assert list(temporary.iterdir()) == [], moment


def test_the_next_start_removes_what_a_killed_one_left_and_nothing_else(tmp_path: Path) -> None:
    temporary = temporary_folder(tmp_path)
    others = [temporary / "headband-tmp-notours", temporary / "headband-tmp-", temporary / "something"]
    for folder in others:
        folder.mkdir()
    (temporary / "headband-tmp-a_link_1").symlink_to(tmp_path, target_is_directory=True)
    with started(an_hour(tmp_path), temporary) as killed:
        wait_for_content(temporary)
        killed.kill()
        killed.wait()
    left = set(temporary.glob("*/class"))
    assert len(left) == 1
    with started(an_hour(tmp_path), temporary) as lives:
        assert first_line(lives)
        until_s = time.monotonic() + PATIENCE_S
        while set(temporary.glob("*/class")) <= left and time.monotonic() < until_s:
            time.sleep(0.002)
        of_the_living = set(temporary.glob("*/class")) - left
        assert len(of_the_living) == 1 and not left & set(temporary.glob("*/class"))
        with started(["status"], temporary) as another:
            another.communicate(timeout=PATIENCE_S)
            assert another.returncode == 0
        assert set(temporary.glob("*/class")) == of_the_living
    assert (temporary / "headband-tmp-a_link_1").is_symlink()
    assert all(folder.is_dir() for folder in others)


def test_a_day_that_is_ended_while_it_speaks_leaves_a_whole_sound_and_no_word(tmp_path: Path) -> None:
    temporary, files = temporary_folder(tmp_path), tmp_path / "out"
    day = f'end_s = 20\n[[event]]\nat_s = 0\nbattery = 14\nsay = "{DEMO / DEVICE[0]}"\n'
    with started(run_day(tmp_path, day, "--out", str(files)), temporary) as process:
        assert process.stdout is not None
        assert any(b"speaking" in line for line in process.stdout)
        os.killpg(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert err == b"" and b"died" not in out
        assert process.returncode == 143 and alone(process) and list(temporary.iterdir()) == []
    with wave.open(str(files / "spoken.wav")) as sound:
        assert len(sound.readframes(sound.getnframes())) == 2 * sound.getnframes() > 0


def test_a_reader_that_leaves_ends_it_without_a_word(tmp_path: Path) -> None:
    temporary = temporary_folder(tmp_path)
    with started(["demo", "--fast", "--out", str(tmp_path / "out")], temporary) as process:
        assert first_line(process).startswith(b"The headband")
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert (process.wait(PATIENCE_S), said) == (141, b"")
        assert alone(process) and list(temporary.iterdir()) == []


def test_standard_output_on_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full, started(["status"], tmp_path, full.fileno()) as process:
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
        assert said.decode() == "Standard output cannot be written (No space left on device).\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_change_no_exit_status(closed: str, tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m host'
    ends = {"status": 0, "status --battery 140": 2}
    begun = [
        subprocess.Popen(
            ["sh", "-c", f"{command} {arguments} {closed}"], cwd=ROOT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for arguments in ends
    ]  # fmt: skip
    for process, status in zip(begun, ends.values(), strict=True):
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == status
        assert b"Traceback" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["status", "--config", "/dev/zero"],
        ["run", "--script", "/dev/zero"],
        ["power", "twin", "--policy", "/dev/zero"],
        ["rig", "run", "standby", "--against", "/dev/zero"],
        ["ask", "--audio", "/dev/zero"],
        ["ask", "--audio", "a\nname.wav"],
    ],
)
def test_an_endless_file_and_an_odd_name_are_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1
    words = ("File too large", "more than 128 MiB", "a\\nname")
    assert any(each in printed.err for each in words)
