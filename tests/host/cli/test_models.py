"""The command `headband models`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from host.cli.main import main
from host.config import Config, load_config, with_pack
from models.install import hub_urls
from models.install.hub_urls import address
from models.pack import catalogue as packs
from models.pack.catalogue import choose_pack, find_pack
from models.pack.manifest import FileSource, PackError
from tests.models.install.file_kinds import onnx
from tests.models.install.misbehaving_hub import Hub
from tests.models.install.packs_bench import (
    BRICK,
    MADE,
    MANIFEST,
    ROOT,
    STT,
    VOICE,
    cached,
    ship,
    small_hub,
    write,
)

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def hub() -> Iterator[Hub]:
    with small_hub() as hub:
        yield hub


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hub: Hub) -> Path:
    """An empty cache, a published pack besides micro, and the hub's address in the environment."""
    shipped = ship(tmp_path, monkeypatch)
    monkeypatch.setenv("HEADBAND_HUB", hub.address)
    monkeypatch.setattr("host.cli.models.PACKS_FOLDER", shipped)
    monkeypatch.setattr("host.cli.models_listed.PACKS_FOLDER", shipped)
    (shipped / "micro").symlink_to(ROOT / "models" / "packs" / "micro")
    return cached(shipped)


def run(*arguments: str) -> int:
    return main(["models", *arguments])


def test_the_licence_is_shown_and_without_consent_nothing_comes(
    cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert run("fetch", "small") == 2
    shown = capsys.readouterr()
    assert "small: MIT: stt.bin" in shown.out and "small: CC0-1.0: voice.onnx" in shown.out
    assert "--accept-licence" in shown.err and hub.requests == []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "no")
    assert run("fetch", "small") == 2 and hub.requests == []
    monkeypatch.setattr("builtins.input", lambda question: "y")
    assert run("fetch", "small") == 0
    shown = capsys.readouterr()
    assert "Trusted at first use" in shown.out and "voice.onnx; from now on nothing else" in shown.out


def test_fetch_list_verify_use(cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str]):
    assert run("list") == 0
    shown = capsys.readouterr().out
    assert "* micro" in shown and "not here; 2 MB to fetch, `headband models fetch small`" in shown
    assert "1 of 2 files' SHA-256 pinned; to be trusted at first use: voice.onnx" in shown
    assert run("use", "small") == 2 and run("use", "") == 2 and run("import", "x" * 300) == 2
    assert "get them with: headband models fetch small" in capsys.readouterr().err
    assert run("fetch", "small", "--accept-licence", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["complete"] and result["recorded"] == ["voice.onnx"]
    assert run("fetch", "small") == 0 and "was here already" in capsys.readouterr().out
    assert run("verify") == 0
    assert "pack 'small': 2 files, all as listed" in capsys.readouterr().out
    assert run("use", "micro") == 0 and find_pack("").samefile(ROOT / "models" / "packs" / "micro")
    choose_pack("small")
    assert find_pack("").samefile(result["folder"])
    capsys.readouterr()
    assert run("list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    row = next(row for row in listed["packs"] if row["name"] == "small")
    assert listed["chosen"] == "small" and row["complete"] and "recorded when first brought" in row["trust"]


def test_the_list_says_what_each_pack_can_do(cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str]):
    assert run("list") == 0
    shown = capsys.readouterr().out
    assert "live yes; exits after 1 to 12 blocks; recall yes; reflex yes; motion yes" in shown  # micro
    assert "live no; exits no" in shown  # small hears and speaks only
    assert "It has no text tower and no exits: what was seen can't be found again." in shown
    assert run("list", "--json") == 0
    rows = {row["name"]: row["abilities"] for row in json.loads(capsys.readouterr().out)["packs"]}
    assert rows["micro"]["live"] and not rows["small"]["live"] and rows["micro"]["exits"] == [*range(1, 13)]


def test_a_pack_that_answers_no_questions_is_not_chosen(
    cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str]
):
    run("fetch", "small", "--accept-licence")
    assert "models use" not in capsys.readouterr().out
    assert run("use", "small") == 2 and find_pack("").name == "micro"
    assert capsys.readouterr().err.startswith("Pack 'small' has no decoder (llm) and no voice (tts), so it")


