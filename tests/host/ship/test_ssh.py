"""The call over ssh, with a stand-in that hands the command line to a shell as sshd does."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from host.cli.main import main
from host.ship.remote import PAUSES_S, RemoteError, Signed, Ssh
from tests.host.ship.bench import new_key, signing_key

LOOK = Signed()


def stand_in(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    stand_in(
        folder, "ssh", f'echo "$@" | head -n 1 > {tmp_path}/words; for last; do :; done; exec sh -c "$last"'
    )
    stand_in(folder, "python3", f'exec "{sys.executable}" "$@"')
    monkeypatch.setenv("PATH", f"{folder}:/usr/local/bin:/usr/bin:/bin", prepend=":")
    return folder


@pytest.mark.parametrize("user", ["0", "1000"])
def test_the_program_gets_there_as_root_or_by_sudo(programs: Path, tmp_path: Path, user: str) -> None:
    stand_in(programs, "id", f"echo {user}")
    stand_in(programs, "sudo", f'echo "$1" > {tmp_path}/sudo; shift; exec "$@"')
    answer = Ssh("headband.local").run("look", LOOK, [], print)
    assert answer["current"] is None and answer["runs"] is False and answer["machine"]
    assert (tmp_path / "sudo").exists() == (user != "0")
    assert "-- headband.local " in (tmp_path / "words").read_text()


def test_a_connection_that_breaks_says_what_to_do(programs: Path) -> None:
    stand_in(programs, "ssh", "echo 'ssh: connect to host x port 22: Connection refused' >&2; exit 255")
    with pytest.raises(RemoteError, match=r"^x can't be reached by ssh: .*Connection refused\.$"):
        Ssh("x").run("look", LOOK, [], print)
    stand_in(programs, "ssh", "echo 'Killed' >&2; exit 137")
    with pytest.raises(RemoteError, match=r"^The deploy ended early on x \(Killed\): run the same command"):
        Ssh("x").run("look", LOOK, [], print)


def test_a_greeting_of_the_login_shell_is_no_answer(programs: Path) -> None:
    greeting = ["{ welcome }", "{", "[1]"]
    lines = "; ".join(f"echo '{line}'" for line in [*greeting, '{"current": null}'])
    stand_in(programs, "ssh", f"cat >/dev/null; {lines}")
    said: list[str] = []
    assert Ssh("x").run("look", LOOK, [], said.append) == {"current": None}
    assert said == greeting


BUSY = "Connection timed out during banner exchange"


def test_a_computer_that_is_busy_is_asked_again(programs: Path, tmp_path: Path) -> None:
    """The first two calls fail at the banner."""
    calls = f'echo >> {tmp_path}/calls; for last; do :; done; [ "$(wc -l < {tmp_path}/calls)" -gt 2 ] &&'
    stand_in(programs, "ssh", f'{calls} exec sh -c "$last"; echo "{BUSY}" >&2; exit 255')
    stand_in(programs, "id", "echo 0")
    slept_s: list[float] = []
    said: list[str] = []
    answer = Ssh("x", sleep=slept_s.append).run("look", LOOK, [], said.append)
    assert answer["machine"] and slept_s == list(PAUSES_S[:2])
    assert said == [f"x does not let ssh in yet ({BUSY}): trying again"] * 2


def test_a_computer_that_stays_busy_is_given_up(programs: Path, tmp_path: Path) -> None:
    stand_in(programs, "ssh", f'echo >> {tmp_path}/calls; echo "{BUSY}" >&2; exit 255')
    with pytest.raises(RemoteError, match=f"^x can't be reached by ssh: {BUSY}"):
        Ssh("x", sleep=lambda _: None).run("look", LOOK, [], lambda _: None)
    assert (tmp_path / "calls").read_text().count("\n") == len(PAUSES_S) + 1


@pytest.mark.parametrize(
    ("said", "code", "fix"),
    [
        ("Host key verification failed.", 255, "`ssh x` shows it"),
        ("root@x: Permission denied (publickey,password).", 255, "`ssh-copy-id x` gives it your key"),
        ("sudo: a password is required", 1, "deploy as root, or let this user have sudo"),
        ("sh: 1: exec: python3: not found", 127, "apt install python3"),
        ("sudo: python3: command not found", 1, "apt install python3"),
    ],
)
def test_a_computer_that_does_not_let_one_in_is_told_with_what_to_do(
    programs: Path, said: str, code: int, fix: str
) -> None:
    stand_in(programs, "ssh", f"echo '{said}' >&2; exit {code}")
    with pytest.raises(RemoteError) as refused:
        Ssh("x").run("look", LOOK, [], print)
    assert said.rstrip(".") in str(refused.value) and fix in str(refused.value)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


def test_stopped_by_the_person_it_says_how_things_are(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C is sent to the whole foreground process group: ssh, and this program."""
    stand_in(programs, "ssh", "kill -INT $PPID; sleep 0.2; exit 255")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has none
    try:
        assert main(["deploy", "x"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().err
    assert said.startswith("Stopped. ") and said.count("\n") == 1


LOOKED: dict[str, object] = {
    "current": None, "runs": False, "machine": "none", "python": "3.11", "signers": [], "sequence": 0,
    "version": "",
}  # fmt: skip


def test_the_first_key_is_trusted_by_a_persons_word(
    programs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(programs, "ssh", f"cat >/dev/null; echo '{json.dumps(LOOKED)}'")
    deploy = ["deploy", "x", "--key", str(signing_key().file)]
    for nobody in (Mock(isatty=lambda: False), None):  # None: it is closed
        monkeypatch.setattr(sys, "stdin", nobody)
        assert main(deploy) == 2
        said = capsys.readouterr().err
        assert said.startswith("x trusts no key yet, and nobody is there") and said.count("\n") == 1
        assert "--trust-key" in said and signing_key().fingerprint in said
    monkeypatch.setattr(sys, "stdin", Mock(isatty=lambda: True))
    no_text = UnicodeDecodeError("utf-8", b"\xe4", 0, 1, "no text")
    asked = Mock(side_effect=["n", EOFError, no_text, "y"])
    monkeypatch.setattr("builtins.input", asked)
    for _ in ("n", "Ctrl-D", "a letter in another encoding"):
        assert main(deploy) == 2 and signing_key().fingerprint in asked.call_args.args[0]
        assert capsys.readouterr().err == "Nothing was sent, because no key was trusted.\n"
    for words in (deploy, [*deploy, "--trust-key"]):
        assert main(words) == 1
        said = capsys.readouterr().err
        assert said.startswith("That computer is none"), "it went on"


def test_a_key_that_the_headband_does_not_trust_is_said_before_anything_is_fetched(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = {**LOOKED, "signers": [new_key().public]}
    stand_in(programs, "ssh", f"cat >/dev/null; echo '{json.dumps(there)}'")
    assert main(["deploy", "x", "--key", str(signing_key().file), "--trust-key"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("x does not trust SHA256:")
    assert "`headband signers add` there" in said.err and said.err.count("\n") == 1
