"""The stranger shares nothing with what trains the pack."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]
OWN = ("tests.eval", "models.train")
"""Packages whose modules are followed; the product itself may import what it likes."""
WORLD = "models.train.world"


def imported(path: Path) -> set[str]:
    """Every module that a file imports anywhere, and every name that it imports from one."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} imports relatively"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
def test_no_module_imports_the_drawn_world(path: Path) -> None:
    assert not {name for name in imported(path) if (name + ".").startswith(WORLD + ".")}


def test_nothing_that_it_imports_of_training_and_evaluation_does_either() -> None:
    seen, pending = set(), sorted(HERE.glob("*.py"))
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in imported(path):
            assert not (name + ".").startswith(WORLD + "."), f"{path} imports {name}"
            source = ROOT / (name.replace(".", "/") + ".py")
            if name.startswith(OWN) and source.exists():
                pending.append(source)
    assert ROOT / "models/train/sound/espeak.py" in seen


def test_nothing_that_trains_imports_the_stranger() -> None:
    for path in (ROOT / "models").rglob("*.py"):
        assert not {name for name in imported(path) if name.startswith("tests.eval.stranger")}, path