def test_verify_reads_every_byte_again(cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str]):
    run("fetch", "small", "--accept-licence")
    model = find_pack("small") / "stt.bin"
    before = model.stat()
    data = bytearray(STT)
    data[5] ^= 1
    model.write_bytes(data)
    os.utime(model, ns=(before.st_atime_ns, before.st_mtime_ns))
    capsys.readouterr()
    assert run("verify", "small") == 1
    assert "stt.bin is damaged" in capsys.readouterr().out
    assert run("fetch", "small", "--accept-licence") == 0
    assert run("verify", "small", "--json") == 0
    assert run("verify", "huge") == 2


def test_settings_and_option_win_over_the_choice(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    settings = tmp_path / "headband.toml"
    settings.write_text('pack = "small"  # mine\n')
    assert run("use", "micro", "--config", str(settings)) == 0
    assert "names pack 'small', and that wins" in capsys.readouterr().out
    assert settings.read_text() == 'pack = "small"  # mine\n'
    assert with_pack(load_config(settings), None).pack == "small"
    choose_pack("small")
    assert with_pack(Config(), None).pack == "small"
    assert with_pack(Config(), "other").pack == "other"
    assert run("use", "micro") == 0 and with_pack(Config(), None).pack == "micro"


def test_import_from_a_stick(cache: Path, hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    stick = tmp_path / "stick"
    assert run("import", str(stick), "--accept-licence") == 2
    stick.mkdir()
    (stick / "notes.txt").write_text("nothing")
    assert run("import", str(stick), "--accept-licence") == 2
    assert "holds no file that a pack lacks" in capsys.readouterr().err
    (stick / "stt.bin").write_bytes(STT)
    assert run("import", str(stick)) == 2
    shown = capsys.readouterr()
    assert "small: MIT: stt.bin" in shown.out and "--accept-licence" in shown.err
    assert not (cache / "parts").exists()
    assert run("import", str(stick), "--accept-licence") == 0
    assert "Still missing: voice.onnx" in capsys.readouterr().out
    (stick / "voice.onnx").write_bytes(VOICE)
    assert run("import", str(stick), "--accept-licence") == 0
    assert "pack 'small' is here now" in capsys.readouterr().out and hub.requests == []


def test_faults_are_one_sentence_and_exit_1(cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str]):
    hub.faults += ["not-found"]
    assert run("fetch", "small", "--accept-licence") == 1
    assert capsys.readouterr().err.strip().endswith("the server answers 404 Not Found.")
    assert run("fetch", "micro", "--accept-licence") == 2
    assert run("fetch", "small", "--accept-licence", "--hub", "ftp://nowhere") == 2


def test_fetch_has_tls_although_the_headband_itself_has_none(cache: Path, hub: Hub):
    """With TLS, the handshake with a server without TLS fails; a Python without TLS does not know the
    scheme.
    """
    secure = hub.address.replace("http:", "https:")
    code = (
        "import models.install.http_download as d; d.TRIES = 1; import pathlib, runpy, sys; "
        "import models.pack.catalogue as c; "
        f"c.PACKS_FOLDER = pathlib.Path({str(cache.parent / 'shipped')!r}); "
        "sys.argv = ['headband', 'models', 'fetch', 'small', "
        f"'--accept-licence', '--hub', {secure!r}]; runpy.run_module('host', run_name='__main__')"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HEADBAND_CACHE": str(cache)}
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert shown.returncode == 1 and "SSL" in shown.stderr, shown


def test_addresses_have_the_hubs_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = FileSource("owner/name", "en/a voice.onnx", "refs/pr/1")
    expected = "/owner/name/resolve/refs%2Fpr%2F1/en/a%20voice.onnx"
    monkeypatch.delenv("HEADBAND_HUB", raising=False)
    monkeypatch.setattr(hub_urls, "RELEASED", tmp_path / "hub-address.txt")
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", None)
    assert address(source, "https://hub.example/") == f"https://hub.example{expected}"
    with pytest.raises(PackError, match="--hub, or in HEADBAND_HUB"):
        address(source)
    with pytest.raises(PackError, match="no address of a server"):
        address(source, "hub.example")
    hub_urls.RELEASED.write_text("https://released.example\n")
    assert address(source) == f"https://released.example{expected}"
    monkeypatch.setenv("HEADBAND_HUB", "http://10.0.0.2:8080")
    assert address(source) == f"http://10.0.0.2:8080{expected}"


def test_a_checkout_has_the_address_and_the_layout_of_the_librarys(monkeypatch: pytest.MonkeyPatch):
    library = pytest.importorskip("huggingface_hub", reason="addresses then come from HEADBAND_HUB")
    monkeypatch.delenv("HEADBAND_HUB", raising=False)
    for revision in ("v1.0", "refs/pr/1", "a" * 40):
        source = FileSource("owner/name", "en/a voice.onnx", revision)
        assert address(source) == library.hf_hub_url("owner/name", "en/a voice.onnx", revision=revision)


def test_the_choice_survives_as_one_line(cache: Path):
    packs.choose_pack("micro")
    assert (cache / packs.CHOICE).read_text() == "micro\n" and packs.chosen_pack() == "micro"


def test_a_pack_that_cannot_be_used_hides_no_other(cache: Path, capsys: pytest.CaptureFixture[str]):
    bad = cache / "packs" / "bad"
    bad.mkdir(parents=True)
    (bad / "pack.toml").write_text("brick = 5\n")
    assert run("list") == 0
    shown = capsys.readouterr().out
    assert "bad            can't be used: " in shown and "* micro" in shown
    assert run("list", "--json") == 0
    assert set(json.loads(capsys.readouterr().out)["unusable"]) == {"bad"}


def test_verify_advises_what_helps_the_very_pack(
    cache: Path, hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    run("fetch", "small", "--accept-licence")
    copy = tmp_path / "mine"
    shutil.copytree(find_pack("small"), copy)
    for folder, advice in (
        (copy, f"models.pack.catalogue seal {copy}"),
        (find_pack("small"), "models fetch small brings"),
    ):
        (folder / "stt.bin").write_bytes(b"changed")
        capsys.readouterr()
        assert run("verify", str(folder)) == 1
        assert advice in capsys.readouterr().out


def test_verify_without_a_name_tells_of_packs_that_are_not_whole(
    cache: Path, hub: Hub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """Not of a published one of which nothing was brought."""
    shipped = packs.PACKS_FOLDER
    (shipped / "micro").unlink()
    shutil.copytree(ROOT / "models" / "packs" / "micro", shipped / "micro")
    monkeypatch.setattr(packs, "bring_files", lambda command: f"restore it with: {command}")
    (shipped / "micro" / "stt.bin").unlink()
    bad = cache / "packs" / "bad"
    bad.mkdir(parents=True)
    (bad / "pack.toml").write_text("brick = 5\n")
    assert run("verify") == 1
    shown = capsys.readouterr().out
    assert "pack 'micro': stt.bin is missing; restore it with: git checkout" in shown
    assert f"pack 'bad': {bad / 'pack.toml'} lacks the key file." in shown and "small" not in shown
    assert run("verify", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"micro", "bad"} and set(told["micro"]["faults"]) == {"stt.bin"}
    assert run("list") == 0
    shown = capsys.readouterr().out
    assert "* micro          not whole; lacks stt.bin: restore it with: git checkout" in shown


def test_what_is_converted_is_not_said_to_be_fetched(
    cache: Path, hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    write(packs.PACKS_FOLDER, MANIFEST + MADE + BRICK)
    assert run("use", "small") == 2
    assert "lacks 2 files of 2 MB or more, and 1 file to be converted; begin with: headband models fetch" in (
        capsys.readouterr().err
    )
    assert run("fetch", "small", "--accept-licence") == 0
    shown = capsys.readouterr().out
    assert f"/justw convert {cache / 'parts' / 'small' / 'original'} FOLDER --name small\n" in shown
    assert run("list") == 0
    shown = capsys.readouterr().out
    assert "not here; to be converted: vision.onnx, `headband models fetch small` says from what\n" in shown
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "vision.onnx").write_bytes(onnx(b"converted"))
    assert run("import", str(stick), "--accept-licence") == 0
    (find_pack("small") / "vision.onnx").write_bytes(b"changed")
    (find_pack("small") / "voice.onnx").write_bytes(b"changed")
    capsys.readouterr()
    assert run("verify", "small") == 1
    shown = capsys.readouterr().out
    assert "voice.onnx has 7 bytes" in shown and "headband models fetch small brings it again" in shown
    vision = next(line for line in shown.splitlines() if "vision.onnx has" in line)
    assert vision.endswith("it has to be converted again, headband models fetch small says from what")
    assert run("fetch", "small") == 2 and run("fetch", "small", "--accept-licence") == 0
    shown = capsys.readouterr().out
    assert "vision.onnx has to be converted from original/model.safetensors in " in shown
    (find_pack("small") / "vision.onnx").unlink()
    assert run("use", "small") == 2
    assert "Pack 'small' lacks vision.onnx, made from original/model.safetensors" in capsys.readouterr().err


def test_a_pack_of_ones_own_is_not_said_to_be_fetched(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    stick = tmp_path / "stick"
    stick.mkdir()
    files = "".join(f'[[file]]\npath = "{name}"\n' for name in ("stt.bin", "more.onnx"))
    (stick / "pack.toml").write_text(f'name = "mine"\nlicence = "MIT"\n{files}')
    (stick / "more.onnx").write_bytes(VOICE)
    assert run("import", str(stick), "--pack", "mine", "--accept-licence", "--unsigned") == 0
    shown = capsys.readouterr().out
    assert "Still missing: stt.bin; put them into the folder as well, and import it again." in shown
    assert "models fetch" not in shown


def test_a_choice_that_is_gone_is_told(cache: Path, capsys: pytest.CaptureFixture[str]):
    choose_pack("gone")
    assert main(["status"]) == 2
    said = capsys.readouterr().err
    assert "There is no model pack 'gone'" in said and "models use NAME chooses another" in said
    assert run("verify", "other") == 2 and "chooses another" not in capsys.readouterr().err
    assert run("list") == 0
    assert "gone           is chosen, and not on this computer any more" in capsys.readouterr().out


@pytest.mark.parametrize("damage", ["no json", "[" * 100_000, b"\xff\x00", None])
def test_packs_are_listed_without_the_damaged_notes_of_what_was_trusted(
    cache: Path, capsys: pytest.CaptureFixture[str], damage: str | bytes | None
) -> None:
    """None: a folder is in their place."""
    notes = cache / "known-files.json"
    notes.parent.mkdir(parents=True, exist_ok=True)
    if damage is None:
        notes.mkdir()
    else:
        notes.write_bytes(damage.encode() if isinstance(damage, str) else damage)
    assert main(["models", "list", "--json"]) == 0
    out, err = capsys.readouterr()
    assert {row["name"] for row in json.loads(out)["packs"]} >= {"micro", "small"}
    assert err.startswith(f"{notes} can't be read (") and err.count("\n") == 1


@pytest.mark.parametrize("kind", ["loop", "file"])
def test_a_cache_that_is_no_folder_is_no_traceback(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    wrong = tmp_path / "wrong"
    wrong.symlink_to("wrong") if kind == "loop" else wrong.touch()
    monkeypatch.setenv("HEADBAND_CACHE", str(wrong))
    assert run("list") == 0 and capsys.readouterr().err == ""
    assert run("use", "small") == 2
    assert "Pack 'small' lacks" in (said := capsys.readouterr().err) and said.count("\n") == 1
    assert run("fetch", "small", "--accept-licence") == 1
    assert str(wrong) in capsys.readouterr().err
