"""Signing with a security key, whose ssh-keygen is stood in for by a program: no such key is here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from host.ship.remote import RemoteError
from host.ship.signing import SigningKey

SECURITY_KEY = "sk-ssh-ed25519@openssh.com AAAA wearer"


@pytest.fixture
def keygen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of ssh-keygen, on PATH."""
    program = tmp_path / "ssh-keygen"
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return program


@pytest.mark.parametrize(("public", "told"), [(SECURITY_KEY, True), ("ssh-ed25519 AAAA wearer", False)])
def test_who_signs_with_a_security_key_is_told_to_touch_it(
    keygen: Path, capsys: pytest.CaptureFixture[str], public: str, told: bool
) -> None:
    assert SigningKey(public, None).sign(b"content", "release") == b"content"
    assert ("touch the security key" in capsys.readouterr().err) == told


def test_a_key_that_does_not_sign_is_one_sentence(keygen: Path) -> None:
    keygen.write_text("#!/bin/sh\necho 'Signing content failed: device not found' >&2\nexit 255\n")
    with pytest.raises(RemoteError, match=r"does not sign: Signing content failed: device not found\.$"):
        SigningKey(SECURITY_KEY, Path("key")).sign(b"content", "release")
