"""What meets who deploys for the first time: keys as people have them, an agent that is full, another
computer.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from host.ship.deploying import AppDeploy
from host.ship.remote import RemoteError, Signed, Ssh
from host.ship.signing import find_key
from tests.host.ship.bench import signing_key
from tests.host.ship.test_ssh import programs as programs
from tests.host.ship.test_ssh import stand_in


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a private key, and no agent."""
    (tmp_path / ".ssh").mkdir()
    private = tmp_path / ".ssh/id_ed25519"
    assert signing_key().file is not None
    shutil.copy(str(signing_key().file), private)
    private.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return tmp_path


def test_a_private_key_without_the_public_one_signs(home: Path) -> None:
    assert find_key(None, []).fingerprint == signing_key().fingerprint


def test_a_damaged_key_does_not_hide_the_others(home: Path) -> None:
    (home / ".ssh/id_rsa").write_bytes((home / ".ssh/id_ed25519").read_bytes())
    (home / ".ssh/id_rsa.pub").write_text(signing_key().public)
    (home / ".ssh/id_ed25519.pub").touch()
    assert find_key(None, []).file == home / ".ssh/id_rsa"


def test_a_key_that_others_may_read_is_refused_with_the_reason(home: Path) -> None:
    private = home / ".ssh/id_ed25519"
    private.chmod(0o644)
    for named in (None, private):
        with pytest.raises(RemoteError, match=rf"^{private} is no key of ssh \(.*bad permissions\)\.$"):
            find_key(named, [])


def test_who_has_no_home_folder_has_no_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", Mock(side_effect=KeyError))
    with pytest.raises(RemoteError, match=r"^There is no key to sign the release with"):
        find_key(None, [])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Received disconnect from x port 22:2: Too many authentication failures\\n"
            "Disconnected from x port 22",
            r"\(Received disconnect .*: Too many authentication failures\): your agent has more keys",
        ),
        ("root@x: Permission denied (publickey).", "`ssh-add` unlocks one with a passphrase"),
    ],
)
def test_why_ssh_did_not_get_in_is_told(programs: Path, said: str, told: str) -> None:
    stand_in(programs, "ssh", f"printf '{said}\\n' >&2; exit 255")
    with pytest.raises(RemoteError, match=told):
        Ssh("x").run("look", Signed(), [], print)


def test_a_computer_that_answers_something_else_is_no_headband() -> None:
    echo: Any = Mock(run=lambda verb, *_: {"verb": verb})
    with pytest.raises(RemoteError, match="not as a headband does"):
        AppDeploy(echo, print, lambda known: signing_key()).rollback()
