"""`headband models` where nobody answers, a folder is taken for a pack by name, or one pack can't be used."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from host.cli import models, models_listed
from host.cli.main import main
from host.doctor.pack_checks import pack_finding
from models.pack import catalogue as packs
from models.pack.catalogue import chosen_pack
from tests.models.install.packs_bench import BRICK, MANIFEST, ROOT, STT, VOICE, cached, ship

MICRO = ROOT / "models" / "packs" / "micro"
SMALL = MANIFEST + BRICK


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and the published pack "small" besides micro."""
    shipped = ship(tmp_path, monkeypatch)
    monkeypatch.setattr(models, "PACKS_FOLDER", shipped)
    monkeypatch.setattr(models_listed, "PACKS_FOLDER", shipped)
    (shipped / "micro").symlink_to(MICRO)
    return cached(shipped)


def stick(folder: Path, name: str, *files: str) -> Path:
    """A pack of that name in a folder, with those of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text(SMALL.replace('"small"', f'"{name}"'))
    for file in files or ("stt.bin", "voice.onnx"):
        (folder / file).write_bytes({"stt.bin": STT, "voice.onnx": VOICE}[file])
    return folder


def micro_as(folder: Path, name: str) -> Path:
    """A copy of micro's manifest and files under another name; the files are hard links."""
    try:
        shutil.copytree(MICRO, folder, copy_function=os.link)
    except OSError:  # on another disk
        shutil.copytree(MICRO, folder, dirs_exist_ok=True)
    text = (folder / "pack.toml").read_text()
    (folder / "pack.toml").unlink()
    (folder / "pack.toml").write_text(text.replace('name = "micro"', f'name = "{name}"', 1))
    return folder


def bad_pack(cache: Path, name: str, text: str) -> Path:
    folder = cache / "packs" / name
    folder.mkdir(parents=True)
    (folder / "pack.toml").write_text(text)
    return folder


def run(*arguments: str) -> int:
    return main(["models", *arguments])


