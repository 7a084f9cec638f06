from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from models.convert.ballast.reflex import random_weights
from models.convert.checkpoint.folder import ConvertError
from models.convert.reflex.graph import ReflexShape, ReflexWeights, write_reflex
from models.convert.reflex.read import read_reflex
from tests.models.convert.reflex_reference import Reference

SHAPE = ReflexShape(
    words=30,
    row_width=20,
    causes=3,
    forms=4,
    blanks=(5, 3),
    blanks_of_form=((), (0,), (1,), (0, 1)),
    width=32,
    hidden=48,
    heads=4,
    layers=3,
)


@pytest.mark.parametrize(("question", "rows"), [([3, 9, 27, 1, 1], 14), ([5], 3)])
def test_the_graphs_do_what_their_description_says_for_any_number_of_words_and_rows(
    tmp_path: Path, question: list[int], rows: int
) -> None:
    weights = random_weights(SHAPE)
    reference = Reference(weights)
    front, *layers = (ort.InferenceSession(path) for path in write_reflex(tmp_path, weights))
    picture = np.random.default_rng(1).standard_normal((1, rows, 20), np.float32)
    got = _run(front, words=np.array([question], np.int64), rows=picture)
    expected = reference.front(question, picture[0].astype(np.float64))
    _assert_same(got, expected)
    for number, layer in enumerate(layers, 1):
        got = _run(layer, words=got["words_out"], image=got["image_out" if number > 1 else "image"])
        image = expected["image_out"] if number > 1 else expected["image"]
        expected = reference.layer(number, expected["words_out"], image)
        _assert_same(got, expected)
    assert "image_out" not in got


def test_layers_in_8_bits_say_almost_the_same_and_are_not_read_again(tmp_path: Path) -> None:
    shape = replace(SHAPE, width=128, hidden=256, row_width=128)
    weights = random_weights(shape)
    exact, small = tmp_path / "exact", tmp_path / "small"
    for folder, eight_bits in ((exact, False), (small, True)):
        folder.mkdir()
        write_reflex(folder, weights, eight_bits=eight_bits)
    words, image = np.random.default_rng(4).standard_normal((2, 1, 6, 128), np.float32)
    names = [f"layer_{number}.onnx" for number in (1, 2, 3)]
    for name in names:
        whole, stored = (
            _run(ort.InferenceSession(at / name), words=words, image=image) for at in (exact, small)
        )
        for key, value in whole.items():
            error = np.abs(stored[key] - value).max() / max(np.abs(value).max(), 1)
            assert error < 0.03, (name, key)
    sizes = [sum((at / name).stat().st_size for name in names) for at in (exact, small)]
    assert sizes[1] < 0.4 * sizes[0]
    assert (exact / "front.onnx").read_bytes() == (small / "front.onnx").read_bytes()
    with pytest.raises(ConvertError, match=r"layer_1\.onnx has its weights in 8 bits"):
        read_reflex(small, shape)


def test_a_layer_runs_on_fewer_image_rows_than_the_layer_before_gave(tmp_path: Path) -> None:
    _, layer, *_ = (ort.InferenceSession(path) for path in write_reflex(tmp_path, random_weights(SHAPE)))
    words = np.zeros((1, 4, 32), np.float32)
    image = np.random.default_rng(2).standard_normal((1, 9, 32), np.float32)
    saliency = _run(layer, words=words, image=image)["saliency"]
    assert saliency.sum() == pytest.approx(4, abs=1e-4)
    kept = np.sort(np.argsort(-saliency[0])[:2])
    assert _run(layer, words=words, image=image[:, kept])["image_out"].shape == (1, 2, 32)


def test_weights_of_another_shape_are_refused() -> None:
    arrays = dict(random_weights(SHAPE).arrays)
    arrays["image.project.weight"] = np.zeros((32, 21), np.float32)
    with pytest.raises(ConvertError, match=r"image\.project\.weight"):
        ReflexWeights(SHAPE, arrays)
    del arrays["image.project.weight"]
    with pytest.raises(ConvertError, match="lack"):
        ReflexWeights(SHAPE, arrays)


def _run(session: ort.InferenceSession, **given: np.ndarray) -> dict[str, np.ndarray]:
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, given), strict=True))


def _assert_same(got: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert set(got) == set(expected)
    for name, value in expected.items():
        shaped = got[name].reshape(value.shape)
        np.testing.assert_allclose(shaped, value, rtol=2e-4, atol=2e-4, err_msg=name)


def test_what_was_written_is_read_again_to_the_bit(tmp_path: Path) -> None:
    weights = random_weights(SHAPE)
    write_reflex(tmp_path, weights)
    found = read_reflex(tmp_path, SHAPE)
    assert all(np.array_equal(found[name], weights[name]) for name in weights.arrays)


@pytest.mark.parametrize("other", [{"words": 31}, {"layers": 4}, {"hidden": 32}])
def test_a_network_of_another_shape_is_refused(other: dict[str, int], tmp_path: Path) -> None:
    write_reflex(tmp_path, random_weights(SHAPE))
    with pytest.raises(ConvertError):
        read_reflex(tmp_path, replace(SHAPE, **other))  # type: ignore[arg-type]
