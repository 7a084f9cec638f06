"""The firmware as it is deployed: of one commit, and without what only people read."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from host.flash.image import FIRMWARE, firmware_image, sha256
from host.flash.strip_comments import slim


def test_the_image_is_the_checkout_at_its_commit(tmp_path: Path) -> None:
    image = firmware_image()
    assert re.fullmatch(r"[0-9a-f]{8}\+?", image.commit)
    assert image.hashes["pmu/app.py"] == sha256(image.files["pmu/app.py"])
    assert f'COMMIT = "{image.commit}"'.encode() in image.files["pmu/build.py"]
    (tmp_path / "pmu").mkdir()
    for name in ("loader.py", "main.py", "pmu/app.py"):
        (tmp_path / name).write_text("")
    assert firmware_image(tmp_path).commit == "00000000"


def test_a_slim_module_is_the_same_program_on_the_same_lines() -> None:
    def program(source: bytes) -> list[tuple[int, str]]:
        """What is executed, piece by piece with its line; strings that stand for themselves are not."""
        pieces = [
            node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt | ast.Call | ast.Name)
        ]
        return [
            (each.lineno, type(each).__name__) for each in pieces if not isinstance(each, ast.Expr | ast.Pass)
        ]

    for path in FIRMWARE.rglob("*.py"):
        source = path.read_bytes()
        small = slim(source)
        assert program(small) == program(source), path
        assert b'"""' not in small, path


def test_slim_leaves_what_counts() -> None:
    source = b'''"""Module."""
X = "# no comment"  # a comment
"""of X"""


class Empty:
    """Only words."""


def f(a):
    """Doc

    more."""
    return a  # end


def g(a):
    "stays"; return a
'''
    small = slim(source)
    scope: dict[str, Any] = {}
    exec(small, scope)
    assert scope["X"] == "# no comment" and scope["f"](3) == scope["g"](3) == 3 and scope["Empty"]()
    assert small.count(b"\n") == source.count(b"\n") and b"words" not in small and b"a comment" not in small