@pytest.mark.parametrize("action", [["fetch", "small"], ["import", "stick"]])
def test_a_closed_standard_input_answers_nothing(
    cache: Path,
    tmp_path: Path,
    action: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stick(tmp_path / "stick", "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    assert run(*action) == 2
    said = capsys.readouterr().err
    assert "Nobody is there to " in said and said.count("\n") == 1 and not (cache / "parts").exists()


@pytest.mark.parametrize("end", [EOFError(), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no text")])
@pytest.mark.parametrize("action", [["fetch", "small"], ["import", "stick"]])
def test_the_end_of_the_input_is_a_no(
    cache: Path,
    tmp_path: Path,
    action: list[str],
    end: Exception,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stick(tmp_path / "stick", "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)

    def leave(question: str) -> str:
        raise end

    monkeypatch.setattr("builtins.input", leave)
    assert run(*action) == 2
    assert capsys.readouterr().err.startswith("Nothing was brought") and not (cache / "parts").exists()


def test_a_question_is_no_part_of_what_json_prints(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stick(tmp_path / "stick", "mine")
    asked: list[str] = []

    def yes(question: str) -> str:
        asked.append(question)
        return "y"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", yes)
    assert run("import", str(tmp_path / "stick"), "--pack", "mine", "--json") == 0
    shown = capsys.readouterr()
    assert asked == ["", ""]  # what `input` is given would be on standard output
    assert json.loads(shown.out)["pack"] == "mine"
    assert "Take it nevertheless? [y/N] " in shown.err and "Do you accept these licences? [y/N] " in shown.err


def test_a_folder_where_one_stands_is_no_pack_by_name(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "where I stand"
    micro_as(here / "own", "own")
    monkeypatch.chdir(here)
    assert run("use", "own") == 2
    said = capsys.readouterr().err
    assert "is not a pack by name" in said and f"models import '{here.resolve() / 'own'}'" in said
    assert chosen_pack() == "micro"
    micro_as(cache / "packs" / "own", "own")
    assert run("use", "own") == 0 and chosen_pack() == "own"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('name = "sick"\n[[file]]\npath = "' + "n" * 300 + '.onnx"\n', "File name too long"),
        ('name = "sick"\n[[file]]\npath = "a.onnx"\n[brick.stt]\nruntime = "whisper.cpp"\nmemory_mib = 1\n'
         'files = { model = "b.bin" }\n', "b.bin isn't listed under [[file]]"),
        ('"a\\nb\\u001b[31m" = 1\n', r"has the unknown key a\nb\x1b[31m"),
    ],
    ids=["long", "brick", "control"],
)  # fmt: skip
def test_a_pack_that_cannot_be_used_is_one_line_beside_the_others(
    cache: Path, text: str, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (packs.PACKS_FOLDER / "micro").unlink()  # 64 MiB need not be read
    stick(cache / "packs" / "mine", "mine")
    packs.seal(cache / "packs" / "mine")
    folder = bad_pack(cache, "sick", text)
    (folder / "a.onnx").write_bytes(b"a")
    packs.choose_pack("sick")
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("* sick           can't be used: ") and says in line for line in lines)
    assert any(line.startswith("  mine           here") for line in lines)
    assert run("verify") == 1
    lines = capsys.readouterr().out.splitlines()
    assert "pack 'mine': 2 files, all as listed" in lines
    assert any(line.startswith("pack 'sick': ") and says in line for line in lines)
    assert run("verify", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["mine"]["faults"] == {} and "pack.toml" in told["sick"]["faults"]


def test_the_doctor_tells_of_a_pack_that_cannot_be_looked_at(cache: Path) -> None:
    bad_pack(cache, "sick", f'name = "sick"\n[[file]]\npath = "{"n" * 300}.onnx"\n')
    found = asyncio.run(pack_finding("sick"))
    assert found.health == "broken" and found.says.endswith("n.onnx cannot be used (File name too long).")


def test_a_licence_moves_no_cursor(cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = stick(tmp_path / "stick", "mine")
    text = (folder / "pack.toml").read_text()
    (folder / "pack.toml").write_text(text.replace('"CC0-1.0"', '"\\u001b[2J\\nMIT"'))
    assert run("import", str(folder), "--accept-licence", "--unsigned") == 2
    shown = capsys.readouterr()
    assert shown.out == "" and "the licence of voice.onnx has characters" in shown.err


def test_a_choice_that_cannot_be_written_stays_as_it_was(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packs.choose_pack("micro")
    monkeypatch.setattr("host.cli.models.load_pack", lambda name: packs.load_pack(name, verify=False))

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("models.atomic_file.os.fsync", full)
    assert run("use", "micro") == 1
    assert capsys.readouterr().err == (
        f"The choice can't be written into {cache} (No space left on device); it is what it was.\n"
    )
    assert [path.name for path in cache.iterdir()] == [packs.CHOICE] and chosen_pack() == "micro"


def test_settings_that_cannot_be_used_leave_the_choice_as_it_was(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.cli.models.load_pack", lambda name: packs.load_pack(name, verify=False))
    assert run("use", "micro", "--config", str(tmp_path / "none.toml")) == 2
    assert "none.toml cannot be read" in capsys.readouterr().err
    assert not (cache / packs.CHOICE).exists()


def test_a_file_that_is_cut_off_makes_no_whole_pack(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = stick(cache / "packs" / "mine", "mine")
    (folder / "stt.bin").write_bytes(STT[:100])
    assert run("list") == 0
    assert (
        f"mine           not whole; stt.bin has 100 bytes instead of {len(STT)}: " in capsys.readouterr().out
    )
    assert run("list", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["packs"]}
    assert not rows["mine"]["complete"]
    assert {file["path"]: file["here"] for file in rows["mine"]["files"]} == {
        "stt.bin": False,
        "voice.onnx": True,
    }


def test_what_came_before_a_fault_is_told(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stick(tmp_path / "two" / "a", "first")
    stick(tmp_path / "two" / "b", "second")
    (cache / "packs" / "second").mkdir(parents=True)
    assert run("import", str(tmp_path / "two"), "--accept-licence", "--unsigned") == 1
    shown = capsys.readouterr()
    assert "pack 'first' is here now" in shown.out and "Trusted at first use" in shown.out
    assert "second is a folder that was put there by hand" in shown.err
    assert "pack 'second'" not in shown.out


@pytest.mark.parametrize("named", ["{folder}", "mine", "../mine"])
def test_what_a_folder_says_of_a_pack_is_not_fetched(
    cache: Path,
    tmp_path: Path,
    named: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody would have asked whose pack.toml it is, also where it has the name of the program's pack."""
    folder = stick(tmp_path / "mine", "small")
    monkeypatch.chdir(tmp_path)
    assert run("fetch", named.format(folder=folder), "--accept-licence", "--hub", "http://127.0.0.1:9") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and not (cache / "packs").exists()
    assert "headband models import" in said or "There is no model pack" in said


def test_what_only_the_folder_knows_is_not_said_to_be_fetched(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = stick(tmp_path / "stick", "mine", "stt.bin")
    assert run("import", str(folder), "--accept-licence", "--unsigned", "--pack", "mine") == 0
    said = capsys.readouterr().out
    assert "Still missing: voice.onnx; put them into the folder as well" in said and "fetch" not in said


def test_a_name_that_no_folder_can_have_is_bad_input(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fetch", "x" * 300) == 2 and "There is no model pack" in capsys.readouterr().err
