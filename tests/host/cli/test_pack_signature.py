"""`headband models sign`, and what `headband models import` asks about a pack with a pack.toml of its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from host.cli.main import main
from host.ship.target.receive import RELEASES
from host.ship.target.trust import Trust
from models.pack import catalogue as packs
from tests.host.ship.bench import new_key, signing_key
from tests.models.install.packs_bench import BRICK, MANIFEST, STT, VOICE, cached, ship

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
KEY = str(signing_key().file) if shutil.which("ssh-keygen") else ""


@pytest.fixture
def stick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack of somebody's, unknown to the program, on a stick; no key is trusted."""
    shipped = ship(tmp_path, monkeypatch)
    monkeypatch.setattr("host.cli.models.PACKS_FOLDER", shipped)
    monkeypatch.setattr("host.cli.models.TRUSTED_IN", tmp_path)
    folder = tmp_path / "stick"
    folder.mkdir()
    (folder / "stt.bin").write_bytes(STT)
    (folder / "voice.onnx").write_bytes(VOICE)
    (folder / "pack.toml").write_text((MANIFEST + BRICK).replace('"small"', '"mine"'))
    packs.seal(folder)
    return folder


def take_in(stick: Path, *more: str) -> int:
    return main(["models", "import", str(stick), "--pack", "mine", "--accept-licence", *more])


def is_here(stick: Path) -> bool:
    return (cached(stick.parent / "packs") / "packs/mine").exists()


def test_a_signed_pack_is_taken_without_a_question(stick: Path) -> None:
    Trust(stick.parent).write_signers([signing_key().public])
    assert main(["models", "sign", str(stick), "--key", KEY]) == 0
    assert take_in(stick) == 0 and is_here(stick)


def test_a_pack_that_nobody_trusted_signed_is_asked_about(
    stick: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Trust(stick.parent).write_signers([new_key().public])
    assert take_in(stick) == 2
    said = capsys.readouterr().err
    assert said.startswith("There is no signature of pack 'mine'") and "--unsigned" in said
    assert main(["models", "sign", str(stick), "--key", KEY]) == 0
    assert take_in(stick) == 2 and "a key that is not trusted here, SHA256:" in capsys.readouterr().err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "")
    assert take_in(stick) == 2 and not is_here(stick)
    assert "key that is not trusted here" in capsys.readouterr().out
    monkeypatch.setattr("builtins.input", lambda question: "y")
    assert take_in(stick) == 0 and is_here(stick)


def test_a_script_says_that_it_takes_an_unsigned_pack(stick: Path) -> None:
    assert take_in(stick, "--unsigned") == 0 and is_here(stick)


def test_a_changed_pack_is_refused_also_by_whoever_would_say_yes(
    stick: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Trust(stick.parent).write_signers([signing_key().public])
    assert main(["models", "sign", str(stick), "--key", KEY]) == 0
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    manifest = stick / "pack.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace("for tests", "for mischief"))
    assert take_in(stick) == 2 and "it was changed, or is forged" in capsys.readouterr().err
    manifest.write_text(text)
    (stick / "pack.toml.sig").write_bytes(signing_key().sign(text.encode(), RELEASES))
    assert take_in(stick) == 2, "a signature of a deploy is none of a pack"
    (stick / "pack.toml.sig").write_bytes(b"")
    assert take_in(stick) == 2 and not is_here(stick)


def test_what_a_signature_would_say_nothing_of_is_not_signed(
    stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Trust(stick.parent).write_signers([signing_key().public])
    manifest = stick / "pack.toml"
    whole = manifest.read_text()
    left_open = (MANIFEST + BRICK).replace('"small"', '"mine"')
    manifest.write_text(left_open)
    assert main(["models", "sign", str(stick), "--key", KEY]) == 2
    assert "no SHA-256 of voice.onnx" in capsys.readouterr().err
    (stick / "pack.toml.sig").write_bytes(signing_key().sign(left_open.encode(), "headband-pack"))
    assert take_in(stick) == 2 and "says nothing of voice.onnx" in capsys.readouterr().err
    manifest.write_text(whole)
    (stick / "voice.onnx").write_bytes(VOICE[::-1])
    assert main(["models", "sign", str(stick), "--key", KEY]) == 2, "the file is not as it is listed"


@pytest.mark.parametrize("written", ["small", "./small"])
def test_the_files_of_the_folder_are_read_though_a_pack_of_that_name_is_installed(
    stick: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    installed = cached(stick.parent / "packs") / "packs/small"
    shutil.copytree(stick, installed)
    folder = stick.rename(stick.parent / "small")
    monkeypatch.chdir(folder.parent)
    (folder / "voice.onnx").write_bytes(VOICE[::-1])
    assert main(["models", "sign", written, "--key", KEY]) == 2 and not (folder / "pack.toml.sig").exists()
    (folder / "voice.onnx").write_bytes(VOICE)
    (installed / "voice.onnx").write_bytes(VOICE[::-1])
    assert main(["models", "sign", written, "--key", KEY]) == 0 and (folder / "pack.toml.sig").exists()
