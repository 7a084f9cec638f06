"""`headband signers`: the keys that a headband trusts."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from host.cli.main import main
from host.ship.options import signers_options
from host.ship.release import ROOT
from host.ship.signers import main as on_headband
from host.ship.signers import run_signers
from host.ship.target.receive import signers
from tests.host.ship.bench import new_key, signing_key

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")


def call(prefix: Path, *words: str) -> int:
    import argparse

    parser = argparse.ArgumentParser()
    signers_options(parser)
    return run_signers(parser.parse_args(words), prefix)


def typed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "utf-8", "surrogateescape"))


def test_a_closed_standard_input_is_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert call(tmp_path, "add", "-") == 2 and not signers(tmp_path)
    assert capsys.readouterr().err == "- is not one public key of ssh, in one line.\n"


def test_keys_are_added_once_listed_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = signing_key(), new_key()
    assert call(tmp_path, "list") == 0 and "No key is trusted yet" in capsys.readouterr().out
    assert call(tmp_path, "add", f"{one.file}.pub") == 0
    typed(monkeypatch, two.public.encode() + b"\n")
    assert call(tmp_path, "add", "-") == 0
    assert call(tmp_path, "add", f"{one.file}.pub") == 0
    assert signers(tmp_path) == [one.public, two.public]
    capsys.readouterr()
    assert call(tmp_path, "list") == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == [one.fingerprint, two.fingerprint]
    assert call(tmp_path, "remove", one.fingerprint) == 0 and signers(tmp_path) == [two.public]
    assert call(tmp_path, "remove", two.fingerprint) == 0 and signers(tmp_path) == []
    assert "the next deploy, as root, asks" in capsys.readouterr().out


def as_on_a_headband(*words: str, **how: Any) -> subprocess.Popen[str]:
    """The command as `host/service/headband` there runs it."""
    return subprocess.Popen(
        [sys.executable, "-B", "-P", "-m", "host.ship.signers", *words], cwd=ROOT, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how,
    )  # fmt: skip


@pytest.mark.parametrize("words", [(), ("bogus",), ("list", "extra"), ("remove",)])
def test_bad_usage_on_a_headband_is_one_sentence(words: tuple[str, ...]) -> None:
    with as_on_a_headband(*words) as command:
        out, errors = command.communicate(timeout=60)
    assert (command.returncode, out, errors.count("\n")) == (2, "", 1)
    assert "usage:" not in errors and errors.endswith(" --help.\n")


def test_its_help_on_a_headband_is_for_its_owner(capsys: pytest.CaptureFixture[str]) -> None:
    with as_on_a_headband("--help") as command:
        there, _ = command.communicate(timeout=60)
    with pytest.raises(SystemExit):
        main(["signers", "--help"])
    assert there.split() == capsys.readouterr().out.split()


def test_ctrl_c_ends_the_wait_for_a_key_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    assert on_headband(["add", "-"]) == 130


def test_what_is_no_key_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, b"\xff\xfe\x00")
    (tmp_path / "none.pub").write_text("no key\n")
    (tmp_path / "two.pub").write_text(f"{signing_key().public}\n" * 2)
    for words in (("add", f"{tmp_path}/none.pub"), ("add", f"{tmp_path}/two.pub"), ("add", "/none"),
                  ("add", "-"), ("add", str(signing_key().file)), ("remove", "SHA256:none")):  # fmt: skip
        assert call(tmp_path, *words) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and said.err.endswith(".\n")
        said.err.encode()  # a terminal takes it
    assert signers(tmp_path) == []


@pytest.mark.parametrize("before", ["restrict", 'command="a b",no-pty', "headband.local", "ssh-rsa"])
def test_a_key_with_which_nobody_could_deploy_is_not_said_to_be_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str
) -> None:
    """A line of authorized_keys with options or of known_hosts, of which ssh-keygen tells a fingerprint."""
    line = tmp_path / "line"
    line.write_text(f"{before} {signing_key().public}\n")
    assert call(tmp_path, "add", str(line)) == 2 and signers(tmp_path) == []
    assert capsys.readouterr().err == f"{line} is not one public key of ssh, in one line.\n"


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_keys_of_every_kind_are_taken_also_without_a_comment(tmp_path: Path, kind: str) -> None:
    words = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", str(tmp_path / "key")]
    subprocess.run(words, check=True)
    assert call(tmp_path, "add", f"{tmp_path}/key.pub") == 0 and len(signers(tmp_path)) == 1


def test_who_is_not_root_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "etc").write_text("a file where the folder would be")
    assert call(tmp_path, "add", f"{signing_key().file}.pub") == 1
    assert "can't be written" in capsys.readouterr().err


def test_it_is_a_command_and_needs_only_the_standard_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signers", "list"]) == 0
    words = [sys.executable, "-S", "-B", "-P", "-m", "host.ship.signers", "list"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, capsys.readouterr().out)
