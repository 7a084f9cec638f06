"""The program that a deploy sends: what it imports is sent before it, and its files are replaced in
one step.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from host.ship.atomic import update_file
from host.ship.release import ROOT
from host.ship.remote import MODULES


def test_every_module_imports_the_standard_library_and_modules_sent_before_it() -> None:
    known = set(sys.stdlib_module_names)
    for name in MODULES:
        tree = ast.parse((ROOT / f"{name.replace('.', '/')}.py").read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.module in known or str(node.module).partition(".")[0] in sys.stdlib_module_names
            elif isinstance(node, ast.Import):
                assert {each.name.partition(".")[0] for each in node.names} <= set(sys.stdlib_module_names)
        known.add(name)


def test_a_file_is_replaced_where_it_differs_and_leftovers_go(tmp_path: Path) -> None:
    path = tmp_path / "etc/70-headband.rules"
    assert update_file(path, b"old", 0o755)
    assert not update_file(path, b"old", 0o755)
    path.with_name("70-headband.rules.123.new").write_text("of a deploy that was cut")
    assert update_file(path, b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]
