"""A command that cannot write its output files prints one error sentence, before it starts its work."""

import errno
import json
import shutil
from pathlib import Path

import pytest

from host.cli.main import main
from host.terminal.output_paths import refuse_same_file, save_file, writable_file, writable_folder
from host.terminal.usage import UsageError
from tests.demo_files import COLOUR, DEVICE

DEMO = Path(__file__).parents[3] / "host" / "demo"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none/at/all.json", "does not exist"),
        (".", "is a folder"),
        ("/proc/a.json", "Nothing can be written"),
        ("/proc/version", "cannot be written"),
        ("x" * 300, "cannot be written .File name too long"),
        ("loop", "cannot be written .Too many levels of symbolic links"),
        ("loop/below", "cannot be written .Too many levels of symbolic links"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=words):
        writable_file(tmp_path / name, "the trace")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("file", "no folder"),
        ("file/below", "no folder"),
        ("/proc", "Nothing can be written"),
        ("x" * 300, "cannot be used .File name too long"),
        ("loop", "cannot be used .Too many levels of symbolic links"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=words):
        writable_folder(tmp_path / name, "the report")


@pytest.mark.parametrize("option", ["--out", "--trace"])
def test_a_dash_is_refused_where_a_file_is_written(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ask", "--audio", str(DEMO / COLOUR[0]), option, "-"]) == 2
    assert capsys.readouterr().err.startswith("- is no name for the ")
    assert main(["demo", "--out", "-"]) == 2
    assert capsys.readouterr().err.startswith("- is no name for the demo's files, which ")
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("kept")
    for path in (None, tmp_path / "old.json", tmp_path / "new.json"):
        writable_file(path, "the trace")
    for folder in (None, tmp_path, tmp_path / "a" / "b"):
        writable_folder(folder, "the report")
    assert [item.name for item in tmp_path.iterdir()] == ["old.json"]
    assert (tmp_path / "old.json").read_text() == "kept"


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "--audio", str(DEMO / COLOUR[0]), "--trace", "/nowhere/at/all/trace.json"],
        ["run", "--script", str(DEMO / "demo.toml"), "--trace", "/nowhere/at/all/trace.json"],
        ["run", "--script", str(DEMO / "demo.toml"), "--out", str(DEMO / "demo.toml")],
        ["demo", "--out", str(DEMO / "demo.toml")],
        ["rig", "run", "standby", "--out", str(DEMO / "demo.toml")],
    ],
)
def test_the_commands_look_first(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert (
        printed.out == ""
        and len(printed.err.splitlines()) == 1
        and arguments[-1].split("/")[1] in printed.err
    )


def test_an_output_that_is_an_input_or_another_output_is_refused(tmp_path: Path) -> None:
    question = tmp_path / "question.wav"
    question.touch()
    (tmp_path / "link.wav").symlink_to(question)
    (tmp_path / "hard.wav").hardlink_to(question)
    (tmp_path / "folder").mkdir()
    for name in ("question.wav", "link.wav", "hard.wav", "folder/../question.wav"):
        with pytest.raises(UsageError, match=r"question\.wav.* this command reads; name another\.$"):
            refuse_same_file([tmp_path / "answer.wav", tmp_path / name], [None, question])
    with pytest.raises(UsageError, match="is written as well"):
        refuse_same_file([tmp_path / "new.json", None, tmp_path / "folder" / ".." / "new.json"], [question])
    refuse_same_file([tmp_path / "answer.wav", tmp_path / "trace.json", None], [question])
    refuse_same_file([Path("/dev/null"), Path("/dev/null")], [Path("/dev/null")])


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "--audio", "{0}/q.wav", "--out", "{0}/link.wav"],
        ["ask", "--audio", "{0}/q.wav", "--trace", "{0}/./q.wav"],
        ["ask", "--audio", "{0}/q.wav", "--image", "{0}/view.png", "--out", "{0}/view.png"],
        ["ask", "--audio", "{0}/q.wav", "--out", "{0}/new", "--trace", "{0}/new"],
        ["run", "--script", "{0}/spoken.toml", "--out", "{0}"],
        ["run", "--script", "{0}/spoken.toml", "--trace", "{0}/spoken.toml"],
        ["power", "twin", "{0}/day.toml", "--trace", "{0}/day.toml"],
        ["power", "replay", "{0}/day.toml", "--html", "{0}/../{1}/day.toml"],
        ["rig", "run", "standby", "--journal", "{0}/report.json", "--out", "{0}"],
    ],
)
def test_no_command_writes_over_what_it_reads(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(DEMO / COLOUR[0], tmp_path / "q.wav")
    shutil.copy(DEMO / COLOUR[0], tmp_path / "spoken.wav")
    shutil.copy(DEMO / COLOUR[1], tmp_path / "view.png")
    shutil.copy(DEMO.parents[1] / "power" / "days" / "normal.toml", tmp_path / "day.toml")
    (tmp_path / "spoken.toml").write_text('end_s = 1\n[[event]]\nat_s = 0\nsay = "spoken.wav"\n')
    (tmp_path / "report.json").write_text("{}")
    (tmp_path / "link.wav").symlink_to("q.wav")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main([each.format(tmp_path, tmp_path.name) for each in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1 and "name another" in printed.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_cannot_be_saved_is_one_sentence_and_no_half_file(tmp_path: Path) -> None:
    def half(path: Path) -> None:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "trace.json"
    assert save_file(half, path) == f"{path} could not be written (No space left on device)."
    assert not path.exists()
    assert save_file(half, None) is None
    assert save_file(lambda path: path.write_text("whole"), path) is None and path.read_text() == "whole"


def test_ctrl_c_leaves_no_half_file_and_takes_none_that_was_not_begun(tmp_path: Path) -> None:
    def stopped(path: Path) -> None:
        raise KeyboardInterrupt

    def half(path: Path) -> None:
        path.write_text("half")
        raise KeyboardInterrupt

    path = tmp_path / "trace.json"
    path.write_text("of the day before")
    with pytest.raises(KeyboardInterrupt):
        save_file(stopped, path)
    assert path.read_text() == "of the day before"
    with pytest.raises(KeyboardInterrupt):
        save_file(half, path)
    assert not path.exists()


def test_the_answer_is_told_where_its_files_find_no_room(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["ask", "--audio", str(DEMO / DEVICE[0]), "--mode", "cascade"]
    assert main([*asked, "--out", "/dev/full", "--trace", "/dev/full"]) == 1
    printed = capsys.readouterr()
    assert "answer   The battery is at 80 percent." in printed.out and "  sound    " not in printed.out
    assert printed.err.splitlines() == ["/dev/full could not be written (No space left on device)."] * 2
    assert main([*asked, "--out", "/dev/full", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["answer"] == "The battery is at 80 percent." and report["audio_out"] is None
    assert report["unsaved"] == ["/dev/full could not be written (No space left on device)."]


@pytest.mark.parametrize(
    "arguments", [["twin", "light", "--trace"], ["replay", "light", "--capacity-mah", "100", "--html"]]
)
def test_the_modelled_day_is_told_where_its_file_finds_no_room(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power", *arguments, "/dev/full"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("light")
    assert printed.err == "/dev/full could not be written (No space left on device).\n"
