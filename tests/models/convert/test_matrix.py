"""`just eval --matrix` converts the micro pack to every precision and runs each in the bricks."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

from models.pack.catalogue import load_pack
from tests.eval.matrix.__main__ import main
from tests.eval.matrix.files import decoder_files, stored_bytes, vision_files
from tests.eval.matrix.sight import ask_all, held_out_views, look
from tests.eval.pictures import side_px


def test_vision_and_decoder_answer_in_every_precision(tmp_path: Path):
    pack = load_pack("micro")
    eyes = vision_files(pack, tmp_path)
    decoders = decoder_files(pack, tmp_path)
    assert list(eyes) == ["fp32", "fp16", "int8", "q4_0 *"]
    assert list(decoders) == ["f16", "q8_0", "q4_0", "hybrid"]
    eye_bytes = [stored_bytes(graphs, name) for name, graphs in eyes.items()]
    assert eye_bytes == sorted(eye_bytes, reverse=True) and eye_bytes[-1] < 0.25 * eye_bytes[0]
    decoder_bytes = [path.stat().st_size for path in decoders.values()]
    assert decoder_bytes[0] > decoder_bytes[1] > decoder_bytes[3] > decoder_bytes[2]
    views = held_out_views(8, side_px(pack))
    asked = sum(len(view.asked) for view in views)
    assert 8 <= asked < 12
    seen = {eye: rows for eye, (rows, _) in look(pack, eyes, views).items()}
    cells = ask_all(pack, {name: decoders[name] for name in ("f16", "hybrid")}, views, seen)
    assert set(cells) == {(eye, name) for eye in eyes for name in ("f16", "hybrid")}
    for cell in cells.values():
        assert [len(group) for group in cell.groups] == [len(view.asked) for view in views]
        assert len(cell.seconds) == asked
    assert sum(map(sum, cells["fp32", "f16"].groups)) >= 0.7 * asked


def test_too_few_cases_are_refused(capsys: pytest.CaptureFixture):
    assert main(["--cases", "3"]) == 2
    assert "at least 8" in capsys.readouterr().err
