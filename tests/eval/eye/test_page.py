"""`just eval eye` runs on every kind of pack and says which figures a pack cannot have."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.brick import Activation
from models.train.over_runs import over
from tests.eval.eye.__main__ import main
from tests.eval.eye.captions import content_words, match
from tests.eval.eye.page import Table, share
from tests.eval.eye.sections import SECTIONS
from tests.eval.eye.stored import CODECS
from tests.eval.eye.trial_pack import SMALL, completed, write_random_pack
from tests.models.bricks.chain_graphs import write_chain

QUICK = ("retrieval", "home", "stranger", "costs", "stored", "streaming")
"""Every section but those that listen in real time."""


def sections(*names: str) -> list[str]:
    return [word for name in names for word in ("--section", name)]


@pytest.fixture(scope="module")
def chain_pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_pack(tmp_path_factory.mktemp("packs") / "random")


def test_a_pack_without_pieces_lacks_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_chain(tmp_path, SMALL)
    manifest = (
        'name = "whole"\nversion = "1"\n\n[[file]]\npath = "whole.onnx"\nlicence = "MIT"\n\n'
        '[brick.vision]\nruntime = "onnxruntime"\nmemory_mib = 40\nfiles = { model = "whole.onnx" }\n'
        "[brick.vision.settings]\n"
        f"tokens = {SMALL.tokens}\nwidth = {SMALL.row_width}\nside_px = {SMALL.side_px}\n"
    )
    pack = completed(tmp_path, manifest, ("llm",))
    wanted = sections("retrieval", "costs", "stored", "streaming")
    assert main(["--smoke", "--pack", str(pack), *wanted]) == 0
    page = capsys.readouterr().out
    for lacking in ("has no text tower", "is one graph", "oracle on the drawn truth", "chance"):
        assert lacking in page
    assert "exit after block" not in page


def test_every_section_runs_on_a_chain(
    chain_pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(QUICK) <= set(SECTIONS)
    assert main(["--smoke", "--pack", str(chain_pack), "--out", str(tmp_path), *sections(*QUICK)]) == 0
    page = capsys.readouterr().out
    for shown in (
        "exit after block 1", "exit after block 4", "right", "worst family", "said falsely", "cause right",
        "largest difference of a row's value", "Processor time of a frame", "blocks skipped", "int4",
        "float16", "streamed, peak", "200 MB/s",
    ):  # fmt: skip
        assert shown in page, shown
    written = (tmp_path / "eye.md").read_text()
    assert "| method | R@1 | R@5 |" in written
    gallery = (tmp_path / "retrieval.html").read_text()
    assert gallery.count("<h2>") == 10 and gallery.count("data:image/jpeg") == 10 * 2 * 5


def test_a_pack_without_ears_says_so(chain_pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--smoke", "--pack", str(chain_pack), *sections("voice", "first-word")]) == 0
    assert capsys.readouterr().out.count("has no stt brick") == 2
    assert main(["--pack", "nowhere"]) == 2


def test_codecs_keep_an_activation_almost() -> None:
    import numpy as np

    rows = np.random.default_rng(1).standard_normal((16, 32)).astype(np.float32)
    for name, most in (("float16", 0.002), ("int4", 0.3)):
        kept = CODECS[name](Activation(3, "random 1 0", rows))
        assert kept.depth == 3 and kept.encoder == "random 1 0" and kept.rows is not None
        apart = np.abs(np.asarray(kept.rows, np.float32) - rows).max()
        assert 0 < apart < most * np.abs(rows).max()


def test_words_match_whole_sentences_first() -> None:
    views = [
        ["Your keys are on the sofa.", "Your cup is on the table."],
        ["Your keys are on the table."],
        [],
        ["This is the park."],
    ]
    scores = match(["keys on the table", "the park"], views)
    assert scores.argmax(axis=1).tolist() == [1, 3] and scores[0, 2] == 0
    assert content_words("Where are my keys?") == {"keys"}


def test_tables_and_intervals() -> None:
    table = Table("A title", ("what", "figure"), [("one", "1 %"), ("another", "12 %")], ["A note."])
    assert table.text().splitlines()[1:] == [
        "  what     figure",
        "  one      1 %",
        "  another  12 %",
        "  A note.",
    ]
    assert "| one | 1 % |" in table.markdown() and Table("t", notes=["n"]).text() == "t\n  n"
    assert share([True, False]).startswith("50.0 % [") and share([]) == "-"
    assert over([50.0]) == "50.0 %" and over([40.0, 50.0, 60.0]) == "50.0 % [25.2, 74.8]"
