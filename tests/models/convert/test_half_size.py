"""Graphs whose large constants are stored in 16 bits compute what they did, and can be trained on."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from models.convert.checkpoint.folder import ConvertError
from models.convert.half_size import halve, main
from models.convert.reflex.graph import write_reflex
from models.convert.reflex.read import read_reflex
from tests.models.bricks.reflex_pack import weights

onnx = pytest.importorskip("onnx")


def test_a_network_is_half_as_large_and_read_again(tmp_path: Path) -> None:
    network = weights(16, width=128, hidden=192)
    paths = write_reflex(tmp_path, network)
    before = {path: path.stat().st_size for path in paths}
    for path in paths:
        assert halve(path) == path.stat().st_size
    assert all(path.stat().st_size < 0.7 * before[path] for path in paths)
    again = read_reflex(tmp_path, network.shape)
    for name, value in network.arrays.items():
        assert np.allclose(again[name], value, atol=2e-3, rtol=2e-3), name


def test_it_computes_the_same(tmp_path: Path) -> None:
    import onnxruntime

    front, *_ = write_reflex(tmp_path, weights(16, width=128, hidden=192))
    copy = shutil.copyfile(front, tmp_path / "copy.onnx")
    halve(copy)
    feeds = {
        "words": np.array([[2, 3, 4]], np.int64),
        "rows": np.random.default_rng(1).standard_normal((1, 16, 16), np.float32),
    }
    whole, half = (onnxruntime.InferenceSession(str(path)).run(None, feeds) for path in (front, copy))
    for one, other in zip(whole, half, strict=True):
        assert np.allclose(one, other, atol=5e-3)


def test_halved_twice_it_stays_as_it_is(tmp_path: Path) -> None:
    front, *_ = write_reflex(tmp_path, weights(16, width=128, hidden=192))
    halve(front)
    once = front.read_bytes()
    halve(front)
    assert front.read_bytes() == once


def test_what_16_bits_cannot_hold_and_what_is_no_graph_is_told(tmp_path: Path) -> None:
    from onnx import TensorProto, helper, numpy_helper

    path = tmp_path / "large.onnx"
    constant = numpy_helper.from_array(np.full(2**14, 1e6, np.float32), "c")
    made = helper.make_graph(
        [helper.make_node("Add", ["x", "c"], ["y"])],
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2**14])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2**14])],
        [constant],
    )
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    with pytest.raises(ConvertError, match="more than 65504"):
        halve(path)
    (tmp_path / "text.onnx").write_text("no graph")
    with pytest.raises(ConvertError, match="cannot be read"):
        halve(tmp_path / "text.onnx")


@pytest.mark.parametrize("content", [b"", b"\x08\x08", b"\x3a\x00"])
def test_a_file_that_holds_no_whole_graph_is_told_in_one_sentence(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.onnx"
    path.write_bytes(content)
    monkeypatch.setattr("sys.argv", ["half_size", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2 and told.startswith(f"{path} cannot be read: ")
    assert told.count("\n") == 1 and told.endswith(".\n") and ".." not in told
    assert path.read_bytes() == content
