"""The eye asked about pictures of other people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from models.train.cutouts import Cutout
from tests.eval.eye.__main__ import main
from tests.eval.eye.answers import of_stranger


def test_where_nobody_has_said_a_colour_none_is_asked() -> None:
    cutouts = {
        name: (Cutout(name, "", np.full((40, 30, 4), 255, np.uint8)),) for name in ("cup", "keys", "bag")
    }
    families = {each.question.family for each in of_stranger(40, 1, cutouts=cutouts)}
    assert len(families) == 10 and not families & {"colour", "wrong colour"}


def test_a_folder_that_cannot_be_used_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Image.new("RGBA", (30, 30), (1, 2, 3, 255)).save(tmp_path / "a.png")
    (tmp_path / "cutouts.tsv").write_text("file\tthing\na.png\tspoon\n", encoding="utf-8")
    assert main(["--section", "stranger", "--cutouts", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "'spoon'" in told and len(told.splitlines()) == 1
