"""The settings file that is read, and the message about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from host.cli.main import main
from host.terminal.settings_file import VARIABLE, settings_file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an environment that names no file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE)
    return tmp_path


def put(path: Path, word: str) -> Path:
    path.write_text(f'[wake]\nword = "{word}"\n')
    return path


def status(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[dict[str, Any], str]:
    assert main(["status", "--json", *more]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_every_command_reads_the_same_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file of the folder, and the one of the environment as on a headband: without --config."""
    for variable, state in ((None, folder / "one"), (str(folder / "named.toml"), folder / "two")):
        file = Path(variable or folder / "headband.toml")
        file.write_text(f'[journal]\npath = "{state}/journal.jsonl"\n')
        if variable is not None:
            monkeypatch.setenv(VARIABLE, variable)
        assert main(["recording", "off"]) == 0
        assert str(state / "kept.json") in capsys.readouterr().out
        (state / "journal.jsonl").write_text("{}\n")
        assert main(["forget", "--logs"]) == 0
        assert f"Removed journal.jsonl from {state}." in capsys.readouterr().out
        assert main(["recording", "on"]) == 0
        assert json.loads((state / "kept.json").read_text())["recording"] is True


def test_a_home_folder_that_is_not_there_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = "~nobody-of-that-name"
    (folder / "board.toml").write_text(f'[board]\nfile = "{nobody}/board.toml"\n')
    for more in (["--pack", f"{nobody}/pack"], ["--config", "board.toml"]):
        assert main(["status", *more]) == 2
        assert nobody in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, f"{nobody}/headband.toml")
    assert main(["status"]) == 2
    assert nobody in capsys.readouterr().err


def test_the_command_line_comes_before_the_environment_before_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told, aloud = status(capsys)
    assert (told["settings"], told["wake_word"], aloud) == (None, "okay_nabu", "")
    here = put(folder / "headband.toml", "alexa")
    told, aloud = status(capsys)
    assert (told["settings"], told["wake_word"], aloud) == (str(here), "alexa", f"Settings: {here}\n")
    named = put(folder / "named.toml", "hey_jarvis")
    monkeypatch.setenv(VARIABLE, str(named))
    told, aloud = status(capsys)
    assert (told["settings"], told["wake_word"], aloud) == (str(named), "hey_jarvis", f"Settings: {named}\n")
    typed = put(folder / "typed.toml", "hey_mycroft")
    told, aloud = status(capsys, "--config", str(typed))
    assert (told["settings"], told["wake_word"], aloud) == (str(typed), "hey_mycroft", "")


def test_an_empty_variable_stands_for_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder / "headband.toml", "alexa")
    monkeypatch.setenv(VARIABLE, "")
    assert settings_file(None) is None


def test_status_and_doctor_say_which_file_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 0
    assert "settings   built-in, no settings file\n" in capsys.readouterr().out
    here = put(folder / "headband.toml", "alexa")
    assert main(["status"]) == 0
    assert f"settings   {here}\n" in capsys.readouterr().out
    main(["doctor", "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert {each["part"]: each["says"] for each in findings}["settings"] == str(here)


@pytest.mark.parametrize(
    "words",
    [["status"], ["doctor"], ["ask", "--audio", "x.wav"], ["run"], ["power", "used"], ["power", "twin"]],
)
def test_a_wrong_wake_word_in_it_is_one_sentence_from_every_command(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    put(folder / "headband.toml", "alexandra")
    assert main(words) == 2
    assert capsys.readouterr().err == (
        f'In {folder / "headband.toml"}, [wake] word is "alexandra"; it must be one of "okay_nabu", '
        '"hey_jarvis", "hey_mycroft", "alexa".\n'
    )


def test_a_link_that_leads_nowhere_is_not_passed_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "headband.toml").symlink_to("nowhere")
    assert main(["status"]) == 2
    assert "headband.toml cannot be read: No such file" in capsys.readouterr().err
