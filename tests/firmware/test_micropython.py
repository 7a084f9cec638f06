"""The firmware on MicroPython itself: the tests of the other files in this folder run there as well."""

from __future__ import annotations

import pytest

from tests.firmware.micropython import sessions
from tests.firmware.micropython.interpreter import Missing, micropython, node
from tests.firmware.micropython.portable import portable

SHARED = [f"{module}.{test}" for module, file in sessions.shared_tests().items() for test in file.tests]


@pytest.fixture(autouse=True, scope="module")
def _interpreter() -> None:
    try:
        node(), micropython()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("test", SHARED)
def test_on_micropython(test: str) -> None:
    outcome = sessions.result(sessions.SHARED)[test]
    assert outcome["error"] is None, outcome["error"]


def test_every_module_of_the_package_is_there() -> None:
    """What stays with CPython alone needs numpy or the host's own modules."""
    assert {test.partition(".")[0] for test in SHARED} >= {
        "test_button", "test_console", "test_events", "test_gauge", "test_guard", "test_light",
        "test_registers", "test_sound", "test_target",
    }  # fmt: skip


SOURCE = """\
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(".")


@dataclass
class Pair:
    first: int
    second: int = 2


def folder():
    return HERE


@pytest.mark.parametrize("count", [1, 2])
def test_pairs(count):
    assert Pair(count) == Pair(*[count, *[2]])


def test_files(): folder()


def test_temporary(tmp_path): pass
"""


def test_what_micropython_lacks_is_left_blank_with_all_that_needs_it() -> None:
    file = portable(SOURCE, lambda name: not name.startswith("pathlib"))
    assert file.tests == ["test_pairs"]
    assert file.functions["test_pairs"] == ["count"]
    assert set(file.left_out) == {"test_files", "test_temporary"}
    assert "pathlib" in file.left_out["test_files"]
    assert "Path" not in file.text
    lines = file.text.splitlines()
    assert len(lines) == len(SOURCE.splitlines())
    assert "@dataclass('first', 'second')" in lines
    assert "    assert Pair(count) == Pair(*listed(count, *[2]))" in lines
