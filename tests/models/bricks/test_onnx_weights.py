"""Where the weights of an ONNX file lie: as the onnx package reads them; one sentence for any other file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.brick import BrickError
from models.bricks.onnx_weights import split
from tests.models.bricks.chain_graphs import ChainShape, weights_of, write_chain

ANY_FILE = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
LEAST_CUT = 5
"""So many bytes less, and the graph is cut; only the operators' version stands behind it."""


@pytest.fixture
def group(tmp_path: Path) -> Path:
    write_chain(tmp_path, ChainShape())
    return tmp_path / "group_02.onnx"


def test_every_large_constant_is_found_where_it_lies(group: Path) -> None:
    found, stored, data = split(group), weights_of(group), group.read_bytes()
    for tensor in found.tensors:
        part = data[tensor.offset : tensor.offset + tensor.size_bytes]
        values = np.frombuffer(part, tensor.dtype).reshape(tensor.shape)
        assert np.array_equal(values, stored[tensor.name])
    large = {name for name, values in stored.items() if values.nbytes >= 64}
    assert {tensor.name for tensor in found.tensors} == large


def test_the_skeleton_is_a_graph_whose_weights_are_inputs_behind_its_own(group: Path) -> None:
    found, whole = split(group), onnx.load(group)
    skeleton = onnx.load_from_string(found.skeleton)
    onnx.checker.check_model(skeleton)
    names = [each.name for each in skeleton.graph.input]
    assert names == [whole.graph.input[0].name, *(tensor.name for tensor in found.tensors)]
    assert list(skeleton.graph.node) == list(whole.graph.node)
    assert len(found.skeleton) < group.stat().st_size / 3
    assert (
        split(group.with_name("group_01.onnx")).skeleton == split(group.with_name("group_03.onnx")).skeleton
    )


@ANY_FILE
@given(data=st.data())
def test_a_file_that_is_cut_short_is_one_sentence(group: Path, data: st.DataObject) -> None:
    whole = group.read_bytes()
    cut = group.with_name("cut.onnx")
    cut.write_bytes(whole[: data.draw(st.integers(0, len(whole) - LEAST_CUT))])
    with pytest.raises(BrickError, match=r"cut.onnx can't be read as an ONNX graph \(.*\)\."):
        split(cut)


@ANY_FILE
@given(content=st.binary(max_size=200))
def test_any_other_file_is_one_sentence(group: Path, content: bytes) -> None:
    other = group.with_name("other.onnx")
    other.write_bytes(content)
    with pytest.raises(BrickError, match=r"other.onnx can't be read as an ONNX graph \(.*\)\."):
        split(other)
