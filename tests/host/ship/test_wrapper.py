"""The command `headband` on a headband: the program gets input, signals and exit status, but no terminal that
it could type into.
"""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from host.ship.release import ROOT

WRAPPER = ROOT / "host/service/headband"
PROGRAM = """
import os, signal, sys, time
try:
    os.close(os.open("/dev/tty", os.O_RDWR))
    print("terminal", flush=True)
except OSError:
    print("none", flush=True)
print(os.getsid(0) == os.getpid(), sys.stdin.isatty(), flush=True)
{does}
"""
IN_A_TERMINAL = """
import fcntl, os, subprocess, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(subprocess.call(sys.argv[1:]))
"""
Wrapped = Callable[[str], tuple[list[str], dict[str, str]]]


@pytest.fixture(autouse=True)
def _no_signal_is_ignored() -> Iterator[None]:
    """Restores signals that nohup or a shell's background job ignores: the wrapper could not pass them on."""
    numbers = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def wrapped(tmp_path: Path) -> Wrapped:
    """The wrapper's command with its environment; `setpriv` starts a program that does something."""

    def command(does: str) -> tuple[list[str], dict[str, str]]:
        program = tmp_path / "program.py"
        program.write_text(PROGRAM.format(does=does))
        for name, text in {"id": "echo 0", "setpriv": f'exec "{sys.executable}" -S "{program}"'}.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
        return ["/bin/sh", str(WRAPPER), "status"], {"PATH": f"{tmp_path}:/usr/bin:/bin"}

    return command


def test_a_pipe_goes_in_and_the_exit_status_comes_out(wrapped: Wrapped) -> None:
    command, environment = wrapped("print(sys.stdin.read()); sys.exit(3)")
    done = subprocess.run(command, env=environment, input=b"sound", capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stdout.split() == [b"none", b"True", b"False", b"sound"]


def test_its_session_has_no_terminal_that_it_could_type_into(wrapped: Wrapped) -> None:
    command, environment = wrapped("")
    caller, terminal = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-S", "-c", IN_A_TERMINAL, *command],
            env=environment, stdin=terminal, stdout=subprocess.PIPE, check=False, timeout=60,
        )  # fmt: skip
    finally:
        os.close(caller)
        os.close(terminal)
    assert done.stdout.split() == [b"none", b"True", b"True"], "it still sees that a person sits there"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_reaches_the_program_and_its_end_is_waited_for(
    wrapped: Wrapped, number: signal.Signals
) -> None:
    command, environment = wrapped(
        "def ended(*_):\n    os.write(1, b'ended\\n')\n    os._exit(7)\n"
        f"signal.signal({int(number)}, ended)\nprint('ready', flush=True)\n"
        "while True:\n    time.sleep(0.02)"
    )
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == b"ready\n":
                break
        process.send_signal(number)
        assert process.stdout.read() == b"ended\n"
        assert process.wait(60) == 7


def test_ctrl_c_ends_a_program_that_does_not_catch_it(wrapped: Wrapped) -> None:
    command, environment = wrapped("print('ready', flush=True)\nwhile True:\n    time.sleep(0.02)")
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == b"ready\n":
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 128 + signal.SIGINT


@pytest.mark.parametrize(
    ("arguments", "rests"),
    [
        ("doctor", True),
        ("doctor --json", True),
        ("doctor --help", False),
        ("doctor -h", False),
        ("doctor --jsn", False),
        ("tune", True),
        ("tune --show", False),
        ("tune --help", False),
        ("tune --board toaster", False),
    ],
)
def test_the_headband_rests_for_no_help_text_and_no_mistyped_option(
    tmp_path: Path, arguments: str, rests: bool
) -> None:
    calls = tmp_path / "calls"
    programs = {
        "id": "echo 0",
        "systemctl": f'echo "$1" >> {calls}',
        "setpriv": 'while [ "$1" != -P ]; do shift; done\n'
        f'[ "$2" = -m ] || PYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n'
        f"echo runs >> {calls}",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    words = ["/bin/sh", str(WRAPPER), *arguments.split()]
    done = subprocess.run(words, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    steps = [step for step in calls.read_text().split() if step != "--quiet"]
    assert steps == (["stop", "runs", "start"] if rests else ["runs"])


def test_a_rollback_runs_as_root_with_the_systems_python(tmp_path: Path) -> None:
    for name, text in {"id": "echo 0", "python3": 'echo "$PYTHONPATH" "$@"; exit 1'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    call = ["/bin/sh", str(WRAPPER), "rollback"]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "/opt/headband/current -B -P -m host.ship.rollback\n")
    done = subprocess.run([*call, "abc"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_keys_are_listed_and_changed_as_root_with_the_systems_python(tmp_path: Path) -> None:
    for name, text in {"id": "echo 0", "python3": 'echo "$PYTHONPATH" "$@"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    call = ["/bin/sh", str(WRAPPER), "signers", "add", "-"]
    done = subprocess.run(call, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True)
    assert done.stdout == "/opt/headband/current -B -P -m host.ship.signers add -\n"


def test_a_rollback_there_imports_the_standard_library_only_and_says_what_is_wrong(tmp_path: Path) -> None:
    program = f"import sys\nfrom host.ship.rollback import main\nsys.exit(main({str(tmp_path)!r}))"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-S", "-B", "-P", "-c", program]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "There is no release before this one here: deploy the one that you want.\n"
