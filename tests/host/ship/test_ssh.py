"""The call over ssh, with a stand-in that hands the command line to a shell as sshd does."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.ship.remote import RemoteError, Ssh

LOOK: dict[str, object] = {"healthy_s": 1.0, "settled_s": 0.0}


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
    monkeypatch.setenv("PATH", f"{folder}:/usr/local/bin:/usr/bin:/bin", prepend=":")
    return folder


@pytest.mark.parametrize("user", ["0", "1000"])
def test_the_program_gets_there_as_root_or_by_sudo(programs: Path, tmp_path: Path, user: str) -> None:
    stand_in(programs, "id", f"echo {user}")
    stand_in(programs, "sudo", f'echo "$1" > {tmp_path}/sudo; shift; exec "$@"')
    prefix = tmp_path / "board"
    prefix.mkdir()
    answer = Ssh("headband.local").run("look", {**LOOK, "prefix": str(prefix)}, [], print)
    assert answer["current"] is None and answer["runs"] is False and answer["machine"]
    assert (tmp_path / "sudo").exists() == (user != "0")
    assert "-- headband.local " in (tmp_path / "words").read_text()


def test_a_connection_that_breaks_says_what_to_do(programs: Path) -> None:
    stand_in(programs, "ssh", "echo 'ssh: connect to host x port 22: Connection refused' >&2; exit 255")
    with pytest.raises(RemoteError, match=r"^x can't be reached by ssh: .*Connection refused\.$"):
        Ssh("x").run("look", LOOK, [], print)
    stand_in(programs, "ssh", "echo 'sudo: a password is required' >&2; exit 1")
    with pytest.raises(RemoteError, match=r"^The deploy ended early on x \(sudo: a password is required\)"):
        Ssh("x").run("look", LOOK, [], print)
