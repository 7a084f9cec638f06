"""The stranger's home shares nothing with what trains the pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.stranger.test_independence import OWN, ROOT, WORLD, imported

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
def test_no_module_imports_the_drawn_world_directly_or_by_another(path: Path) -> None:
    seen, pending = set(), [path]
    while pending:
        at = pending.pop()
        if at not in seen:
            seen.add(at)
            for name in imported(at):
                assert not (name + ".").startswith(WORLD + "."), f"{at} imports {name}"
                source = ROOT / (name.replace(".", "/") + ".py")
                if name.startswith(OWN) and source.exists():
                    pending.append(source)


def test_nothing_that_trains_imports_the_stranger_or_the_evaluation() -> None:
    for path in (ROOT / "models").rglob("*.py"):
        found = {
            name for name in imported(path) if name.startswith(("tests.eval.stranger", "tests.eval.eye"))
        }
        assert not found, path


def test_questions_and_judges_of_the_eye_are_its_own_too() -> None:
    own = ("queries", "page", "answers", "captions")
    for path in (ROOT / "tests/eval/eye" / f"{name}.py" for name in own):
        found = {name for name in imported(path) if (name + ".").startswith(WORLD + ".")}
        assert not found, path
