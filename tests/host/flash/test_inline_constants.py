"""Inlined constants make the firmware smaller and do not change its behaviour."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from host.flash.drop_unused import prune
from host.flash.image import FIRMWARE, firmware_image
from host.flash.inline_constants import inline
from host.flash.mpy_cross import can_load, compiler


def inlined(**sources: str) -> dict[str, str]:
    found = inline({name: text.encode() for name, text in sources.items()})
    return {name: text.decode() for name, text in found.items()}


def test_a_constant_is_written_out_at_home_and_abroad() -> None:
    found = inlined(
        home="A = 3\n_B = A << 2 | 1\nC, D = range(2)\ndef f(x=_B):\n    return x + A * D\n",
        abroad="from . import home\nfrom .home import A, f\nE = (home.D, -A)\n",
    )
    assert found["home"].split("\n")[3:5] == ["def f(x=(13)):", "    return x + (3) * (1)"]
    assert "A =" not in found["home"] and "range" not in found["home"]
    assert found["abroad"].split("\n") == ["from . import home", "from .home import f", "E = ((1), -(3))", ""]


def test_a_whole_number_loses_its_point_where_nothing_depends_on_it() -> None:
    found = inlined(module="A = 2.0\nb = A * 3.0 + 0.5\nc = 7.0 // A\nd = 5.0 % b\ne = 1e20\n")
    assert found["module"].split("\n")[1:5] == [
        "b = (2) * 3 + 0.5",
        "c = 7.0 // (2.0)",
        "d = 5.0 % b",
        "e = 1e+20",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "A = 1\ndef f():\n    global A\n    A += 1\n",  # bound twice
        "A = True\n",  # no number
        "A = 'a'\n",
        "A = len('ab')\n",  # not known before it runs
        "A = 2\nA = 3\n",
        "A = 1\ndef f(A):\n    return A\n",
        "class B:\n    A = 1\n",  # not at the top
        "a = 1\n",
    ],
)
def test_what_is_no_constant_stays(source: str) -> None:
    assert inlined(module=source)["module"] == source


def test_what_nobody_refers_to_goes_and_what_is_left_stays_on_its_line() -> None:
    found = prune(
        {
            "__init__": b"UNUSED = 1\n",
            "board": b"import sys\nfrom . import more as m\n\ndef start():\n    return m.used()\n",
            "more": b"from math import e, pi\nfrom .last import a, b\nT = {1: 2}\nU = [len('x')]\n"
            b"def used():\n    return a, pi\ndef unused():\n    return b, T\n",
            "last": b"def a():\n    pass\ndef b():\n    pass\n",
        },
        ("board", "start"),
    )
    assert {name: text.decode().split("\n") for name, text in found.items()} == {
        "__init__": ["UNUSED = 1", ""],
        "board": ["", "from . import more as m", "", "def start():", "    return m.used()", ""],
        "more": ["from math import pi", "from .last import a", "", "U = [len('x')]", "def used():",
                 "    return a, pi", "", "", ""],
        "last": ["def a():", "    pass", "", "", ""],
    }  # fmt: skip


def test_every_line_of_the_firmware_stays_where_it_was() -> None:
    sources = {path.stem: path.read_bytes() for path in sorted((FIRMWARE / "pmu").glob("*.py"))}
    smaller = prune(inline(sources), ("board", "start"))
    for name, source in sources.items():
        kept = _lines(smaller[name])
        assert kept <= _lines(source) and (kept or not _lines(source)), name
    assert sum(map(len, smaller.values())) < sum(map(len, sources.values()))


def _lines(source: bytes) -> set[tuple[str, int]]:
    return {
        (type(node).__name__, node.lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Return | ast.If | ast.For | ast.While)
    }


SAME = """\
import sys
sys.path.insert(0, sys.argv[1])
from pmu import app, gauge_cell as cell, registers
class Board:
    now_ms, level = 0, 4100
    def ticks_ms(self):
        return self.now_ms
    def sense(self):
        return self.level, -700, 2981, False
    def alert(self, active):
        print("alert", active)
    def rail(self, on):
        print("rail", on)
    def light(self, *colour):
        pass
board = Board()
pmu = app.Pmu(board)
for _ in range(4000):
    board.now_ms += 250
    board.level -= 1 if _ % 3 == 0 else 0
    pmu.step()
    if _ % 100 == 0:
        print(bytes(pmu.target.memory).hex())
"""


def test_it_does_the_same_as_the_source(tmp_path: Path) -> None:
    image = firmware_image(commit="01d01d01")
    for name, data in image.files.items():
        place = tmp_path / "image" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "pmu").symlink_to(FIRMWARE / "pmu")
    image_says, source_says = (
        subprocess.run(
            [sys.executable, "-c", SAME, tmp_path / folder], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for folder in ("image", "source")
    )
    assert len(image_says) > 40 and "rail False" in image_says
    commit = slice(0x1D * 8, 0x1F * 8)
    for ours, theirs in zip(image_says, source_says, strict=True):
        if len(ours) > 100:  # the memory; only the image knows its commit
            ours, theirs = (line[: commit.start] + line[commit.stop :] for line in (ours, theirs))
        assert ours == theirs


RP2040 = 6 | 3 << 8 | 4 << 10
RP2350 = 6 | 3 << 8 | 7 << 10


@pytest.mark.parametrize(
    ("board", "second", "third", "wanted"),
    [
        (RP2040, 6, 0x00, True),
        (RP2040, 6, 0x13, True),  # machine code for armv6m
        (RP2350, 6, 0x13, True),
        (RP2350 & ~0xFC00 | 11 << 10, 6, 0x13, False),  # RISC-V
        (RP2350 & ~0xFC00 | 11 << 10, 6, 0x00, True),
        (6 | 2 << 8 | 4 << 10, 6, 0x13, False),  # another release's calls
        (7 | 3 << 8 | 4 << 10, 6, 0x00, False),
        (0, 6, 0x00, False),  # loads none
    ],
)
def test_which_board_loads_which_file(board: int, second: int, third: int, wanted: bool) -> None:
    assert can_load(board, bytes((ord("M"), second, third, 31))) == wanted


def test_the_compiled_firmware_is_for_the_rp2040_and_the_rp2350() -> None:
    using = compiler()
    if using is None:
        pytest.skip("mpy-cross is not installed: ./justw installs it")
    image = firmware_image(commit="01d01d01", compiler=using)
    assert {name.removesuffix(".mpy") for name in image.files} == {
        name.removesuffix(".py") for name in firmware_image(commit="01d01d01").files
    }
    assert image.fits(RP2040) and image.fits(RP2350) and not image.fits(0)
    with pytest.raises(SyntaxError):
        using("pmu/wrong.py", b"def f(:\n")
