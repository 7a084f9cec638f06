"""A stranger's clips share nothing with what trains the pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.train.world.wording.clips import HELD_OUT, TRAINED
from tests.eval.stranger.test_independence import OWN, ROOT, WORLD, imported
from tests.eval.stranger_clips.wordings import OWN as OWN_WORDS

HERE = Path(__file__).parent
MODULES = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_imports_the_drawn_world_directly_or_by_another(path: Path) -> None:
    seen, pending = set(), [path]
    while pending:
        at = pending.pop()
        if at not in seen:
            seen.add(at)
            for name in imported(at):
                assert not (name + ".").startswith(WORLD + "."), f"{at} imports {name}"
                assert not (name + ".").startswith("models.train.motion."), f"{at} imports {name}"
                source = ROOT / (name.replace(".", "/") + ".py")
                if name.startswith(OWN) and source.exists():
                    pending.append(source)


def test_none_of_its_own_words_is_one_of_training_or_of_the_held_out_ones() -> None:
    known = {text for texts in (*TRAINED.values(), *HELD_OUT.values()) for text in texts}
    own = {text for texts in OWN_WORDS.values() for text in texts}
    assert not own & known


def test_nothing_that_trains_imports_it() -> None:
    for path in (ROOT / "models").rglob("*.py"):
        assert not {name for name in imported(path) if name.startswith("tests.eval.stranger_clips")}, path
