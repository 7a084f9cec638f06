"""A command that cannot leave its files where it was told says so in one sentence, before it works."""

from pathlib import Path

import pytest

from host.cli import main
from host.outputs import writable_file, writable_folder
from host.usage import UsageError

DEMO = Path(__file__).parents[2] / "host" / "demo"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none/at/all.json", "does not exist"),
        (".", "is a folder"),
        ("/proc/a.json", "Nothing can be written"),
        ("/proc/version", "cannot be written"),
        ("x" * 300, "cannot be written .File name too long"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        writable_file(tmp_path / name, "the trace")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("file", "no folder"),
        ("file/below", "no folder"),
        ("/proc", "Nothing can be written"),
        ("x" * 300, "cannot be used .File name too long"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=words):
        writable_folder(tmp_path / name, "the report")


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
        ["ask", "--audio", str(DEMO / "1-colour.wav"), "--trace", "/nowhere/at/all/trace.json"],
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
