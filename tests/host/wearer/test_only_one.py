"""One headband at a time in one folder: the second says so and ends, and what only reads goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from host.cli.main import main
from host.config import Config, JournalConfig
from host.wearer.only_one import LOCK, AlreadyRuns, only_one, only_one_in

ROOT = Path(__file__).parents[3]
HOLD = """
import sys, time
from pathlib import Path
from host.wearer.only_one import only_one_in
with only_one_in(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def settings(tmp_path: Path) -> list[str]:
    (tmp_path / "headband.toml").write_text(f'[journal]\npath = "{tmp_path}/state/journal.jsonl"\n')
    return ["--config", str(tmp_path / "headband.toml")]


def test_a_second_headband_says_one_sentence_and_ends_before_it_touches_anything(
    settings: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    script = ["--script", "host/demo/demo.toml", "--out", str(tmp_path / "out")]
    with only_one_in(state):
        for command in (
            ["run", *script], ["run", "--board", "laptop"], ["ask", "--board", "laptop"],
            ["ask", "--keep", "--audio", "host/demo/1-find.wav"],
        ):  # fmt: skip
            assert main([*command, *settings]) == 1
            out, err = capsys.readouterr()
            assert out == "" and err.count("\n") == 1
            assert err.startswith(f"Another headband runs and keeps its settings in {state}: end it first")
        for command in (["status"], ["recording"], ["memory", "status"]):
            assert main([*command, *settings]) == 0
    assert {path.name for path in state.iterdir()} == {LOCK} and not (tmp_path / "out").exists()
    with only_one_in(state):
        pass


def test_bad_usage_makes_no_folder(
    settings: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, out = ["--script", "host/demo/demo.toml"], tmp_path / "out"
    for command in (
        ["run"], ["run", "--service", *script], ["run", "--script", str(tmp_path / "none.toml")],
        ["run", *script, "--pack", "none"], ["run", *script, "--trace", str(tmp_path)],
        ["run", *script, "--out", str(tmp_path / "headband.toml")],
        ["run", "--board", "laptop", *script], ["run", "--board", "laptop", "--pack", "none"],
        ["ask", "--keep"], ["ask", "--keep", "--audio", str(tmp_path / "none.wav")],
        ["ask", "--board", "laptop", "--audio", "host/demo/1-find.wav"],
    ):  # fmt: skip
        assert main([*command, *settings]) == 2, command
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["demo", "--fast", "--out", str(out), "--pack", "none", *settings]) == 2
    assert not (tmp_path / "state").exists() and not out.exists()


def test_two_demos_do_not_share_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "journal.jsonl").write_text("of the first")
    with only_one_in(tmp_path):
        assert main(["demo", "--fast", "--out", str(tmp_path)]) == 1
    assert "Another headband runs" in capsys.readouterr().err
    assert (tmp_path / "journal.jsonl").read_text() == "of the first"


def test_another_folder_and_a_headband_that_keeps_nothing_are_free(tmp_path: Path) -> None:
    with only_one_in(tmp_path / "a"), only_one_in(tmp_path / "b"):
        for _ in range(2):
            with only_one(Config(journal=JournalConfig(path=""))):
                pass


def test_other_names_of_the_folder_are_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "state")
    (tmp_path / "state").mkdir()
    with only_one_in(tmp_path / "state"), pytest.raises(AlreadyRuns), only_one_in(tmp_path / "link"):
        pass


def test_one_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert first.stdout is not None and first.stdout.readline() == b"held\n"
    with pytest.raises(AlreadyRuns), only_one_in(tmp_path):
        pass
    first.send_signal(signal.SIGKILL)
    first.wait()
    first.stdout.close()
    with only_one_in(tmp_path):
        pass


def test_where_no_lock_can_be_made_nobody_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with only_one_in(tmp_path / "file" / "state"):
        pass
