"""`just eval`: which parts run, with whose options."""

import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from tests.eval.__main__ import PARTS, main


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Modules and options in the order in which they were started; nothing really starts."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        commands.append(command[2:])
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_the_named_parts_run_or_all(started: list[list[str]]) -> None:
    assert main([]) == 0 and len(started) == len(PARTS)
    started.clear()
    assert main(["ring", "chain"]) == 0
    assert started == [["tests.eval.ring"], ["tests.eval.chain"]]


def test_one_part_takes_its_own_options(started: list[list[str]]) -> None:
    assert main(["chain", "--against-blocking", "--cases", "480", "--seed", "777"]) == 0
    assert started == [["tests.eval.chain", "--against-blocking", "--cases", "480", "--seed", "777"]]
    assert main(["--matrix", "--cases", "20"]) == 0
    assert started[1:] == [["tests.eval.matrix", "--cases", "20"]]


@pytest.mark.parametrize("arguments", [["chian"], ["--cases", "3"], ["chain", "ring", "--cases", "3"]])
def test_bad_usage_is_one_sentence(
    arguments: list[str], started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2 and not started
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1


def test_help_names_every_part(started: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0 and not started
    assert set(PARTS) <= set(capsys.readouterr().out.split())
